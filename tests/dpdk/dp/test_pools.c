/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a worker keeps for itself of the pools: it gives it up at its next turns when somebody else finds nothing, and when
 * it stops. Both with what lies in the mempool's own cache. And when drivers are asked for what they keep.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "magazine.h"
#include "mempool_magazine.h"
#include "rig.h"

#define N_DATA 1024u

/* What only the worker's lcore, this one, could get now. */
static uint32_t
kept(struct rig *rig)
{
	const struct rte_mempool_cache *cache = rte_mempool_default_cache(rig_pool(rig), rte_lcore_id());
	struct magazine_stats stats;

	magazine_pool_stats(mempool_magazine_pool(rig_pool(rig)), &stats);
	return stats.cached + (cache != NULL ? cache->len : 0);
}

static void
use(struct rig *rig)
{
	void *bufs[200];

	assert_int_equal(rte_mempool_get_bulk(rig_pool(rig), bufs, 200), 0);
	for (uint32_t i = 0; i < 200; i += 20)
		rte_mempool_put_bulk(rig_pool(rig), bufs + i, 20);
	assert_true(kept(rig) >= 200);
}

static void
a_worker_answers_who_starves(void **state)
{
	const uint32_t caches[] = {0, 64};

	for (size_t c = 0; c < RTE_DIM(caches); c++) {
		const struct rig_conf conf = {.n_data = N_DATA, .cache = caches[c]};
		struct rig *rig = rig_create(&conf);
		struct magazine_pool *pool = mempool_magazine_pool(rig_pool(rig));
		void *bufs[N_DATA];

		use(rig);
		rig_turn(rig);
		assert_true(kept(rig) >= 200); /* nobody has called */
		for (uint32_t turn = 0; magazine_get_bulk(pool, LCORE_ID_ANY, bufs, N_DATA) < 0; turn++) {
			assert_true(turn < 1000000);
			rig_turn(rig);
		}
		assert_int_equal(kept(rig), 0);
		magazine_put_bulk(pool, LCORE_ID_ANY, bufs, N_DATA);
		rig_destroy(rig);
	}
}

static void
a_worker_that_stops_keeps_nothing(void **state)
{
	const struct rig_conf conf = {.n_data = N_DATA, .cache = 64};
	struct rig *rig = rig_create(&conf);

	use(rig);
	assert_int_equal(worker_run(rig_worker(rig, 0)), 0);
	assert_int_equal(kept(rig), 0);
	rig_destroy(rig);
}

/* ---- drivers ---- */

static uint32_t n_asked;

int
rte_eth_tx_done_cleanup(uint16_t port, uint16_t queue, uint32_t free_cnt)
{
	n_asked++;
	return 0;
}

static void
drivers_are_asked_by_the_idle(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);

	n_asked = 0;
	for (uint32_t turn = 0; turn < 4095; turn++)
		rig_turn(rig);
	assert_int_equal(n_asked, 0);
	rig_turn(rig);
	assert_int_equal(n_asked, RIG_PORTS);
	rig_destroy(rig);
}

/* Nothing is sent while all are refused, so nothing else would make a driver look; without refusals nobody asks. */
static void
drivers_are_asked_by_the_refused(void **state)
{
	const struct rig_conf conf = {
		.complete = COMPLETE_COMPLETION, .owner_limit = 2 * RIG_TRUESIZE, .n_data = 64};
	struct rig *rig = rig_create(&conf);
	static struct frame f;

	frame_udp(&f, "10.0.1.2", 18);
	n_asked = 0;
	for (uint32_t turn = 0; turn < 640; turn++) {
		rig_inject(rig, &f);
		rig_turn(rig);
		rig_discard(rig, 1);
	}
	assert_int_equal(n_asked, 0);
	for (uint32_t turn = 0; turn < 642; turn++) {
		rig_inject(rig, &f);
		rig_turn(rig);
	}
	assert_int_equal(rig_count(rig, VERDICT_owner_limit), 640);
	assert_int_equal(n_asked, 10 * RIG_PORTS);
	for (uint32_t turn = 0; turn < 640; turn++) {
		rig_discard(rig, 1);
		rig_inject(rig, &f);
		rig_turn(rig);
	}
	assert_int_equal(n_asked, 10 * RIG_PORTS);
	rig_destroy(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_answers_who_starves),
		cmocka_unit_test(a_worker_that_stops_keeps_nothing),
		cmocka_unit_test(drivers_are_asked_by_the_idle),
		cmocka_unit_test(drivers_are_asked_by_the_refused),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
