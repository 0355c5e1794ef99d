/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the control thread runs. "free": one lcore on the first CPU this process may use, so the others are left;
 * "shared": an lcore on every one of them.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <rte_eal.h>
#include <rte_ring.h>

#include "control.h"

#define SKIP 77

static cpu_set_t allowed; /* before EAL pinned this thread */
static bool every_cpu;    /* has an lcore */
static volatile int stop;

struct place {
	cpu_set_t cpus;
	int cpu;
};

static void
place_read(void *arg)
{
	struct place *place = arg;

	sched_getaffinity(0, sizeof(place->cpus), &place->cpus);
	place->cpu = sched_getcpu();
	stop = 1;
}

static void
test_place(void **state)
{
	struct place place = {.cpu = -1};
	struct skb_pool *heads;
	struct route_table *routes;
	struct punt punt;
	struct control *control;

	assert_int_equal(punt_init(&punt, SOCKET_ID_ANY, 0), 0);
	assert_int_equal(route_table_create(SOCKET_ID_ANY, NULL, &routes), 0);
	assert_int_equal(skb_pool_create("heads", 64, 32, SOCKET_ID_ANY, &heads), 0);

	const struct control_conf conf = {.heads = heads,
		.routes = routes,
		.punt = &punt,
		.stop = &stop,
		.tick_ms = 1,
		.on_tick = place_read,
		.arg = &place};

	assert_int_equal(control_start(&conf, &control), 0);
	control_join(control, NULL);
	assert_true(place.cpu >= 0);
	assert_true(CPU_COUNT(&place.cpus) > 0);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		unsigned int lcore;

		if (!CPU_ISSET(cpu, &place.cpus))
			continue;
		assert_true(CPU_ISSET(cpu, &allowed));
		RTE_LCORE_FOREACH (lcore) {
			const rte_cpuset_t cpus = rte_lcore_cpuset(lcore);

			if (CPU_ISSET(cpu, &cpus) && !every_cpu)
				fail_msg("the control thread may run on lcore %u's CPU %d", lcore, cpu);
		}
	}
	assert_true(CPU_ISSET(place.cpu, &place.cpus));
	punt_fini(&punt);
	route_table_destroy(routes);
	skb_pool_destroy(heads);
}

static void
test_shared(void **state)
{
	assert_int_equal(control_cpu_shared(), every_cpu);
	/* Asking must not leave a mark. */
	assert_int_equal(control_cpu_shared(), every_cpu);
}

/* The lcore list for EAL's -l. */
static void
lcores_write(char *text, size_t len)
{
	size_t n = 0;

	for (int cpu = 0; cpu < CPU_SETSIZE && (n == 0 || every_cpu); cpu++)
		if (CPU_ISSET(cpu, &allowed))
			n += (size_t)snprintf(text + n, len - n, "%s%d", n == 0 ? "" : ",", cpu);
}

/* argv: free|shared, then EAL's arguments without -l. */
int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_place), cmocka_unit_test(test_shared)};
	char lcores[4096], option[] = "-l";
	char *eal[32] = {argv[0], option, lcores};
	int n = 3;

	if (argc < 2 || argc > 28)
		return 2;
	every_cpu = strcmp(argv[1], "shared") == 0;
	sched_getaffinity(0, sizeof(allowed), &allowed);
	if (!every_cpu && CPU_COUNT(&allowed) < 2)
		return SKIP;
	lcores_write(lcores, sizeof(lcores));
	for (int i = 2; i < argc; i++)
		eal[n++] = argv[i];
	if (rte_eal_init(n, eal) < 0)
		return 1;

	const int rc = cmocka_run_group_tests_name(
		every_cpu ? "control/cpu_shared" : "control/cpu_free", tests, NULL, NULL);

	rte_eal_cleanup();
	return rc;
}
