/* SPDX-License-Identifier: BSD-3-Clause */
/* What the interface promises: precedence, next hops in either order, references, link changes, every error.
 * */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include <rte_config.h>
#include <rte_eal.h>

#include "small.h"

static void
test_empty(void **state)
{
	struct route_table *table;

	assert_int_equal(route_table_create(-1, NULL, &table), 0);
	assert_int_equal(lookup_text(table, "10.0.0.1"), 0);
	publish(table);
	assert_null(route_view(table)->fib4);
	assert_null(route_view(table)->fib6);
	assert_int_equal(lookup_text(table, "10.0.0.1"), 0);
	assert_int_equal(lookup_text(table, "fd00::1"), 0);
	assert_int_equal(route_adjacencies(table)[0].kind, NEXTHOP_NO_ROUTE);
	assert_int_equal(counts_of(table).fib_bytes, 0);
	route_table_destroy(table);
	route_table_destroy(NULL);
}

static void
test_connected(void **state)
{
	struct route_table *const table = small_create();

	publish(table);
	assert_int_equal(kind_to(table, "10.0.0.1"), NEXTHOP_LOCAL);
	assert_int_equal(kind_to(table, "10.0.0.255"), NEXTHOP_BROADCAST);
	assert_int_equal(kind_to(table, "10.0.0.0"), NEXTHOP_UNRESOLVED);
	assert_int_equal(kind_to(table, "10.0.1.7"), NEXTHOP_UNRESOLVED);
	assert_int_equal(adjacency_to(table, "10.0.1.7")->port, 1);
	assert_int_equal(adjacency_to(table, "10.0.1.7")->mtu, 1500);
	assert_int_equal(kind_to(table, "10.0.2.0"), NEXTHOP_NO_ROUTE);
	assert_int_equal(kind_to(table, "fd00::1"), NEXTHOP_LOCAL);
	assert_int_equal(kind_to(table, "fd00::"), NEXTHOP_UNRESOLVED);
	assert_int_equal(kind_to(table, "fd00::ffff:ffff:ffff:ffff"), NEXTHOP_UNRESOLVED);
	assert_int_equal(kind_to(table, "fd00:0:0:2::"), NEXTHOP_NO_ROUTE);
	route_table_destroy(table);
}

/* The shortest and the longest subnets. */
static void
test_short_subnets(void **state)
{
	struct route_table *const table = small_create();

	assert_int_equal(connect_text(table, 0, "172.16.0.0", 31), 0);
	assert_int_equal(connect_text(table, 0, "172.16.0.5", 30), 0);
	assert_int_equal(connect_text(table, 1, "172.16.1.1", 32), 0);
	assert_int_equal(connect_text(table, 1, "fd01::1", 127), 0);
	assert_int_equal(connect_text(table, 1, "fd02::1", 128), 0);
	publish(table);
	assert_int_equal(kind_to(table, "172.16.0.0"), NEXTHOP_LOCAL);
	assert_int_equal(kind_to(table, "172.16.0.1"), NEXTHOP_UNRESOLVED);
	assert_int_equal(kind_to(table, "172.16.0.4"), NEXTHOP_UNRESOLVED);
	assert_int_equal(kind_to(table, "172.16.0.7"), NEXTHOP_BROADCAST);
	assert_int_equal(kind_to(table, "172.16.1.1"), NEXTHOP_LOCAL);
	assert_int_equal(kind_to(table, "172.16.1.0"), NEXTHOP_NO_ROUTE);
	assert_int_equal(kind_to(table, "fd01::"), NEXTHOP_UNRESOLVED);
	assert_int_equal(kind_to(table, "fd02::1"), NEXTHOP_LOCAL);
	assert_int_equal(kind_to(table, "fd02::"), NEXTHOP_NO_ROUTE);
	route_table_destroy(table);
}

static void
test_neighbour_before_route(void **state)
{
	struct route_table *const table = small_create();

	assert_int_equal(neigh(table, 0, "10.0.0.9", 9), 0);
	assert_int_equal(add_via(table, "0.0.0.0/0", "10.0.0.9"), 0);
	publish(table);
	assert_resolved(adjacency_to(table, "8.8.8.8"), 0, 9);
	assert_ptr_equal(adjacency_to(table, "10.0.0.9"), adjacency_to(table, "8.8.8.8"));
	route_table_destroy(table);
}

static void
test_neighbour_after_route(void **state)
{
	struct route_table *const table = small_create();

	assert_int_equal(add_via(table, "::/0", "fd00:0:0:1::9"), 0);
	publish(table);
	assert_int_equal(kind_to(table, "2001::1"), NEXTHOP_UNRESOLVED);
	assert_int_equal(counts_of(table).unresolved, 5); /* two subnets of either family, and the gateway */
	assert_int_equal(neigh(table, 1, "fd00:0:0:1::9", 7), 0);
	assert_resolved(adjacency_to(table, "2001::1"), 1, 7); /* at once, without a publication */
	assert_int_equal(counts_of(table).unresolved, 4);
	publish(table);
	assert_ptr_equal(adjacency_to(table, "fd00:0:0:1::9"), adjacency_to(table, "2001::1"));
	assert_int_equal(neigh(table, 1, "fd00:0:0:1::9", 8), 0);
	assert_resolved(adjacency_to(table, "2001::1"), 1, 8);
	route_table_destroy(table);
}

/* fe80::1 behind both ports: both can be gateways, the first has the host route. */
static void
test_same_neighbour_twice(void **state)
{
	struct route_table *const table = small_create();

	assert_int_equal(neigh(table, 1, "fe80::1", 1), 0);
	assert_int_equal(neigh(table, 0, "fe80::1", 2), 0);
	publish(table);
	assert_resolved(adjacency_to(table, "fe80::1"), 1, 1);
	assert_int_equal(connect_text(table, 0, "fe80::2", 64), 0);
	assert_int_equal(add_via(table, "2001::/16", "fe80::1"), 0);
	publish(table);
	assert_resolved(adjacency_to(table, "2001::1"), 0, 2);
	route_table_destroy(table);
}

static void
test_specials(void **state)
{
	struct route_table *const table = small_create();

	assert_int_equal(special(table, "10.8.0.0/16", NEXTHOP_BLACKHOLE), 0);
	assert_int_equal(special(table, "10.9.0.0/16", NEXTHOP_UNREACHABLE), 0);
	assert_int_equal(special(table, "fd08::/16", NEXTHOP_PROHIBIT), 0);
	assert_int_equal(onlink(table, "10.7.0.0/16", 1), 0);
	publish(table);
	assert_int_equal(kind_to(table, "10.8.1.1"), NEXTHOP_BLACKHOLE);
	assert_int_equal(kind_to(table, "10.9.1.1"), NEXTHOP_UNREACHABLE);
	assert_int_equal(kind_to(table, "fd08::1"), NEXTHOP_PROHIBIT);
	assert_int_equal(kind_to(table, "10.7.1.1"), NEXTHOP_UNRESOLVED);
	assert_int_equal(adjacency_to(table, "10.7.1.1")->port, 1);
	assert_int_equal(neigh(table, 1, "10.7.1.1", 5), 0);
	publish(table);
	assert_resolved(adjacency_to(table, "10.7.1.1"), 1, 5);
	route_table_destroy(table);
}

/* Own address > configured > connected > neighbour, at one prefix, and back as the upper ones go. */
static void
test_precedence(void **state)
{
	struct route_table *const table = small_create();

	assert_int_equal(special(table, "10.0.0.0/24", NEXTHOP_BLACKHOLE), 0);
	assert_int_equal(special(table, "10.0.0.1/32", NEXTHOP_BLACKHOLE), 0);
	assert_int_equal(special(table, "10.0.0.255/32", NEXTHOP_PROHIBIT), 0);
	assert_int_equal(neigh(table, 0, "10.0.0.255", 9), 0);
	assert_int_equal(neigh(table, 0, "10.0.0.1", 9), 0);
	assert_int_equal(neigh(table, 0, "10.0.0.8", 8), 0);
	assert_int_equal(special(table, "10.0.0.8/32", NEXTHOP_UNREACHABLE), 0);
	publish(table);
	assert_int_equal(kind_to(table, "10.0.0.1"), NEXTHOP_LOCAL);
	assert_int_equal(kind_to(table, "10.0.0.77"), NEXTHOP_BLACKHOLE);
	assert_int_equal(kind_to(table, "10.0.0.255"), NEXTHOP_PROHIBIT);
	assert_int_equal(kind_to(table, "10.0.0.8"), NEXTHOP_UNREACHABLE);
	assert_int_equal(del(table, "10.0.0.0/24"), 0);
	assert_int_equal(del(table, "10.0.0.1/32"), 0);
	assert_int_equal(del(table, "10.0.0.255/32"), 0);
	assert_int_equal(del(table, "10.0.0.8/32"), 0);
	publish(table);
	assert_int_equal(kind_to(table, "10.0.0.1"), NEXTHOP_LOCAL);
	assert_int_equal(kind_to(table, "10.0.0.77"), NEXTHOP_UNRESOLVED);
	assert_int_equal(kind_to(table, "10.0.0.255"), NEXTHOP_BROADCAST);
	assert_resolved(adjacency_to(table, "10.0.0.8"), 0, 8);
	route_table_destroy(table);
}

static void
test_port_link(void **state)
{
	struct route_table *const table = small_create();

	assert_int_equal(neigh(table, 0, "10.0.0.9", 9), 0);
	assert_int_equal(neigh(table, 1, "10.0.1.9", 9), 0);
	publish(table);
	route_port_link(table, 0, false);
	assert_int_equal(kind_to(table, "10.0.0.9"), NEXTHOP_PORT_DOWN);
	assert_int_equal(kind_to(table, "10.0.1.9"), NEXTHOP_FORWARD);
	assert_int_equal(kind_to(table, "10.0.0.7"), NEXTHOP_PORT_DOWN); /* nobody to be asked for */
	assert_int_equal(kind_to(table, "10.0.0.1"), NEXTHOP_LOCAL);
	assert_int_equal(neigh(table, 0, "10.0.0.10", 10), 0);
	publish(table);
	assert_int_equal(kind_to(table, "10.0.0.10"), NEXTHOP_PORT_DOWN);
	route_port_link(table, 0, true);
	assert_resolved(adjacency_to(table, "10.0.0.9"), 0, 9);
	assert_resolved(adjacency_to(table, "10.0.0.10"), 0, 10);
	assert_int_equal(kind_to(table, "10.0.0.7"), NEXTHOP_UNRESOLVED);
	route_port_link(table, RTE_MAX_ETHPORTS, false);
	route_table_destroy(table);
}

static unsigned int
buckets_of(const struct route_table *table, const char *addr, uint8_t last_byte)
{
	const uint16_t id = lookup_text(table, addr);
	const struct nexthop_group *const group = &route_groups(table)[id & ~NEXTHOP_GROUP];
	unsigned int n = 0;

	assert_true(id & NEXTHOP_GROUP);
	for (unsigned int i = 0; i < NEXTHOP_BUCKETS; i++)
		n += route_adjacencies(table)[group->bucket[i]].addr[3] == last_byte;
	return n;
}

static void
test_group(void **state)
{
	struct route_table *const table = small_create();
	const struct ip_prefix to = prefix_of("10.5.0.0/16");
	const struct ip_prefix also = prefix_of("10.6.0.0/16");
	struct route_path paths[4] = {
		{addr_of("10.0.0.2"), 1}, {addr_of("10.0.1.3"), 2}, {addr_of("10.0.0.4"), 4}};
	const struct route_path shuffled[3] = {paths[2], paths[0], paths[1]};

	assert_int_equal(route_add(table, &to, paths, 3), 0);
	assert_int_equal(route_add(table, &to, shuffled, 3), 0);
	assert_int_equal(route_add(table, &also, shuffled, 3), 0);
	assert_int_equal(counts_of(table).groups, 1);
	paths[0].weight = 2;
	assert_int_equal(route_add(table, &to, paths, 3), -EEXIST);
	assert_int_equal(route_add(table, &to, paths, 1), -EEXIST);
	publish(table);
	assert_int_equal(lookup_text(table, "10.5.0.1"), lookup_text(table, "10.6.0.1"));
	assert_in_range(buckets_of(table, "10.5.0.1", 2), 36, 37);   /* 256 / 7 = 36.6 */
	assert_in_range(buckets_of(table, "10.5.0.1", 3), 73, 74);   /* 73.1 */
	assert_in_range(buckets_of(table, "10.5.0.1", 4), 146, 147); /* 146.3 */
	assert_int_equal(neigh(table, 1, "10.0.1.3", 3), 0);
	assert_int_equal(del(table, "10.5.0.0/16"), 0);
	assert_int_equal(counts_of(table).groups, 1);
	assert_int_equal(del(table, "10.6.0.0/16"), 0);
	publish(table);
	assert_int_equal(counts_of(table).groups, 0);
	assert_int_equal(counts_of(table).adjacencies, 5); /* four subnets and the neighbour */

	/* The same gateway twice is one path, so no group. */
	paths[1] = paths[0];
	assert_int_equal(route_add(table, &to, paths, 2), 0);
	assert_int_equal(route_add(table, &to, paths, 1), 0);
	assert_int_equal(counts_of(table).groups, 0);
	route_table_destroy(table);
}

static void
test_errors(void **state)
{
	struct route_table *const table = small_create();
	const struct ip_prefix to = prefix_of("10.5.0.0/16");
	struct ip_prefix bad = prefix_of("10.5.0.1/16");
	const struct route_path six = {addr_of("fd00::2"), 1};
	const struct route_path weightless = {addr_of("10.0.0.2"), 0};
	const struct ip_addr no_family = {.family = 99};
	const struct rte_ether_addr mac = mac_of(1);
	struct route_path many[NEXTHOP_GROUP_MAX + 1];
	const struct route_counts before = counts_of(table);

	for (unsigned int i = 0; i < RTE_DIM(many); i++)
		many[i] = (struct route_path){addr_of("10.0.0.2"), 1};
	assert_int_equal(route_add(table, &to, &six, 1), -EINVAL);
	assert_int_equal(route_add(table, &to, &weightless, 1), -EINVAL);
	assert_int_equal(route_add(table, &to, many, 0), -EINVAL);
	assert_int_equal(route_add(table, &to, many, RTE_DIM(many)), -EINVAL);
	assert_int_equal(route_add(table, &bad, many, 1), -EINVAL);
	bad = (struct ip_prefix){addr_of("10.0.0.0"), 33};
	assert_int_equal(route_add(table, &bad, many, 1), -EINVAL);
	assert_int_equal(add_via(table, "10.5.0.0/16", "10.0.2.1"), -ENETUNREACH);
	assert_int_equal(add_via(table, "fd05::/16", "fd00:0:0:2::1"), -ENETUNREACH);
	assert_int_equal(add_via(table, "10.5.0.0/16", "10.0.1.1"), -EADDRINUSE);
	many[3].via = addr_of("10.99.0.1");
	assert_int_equal(route_add(table, &to, many, 4), -ENETUNREACH);
	assert_int_equal(special(table, "10.5.0.0/16", NEXTHOP_LOCAL), -EINVAL);
	assert_int_equal(special(table, "10.5.0.0/16", NEXTHOP_N_KINDS), -EINVAL);
	assert_int_equal(special(table, "10.5.0.1/16", NEXTHOP_BLACKHOLE), -EINVAL);
	assert_int_equal(onlink(table, "10.5.0.0/16", 2), -EINVAL);
	assert_int_equal(onlink(table, "10.5.0.0/16", UINT16_MAX), -EINVAL);
	assert_int_equal(onlink(table, "10.5.0.1/16", 0), -EINVAL);
	assert_int_equal(del(table, "10.5.0.0/16"), -ENOENT);
	assert_int_equal(del(table, "10.0.0.0/24"), -ENOENT); /* connected, not configured */
	assert_int_equal(del(table, "10.5.0.1/16"), -ENOENT);
	assert_int_equal(connect_text(table, 1, "10.0.0.1", 16), -EEXIST);
	assert_int_equal(connect_text(table, 2, "10.0.9.1", 24), -EINVAL);
	assert_int_equal(connect_text(table, 0, "10.0.9.1", 33), -EINVAL);
	assert_int_equal(route_add_connected(table, 0, &no_family, 0), -EINVAL);
	assert_int_equal(neigh(table, 2, "10.0.0.2", 2), -EINVAL);
	assert_int_equal(neigh(table, 0, "0.0.0.0", 2), -EINVAL);
	assert_int_equal(route_port_set(table, RTE_MAX_ETHPORTS, &mac, 1500), -EINVAL);
	assert_int_equal(route_port_set(table, 0, &mac, 1500), -EBUSY);
	port_setup(table, 0); /* as it is */

	assert_int_equal(special(table, "10.5.0.0/16", NEXTHOP_BLACKHOLE), 0);
	assert_int_equal(special(table, "10.5.0.0/16", NEXTHOP_BLACKHOLE), 0);
	assert_int_equal(special(table, "10.5.0.0/16", NEXTHOP_PROHIBIT), -EEXIST);
	assert_int_equal(onlink(table, "10.5.0.0/16", 0), -EEXIST);
	assert_int_equal(add_via(table, "10.5.0.0/16", "10.0.0.2"), -EEXIST);
	assert_int_equal(del(table, "10.5.0.0/16"), 0);
	/* Nothing that failed has left anything. */
	assert_int_equal(counts_of(table).adjacencies, before.adjacencies);
	assert_int_equal(counts_of(table).groups, 0);
	assert_int_equal(counts_of(table).routes4, before.routes4);
	assert_int_equal(counts_of(table).routes6, before.routes6);
	route_table_destroy(table);
}

/* More rounds than there are ids, each with ids of its own: a leak of one per round would show. */
static void
test_ids_come_back(void **state)
{
	struct route_table *const table = small_create();
	const struct ip_prefix to = prefix_of("10.128.0.0/9");

	assert_int_equal(connect_text(table, 0, "172.16.0.1", 12), 0);
	publish(table);
	for (unsigned int round = 0; round < 2 * NEXTHOP_MAX; round++) {
		const uint8_t high = (uint8_t)(round >> 7), low = (uint8_t)((round & 0x7f) << 1);
		const struct route_path paths[2] = {{{AF_INET, {172, 17, high, low}}, 1},
			{{AF_INET, {172, 17, high, (uint8_t)(low + 1)}}, 1 + round % 5}};

		assert_int_equal(route_add(table, &to, paths, 2), 0);
		if (round % 64 == 0)
			publish(table);
		assert_int_equal(del(table, "10.128.0.0/9"), 0);
		if (round % 64 == 0)
			publish(table);
		if (round % 1000 == 999)
			publish(table);
	}
	publish(table);
	assert_int_equal(counts_of(table).groups, 0);
	assert_int_equal(counts_of(table).adjacencies, 4);
	route_table_destroy(table);
}

static void
test_table_full(void **state)
{
	struct route_table *const table = small_create();
	int ret = 0;

	for (unsigned int i = 0; i < NEXTHOP_MAX && ret == 0; i++) {
		const struct ip_addr addr = {AF_INET, {10, 0, (uint8_t)(i >> 8), (uint8_t)i}};
		const struct rte_ether_addr mac = mac_of(1);

		if (addr.bytes[3] == 0 && addr.bytes[2] == 0)
			continue;
		ret = route_neigh_add(table, 0, &addr, &mac);
	}
	assert_int_equal(ret, -ENOSPC);
	assert_int_equal(counts_of(table).adjacencies, NEXTHOP_MAX - NEXTHOP_ID_FIRST);
	assert_int_equal(add_via(table, "10.128.0.0/9", "10.0.0.255"), 0);
	assert_int_equal(add_via(table, "fd05::/16", "fd00::99"), -ENOSPC);
	publish(table);
	assert_int_equal(kind_to(table, "10.0.1.254"), NEXTHOP_FORWARD);
	route_table_destroy(table);
}

/* The second copy of a family appears with its first change after a publication. */
static void
test_copies(void **state)
{
	struct route_table *const table = small_create();
	uint64_t one_each;

	publish(table);
	one_each = counts_of(table).fib_bytes;
	assert_in_range(one_each, 64u << 20, 90u << 20);
	publish(table);
	assert_int_equal(counts_of(table).fib_bytes, one_each);
	assert_int_equal(special(table, "10.5.0.0/16", NEXTHOP_BLACKHOLE), 0);
	publish(table);
	assert_in_range(counts_of(table).fib_bytes, one_each + (32u << 20), one_each + (45u << 20));
	route_table_destroy(table);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_connected),
		cmocka_unit_test(test_short_subnets),
		cmocka_unit_test(test_neighbour_before_route),
		cmocka_unit_test(test_neighbour_after_route),
		cmocka_unit_test(test_same_neighbour_twice),
		cmocka_unit_test(test_specials),
		cmocka_unit_test(test_precedence),
		cmocka_unit_test(test_port_link),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_ids_come_back),
		cmocka_unit_test(test_table_full),
		cmocka_unit_test(test_copies),
	};
	int failed;

	if (rte_eal_init(argc, argv) < 0)
		return EXIT_FAILURE;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rte_eal_cleanup();
	return failed;
}
