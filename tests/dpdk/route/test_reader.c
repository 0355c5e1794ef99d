/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reader that looks up while the table changes must never see a wrong answer: an address whose routes do
 * not change always yields the same next hop; one whose route moves between two gateways yields one of the
 * two, completely (never an adjacency that was reused for a third, never half a MAC address); a group yields
 * one of its own next hops, whichever of them live at the moment.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_rcu_qsbr.h>

#include "world.h"

#define BURST       32u
#define N_CHANGES   5000u
#define SECONDS_MAX 10

/* Where this process may run, before the EAL pins its main thread (and what that starts) to one CPU. */
static cpu_set_t cpus;

struct reader {
	struct route_table *table;
	struct rte_rcu_qsbr *qsbr;
	bool stop;
	bool ready;
	uint64_t n_lookups;
	uint64_t n_wrong;
};

/* 10.S.M.x goes to a gateway 192.168.M.y: always (S = 0), while there is a route (S = 1), or as one of a group
 * (S = 2). */
static bool
answer_is_right(const struct route_table *table, uint32_t addr, uint64_t id)
{
	const struct adjacency *adjacency;
	uint8_t kind;

	if (((addr >> 16 & 0xff) == 2) != (id >= NEXTHOP_GROUP))
		return false;
	if (id >= NEXTHOP_GROUP)
		id = __atomic_load_n(
			&route_groups(table)[id & ~NEXTHOP_GROUP].bucket[addr & 0xff], __ATOMIC_RELAXED);
	adjacency = &route_adjacencies(table)[id];
	kind = __atomic_load_n(&adjacency->kind, __ATOMIC_ACQUIRE);
	if ((addr >> 16 & 0xff) == 1 && id == NEXTHOP_ID_BLACKHOLE)
		return true; /* the cover, while the route is away */
	if (adjacency->addr[2] != (addr >> 8 & 0xff) || adjacency->family != AF_INET)
		return false;
	if (kind == NEXTHOP_UNRESOLVED)
		return true;
	/* Every MAC that neighbour() gives has the same number in its last two bytes. */
	return kind == NEXTHOP_FORWARD && adjacency->l2[4] == adjacency->l2[5];
}

static void *
read_for_ever(void *context)
{
	struct reader *const reader = context;
	struct random random;
	uint32_t addrs[BURST];
	uint64_t ids[BURST], again[BURST];

	pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	random_seed(&random, 11);
	rte_rcu_qsbr_thread_register(reader->qsbr, 0);
	rte_rcu_qsbr_thread_online(reader->qsbr, 0);
	__atomic_store_n(&reader->ready, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&reader->stop, __ATOMIC_RELAXED)) {
		const struct route_view *const view = route_view(reader->table);

		for (unsigned int i = 0; i < BURST; i++)
			addrs[i] = 10u << 24 | random_below(&random, 3) << 16 |
				   random_below(&random, 8) << 8 | random_below(&random, 256);
		route_lookup4_bulk(view, addrs, ids, BURST);
		/* One view is one state of the table, however long it is held within a turn. */
		route_lookup4_bulk(view, addrs, again, BURST);
		reader->n_wrong += memcmp(ids, again, sizeof(ids)) != 0;
		for (unsigned int i = 0; i < BURST; i++)
			reader->n_wrong += !answer_is_right(reader->table, addrs[i], ids[i]);
		reader->n_lookups += BURST;
		rte_rcu_qsbr_quiescent(reader->qsbr, 0);
	}
	rte_rcu_qsbr_thread_offline(reader->qsbr, 0);
	rte_rcu_qsbr_thread_unregister(reader->qsbr, 0);
	return NULL;
}

static struct ip_prefix
prefix4(uint8_t b, uint8_t c, uint8_t d, uint8_t len)
{
	return (struct ip_prefix){{AF_INET, {10, b, c, d}}, len};
}

static void
route_to(struct route_table *table, struct ip_prefix prefix, uint8_t group, uint8_t last)
{
	const struct route_path path = {{AF_INET, {192, 168, group, last}}, 1};

	assert_int_equal(route_add(table, &prefix, &path, 1), 0);
}

static void
neighbour(struct route_table *table, uint8_t group, uint8_t last, uint8_t number)
{
	const struct ip_addr addr = {AF_INET, {192, 168, group, last}};
	const struct rte_ether_addr mac = {{2, 0, 0, 0, number, number}};

	assert_int_equal(route_neigh_add(table, 0, &addr, &mac), 0);
}

/* The first is the gateway of the stable route as well, the others are the group's alone. */
static void
group_to(struct route_table *table, struct ip_prefix prefix, uint8_t group)
{
	struct route_path paths[3];

	for (uint8_t i = 0; i < RTE_DIM(paths); i++)
		paths[i] = (struct route_path){{AF_INET, {192, 168, group, (uint8_t)(1 + i)}}, 1u + i};
	assert_int_equal(route_add(table, &prefix, paths, RTE_DIM(paths)), 0);
}

static struct route_table *
make(struct rte_rcu_qsbr *qsbr)
{
	struct route_table *table;
	const struct ip_addr own = addr_of("192.168.255.1");
	const struct ip_prefix cover = prefix_of("10.0.0.0/8");

	assert_int_equal(route_table_create(-1, qsbr, &table), 0);
	port_setup(table, 0);
	assert_int_equal(route_add_connected(table, 0, &own, 16), 0);
	assert_int_equal(route_add_special(table, &cover, NEXTHOP_BLACKHOLE), 0);
	for (uint8_t group = 0; group < 8; group++) {
		neighbour(table, group, 1, 1);
		route_to(table, prefix4(0, group, 0, 24), group, 1);
		group_to(table, prefix4(2, group, 0, 24), group);
	}
	assert_int_equal(route_publish(table), 0);
	return table;
}

static void
go_and_come(struct route_table *table, uint8_t group, struct random *random)
{
	const uint8_t last = (uint8_t)(1 + random_below(random, 3));
	const struct ip_addr addr = {AF_INET, {192, 168, group, last}};

	route_neigh_del(table, 0, &addr);
	if (random_below(random, 4) != 0)
		neighbour(table, group, last, (uint8_t)random_below(random, 200));
}

/* One change of each kind: host routes and /24 through gateways that nobody else uses (so ids are retired
 * and reused at once), the cover of the stable routes, and a neighbour's MAC; neighbours that go and may be
 * back with another MAC before anything was published. */
static void
change(struct route_table *table, struct random *random)
{
	const uint8_t group = (uint8_t)random_below(random, 8);
	const uint8_t host = (uint8_t)random_below(random, 256);
	const uint8_t len = (uint8_t)(24 + random_below(random, 9));
	const struct ip_prefix target = linear_to_prefix(
		AF_INET, (linear_addr_t)(10u << 24 | 1u << 16 | (uint32_t)group << 8 | host) << 96, len);
	const struct ip_prefix above = prefix4(0, 0, 0, 16);

	if (route_del(table, &target) != 0)
		route_to(table, target, group, (uint8_t)(100 + random_below(random, 100)));
	if (route_del(table, &above) != 0)
		assert_int_equal(route_add_special(table, &above, NEXTHOP_PROHIBIT), 0);
	if (random_below(random, 4) == 0)
		neighbour(table, group, 1, (uint8_t)random_below(random, 200));
	if (random_below(random, 3) == 0)
		go_and_come(table, group, random);
	if (random_below(random, 3) != 0)
		assert_int_equal(route_publish(table), 0);
}

static void
test_reader(void **state)
{
	const size_t n_bytes = rte_rcu_qsbr_get_memsize(1);
	struct reader reader = {.qsbr = aligned_alloc(64, RTE_ALIGN_CEIL(n_bytes, 64))};
	const uint64_t end = rte_get_timer_cycles() + SECONDS_MAX * rte_get_timer_hz();
	struct random random;
	uint64_t n_changes = 0;
	pthread_t thread;

	random_seed(&random, 12);
	assert_int_equal(rte_rcu_qsbr_init(reader.qsbr, 1), 0);
	reader.table = make(reader.qsbr);
	assert_int_equal(pthread_create(&thread, NULL, read_for_ever, &reader), 0);
	while (!__atomic_load_n(&reader.ready, __ATOMIC_ACQUIRE))
		rte_delay_us_sleep(100);
	for (; n_changes < N_CHANGES && rte_get_timer_cycles() < end; n_changes++)
		change(reader.table, &random);
	__atomic_store_n(&reader.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	printf("%lu lookups during %lu changes, %lu wrong\n", reader.n_lookups, n_changes, reader.n_wrong);
	assert_int_equal(reader.n_wrong, 0);
	assert_in_range(n_changes, 10, UINT64_MAX);
	assert_in_range(reader.n_lookups, 10000, UINT64_MAX);
	route_table_destroy(reader.table);
	free(reader.qsbr);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reader),
	};
	int failed;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	if (rte_eal_init(argc, argv) < 0)
		return EXIT_FAILURE;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rte_eal_cleanup();
	return failed;
}
