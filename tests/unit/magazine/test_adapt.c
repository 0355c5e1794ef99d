/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How M follows the load. First the controller alone, with a made-up clock: what it calls busy, calm
 * and neither, and that only a lasting state changes anything. Then pools whose magazines have sizes
 * that differ, which no change of M may harm.
 */
#include <errno.h>
#include <unistd.h>

#include "crowd.h"
#include "magazine_priv.h"
#include "test_util.h"

#define MS    UINT64_C(1000000)
#define LOOK  (10 * MS)
#define START (1000 * MS)

/* Of one look of 10 ms: at 175 ns, 0.5 % of it and a sixteenth of that. */
#define BUSY 286u
#define CALM 17u

static struct magazine_depot
depot_of(uint32_t size)
{
	struct magazine_depot depot = {.size = size, .size_min = 32, .size_max = 512, .size_limit = 512};

	magazine_depot_adapt(&depot, START);
	return depot;
}

/* One look after ms more, in which there were so many exchanges. */
static void
look(struct magazine_depot *depot, uint64_t ms, uint32_t exchanges, uint32_t contended)
{
	depot->exchanges += exchanges;
	depot->contended += contended;
	magazine_depot_adapt(depot, depot->looked_at + ms * MS);
}

static void
looks(struct magazine_depot *depot, uint32_t n, uint32_t exchanges, uint32_t contended)
{
	for (uint32_t i = 0; i < n; i++)
		look(depot, 10, exchanges, contended);
}

static void
grows_at_the_third_busy_look(void **state)
{
	struct magazine_depot depot = depot_of(64);

	looks(&depot, 2, BUSY, 0);
	assert_int_equal(depot.size, 64);
	look(&depot, 10, BUSY, 0);
	assert_int_equal(depot.size, 128);
	looks(&depot, 2, BUSY, 0);
	assert_int_equal(depot.size, 128);
	look(&depot, 10, BUSY, 0);
	assert_int_equal(depot.size, 256);
	looks(&depot, 300, 100000, 100000);
	assert_int_equal(depot.size, 512);
	assert_int_equal(depot.grown, 3);
	assert_int_equal(depot.shrunk, 0);
}

static void
one_exchange_less_is_not_busy(void **state)
{
	struct magazine_depot depot = depot_of(64);

	looks(&depot, 300, BUSY - 1, 0);
	assert_int_equal(depot.size, 64);
	look(&depot, 10, BUSY, 0);
	look(&depot, 10, BUSY, 0);
	look(&depot, 10, BUSY - 1, 0); /* in a row, or not at all */
	look(&depot, 10, BUSY, 0);
	look(&depot, 10, BUSY, 0);
	assert_int_equal(depot.size, 64);
	assert_int_equal(depot.grown, 0);
	look(&depot, 10, BUSY, 0);
	assert_int_equal(depot.size, 128);
}

/* 2 % of at least 64 exchanges, however few these are for the time. */
static void
grows_by_contention(void **state)
{
	struct magazine_depot depot = depot_of(64);

	looks(&depot, 30, 100, 2);
	looks(&depot, 30, 63, 63);
	assert_int_equal(depot.size, 64);
	looks(&depot, 2, 64, 2);
	assert_int_equal(depot.size, 64);
	look(&depot, 10, 100, 3);
	assert_int_equal(depot.size, 128);
	assert_int_equal(depot.grown, 1);
}

/* The rate is what counts, not how many there were since the last look. */
static void
a_look_may_come_late(void **state)
{
	struct magazine_depot depot = depot_of(64);

	for (int i = 0; i < 30; i++)
		look(&depot, 100, 10 * BUSY - 10, 0);
	assert_int_equal(depot.size, 64);
	for (int i = 0; i < 3; i++)
		look(&depot, 100, 10 * BUSY, 0);
	assert_int_equal(depot.size, 128);
}

/* Between two looks there are 10 ms: what is asked before does not count, and is not forgotten. */
static void
a_look_may_come_early(void **state)
{
	struct magazine_depot depot = depot_of(64);
	const uint64_t looked_at = depot.looked_at;

	depot.exchanges += BUSY;
	for (uint64_t ms = 0; ms < 10; ms++)
		magazine_depot_adapt(&depot, looked_at + ms * MS);
	assert_int_equal(depot.n_busy, 0);
	assert_int_equal(depot.looked_at, looked_at);
	magazine_depot_adapt(&depot, looked_at + LOOK);
	assert_int_equal(depot.n_busy, 1);
}

static void
shrinks_a_step_each_calm_second(void **state)
{
	struct magazine_depot depot = depot_of(512);

	for (uint32_t second = 0; second < 10; second++) {
		looks(&depot, 99, CALM, 0);
		assert_int_equal(depot.size, RTE_MAX(512 >> second, 32));
		look(&depot, 10, CALM, 0);
		assert_int_equal(depot.size, RTE_MAX(512 >> (second + 1), 32));
	}
	assert_int_equal(depot.shrunk, 4);
	assert_int_equal(depot.grown, 0);
}

/* Nobody looks at a depot that nobody visits: the seconds are made up for at the next visit. */
static void
shrinks_several_steps_at_once(void **state)
{
	struct magazine_depot depot = depot_of(512);

	look(&depot, 2999, 16, 0);
	assert_int_equal(depot.size, 128);
	look(&depot, 10, 0, 0);
	assert_int_equal(depot.size, 64);
	look(&depot, 1000000, 16, 0);
	assert_int_equal(depot.size, 32);
	assert_int_equal(depot.shrunk, 4);
	/* what was made up for is gone: it grows again like any other, and takes a full second to shrink */
	looks(&depot, 3, BUSY, 0);
	assert_int_equal(depot.size, 64);
	looks(&depot, 99, 0, 0);
	assert_int_equal(depot.size, 64);
	look(&depot, 10, 0, 0);
	assert_int_equal(depot.size, 32);
}

static void
between_busy_and_calm_nothing_changes(void **state)
{
	struct magazine_depot depot = depot_of(128);

	looks(&depot, 1000, CALM + 1, 0);
	looks(&depot, 1000, BUSY - 1, 0);
	assert_int_equal(depot.size, 128);
	/* and interrupts both */
	looks(&depot, 99, CALM, 0);
	look(&depot, 10, CALM + 1, 0);
	looks(&depot, 99, CALM, 0);
	assert_int_equal(depot.size, 128);
	looks(&depot, 2, BUSY, 0);
	look(&depot, 10, CALM + 1, 0);
	look(&depot, 10, BUSY, 0);
	assert_int_equal(depot.size, 128);
	assert_int_equal(depot.grown + depot.shrunk, 0);
}

/* All that lcores * 2 * M objects may be is half of them. */
static void
population_and_lcores_bound_it(void **state)
{
	const struct {
		uint32_t population, n_lcores, size_max, bound, start;
	} cases[] = {{255, 0, 0, 32, 32}, {256, 1, 0, 64, 64}, {511, 1, 0, 64, 64}, {512, 1, 0, 128, 128},
		{1024, 1, 0, 256, 128}, {2047, 1, 0, 256, 128}, {2048, 1, 0, 512, 128},
		{2048, 2, 0, 256, 128}, {2047, 2, 0, 128, 128}, {2048, 16, 0, 32, 32},
		{1000000, 1, 0, 512, 128}, {1000000, 1, 256, 256, 128}, {1000000, 1, 64, 64, 64},
		{256, 1, 512, 64, 64}, {1000000, 128, 32, 32, 32}};

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		struct magazine_pool *pool = pool_of(
			(struct magazine_conf){.size_max = cases[i].size_max, .n_lcores = cases[i].n_lcores},
			cases[i].population);
		struct magazine_depot *depot = pool->depot[0];

		assert_int_equal(pool->size_max, cases[i].bound);
		assert_int_equal(depot->size, cases[i].start);
		magazine_depot_adapt(depot, START);
		looks(depot, 100, 100000, 0);
		assert_int_equal(depot->size, cases[i].bound);
		look(depot, 100000, 0, 0);
		assert_int_equal(depot->size, 32);
		closed_pool(pool);
	}
}

/* Where that leaves less than the smallest M there are no caches: nobody keeps anything from anybody. */
static void
too_few_objects_are_not_cached(void **state)
{
	const struct {
		uint32_t population, n_lcores, size;
		bool is_uncached;
	} cases[] = {{1, 0, 0, true}, {127, 1, 0, true}, {128, 1, 0, false}, {255, 2, 0, true},
		{256, 2, 0, false}, {2047, 16, 0, true}, {1, 1, 32, false}, {127, 100, 512, false}};

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		const uint32_t n = cases[i].population;
		struct magazine_pool *pool = pool_of(
			(struct magazine_conf){.size = cases[i].size, .n_lcores = cases[i].n_lcores}, n);
		void **objs = calloc(n, sizeof(*objs));
		struct magazine_stats stats;

		assert_int_equal(pool->is_uncached, cases[i].is_uncached);
		get(pool, 0, objs, n);
		magazine_put_bulk(pool, 0, objs, n);
		assert_whole(pool);
		magazine_pool_stats(pool, &stats);
		assert_int_equal(stats.counts.gets, n);
		assert_int_equal(stats.cached == 0, cases[i].is_uncached);
		if (cases[i].is_uncached) {
			get(pool, 1, objs, n);
			assert_int_equal(magazine_get_bulk(pool, 2, objs, 1), -ENOENT);
			magazine_put_bulk(pool, 3, objs, n);
		}
		free(objs);
		closed_pool(pool);
	}
}

static void
a_pinned_size_stays(void **state)
{
	for (uint32_t size = 32; size <= 512; size *= 2) {
		struct magazine_pool *pool = filled_pool(100000, size);
		struct magazine_depot *depot = pool->depot[0];
		void *objs[1];

		magazine_depot_adapt(depot, START);
		looks(depot, 100, 100000, 100000);
		look(depot, 100000, 0, 0);
		magazine_pool_adapt(pool);
		assert_int_equal(depot->size, size);
		assert_int_equal(depot->grown + depot->shrunk, 0);
		get(pool, 0, objs, 1);
		assert_int_equal(pool->cache[0].size, size);
		magazine_put_bulk(pool, 0, objs, 1);
		closed_pool(pool);
	}
}

/* One lcore gets, another puts, as fast as they can. Returns after ms, or when M has changed. */
static void
pipeline(struct magazine_pool *pool, uint64_t ms)
{
	const uint64_t end = magazine_adapt_now() + ms * MS;
	const uint32_t size = pool->depot[0]->size;
	void *objs[64];

	while (pool->depot[0]->size == size && magazine_adapt_now() < end)
		for (int i = 0; i < 64; i++) {
			get(pool, 0, objs, 64);
			magazine_put_bulk(pool, 1, objs, 64);
		}
}

/* The same with the clock of the machine: nobody calls the controller but those who exchange. */
static void
a_busy_pool_grows_by_itself(void **state)
{
	struct magazine_pool *pool = filled_pool(8192, 0);
	struct magazine_depot_stats stats;

	pipeline(pool, 20000);
	assert_int_equal(magazine_pool_depot_stats(pool, 0, &stats), 0);
	assert_int_equal(stats.size, 256);
	assert_int_equal(stats.grown, 1);
	pipeline(pool, 20000);
	assert_int_equal(pool->depot[0]->size, 512);
	/* the lcores have learnt it */
	assert_int_equal(pool->cache[0].next_size, 512);
	assert_int_equal(pool->cache[1].next_size, 512);
	closed_pool(pool);
}

/* An lcore that finds nothing, however often it looks, has no use for larger magazines. */
static void
a_starving_lcore_is_no_load(void **state)
{
	struct magazine_pool *pool = filled_pool(2048, 0);
	static void *objs[2048], *more[1];
	struct magazine_depot_stats before, after;

	get(pool, 0, objs, 2048);
	assert_int_equal(magazine_pool_depot_stats(pool, 0, &before), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(magazine_get_bulk(pool, 0, more, 1), -ENOENT);
	assert_int_equal(magazine_pool_depot_stats(pool, 0, &after), 0);
	assert_int_equal(after.exchanges, before.exchanges);
	magazine_put_bulk(pool, 0, objs, 2048);
	closed_pool(pool);
}

/* A look after somebody has found nothing: M halves, however busy the depot was, and must be busy anew to grow. */
static void
starving_shrinks(void **state)
{
	struct magazine_depot depot = depot_of(256);

	looks(&depot, 2, BUSY, 0);
	depot.starved = 1;
	look(&depot, 10, BUSY, BUSY);
	assert_int_equal(depot.size, 128);
	assert_int_equal(depot.starved, 0);
	looks(&depot, 2, BUSY, 0);
	assert_int_equal(depot.size, 128);
	looks(&depot, 1, BUSY, 0);
	assert_int_equal(depot.size, 256);
	for (int i = 0; i < 5; i++, depot.starved = 1)
		look(&depot, 10, depot.starved ? BUSY : 0, 0);
	assert_int_equal(depot.size, 32);
}

/* One lcore asks for more than there is and the other one, well served, gives up its own each time: no reason to grow. */
static void
exhaustion_is_no_load(void **state)
{
	struct magazine_pool *pool = filled_pool(4096, 0);
	struct magazine_depot *depot = pool->depot[0];
	static void *held[4097], *objs[32];
	uint64_t now = START;

	get(pool, 0, held, 2048);
	magazine_depot_adapt(depot, now);
	for (int second = 0; second < 100; second++) {
		for (int i = 0; i < 2000; i++) {
			assert_int_equal(magazine_get_bulk(pool, 0, &held[2048], 2049), -ENOENT);
			magazine_poll(pool, 1);
			get(pool, 1, objs, 32);
			magazine_put_bulk(pool, 1, objs, 32);
		}
		magazine_depot_adapt(depot, now += 10 * MS);
	}
	assert_int_equal(depot->size, MAGAZINE_ROUNDS_MIN);
	magazine_put_bulk(pool, 0, held, 2048);
	closed_pool(pool);
}

/* What the control thread calls: M shrinks although nobody comes. */
static void
a_pool_left_alone_shrinks(void **state)
{
	struct magazine_pool *pool = filled_pool(8192, 0);
	struct magazine_depot *depot = pool->depot[0];

	magazine_pool_adapt(pool);
	assert_int_equal(depot->size, 128);
	assert_true(depot->looked_at > 5 * 1000 * MS); /* the machine has been up for so long */
	depot->looked_at -= 1500 * MS;
	depot->calm_since -= 1500 * MS;
	magazine_pool_adapt(pool);
	assert_int_equal(depot->size, 64);
	closed_pool(pool);
}

/* Random calls of five lcores and a thread. Any number of objects may stay out. */
static void
churn(struct magazine_pool *pool, void **held, uint32_t *n_held, uint64_t *random, uint32_t n_calls)
{
	for (uint32_t i = 0; i < n_calls; i++) {
		const uint32_t actor = random_below(random, 6);
		const unsigned int lcore = actor < 5 ? actor : LCORE_ID_ANY;
		const uint32_t n = random_below(random, random_below(random, 8) == 0 ? 700 : 65);

		if (random_below(random, 2) == 0) {
			if (magazine_get_bulk(pool, lcore, held + *n_held, n) == 0)
				*n_held += n;
		} else {
			const uint32_t k = RTE_MIN(n, *n_held);

			*n_held -= k;
			magazine_put_bulk(pool, lcore, held + *n_held, k);
		}
		if (lcore != LCORE_ID_ANY && random_below(random, 50) == 0)
			magazine_poll(pool, lcore);
		assert_int_equal(magazine_pool_check(pool), 0);
		assert_int_equal(magazine_pool_avail(pool) + *n_held, pool->n_seeded);
	}
}

/* From every size to every other, with magazines of all of them about. */
static void
sizes_mix(void **state)
{
	const uint32_t population = 6007;
	void **held = calloc(population, sizeof(*held));
	uint64_t random = 0x853c49e6748fea9b;

	for (uint32_t n_nodes = 1; n_nodes <= 2; n_nodes++) {
		const struct magazine_topology topology = topology_of(n_nodes);
		struct magazine_pool *pool =
			pool_of((struct magazine_conf){.topology = &topology}, population);
		uint32_t n_held = 0;

		for (uint32_t from = 32; from <= 512; from *= 2)
			for (uint32_t to = 32; to <= 512; to *= 2) {
				size_force(pool, from);
				churn(pool, held, &n_held, &random, 60);
				size_force(pool, to);
				churn(pool, held, &n_held, &random, 60);
			}
		magazine_put_bulk(pool, 0, held, n_held);
		closed_pool(pool);
	}
	free(held);
}

/* A magazine filled to 512 is full, and got from as a whole, when M is 32; and none is larger than M says. */
static void
a_magazine_keeps_its_own_size(void **state)
{
	struct magazine_pool *pool = filled_pool(4096, 0);
	struct magazine_cache *cache = &pool->cache[0];
	static void *objs[4096];

	get(pool, 0, objs, 4096);
	size_force(pool, 512);
	get(pool, 0, objs, 0);
	magazine_put_bulk(pool, 0, objs, 2048);
	assert_int_equal(magazine_pool_check(pool), 0);
	assert_int_equal(cache->size, 512);
	assert_int_equal(pool->depot[0]->full->n, 512);

	size_force(pool, 32);
	get(pool, 0, objs, 700);
	assert_true(cache->size >= cache->n_loaded);
	get(pool, 0, objs + 700, 1348);
	magazine_put_bulk(pool, 1, objs, 320);
	assert_int_equal(pool->cache[1].size, 32);
	assert_int_equal(pool->depot[0]->full->n, 32);
	assert_int_equal(magazine_pool_check(pool), 0);
	magazine_put_bulk(pool, 1, objs + 320, 4096 - 320);
	closed_pool(pool);
}

/* Loaded and previous change places when previous holds more than M allows by now. */
static void
a_swap_finds_more_than_m(void **state)
{
	struct magazine_pool *pool = filled_pool(4096, 0);
	struct magazine_cache *cache = &pool->cache[0];
	static void *objs[4096];

	size_force(pool, 512);
	get(pool, 0, objs, 4096);
	magazine_put_bulk(pool, 0, objs, 1024);
	assert_int_equal(cache->n_loaded, 512);
	assert_int_equal(cache->n_previous, 512);
	size_force(pool, 32);
	magazine_put_bulk(pool, 0, objs + 1024, 1); /* an exchange: now it knows */
	assert_int_equal(cache->next_size, 32);
	assert_int_equal(cache->n_previous, 512);
	for (int i = 0; i < 600; i++) {
		get(pool, 0, &objs[i], 1);
		assert_true(cache->size >= cache->n_loaded);
		assert_int_equal(magazine_pool_check(pool), 0);
	}
	magazine_put_bulk(pool, 0, objs, 600);
	magazine_put_bulk(pool, 0, objs + 1025, 4096 - 1025);
	closed_pool(pool);
}

/* The loose magazine holds 400 when M becomes 32: it is full, and the next one takes what comes. */
static void
a_loose_magazine_may_be_too_full(void **state)
{
	struct magazine_pool *pool = filled_pool(4096, 0);
	struct magazine_depot *depot = pool->depot[0];
	static void *objs[4096];

	get(pool, LCORE_ID_ANY, objs, 4096);
	size_force(pool, 512);
	magazine_put_bulk(pool, LCORE_ID_ANY, objs, 400);
	assert_int_equal(depot->loose->n, 400);
	for (int i = 400; i < 410; i++) {
		size_force(pool, 32);
		magazine_put_bulk(pool, LCORE_ID_ANY, &objs[i], 1);
		assert_int_equal(magazine_pool_check(pool), 0);
	}
	assert_int_equal(depot->n_full, 1);
	assert_int_equal(depot->full->n, 400);
	assert_int_equal(depot->loose->n, 10);
	magazine_put_bulk(pool, LCORE_ID_ANY, objs + 410, 4096 - 410);
	closed_pool(pool);
}

/* Nobody takes what he cannot use to put it back: the magazines are as they were. */
static void
a_failed_get_breaks_no_magazine(void **state)
{
	struct magazine_pool *pool = filled_pool(4096, 0);
	struct magazine_depot *depot = pool->depot[0];
	static void *objs[4097];

	size_force(pool, 512);
	get(pool, LCORE_ID_ANY, objs, 4096);
	magazine_put_bulk(pool, LCORE_ID_ANY, objs, 4096);
	size_force(pool, 32);
	assert_int_equal(magazine_get_bulk(pool, LCORE_ID_ANY, objs, 4097), -ENOENT);
	assert_int_equal(magazine_get_bulk(pool, 0, objs, 4097), -ENOENT);
	assert_int_equal(depot->n_full, 8);
	assert_int_equal(depot->full->n, 512);
	closed_pool(pool);
}

static void
size_force_next(void *arg)
{
	static const uint32_t sizes[] = {32, 512, 64, 256, 32, 128, 512, 128, 32, 256, 64};
	static uint32_t i;
	struct magazine_pool *pool = arg;

	size_force(pool, sizes[i++ % RTE_DIM(sizes)]);
	usleep(50);
}

/* The same with threads that run all the while. */
static void
sizes_change_under_load(void **state)
{
	for (uint32_t n_nodes = 1; n_nodes <= 2; n_nodes++) {
		const struct magazine_topology topology = topology_of(n_nodes);
		struct crowd crowd = {.n_lcores = 3,
			.n_others = 1,
			.n_rounds = 30000,
			.held_max = 1200,
			.burst_max = 200,
			.polls = true,
			.seed = 0xda3e39cb94b95bdb,
			.aside = size_force_next};

		objects_begin(5003);
		crowd.pool = crowd.aside_arg = pool_of((struct magazine_conf){.topology = &topology}, 5003);
		crowd_run(&crowd);
		assert_true(crowd.n_objects > 5003);
		closed_pool(crowd.pool);
		objects_end();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_at_the_third_busy_look),
		cmocka_unit_test(one_exchange_less_is_not_busy),
		cmocka_unit_test(grows_by_contention),
		cmocka_unit_test(a_look_may_come_late),
		cmocka_unit_test(a_look_may_come_early),
		cmocka_unit_test(shrinks_a_step_each_calm_second),
		cmocka_unit_test(shrinks_several_steps_at_once),
		cmocka_unit_test(between_busy_and_calm_nothing_changes),
		cmocka_unit_test(population_and_lcores_bound_it),
		cmocka_unit_test(too_few_objects_are_not_cached),
		cmocka_unit_test(a_pinned_size_stays),
		cmocka_unit_test(a_busy_pool_grows_by_itself),
		cmocka_unit_test(a_starving_lcore_is_no_load),
		cmocka_unit_test(starving_shrinks),
		cmocka_unit_test(exhaustion_is_no_load),
		cmocka_unit_test(a_pool_left_alone_shrinks),
		cmocka_unit_test(sizes_mix),
		cmocka_unit_test(a_magazine_keeps_its_own_size),
		cmocka_unit_test(a_swap_finds_more_than_m),
		cmocka_unit_test(a_loose_magazine_may_be_too_full),
		cmocka_unit_test(a_failed_get_breaks_no_magazine),
		cmocka_unit_test(sizes_change_under_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
