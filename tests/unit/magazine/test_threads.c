/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A crowd (crowd.h) on pools of every kind: sizes pinned and adaptive, one node and several,
 * plain and under debugging, lcores that poll and stop and lcores that never do, and more
 * threads than CPUs. Afterwards everything is put back and the books must balance.
 */
#include "crowd.h"
#include "test_util.h"

#define POPULATION 3001
#define SEED       0x2545f4914f6cdd1d

/* Nothing lost, nothing doubled, and all of it can be got by one who is no lcore. */
static void
finish(struct magazine_pool *pool)
{
	const uint32_t n = pool->population;
	void **objs = calloc(n, sizeof(*objs));

	assert_whole(pool);
	flush_all(pool);
	get(pool, LCORE_ID_ANY, objs, n);
	assert_int_equal(magazine_pool_audit(pool, NULL, NULL), n);
	magazine_put_bulk(pool, LCORE_ID_ANY, objs, n);
	free(objs);
	closed_pool(pool);
}

static void
stress(const struct magazine_conf *conf, struct crowd crowd)
{
	struct magazine_conf touched = *conf;

	touched.touched = OBJECT_BYTES;
	objects_begin(POPULATION);
	crowd.pool = pool_of(touched, POPULATION);
	crowd.held_max = crowd.held_max ? crowd.held_max : 400;
	crowd.burst_max = crowd.burst_max ? crowd.burst_max : 96;
	crowd.seed = SEED;
	crowd_run(&crowd);
	assert_true(crowd.n_objects > POPULATION);
	finish(crowd.pool);
	objects_end();
}

static void
small_magazines(void **state)
{
	stress(&(struct magazine_conf){.size = 32},
		(struct crowd){.n_lcores = 4, .n_others = 2, .n_rounds = 50000});
}

static void
adaptive_magazines(void **state)
{
	stress(&(struct magazine_conf){0}, (struct crowd){.n_lcores = 4, .n_others = 2, .n_rounds = 50000});
}

static void
lcores_poll_and_stop(void **state)
{
	stress(&(struct magazine_conf){0}, (struct crowd){.n_lcores = 4,
						   .n_others = 1,
						   .n_rounds = 30000,
						   .held_max = 1000,
						   .burst_max = 300,
						   .polls = true,
						   .stops = true});
}

static void
several_nodes(void **state)
{
	for (uint32_t n_nodes = 2; n_nodes <= 8; n_nodes += 3) {
		const struct magazine_topology topology = topology_of(n_nodes);

		stress(&(struct magazine_conf){.topology = &topology}, (struct crowd){.n_lcores = 4,
									       .n_others = 2,
									       .n_rounds = 15000,
									       .polls = true,
									       .stops = true});
	}
}

static void
complain(void *arg, const char *line)
{
	print_message("%s\n", line);
	++*(uint32_t *)arg;
}

static void
under_debugging(void **state)
{
	const struct magazine_topology topology = topology_of(2);
	uint32_t n_complaints = 0;
	struct magazine_conf conf = {
		.poison_len = OBJECT_BYTES, .report = complain, .report_arg = &n_complaints};

	for (int level = MAGAZINE_DEBUG_STATE; level <= MAGAZINE_DEBUG_POISON; level++) {
		conf.debug = (enum magazine_debug)level;
		conf.topology = conf.topology ? NULL : &topology;
		stress(&conf, (struct crowd){.n_lcores = 4, .n_others = 1, .n_rounds = 5000, .polls = true});
	}
	assert_int_equal(n_complaints, 0);
}

/* A thread may be preempted anywhere, also with a depot's lock held. */
static void
more_threads_than_cpus(void **state)
{
	stress(&(struct magazine_conf){0},
		(struct crowd){
			.n_lcores = 16, .n_others = 4, .n_rounds = 8000, .held_max = 200, .polls = true});
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_magazines),
		cmocka_unit_test(adaptive_magazines),
		cmocka_unit_test(lcores_poll_and_stop),
		cmocka_unit_test(several_nodes),
		cmocka_unit_test(under_debugging),
		cmocka_unit_test(more_threads_than_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
