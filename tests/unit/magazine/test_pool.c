/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each call promises, case by case: arguments, order, all or nothing, sizes
 * that do not fit a magazine, threads that are no lcore, and how often a
 * cache goes to its depot.
 */
#include <errno.h>

#include "test_util.h"

static void
create_judges_its_arguments(void **state)
{
	const struct magazine_conf good = {.name = "x", .population = 1, .size = 32, .node = 0};
	const uint32_t bad_sizes[] = {1, 16, 31, 33, 96, 1024, UINT32_MAX};
	struct magazine_pool *pool = NULL;
	struct magazine_conf conf = good;

	for (size_t i = 0; i < RTE_DIM(bad_sizes); i++) {
		conf.size = bad_sizes[i];
		assert_int_equal(magazine_pool_create(&conf, &pool), -EINVAL);
	}
	conf = good;
	conf.population = 0;
	assert_int_equal(magazine_pool_create(&conf, &pool), -EINVAL);
	conf.population = (1u << 31) + 1;
	assert_int_equal(magazine_pool_create(&conf, &pool), -EINVAL);
	conf = good;
	conf.name = NULL;
	assert_int_equal(magazine_pool_create(&conf, &pool), -EINVAL);
	assert_null(pool);

	conf = good;
	conf.size = 0;
	conf.name = "a name that is much longer than a pool has room for";
	conf.node = 1 << 20;
	assert_int_equal(magazine_pool_create(&conf, &pool), 0);
	assert_int_equal(pool->size_min, MAGAZINE_ROUNDS_MIN);
	assert_int_equal(pool->size_max, MAGAZINE_ROUNDS_MIN);
	assert_int_equal(strlen(pool->name), MAGAZINE_NAME_LEN - 1);
	closed_pool(pool);
	magazine_pool_destroy(NULL);
}

static void
seed_stops_at_the_population(void **state)
{
	struct magazine_pool *pool = filled_pool(100, 32);
	void *more = object_of(100);
	struct magazine_stats stats;

	assert_int_equal(magazine_pool_seed(pool, &more, 1), -ENOSPC);
	assert_int_equal(magazine_pool_avail(pool), 100);
	magazine_pool_stats(pool, &stats);
	assert_int_equal(stats.depot, 100);
	assert_int_equal(stats.cached, 0);
	assert_int_equal(stats.counts.gets + stats.counts.puts, 0);
	closed_pool(pool);
}

/* A pool that got fewer objects than it may hold is whole too. */
static void
a_half_seeded_pool_balances(void **state)
{
	const struct magazine_conf conf = {.name = "half", .population = 1000, .size = 32, .node = 0};
	struct magazine_pool *pool;
	void *objs[40], *one;

	for (uint32_t i = 0; i < 40; i++)
		objs[i] = object_of(i);
	assert_int_equal(magazine_pool_create(&conf, &pool), 0);
	assert_int_equal(magazine_get_bulk(pool, 0, &one, 1), -ENOENT);
	assert_int_equal(magazine_pool_seed(pool, objs, 40), 0);
	assert_int_equal(magazine_pool_avail(pool), 40);
	assert_int_equal(magazine_get_bulk(pool, 0, &one, 1), 0);
	assert_int_equal(magazine_pool_check(pool), 0);
	magazine_put_bulk(pool, 0, &one, 1);
	closed_pool(pool);
}

static void
the_last_put_is_got_first(void **state)
{
	struct magazine_pool *pool = filled_pool(1000, 32);
	void *objs[50], *again[50];

	assert_int_equal(magazine_get_bulk(pool, 1, objs, 50), 0);
	for (uint32_t i = 0; i < 50; i++)
		magazine_put_bulk(pool, 1, &objs[i], 1);
	for (uint32_t i = 50; i-- > 0;) {
		assert_int_equal(magazine_get_bulk(pool, 1, &again[i], 1), 0);
		assert_ptr_equal(again[i], objs[i]);
	}
	magazine_put_bulk(pool, 1, objs, 50);
	closed_pool(pool);
}

static void
nothing_is_a_number_too(void **state)
{
	struct magazine_pool *pool = filled_pool(5, 32);
	void *objs[1] = {NULL};

	assert_int_equal(magazine_get_bulk(pool, 3, objs, 0), 0);
	magazine_put_bulk(pool, 3, objs, 0);
	assert_int_equal(magazine_get_slow(pool, 4, objs, 0), 0);
	magazine_put_slow(pool, 4, objs, 0);
	assert_int_equal(magazine_get_bulk(pool, LCORE_ID_ANY, objs, 0), 0);
	magazine_put_bulk(pool, LCORE_ID_ANY, objs, 0);
	assert_null(objs[0]);
	closed_pool(pool);
}

/* Every population and every way to ask for all of it, and for one more. */
static void
all_or_nothing(uint32_t population, uint32_t size, unsigned int lcore)
{
	struct magazine_pool *pool = filled_pool(population, size);
	void **objs = calloc(population + 1, sizeof(*objs));
	struct magazine_stats stats;

	assert_int_equal(magazine_get_bulk(pool, lcore, objs, population + 1), -ENOENT);
	magazine_pool_stats(pool, &stats);
	assert_int_equal(stats.counts.gets, 0);
	assert_int_equal(stats.cached + stats.depot, population);

	assert_int_equal(magazine_get_bulk(pool, lcore, objs, population), 0);
	assert_int_equal(magazine_pool_avail(pool), 0);
	assert_int_equal(magazine_pool_check(pool), 0);
	assert_int_equal(magazine_get_bulk(pool, lcore, &objs[population], 1), -ENOENT);
	magazine_put_bulk(pool, lcore, objs, population);
	assert_int_equal(magazine_pool_avail(pool), population);
	/* Now they lie in the caller's magazines as well. */
	assert_int_equal(magazine_get_bulk(pool, lcore, objs, population + 1), -ENOENT);
	assert_int_equal(magazine_pool_check(pool), 0);
	assert_int_equal(magazine_get_bulk(pool, lcore, objs, population), 0);
	magazine_put_bulk(pool, lcore, objs, population);
	free(objs);
	closed_pool(pool);
}

static void
all_or_nothing_of_any_population(void **state)
{
	const uint32_t populations[] = {1, 2, 31, 32, 33, 63, 64, 65, 97, 129, 1000, 4096, 8191};
	const uint32_t sizes[] = {32, 64, 128, 256, 512};

	for (size_t p = 0; p < RTE_DIM(populations); p++)
		for (size_t s = 0; s < RTE_DIM(sizes); s++) {
			all_or_nothing(populations[p], sizes[s], 0);
			all_or_nothing(populations[p], sizes[s], RTE_MAX_LCORE - 1);
			all_or_nothing(populations[p], sizes[s], LCORE_ID_ANY);
		}
}

/* A failing get must leave the objects where they were, in their order. */
static void
a_failed_get_changes_nothing(void **state)
{
	struct magazine_pool *pool = filled_pool(100, 32);
	void *objs[100], *more[101];
	struct magazine_cache before;

	assert_int_equal(magazine_get_bulk(pool, 2, objs, 100), 0);
	magazine_put_bulk(pool, 2, objs, 50);
	before = pool->cache[2];
	assert_int_equal(magazine_get_bulk(pool, 2, more, 51), -ENOENT);
	assert_int_equal(pool->cache[2].exchange_fails, before.exchange_fails + 1);
	before.exchange_fails++;
	before.epoch++; /* it asked the others, and has nothing to answer itself */
	assert_memory_equal(&pool->cache[2], &before, sizeof(before));
	for (uint32_t i = 50; i-- > 0;) {
		assert_int_equal(magazine_get_bulk(pool, 2, more, 1), 0);
		assert_ptr_equal(more[0], objs[i]);
	}
	magazine_put_bulk(pool, 2, objs, 100);
	closed_pool(pool);
}

/* A get finds loose objects, full magazines and its own two at once. */
static void
a_get_finds_objects_wherever_they_are(void **state)
{
	struct magazine_pool *pool = filled_pool(32 * 6 + 5, 32);
	const uint32_t population = 32 * 6 + 5;
	void *objs[32 * 6 + 5];

	for (uint32_t own = 0; own <= 70; own++) {
		assert_int_equal(magazine_get_bulk(pool, 0, objs, population), 0);
		magazine_put_bulk(pool, LCORE_ID_ANY, objs, population - own);
		magazine_put_bulk(pool, 0, objs + population - own, own);
		assert_int_equal(magazine_pool_check(pool), 0);
		assert_int_equal(magazine_get_bulk(pool, 0, objs, population), 0);
		assert_int_equal(magazine_pool_avail(pool), 0);
		magazine_put_bulk(pool, LCORE_ID_ANY, objs, population);
	}
	closed_pool(pool);
}

/* Threads that are no lcore break full magazines up, and put them together again. */
static void
other_threads_use_loose_objects(void **state)
{
	struct magazine_pool *pool = filled_pool(256, 64);
	struct magazine_stats stats;
	void *one[3], *objs[64];

	for (int i = 0; i < 3; i++)
		assert_int_equal(magazine_get_bulk(pool, LCORE_ID_ANY, &one[i], 1), 0);
	magazine_pool_stats(pool, &stats);
	assert_int_equal(stats.cached, 0);
	assert_int_equal(stats.out, 3);
	assert_int_equal(magazine_pool_check(pool), 0);
	for (int i = 0; i < 3; i++)
		magazine_put_bulk(pool, LCORE_ID_ANY, &one[i], 1);

	/* All four magazines are full again: an lcore gets M with one exchange each. */
	for (unsigned int lcore = 0; lcore < 4; lcore++) {
		assert_int_equal(magazine_get_bulk(pool, lcore, objs, 64), 0);
		assert_int_equal(pool->cache[lcore].exchanges, 1);
		magazine_put_bulk(pool, lcore, objs, 64);
	}
	closed_pool(pool);
}

/* After an exchange, M gets and M puts need no other one, in whatever order. */
static void
the_depot_is_visited_once_per_magazine(void **state)
{
	struct magazine_pool *pool = filled_pool(4096, 64);
	struct magazine_cache *cache = &pool->cache[5];
	void *objs[4096];
	uint64_t before;

	/* to and fro across the boundary */
	assert_int_equal(magazine_get_bulk(pool, 5, objs, 64), 0);
	before = cache->exchanges;
	for (uint32_t i = 0; i < 1000; i++) {
		magazine_put_bulk(pool, 5, objs, 1);
		magazine_put_bulk(pool, 5, objs + 1, 63);
		assert_int_equal(magazine_get_bulk(pool, 5, objs, 64), 0);
	}
	assert_true(cache->exchanges - before <= 1);
	magazine_put_bulk(pool, 5, objs, 64);

	/* one way */
	before = cache->exchanges;
	for (uint32_t i = 0; i < 4096; i += 32)
		assert_int_equal(magazine_get_bulk(pool, 5, objs + i, 32), 0);
	assert_in_range(cache->exchanges - before, 4096 / 64 - 2, 4096 / 64);
	before = cache->exchanges;
	for (uint32_t i = 0; i < 4096; i += 32)
		magazine_put_bulk(pool, 5, objs + i, 32);
	assert_in_range(cache->exchanges - before, 4096 / 64 - 2, 4096 / 64);
	closed_pool(pool);
}

static void
crossing_is_counted(void **state)
{
	struct magazine_pool *pool = filled_pool(1024, 32);
	struct magazine_stats stats;
	void *objs[1024];

	assert_int_equal(magazine_get_bulk(pool, 0, objs, 1024), 0);
	magazine_put_bulk(pool, 0, objs, 1024);
	for (uint32_t i = 0; i < 320; i += 32)
		assert_int_equal(magazine_get_bulk(pool, 1, objs + i, 32), 0);
	magazine_pool_stats(pool, &stats);
	assert_int_equal(stats.counts.cross_core, 10);
	assert_int_equal(pool->cache[1].cross_core, 10);
	assert_int_equal(stats.counts.contended, 0);
	magazine_put_bulk(pool, 1, objs, 320);

	/* What it filled itself does not count, nor what came from the depot's loose objects. */
	for (unsigned int lcore = 2; lcore < 4; lcore++) {
		magazine_pool_flush(pool, 0);
		magazine_pool_flush(pool, 1);
		for (int i = 0; i < 3; i++) {
			for (int k = 0; k < 160; k += 32)
				assert_int_equal(magazine_get_bulk(pool, lcore, objs + k, 32), 0);
			magazine_put_bulk(pool, lcore, objs, 160);
		}
		magazine_pool_flush(pool, lcore);
		assert_int_equal(magazine_get_bulk(pool, LCORE_ID_ANY, objs, 1024), 0);
		magazine_put_bulk(pool, LCORE_ID_ANY, objs, 1024);
	}
	assert_true(pool->cache[3].exchanges > 5);
	assert_int_equal(pool->cache[3].cross_core, 0);
	closed_pool(pool);
}

/* What a stopped lcore held can be got by others afterwards, and it may come back. */
static void
flush_gives_everything_to_the_depot(void **state)
{
	struct magazine_pool *pool = filled_pool(333, 64);
	struct magazine_stats stats;
	void *objs[333];

	magazine_pool_flush(pool, 7); /* never used */
	assert_int_equal(magazine_get_bulk(pool, 7, objs, 333), 0);
	magazine_put_bulk(pool, 7, objs, 333);
	assert_int_equal(magazine_get_bulk(pool, 8, objs, 333), -ENOENT);
	magazine_pool_flush(pool, 7);
	assert_int_equal(magazine_pool_check(pool), 0);
	magazine_pool_stats(pool, &stats);
	assert_int_equal(stats.cached, 0);
	assert_int_equal(magazine_get_bulk(pool, 8, objs, 333), 0);
	magazine_put_bulk(pool, 7, objs, 333);
	closed_pool(pool);
}

/* Every lcore there can be finds its two magazines, while all objects lie in full ones. */
static void
every_lcore_has_its_magazines(void **state)
{
	struct magazine_pool *pool = filled_pool(32 * RTE_MAX_LCORE * 2, 32);
	void *objs[64];

	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
		assert_int_equal(magazine_get_bulk(pool, lcore, objs, 64), 0);
		magazine_put_bulk(pool, lcore, objs, 64);
		assert_int_equal(magazine_pool_check(pool), 0);
	}
	assert_int_equal(magazine_get_bulk(pool, LCORE_ID_ANY, objs, 1), -ENOENT);
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++)
		magazine_pool_flush(pool, lcore);
	closed_pool(pool);
}

/*
 * The most magazines there can be in use: every lcore has two empty ones, and all
 * objects lie in full ones in the depot. None is left over, and none is missing.
 */
static void
the_last_magazine_is_enough(void **state)
{
	const struct magazine_conf conf = {.name = "last", .population = 32 * 20, .size = 32, .node = 0};
	struct magazine_pool *pool;
	void *objs[32 * 20];

	for (uint32_t i = 0; i < 32 * 20; i++)
		objs[i] = object_of(i);
	assert_int_equal(magazine_pool_create(&conf, &pool), 0);
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++)
		assert_int_equal(magazine_get_slow(pool, lcore, objs, 0), 0);
	assert_int_equal(magazine_pool_seed(pool, objs, 32 * 20), 0);
	assert_int_equal(magazine_pool_check(pool), 0);
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
		assert_int_equal(magazine_get_bulk(pool, lcore, objs, 32 * 20), 0);
		magazine_put_bulk(pool, LCORE_ID_ANY, objs, 32 * 20);
		assert_int_equal(magazine_pool_check(pool), 0);
	}
	closed_pool(pool);
}

/* What one lcore has of one pool is nothing to the other, however alike they are. */
static void
two_pools_side_by_side(void **state)
{
	struct magazine_pool *pools[2] = {filled_pool(1001, 32), filled_pool(1001, 64)};
	static void *held[2][1001];
	uint32_t n_held[2] = {0, 0};
	uint64_t random = 0xf1357aea2e62a9c5;

	for (int i = 0; i < 20000; i++) {
		const uint32_t p = random_below(&random, 2);
		const unsigned int lcore = random_below(&random, 3);
		const uint32_t n = random_below(&random, 100);

		if (random_below(&random, 2) &&
			magazine_get_bulk(pools[p], lcore, held[p] + n_held[p], n) == 0)
			n_held[p] += n;
		else if (n <= n_held[p])
			magazine_put_bulk(pools[p], lcore, held[p] + (n_held[p] -= n), n);
		for (int k = 0; k < 2; k++)
			assert_int_equal(magazine_pool_avail(pools[k]) + n_held[k], 1001);
	}
	for (int k = 0; k < 2; k++) {
		magazine_put_bulk(pools[k], 0, held[k], n_held[k]);
		closed_pool(pools[k]);
	}
}

/* The check itself must see a lost, a doubled and a misplaced object. */
static void
check_finds_what_is_wrong(void **state)
{
	struct magazine_pool *pool = filled_pool(200, 32);
	struct magazine_cache *cache = &pool->cache[0];
	void *objs[40];

	assert_int_equal(magazine_get_bulk(pool, 0, objs, 40), 0);
	assert_int_equal(magazine_pool_check(pool), 0);
	cache->n_loaded--;
	assert_int_equal(magazine_pool_check(pool), -EFAULT);
	cache->n_loaded += 2;
	assert_int_equal(magazine_pool_check(pool), -EFAULT);
	cache->n_loaded--;
	cache->n_previous = 1;
	cache->gets--;
	assert_int_equal(magazine_pool_check(pool), -EFAULT);
	cache->n_previous = 0;
	cache->gets++;
	magazine_put_bulk(pool, 0, objs, 40);
	closed_pool(pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(create_judges_its_arguments),
		cmocka_unit_test(seed_stops_at_the_population),
		cmocka_unit_test(a_half_seeded_pool_balances),
		cmocka_unit_test(the_last_put_is_got_first),
		cmocka_unit_test(nothing_is_a_number_too),
		cmocka_unit_test(all_or_nothing_of_any_population),
		cmocka_unit_test(a_failed_get_changes_nothing),
		cmocka_unit_test(a_get_finds_objects_wherever_they_are),
		cmocka_unit_test(other_threads_use_loose_objects),
		cmocka_unit_test(the_depot_is_visited_once_per_magazine),
		cmocka_unit_test(crossing_is_counted),
		cmocka_unit_test(flush_gives_everything_to_the_depot),
		cmocka_unit_test(every_lcore_has_its_magazines),
		cmocka_unit_test(the_last_magazine_is_enough),
		cmocka_unit_test(two_pools_side_by_side),
		cmocka_unit_test(check_finds_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
