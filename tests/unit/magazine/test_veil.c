/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the inline halves see. A pool whose objects are touched hides most of a magazine that came from
 * another core; a twin without that must give the same objects in the same order all the same.
 * Objects are made-up addresses: fetching a line of one is a hint that does nothing.
 */
#include <errno.h>

#include "test_util.h"

#define POPULATION 4096
#define SIZE       256

static struct magazine_pool *
touched_pool(uint32_t touched)
{
	const struct magazine_conf conf = {
		.name = "touched", .population = POPULATION, .size = SIZE, .touched = touched};
	struct magazine_pool *pool;
	void *objs[POPULATION];

	for (uint32_t i = 0; i < POPULATION; i++)
		objs[i] = object_of(i);
	assert_int_equal(magazine_pool_create(&conf, &pool), 0);
	assert_int_equal(magazine_pool_seed(pool, objs, POPULATION), 0);
	/* everything goes through the hands of lcore 0 */
	assert_int_equal(magazine_get_bulk(pool, 0, objs, POPULATION), 0);
	magazine_put_bulk(pool, 0, objs, POPULATION);
	return pool;
}

static void
a_cold_magazine_is_shown_in_bursts(void **state)
{
	struct magazine_pool *pool = touched_pool(128);
	const struct magazine_cache *cache = &pool->cache[1];
	const struct {
		uint32_t shown, hidden, cold; /* after each get of 32 */
	} steps[] = {{32, 192, 128}, {0, 192, 128}, {32, 128, 64}, {0, 128, 64}, {96, 0, 0}, {64, 0, 0},
		{32, 0, 0}, {0, 0, 0}};
	void *objs[SIZE];

	for (size_t i = 0; i < RTE_DIM(steps); i++) {
		assert_int_equal(magazine_get_bulk(pool, 1, objs + 32 * i, 32), 0);
		assert_int_equal(cache->n_loaded, steps[i].shown);
		assert_int_equal(cache->hidden, steps[i].hidden);
		assert_int_equal(cache->cold, steps[i].cold);
		assert_int_equal(cache->size + cache->hidden, cache->capacity);
		assert_int_equal(magazine_pool_avail(pool), POPULATION - 32 * (i + 1));
		assert_int_equal(magazine_pool_check(pool), 0);
	}
	assert_int_equal(cache->exchanges, 1);
	assert_int_equal(cache->cross_core, 1);
	magazine_put_bulk(pool, 1, objs, SIZE);
	closed_pool(pool);
}

static void
what_is_ones_own_is_not_hidden(void **state)
{
	struct magazine_pool *pool = touched_pool(128), *untouched = touched_pool(0);
	void *objs[300];

	for (uint32_t i = 0; i < 300; i++) {
		assert_int_equal(magazine_get_bulk(pool, 0, objs + i, 1), 0);
		assert_int_equal(pool->cache[0].hidden, 0);
	}
	magazine_put_bulk(pool, 0, objs, 300);
	for (uint32_t i = 0; i < 300; i++) {
		assert_int_equal(magazine_get_bulk(untouched, 1, objs + i, 1), 0);
		assert_int_equal(untouched->cache[1].hidden, 0);
	}
	magazine_put_bulk(untouched, 1, objs, 300);
	closed_pool(pool);
	closed_pool(untouched);
}

/* Gets and puts of any size: what is hidden is neither lost nor out of turn. */
static void
hiding_changes_nothing_else(void **state)
{
	struct magazine_pool *pool = touched_pool(64), *twin = touched_pool(0);
	void *objs[2][POPULATION];
	uint64_t random = 0x9e3779b97f4a7c15, n_hidden = 0;
	uint32_t held = 0;

	for (uint32_t step = 0; step < 20000; step++) {
		const uint32_t n = random_below(&random, 70);
		const bool puts = random_below(&random, 2) == 0 && held >= n;
		/* mostly one gets and the other puts */
		const unsigned int lcore = (random_below(&random, 8) == 0) == puts ? 1 : 2;

		if (puts) {
			held -= n;
			magazine_put_bulk(pool, lcore, &objs[0][held], n);
			magazine_put_bulk(twin, lcore, &objs[1][held], n);
		} else if (held + n <= POPULATION) {
			const int ret = magazine_get_bulk(pool, lcore, &objs[0][held], n);

			assert_int_equal(magazine_get_bulk(twin, lcore, &objs[1][held], n), ret);
			held += ret == 0 ? n : 0;
		}
		assert_memory_equal(objs[0], objs[1], held * sizeof(void *));
		n_hidden += pool->cache[lcore].hidden > 0;
		if (step % 50 == 0)
			assert_int_equal(magazine_pool_check(pool), 0);
	}
	assert_true(n_hidden > 100);
	magazine_put_bulk(pool, 1, objs[0], held);
	magazine_put_bulk(twin, 1, objs[1], held);
	closed_pool(pool);
	closed_pool(twin);
}

/* What was cold is not when it has become previous: the magazine that takes its place is one's own. */
static void
a_swap_ends_the_cold(void **state)
{
	struct magazine_pool *pool = touched_pool(128);
	struct magazine_cache *cache = &pool->cache[1];
	void *objs[32], *more[150];

	assert_int_equal(magazine_get_bulk(pool, 1, objs, 32), 0);
	assert_int_equal(magazine_get_bulk(pool, 0, more, 150), 0);
	assert_true(cache->cold > 0);
	magazine_put_bulk(pool, 1, objs, 32);
	magazine_put_bulk(pool, 1, more, 150);
	assert_int_equal(cache->swaps, 1);
	assert_int_equal(cache->n_loaded, 150);
	assert_int_equal(cache->hidden + cache->cold, 0);
	closed_pool(pool);
}

/* Whoever must give up a magazine gives up all of it. */
static void
hidden_rounds_are_given_up_too(void **state)
{
	struct magazine_pool *pool = touched_pool(128);
	void *objs[32];

	assert_int_equal(magazine_get_bulk(pool, 1, objs, 32), 0);
	assert_true(pool->cache[1].hidden > 0);
	pool->epoch++;
	magazine_poll(pool, 1);
	assert_int_equal(pool->cache[1].n_loaded + pool->cache[1].hidden, 0);
	assert_int_equal(pool->cache[1].reclaimed, SIZE - 32);
	assert_int_equal(magazine_pool_check(pool), 0);
	magazine_put_bulk(pool, 1, objs, 32);
	magazine_pool_flush(pool, 1);
	assert_int_equal(magazine_pool_check(pool), 0);
	assert_int_equal(magazine_pool_audit(pool, NULL, NULL), 0);
	closed_pool(pool);
}

/* A pool that lies on one node of several, as most do: its lcores have the inline halves, the others' puts go home. */
static void
lcores_beside_their_pool_are_not_veiled(void **state)
{
	const struct magazine_topology topology = {.n_nodes = 2, .node_of = {[1] = 1}};
	const struct magazine_conf conf = {
		.name = "beside", .population = 1000, .size = 32, .node = 1, .topology = &topology};
	struct magazine_pool *pool;
	void *objs[1000];

	assert_int_equal(magazine_pool_create(&conf, &pool), 0);
	for (uint32_t i = 0; i < 1000; i++)
		objs[i] = object_of(i);
	assert_int_equal(magazine_pool_range(pool, objs[0], 64000, 1), 0);
	assert_int_equal(magazine_pool_seed(pool, objs, 1000), 0);
	for (unsigned int lcore = 0; lcore < 2; lcore++) {
		struct magazine_lcore_stats stats;

		assert_int_equal(magazine_get_bulk(pool, lcore, objs, 10), 0);
		magazine_put_bulk(pool, lcore, objs, 5);
		magazine_put_bulk(pool, lcore, objs + 5, 5);
		assert_int_equal(pool->cache[lcore].n_loaded > 0, lcore == 1);
		assert_int_equal(magazine_pool_lcore_stats(pool, lcore, &stats), 0);
		assert_int_equal(stats.foreign, lcore == 0 ? 10 : 0);
		assert_int_equal(magazine_pool_check(pool), 0);
	}
	magazine_pool_flush(pool, 0);
	magazine_pool_flush(pool, 1);
	assert_int_equal(pool->cache[0].sent_home, 10);
	assert_int_equal(pool->cache[1].sent_home, 0);
	closed_pool(pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cold_magazine_is_shown_in_bursts),
		cmocka_unit_test(what_is_ones_own_is_not_hidden),
		cmocka_unit_test(hiding_changes_nothing_else),
		cmocka_unit_test(a_swap_ends_the_cold),
		cmocka_unit_test(hidden_rounds_are_given_up_too),
		cmocka_unit_test(lcores_beside_their_pool_are_not_veiled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
