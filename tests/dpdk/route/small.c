/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes in text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "small.h"

int
connect_text(struct route_table *table, uint16_t port, const char *addr, uint8_t len)
{
	const struct ip_addr own = addr_of(addr);

	return route_add_connected(table, port, &own, len);
}

int
neigh(struct route_table *table, uint16_t port, const char *addr, uint8_t last)
{
	const struct ip_addr value = addr_of(addr);
	const struct rte_ether_addr mac = mac_of(last);

	return route_neigh_add(table, port, &value, &mac);
}

int
neigh_del(struct route_table *table, uint16_t port, const char *addr)
{
	const struct ip_addr value = addr_of(addr);

	return route_neigh_del(table, port, &value);
}

int
del(struct route_table *table, const char *prefix)
{
	const struct ip_prefix value = prefix_of(prefix);

	return route_del(table, &value);
}

int
special(struct route_table *table, const char *prefix, enum nexthop_kind kind)
{
	const struct ip_prefix value = prefix_of(prefix);

	return route_add_special(table, &value, kind);
}

int
onlink(struct route_table *table, const char *prefix, uint16_t port)
{
	const struct ip_prefix value = prefix_of(prefix);

	return route_add_onlink(table, &value, port);
}

const struct adjacency *
adjacency_to(const struct route_table *table, const char *addr)
{
	const uint16_t id = lookup_text(table, addr);

	assert_true(id < NEXTHOP_GROUP);
	return &route_adjacencies(table)[id];
}

enum nexthop_kind
kind_to(const struct route_table *table, const char *addr)
{
	return adjacency_to(table, addr)->kind;
}

struct route_counts
counts_of(const struct route_table *table)
{
	struct route_counts counts;

	route_counts(table, &counts);
	return counts;
}

struct route_table *
small_create(void)
{
	struct route_table *table;

	assert_int_equal(route_table_create(-1, NULL, &table), 0);
	port_setup(table, 0);
	port_setup(table, 1);
	assert_int_equal(connect_text(table, 0, "10.0.0.1", 24), 0);
	assert_int_equal(connect_text(table, 1, "10.0.1.1", 24), 0);
	assert_int_equal(connect_text(table, 0, "fd00::1", 64), 0);
	assert_int_equal(connect_text(table, 1, "fd00:0:0:1::1", 64), 0);
	return table;
}

void
publish(struct route_table *table)
{
	assert_int_equal(route_publish(table), 0);
}

void
assert_resolved(const struct adjacency *adjacency, uint16_t port, uint8_t last)
{
	const struct rte_ether_addr to = mac_of(last);
	const struct rte_ether_addr from = mac_of((uint8_t)(0xf0 + port));
	static const uint8_t zero[4];

	assert_int_equal(adjacency->kind, NEXTHOP_FORWARD);
	assert_int_equal(adjacency->port, port);
	assert_int_equal(adjacency->mtu, 1500);
	assert_memory_equal(adjacency->l2, &to, 6);
	assert_memory_equal(adjacency->l2 + 6, &from, 6);
	assert_memory_equal(adjacency->l2 + 12, zero, 4);
}
