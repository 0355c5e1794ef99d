/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects for the magazine tests: number i of a pool is the pointer (i + 1) * 64,
 * never dereferenced, so that a pool may be as large as a test likes.
 */
#ifndef TEST_UTIL_H
#define TEST_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "magazine.h"

static inline void *
object_of(uint32_t i)
{
	return (void *)(((uintptr_t)i + 1) * 64);
}

static inline uint32_t
index_of(const void *object)
{
	return (uint32_t)((uintptr_t)object / 64 - 1);
}

/* A pool of population objects, seeded in pieces of 7. */
static inline struct magazine_pool *
filled_pool(uint32_t population, uint32_t size)
{
	const struct magazine_conf conf = {
		.name = "test", .population = population, .size = size, .node = SOCKET_ID_ANY};
	struct magazine_pool *pool;
	void *objs[7];
	uint32_t n = 0;

	assert_int_equal(magazine_pool_create(&conf, &pool), 0);
	for (uint32_t i = 0; i < population; i++) {
		objs[n++] = object_of(i);
		if (n < 7 && i + 1 < population)
			continue;
		assert_int_equal(magazine_pool_seed(pool, objs, n), 0);
		n = 0;
	}
	assert_int_equal(magazine_pool_check(pool), 0);
	return pool;
}

/* The teardown of every test: all objects are home and the books are right. */
static inline void
closed_pool(struct magazine_pool *pool)
{
	struct magazine_stats stats;

	assert_int_equal(magazine_pool_check(pool), 0);
	magazine_pool_stats(pool, &stats);
	assert_int_equal(stats.out, 0);
	assert_int_equal(stats.cached + stats.depot, stats.population);
	magazine_pool_destroy(pool);
}

/* xorshift64: the same numbers on every machine. */
static inline uint32_t
random_below(uint64_t *state, uint32_t limit)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)((*state >> 32) * limit >> 32);
}

#endif
