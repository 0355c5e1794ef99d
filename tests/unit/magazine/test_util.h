/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects for the magazine tests: number i of a pool is the pointer (i + 1) * 64,
 * never dereferenced, so that a pool may be as large as a test likes. Where objects
 * must be memory (poison, and who wrote what), object_base says where it begins.
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

#define OBJECT_BYTES 64u

extern uintptr_t object_base; /* 0 = objects are no memory */

static inline void *
object_of(uint32_t i)
{
	return (void *)(object_base + ((uintptr_t)i + 1) * OBJECT_BYTES);
}

static inline uint32_t
index_of(const void *object)
{
	return (uint32_t)(((uintptr_t)object - object_base) / OBJECT_BYTES - 1);
}

/* Makes objects 0 .. population - 1 memory, until objects_end(). */
void objects_begin(uint32_t population);
void objects_end(void);

/* Lcores 0, 1, ... on nodes 0, 1, ... n_nodes - 1, 0, 1, ...; the farther their numbers, the farther they are. */
struct magazine_topology topology_of(uint32_t n_nodes);

/* The node that an object of a pool made by pool_of() is at home on: each has a run of them. */
uint32_t home_of(const struct magazine_pool *pool, const void *object);

/* A pool of conf, its name and population being added, seeded in pieces of 7; node k has its share of objects. */
struct magazine_pool *pool_of(struct magazine_conf conf, uint32_t population);

/* Every object is in the pool, once. */
void assert_whole(const struct magazine_pool *pool);

/* Gives the magazines of every lcore to the depots. */
void flush_all(struct magazine_pool *pool);

/* Makes M that of every depot, as the controller would. Any thread, at any time. */
void size_force(struct magazine_pool *pool, uint32_t size);

/* Gets n objects that must be there. */
void get(struct magazine_pool *pool, unsigned int lcore, void **objs, uint32_t n);

/* A pool of population objects on one node. */
struct magazine_pool *filled_pool(uint32_t population, uint32_t size);

/* The teardown of every test: all objects are home and the books are right. */
void closed_pool(struct magazine_pool *pool);

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
