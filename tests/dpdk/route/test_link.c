/* SPDX-License-Identifier: BSD-3-Clause */
/* Links that go and come: what is published and when, and that very many routes over one are no trouble. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <cmocka.h>

#include <rte_config.h>
#include <rte_eal.h>

#include "small.h"

static const struct ip_prefix all4 = {.addr.family = AF_INET};

/* What a link's change is worth a publication for. */
static void
test_due(void **state)
{
	struct route_table *const table = small_create();

	assert_int_equal(neigh(table, 1, "10.0.1.9", 9), 0);
	publish(table);
	/* No route leads around: the subnets stay, and say that the port is down. */
	assert_false(route_port_link(table, 0, false));
	assert_int_equal(kind_to(table, "10.0.0.9"), NEXTHOP_PORT_DOWN);
	assert_false(route_port_link(table, 0, false));
	assert_false(route_port_link(table, RTE_MAX_ETHPORTS, false));
	assert_false(route_port_link(table, 7, false)); /* not set */
	assert_false(route_port_link(table, 0, true));
	/* Now one does. */
	assert_int_equal(add_via(table, "0.0.0.0/0", "10.0.1.9"), 0);
	publish(table);
	assert_true(route_port_link(table, 0, false));
	assert_int_equal(kind_to(table, "10.0.0.9"), NEXTHOP_PORT_DOWN); /* until published */
	publish(table);
	assert_resolved(adjacency_to(table, "10.0.0.9"), 1, 9);
	assert_int_equal(kind_to(table, "10.0.0.1"), NEXTHOP_LOCAL);
	assert_int_equal(kind_to(table, "10.0.0.255"), NEXTHOP_BROADCAST);
	assert_int_equal(kind_to(table, "fd00::9"), NEXTHOP_PORT_DOWN);
	/* Up and down between two publications. */
	assert_true(route_port_link(table, 0, true));
	assert_true(route_port_link(table, 0, false));
	publish(table);
	assert_resolved(adjacency_to(table, "10.0.0.9"), 1, 9);
	/* The way around goes, by its link or by command: back to port_down. */
	assert_true(route_port_link(table, 1, false));
	publish(table);
	assert_int_equal(kind_to(table, "10.0.0.9"), NEXTHOP_PORT_DOWN);
	assert_int_equal(adjacency_to(table, "10.0.0.9")->port, 0);
	assert_true(route_port_link(table, 1, true));
	publish(table);
	assert_int_equal(adjacency_to(table, "10.0.0.9")->port, 1);
	assert_int_equal(route_del(table, &all4), 0);
	publish(table);
	assert_int_equal(adjacency_to(table, "10.0.0.9")->port, 0);
	route_table_destroy(table);
}

/* A route beside a connected one, a neighbour below both: each as long as it is usable. */
static void
test_next_source(void **state)
{
	struct route_table *const table = small_create();
	const struct ip_prefix subnet = prefix_of("10.0.0.0/24");
	const struct ip_addr via = addr_of("10.0.1.9");
	const struct route_path path = {via, 1};

	assert_int_equal(neigh(table, 1, "10.0.1.9", 9), 0);
	assert_int_equal(neigh(table, 0, "10.0.0.7", 7), 0);
	assert_int_equal(route_add(table, &subnet, &path, 1), 0);
	publish(table);
	assert_int_equal(adjacency_to(table, "10.0.0.8")->port, 1);
	assert_resolved(adjacency_to(table, "10.0.0.7"), 0, 7);
	route_port_link(table, 1, false);
	publish(table);
	assert_int_equal(kind_to(table, "10.0.0.8"), NEXTHOP_UNRESOLVED);
	assert_int_equal(adjacency_to(table, "10.0.0.8")->port, 0);
	route_port_link(table, 0, false);
	route_port_link(table, 1, true);
	publish(table);
	assert_resolved(adjacency_to(table, "10.0.0.7"), 1, 9);
	route_table_destroy(table);
}

#define N_MANY 70000u /* more than a FIB side takes notes of */

static struct ip_prefix
numbered(uint32_t i)
{
	return linear_to_prefix(AF_INET, (linear_addr_t)((20u << 24) + (i << 8)) << 96, 24);
}

static void
assert_to(const struct route_table *table, uint32_t from, uint32_t to, uint16_t port, enum nexthop_kind kind)
{
	for (uint32_t i = from; i < to; i++) {
		const struct ip_prefix prefix = numbered(i);
		const uint16_t id = lookup_one(table, &prefix.addr);

		assert_int_equal(route_adjacencies(table)[id].port, port);
		assert_int_equal(route_adjacencies(table)[id].kind, kind);
	}
}

static void
assert_all_to(const struct route_table *table, uint16_t port, enum nexthop_kind kind)
{
	assert_to(table, 0, N_MANY, port, kind);
}

/* Very many prefixes over one port: down and up again, with and without a way around, and one that comes while
 * the port is down. */
static void
test_many(void **state)
{
	struct route_table *const table = small_create();
	const struct route_path path = {addr_of("10.0.0.9"), 1};

	assert_int_equal(neigh(table, 0, "10.0.0.9", 9), 0);
	assert_int_equal(neigh(table, 1, "10.0.1.9", 8), 0);
	for (uint32_t i = 0; i < N_MANY; i++) {
		const struct ip_prefix prefix = numbered(i);

		assert_int_equal(route_add(table, &prefix, &path, 1), 0);
	}
	publish(table);
	assert_all_to(table, 0, NEXTHOP_FORWARD);
	assert_false(route_port_link(table, 0, false));
	assert_all_to(table, 0, NEXTHOP_PORT_DOWN);
	/* All are to be looked at, few change. */
	assert_int_equal(add_via(table, "20.1.0.0/16", "10.0.1.9"), 0);
	assert_int_equal(add_via(table, "200.0.0.0/8", "10.0.1.9"), 0);
	publish(table);
	assert_to(table, 0, 256, 0, NEXTHOP_PORT_DOWN);
	assert_to(table, 256, 512, 1, NEXTHOP_FORWARD);
	assert_to(table, 512, N_MANY, 0, NEXTHOP_PORT_DOWN);
	assert_int_equal(add_via(table, "0.0.0.0/0", "10.0.1.9"), 0);
	publish(table);
	assert_all_to(table, 1, NEXTHOP_FORWARD);
	assert_int_equal(del(table, "20.1.0.0/16"), 0);
	assert_int_equal(route_del(table, &all4), 0);
	publish(table);
	assert_all_to(table, 0, NEXTHOP_PORT_DOWN);
	assert_false(route_port_link(table, 0, true));
	assert_int_equal(add_via(table, "0.0.0.0/0", "10.0.1.9"), 0);
	publish(table);
	assert_all_to(table, 0, NEXTHOP_FORWARD);
	assert_true(route_port_link(table, 0, false));
	publish(table);
	assert_all_to(table, 1, NEXTHOP_FORWARD);
	assert_true(route_port_link(table, 0, true));
	publish(table);
	assert_all_to(table, 0, NEXTHOP_FORWARD);
	route_table_destroy(table);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_due),
		cmocka_unit_test(test_next_source),
		cmocka_unit_test(test_many),
	};
	int failed;

	if (rte_eal_init(argc, argv) < 0)
		return EXIT_FAILURE;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rte_eal_cleanup();
	return failed;
}
