/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No lcore starves while another one hoards: who finds nothing calls, the others give up previous,
 * then loaded, each at its next poll. So one lcore can have population - what others hold in their hands
 * - what their magazines may keep, whether they idle, run, or never answer.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include <rte_cycles.h>
#include <rte_pause.h>

#include "magazine_priv.h"
#include "test_util.h"

#define N_LCORES   8u
#define CALL_TSC   20000u /* between two calls; as in reclaim.c */
#define POPULATION 2000u

/* Gets until it has called once more; there must be nothing to get. How long one must wait for that, calls_are_rare() is about. */
static void
call(struct magazine_pool *pool, unsigned int lcore, uint32_t n)
{
	const uint32_t before = pool->epoch;
	const uint64_t end = rte_rdtsc() + UINT64_C(60000000000);
	void **objs = calloc(n, sizeof(*objs));

	if (pool->starved_at > pool->starve_wait)
		pool->starved_at -= pool->starve_wait;
	while (pool->epoch == before) {
		assert_int_equal(magazine_get_bulk(pool, lcore, objs, n), -ENOENT);
		assert_true(rte_rdtsc() < end);
	}
	free(objs);
}

static void
previous_is_given_up_first(void **state)
{
	struct magazine_pool *pool = filled_pool(128, 64);
	struct magazine_cache *hoarder = &pool->cache[1];
	void *objs[128];

	get(pool, 1, objs, 128);
	magazine_put_bulk(pool, 1, objs, 128);
	magazine_poll(pool, 1); /* nobody has called */
	assert_int_equal(hoarder->n_loaded, 64);
	assert_int_equal(hoarder->n_previous, 64);

	call(pool, 0, 1);
	magazine_poll(pool, 1);
	assert_int_equal(hoarder->n_loaded, 64);
	assert_int_equal(hoarder->n_previous, 0);
	assert_int_equal(hoarder->reclaimed, 64);
	magazine_poll(pool, 1); /* it has answered */
	assert_int_equal(hoarder->n_loaded, 64);
	get(pool, 0, objs, 64);

	call(pool, 0, 1);
	magazine_poll(pool, 1);
	assert_int_equal(hoarder->n_loaded, 0);
	assert_int_equal(hoarder->reclaimed, 128);
	get(pool, 0, objs + 64, 64);
	assert_int_equal(magazine_pool_check(pool), 0);

	call(pool, 0, 1);
	magazine_poll(pool, 1);
	assert_int_equal(hoarder->reclaimed, 128);
	magazine_put_bulk(pool, 0, objs, 128);
	closed_pool(pool);
}

/* Less than a full one is given up as well, and what is at home elsewhere goes there. */
static void
partial_and_foreign_magazines_are_given_up(void **state)
{
	const struct magazine_topology topology = topology_of(3);
	struct magazine_pool *pool = pool_of((struct magazine_conf){.topology = &topology, .size = 64}, 30);
	void *objs[30];

	get(pool, 1, objs, 30);
	magazine_put_bulk(pool, 1, objs, 30);
	assert_int_equal(pool->cache[1].foreign[0]->n, 10);
	assert_int_equal(pool->cache[1].foreign[2]->n, 10);
	call(pool, 0, 1);
	magazine_poll(pool, 1);
	assert_int_equal(pool->cache[1].reclaimed, 30);
	assert_int_equal(pool->cache[1].sent_home, 20);
	assert_whole(pool);
	get(pool, 0, objs, 30);
	for (int i = 0; i < 30; i++)
		assert_int_equal(home_of(pool, objs[i]), i < 10 ? 0 : i < 20 ? 1 : 2);
	magazine_put_bulk(pool, 0, objs, 30);
	closed_pool(pool);
}

/* Three starve for 50 first waits at least, and until they have called twice. Returns the longest time between two rounds. */
static uint64_t
starve(struct magazine_pool *pool)
{
	const uint64_t start = rte_rdtsc();
	uint64_t elapsed = 0, longest = 0;
	void *objs[1];

	while (elapsed < 50 * CALL_TSC || pool->epoch < 2) {
		const uint64_t before = elapsed;

		assert_int_equal(magazine_get_bulk(pool, 0, objs, 1), -ENOENT);
		assert_int_equal(magazine_get_bulk(pool, 1, objs, 1), -ENOENT);
		assert_int_equal(magazine_get_bulk(pool, LCORE_ID_ANY, objs, 1), -ENOENT);
		elapsed = rte_rdtsc() - start;
		longest = RTE_MAX(longest, elapsed - before);
		assert_true(pool->epoch <= elapsed / CALL_TSC + 1);
	}
	return longest;
}

/* The line that every lcore reads is written once in 10 us at most, however hard some starve. */
static void
calls_are_rare(void **state)
{
	bool is_held_up = true; /* by others on this CPU: not starving for some time starts the waits anew */

	for (int i = 0; i < 1000 && is_held_up; i++) {
		struct magazine_pool *pool = filled_pool(64, 64);
		void *objs[64];
		struct magazine_stats stats;

		get(pool, 2, objs, 64);
		is_held_up = starve(pool) >= CALL_TSC;
		/* and rarer as long as they do not help: 1, 2, 4, .. times the first wait, of which 50 hold five or six */
		assert_true(is_held_up || pool->epoch <= 7);
		magazine_pool_stats(pool, &stats);
		assert_int_equal(stats.epoch, pool->epoch);
		magazine_put_bulk(pool, 2, objs, 64);
		closed_pool(pool);
	}
	assert_false(is_held_up);
}

/* Who has called does not answer himself, nor does an lcore that was not there. */
static void
who_calls_keeps_his_own(void **state)
{
	struct magazine_pool *pool = filled_pool(100, 64);
	void *objs[101];

	get(pool, 0, objs, 100);
	magazine_put_bulk(pool, 0, objs, 100);
	call(pool, 0, 101);
	magazine_poll(pool, 0);
	assert_int_equal(pool->cache[0].reclaimed, 0);
	assert_int_equal(pool->cache[0].n_loaded + pool->cache[0].n_previous, 100);

	magazine_poll(pool, 5);
	assert_int_equal(pool->cache[5].epoch, pool->epoch);
	assert_false(pool->cache[5].is_open);

	/* an lcore that begins after a call has nothing to answer */
	magazine_pool_flush(pool, 0);
	call(pool, 1, 101);
	get(pool, 3, objs, 10);
	magazine_put_bulk(pool, 3, objs, 10);
	magazine_poll(pool, 3);
	assert_int_equal(pool->cache[3].reclaimed, 0);
	closed_pool(pool);
}

/* A thread that is no lcore starves like any other. */
static void
other_threads_call_too(void **state)
{
	struct magazine_pool *pool = filled_pool(100, 64);
	void *objs[100];

	get(pool, 0, objs, 100);
	magazine_put_bulk(pool, 0, objs, 100);
	for (int i = 0; i < 2; i++) {
		call(pool, LCORE_ID_ANY, 100);
		magazine_poll(pool, 0);
	}
	get(pool, LCORE_ID_ANY, objs, 100);
	magazine_put_bulk(pool, LCORE_ID_ANY, objs, 100);
	closed_pool(pool);
}

struct scene {
	uint32_t n_nodes, size;
	uint32_t in_hand; /* each of the others' */
	bool polls;
};

/* Lcores 1 .. 7 hold some, and have put all the others: their magazines keep what they take of it. */
static void
others_hoard(struct magazine_pool *pool, const struct scene *scene, void **objs)
{
	uint32_t n = POPULATION;
	const uint32_t in_hands = (N_LCORES - 1) * scene->in_hand;
	const uint32_t each = (n - in_hands) / (N_LCORES - 1);

	get(pool, LCORE_ID_ANY, objs, n);
	for (unsigned int lcore = 1; lcore < N_LCORES; lcore++) {
		const uint32_t k = lcore == N_LCORES - 1 ? n - in_hands : each;

		n -= k;
		magazine_put_bulk(pool, lcore, objs + n, k);
	}
}

/* Lcore 0 takes what it can get in bursts, then one by one. Each failure is a turn of the others. */
static uint32_t
take_all(struct magazine_pool *pool, const struct scene *scene, void **objs)
{
	uint32_t n = 0, n_failed = 0;

	while (n_failed < 4) {
		const uint32_t burst = n_failed < 2 ? 32 : 1;

		if (n + burst <= POPULATION && magazine_get_bulk(pool, 0, objs + n, burst) == 0) {
			n += burst;
			n_failed = 0;
			continue;
		}
		n_failed++;
		call(pool, 0, POPULATION + 1);
		for (unsigned int lcore = 1; scene->polls && lcore < N_LCORES; lcore++)
			magazine_poll(pool, lcore);
	}
	return n;
}

static uint32_t
cached_of_others(const struct magazine_pool *pool)
{
	struct magazine_lcore_stats stats;
	uint32_t n = 0;

	for (unsigned int lcore = 1; lcore < N_LCORES; lcore++)
		if (magazine_pool_lcore_stats(pool, lcore, &stats) == 0)
			n += stats.loaded + stats.previous + stats.foreign;
	return n;
}

/* Returns how many of the objects that nobody holds lcore 0 did not get. */
static uint32_t
missed(const struct scene *scene)
{
	const struct magazine_topology topology = topology_of(scene->n_nodes);
	struct magazine_pool *pool =
		pool_of((struct magazine_conf){.topology = &topology, .size = scene->size}, POPULATION);
	const uint32_t in_hands = (N_LCORES - 1) * scene->in_hand;
	static void *hands[POPULATION], *objs[POPULATION];
	uint32_t n;

	others_hoard(pool, scene, hands);
	n = take_all(pool, scene, objs);
	assert_int_equal(cached_of_others(pool), POPULATION - in_hands - n);
	magazine_put_bulk(pool, 0, objs, n);
	magazine_put_bulk(pool, LCORE_ID_ANY, hands, in_hands);
	closed_pool(pool);
	return POPULATION - in_hands - n;
}

static void
one_lcore_gets_all_that_idle_ones_have(void **state)
{
	for (uint32_t n_nodes = 1; n_nodes <= 3; n_nodes++)
		for (uint32_t size = 32; size <= 512; size *= 2)
			for (uint32_t in_hand = 0; in_hand < 200; in_hand += 33) {
				assert_int_equal(missed(&(struct scene){n_nodes, size, in_hand, true}), 0);
				assert_int_equal(missed(&(struct scene){n_nodes, 0, in_hand, true}), 0);
			}
}

/* Each keeps two magazines of its own node and one of each other, and no more. */
static void
lcores_that_never_poll_keep_their_magazines(void **state)
{
	for (uint32_t n_nodes = 1; n_nodes <= 3; n_nodes++)
		for (uint32_t size = 32; size <= 512; size *= 2) {
			const uint32_t bound = (N_LCORES - 1) * (2 + n_nodes - 1) * size;

			assert_in_range(missed(&(struct scene){n_nodes, size, 33, false}), 0, bound);
			/* and that is not little */
			if (n_nodes == 1 && size == 32)
				assert_in_range(missed(&(struct scene){1, 32, 33, false}), bound / 2, bound);
		}
}

/* A stopped lcore answers no call: it gives up everything before. */
static void
stopped_lcores_give_up_everything(void **state)
{
	struct magazine_pool *pool = filled_pool(POPULATION, 64);
	static void *objs[POPULATION];

	others_hoard(pool, &(struct scene){.in_hand = 0}, objs);
	for (unsigned int lcore = 1; lcore < N_LCORES; lcore++)
		magazine_pool_flush(pool, lcore);
	get(pool, 0, objs, POPULATION);
	assert_int_equal(pool->epoch, 0);
	magazine_put_bulk(pool, 0, objs, POPULATION);
	closed_pool(pool);
}

struct turn_taker {
	uint32_t n_served, n_held;
	void *held[16];
};

/* One turn of a loop: a poll, then a burst comes or goes. */
static void
turn(struct magazine_pool *pool, unsigned int lcore, struct turn_taker *taker)
{
	magazine_poll(pool, lcore);
	if (taker->n_held > 0) {
		magazine_put_bulk(pool, lcore, taker->held, taker->n_held);
		taker->n_held = 0;
	} else if (magazine_get_bulk(pool, lcore, taker->held, 16) == 0) {
		taker->n_held = 16;
		taker->n_served++;
	}
}

/* Three lcores need, together, all there is, and one of them has it: they share it, and then leave each other alone. */
static void
starving_lcores_do_not_rob_each_other(void **state)
{
	struct magazine_pool *pool = filled_pool(48, 64);
	struct turn_taker takers[3] = {0};
	const uint64_t end = rte_rdtsc() + UINT64_C(60000000000);
	uint32_t n_fewest = 0, epoch;
	void *objs[48];

	get(pool, 0, objs, 48);
	magazine_put_bulk(pool, 0, objs, 48);
	while (n_fewest < 100) {
		for (unsigned int lcore = 0; lcore < 3; lcore++)
			turn(pool, lcore, &takers[lcore]);
		n_fewest = RTE_MIN(RTE_MIN(takers[0].n_served, takers[1].n_served), takers[2].n_served);
		assert_true(rte_rdtsc() < end);
	}
	epoch = pool->epoch;
	assert_true(epoch > 0);
	for (int i = 0; i < 30000; i++)
		turn(pool, (unsigned int)i % 3, &takers[i % 3]);
	assert_int_equal(pool->epoch, epoch);
	assert_int_equal(magazine_pool_check(pool), 0);
	for (int i = 0; i < 3; i++)
		magazine_put_bulk(pool, LCORE_ID_ANY, takers[i].held, takers[i].n_held);
	closed_pool(pool);
}

/* And two that want what there is not, for ever, do not keep a third from its few. */
static void
greedy_lcores_do_not_stop_the_modest(void **state)
{
	struct magazine_pool *pool = filled_pool(200, 64);
	void *objs[201];
	uint32_t n_served = 0;

	for (int turn = 0; turn < 20000; turn++) {
		for (unsigned int lcore = 0; lcore < 2; lcore++) {
			magazine_poll(pool, lcore);
			assert_int_equal(magazine_get_bulk(pool, lcore, objs, 201), -ENOENT);
		}
		magazine_poll(pool, 2);
		if (magazine_get_bulk(pool, 2, objs, 16) == 0) {
			n_served++;
			magazine_put_bulk(pool, 2, objs, 16);
		}
	}
	assert_int_equal(n_served, 20000);
	closed_pool(pool);
}

/* Threads: others idle or run while lcore 0 takes what it can. */

#define RUN_POPULATION 1000u
#define RUN_SIZE       32u
#define HAND           8u

static struct {
	struct magazine_pool *pool;
	pthread_barrier_t start;
	uint32_t is_over;
	uint32_t runs; /* else they idle */
} show;

static void *
other_main(void *arg)
{
	const unsigned int lcore = (unsigned int)(uintptr_t)arg;
	uint64_t random = 0x9e3779b97f4a7c15 + lcore;
	void *objs[2 * RUN_SIZE], *hand[HAND];

	/* both magazines are full when it begins */
	get(show.pool, lcore, objs, 2 * RUN_SIZE);
	magazine_put_bulk(show.pool, lcore, objs, 2 * RUN_SIZE);
	pthread_barrier_wait(&show.start);
	while (!__atomic_load_n(&show.is_over, __ATOMIC_ACQUIRE)) {
		const uint32_t n = show.runs ? random_below(&random, HAND + 1) : 0;

		magazine_poll(show.pool, lcore);
		if (n > 0 && magazine_get_bulk(show.pool, lcore, hand, n) == 0) {
			sched_yield();
			magazine_put_bulk(show.pool, lcore, hand, n);
		}
		sched_yield();
	}
	return NULL;
}

/* Lcore 0's part. Returns how many it has after so many failures, or as soon as it has enough. */
static uint32_t
take_enough(void **objs, uint32_t enough)
{
	uint32_t n = 0;

	for (uint32_t n_failed = 0; n < enough && n_failed < 200000;) {
		if (magazine_get_bulk(show.pool, 0, objs + n, 1) == 0) {
			n++;
			continue;
		}
		n_failed++;
		sched_yield();
	}
	return n;
}

static void
show_run(uint32_t n_nodes, uint32_t runs, uint32_t enough)
{
	const struct magazine_topology topology = topology_of(n_nodes);
	pthread_t threads[N_LCORES];
	static void *objs[RUN_POPULATION];
	uint32_t n;

	show.pool = pool_of((struct magazine_conf){.topology = &topology, .size = RUN_SIZE}, RUN_POPULATION);
	show.is_over = 0;
	show.runs = runs;
	pthread_barrier_init(&show.start, NULL, N_LCORES);
	for (uintptr_t lcore = 1; lcore < N_LCORES; lcore++)
		assert_int_equal(pthread_create(&threads[lcore], NULL, other_main, (void *)lcore), 0);
	pthread_barrier_wait(&show.start);
	n = take_enough(objs, enough);
	__atomic_store_n(&show.is_over, 1, __ATOMIC_RELEASE);
	for (uint32_t lcore = 1; lcore < N_LCORES; lcore++)
		pthread_join(threads[lcore], NULL);
	pthread_barrier_destroy(&show.start);
	assert_int_equal(n, enough);
	magazine_put_bulk(show.pool, 0, objs, n);
	closed_pool(show.pool);
}

static void
one_lcore_gets_all_while_others_idle(void **state)
{
	show_run(1, 0, RUN_POPULATION);
	show_run(2, 0, RUN_POPULATION);
}

/* What each has in hand, and one magazine that it needs for it: they began with two full ones. */
static void
one_lcore_gets_its_part_while_others_run(void **state)
{
	show_run(1, 1, RUN_POPULATION - (N_LCORES - 1) * (HAND + RUN_SIZE));
	show_run(2, 1, RUN_POPULATION - (N_LCORES - 1) * (HAND + 2 * RUN_SIZE));
}

/* M keeps within what leaves half of the objects outside of caches, however many lcores come, and may grow again when they go. */
static void
many_open_caches_bound_m(void **state)
{
	struct magazine_pool *pool = filled_pool(8192, 0);
	struct magazine_depot *depot = pool->depot[0];
	void *one;

	for (unsigned int lcore = 0; lcore < 64; lcore++) {
		get(pool, lcore, &one, 1);
		magazine_put_bulk(pool, lcore, &one, 1);
		assert_true(2 * depot->size_limit * (lcore + 1) <= 4096 || depot->size_limit == 32);
		assert_true(4 * depot->size_limit * (lcore + 1) > 4096 || depot->size_limit == 512);
		assert_true(depot->size <= depot->size_limit);
	}
	assert_int_equal(depot->size_limit, 32);
	/* however busy */
	for (uint64_t look = 1; look <= 20; look++) {
		depot->exchanges += 100000;
		magazine_depot_adapt(depot, magazine_adapt_now() + look * 20000000);
	}
	assert_int_equal(depot->size, 32);
	for (unsigned int lcore = 4; lcore < 64; lcore++)
		magazine_pool_flush(pool, lcore);
	assert_int_equal(depot->size_limit, 512);
	closed_pool(pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(previous_is_given_up_first),
		cmocka_unit_test(partial_and_foreign_magazines_are_given_up),
		cmocka_unit_test(many_open_caches_bound_m),
		cmocka_unit_test(calls_are_rare),
		cmocka_unit_test(who_calls_keeps_his_own),
		cmocka_unit_test(other_threads_call_too),
		cmocka_unit_test(one_lcore_gets_all_that_idle_ones_have),
		cmocka_unit_test(lcores_that_never_poll_keep_their_magazines),
		cmocka_unit_test(stopped_lcores_give_up_everything),
		cmocka_unit_test(starving_lcores_do_not_rob_each_other),
		cmocka_unit_test(greedy_lcores_do_not_stop_the_modest),
		cmocka_unit_test(one_lcore_gets_all_while_others_idle),
		cmocka_unit_test(one_lcore_gets_its_part_while_others_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
