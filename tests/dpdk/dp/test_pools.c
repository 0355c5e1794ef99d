/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a worker keeps for itself of the pools: it gives it up at its next turns when somebody else finds nothing, and when
 * it stops. Both with what lies in the mempool's own cache.
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

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_answers_who_starves),
		cmocka_unit_test(a_worker_that_stops_keeps_nothing),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
