/* SPDX-License-Identifier: BSD-3-Clause */
/* The small world of the route tests. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

struct ip_addr
addr_of(const char *text)
{
	struct ip_addr addr = {.family = strchr(text, ':') != NULL ? AF_INET6 : AF_INET};

	if (inet_pton(addr.family, text, addr.bytes) != 1)
		abort();
	return addr;
}

struct ip_prefix
prefix_of(const char *text)
{
	const char *const slash = strchr(text, '/');
	char addr[64];

	if (slash == NULL)
		abort();
	snprintf(addr, sizeof(addr), "%.*s", (int)(slash - text), text);
	return (struct ip_prefix){.addr = addr_of(addr), .len = (uint8_t)atoi(slash + 1)};
}

struct rte_ether_addr
mac_of(uint8_t last)
{
	return (struct rte_ether_addr){{0x02, 0, 0, 0, 0, last}};
}

void
port_setup(struct route_table *table, uint16_t port)
{
	const struct rte_ether_addr mac = mac_of((uint8_t)(0xf0 + port));

	assert_int_equal(route_port_set(table, port, &mac, 1500), 0);
}

static void
lookup_bulk(const struct route_table *table, uint8_t family, const linear_addr_t *addrs, uint64_t *ids,
	unsigned int n)
{
	const struct route_view *const view = route_view(table);
	uint32_t addrs4[64];
	uint8_t addrs6[64][16];

	for (unsigned int i = 0; i < n; i++) {
		addrs4[i] = (uint32_t)(addrs[i] >> 96);
		memcpy(addrs6[i], linear_to_addr(AF_INET6, addrs[i]).bytes, 16);
	}
	if (family == AF_INET)
		route_lookup4_bulk(view, addrs4, ids, n);
	else
		route_lookup6_bulk(view, (const uint8_t(*)[16])addrs6, ids, n);
}

uint16_t
lookup_one(const struct route_table *table, const struct ip_addr *addr)
{
	const linear_addr_t value = linear_addr(addr);
	uint64_t id = UINT64_MAX;

	lookup_bulk(table, addr->family, &value, &id, 1);
	return (uint16_t)id;
}

uint16_t
lookup_text(const struct route_table *table, const char *addr)
{
	const struct ip_addr value = addr_of(addr);

	return lookup_one(table, &value);
}

int
add_via(struct route_table *table, const char *prefix, const char *via)
{
	const struct ip_prefix to = prefix_of(prefix);
	const struct route_path path = {.via = addr_of(via), .weight = 1};

	return route_add(table, &to, &path, 1);
}

static void
connect_port(struct world *world, uint16_t port, const char *addr, uint8_t len)
{
	const struct ip_addr own = addr_of(addr);

	assert_int_equal(route_add_connected(world->table, port, &own, len), 0);
}

/* The oracle learns the ids, not the prefixes, from the table. */
static void
learn(struct world *world, const char *prefix, const char *probe)
{
	const struct ip_prefix to = prefix_of(prefix);
	const uint16_t id = lookup_text(world->table, probe);

	assert_int_not_equal(id, 0);
	linear_set(&world->linear[to.addr.family == AF_INET6], &to, id);
}

static void
add_gateways(struct world *world)
{
	char text[64];

	for (unsigned int i = 0; i < WORLD_GATEWAYS; i++) {
		const struct rte_ether_addr mac = mac_of((uint8_t)i);

		snprintf(text, sizeof(text), "192.0.2.%u", 10 + i);
		world->gateway[0][i] = addr_of(text);
		snprintf(text, sizeof(text), "2001:db8:%u::%u", i % 2, 10 + i);
		world->gateway[1][i] = addr_of(text);
		assert_int_equal(route_neigh_add(world->table, 0, &world->gateway[0][i], &mac), 0);
		assert_int_equal(route_neigh_add(world->table, i % 2, &world->gateway[1][i], &mac), 0);
	}
}

void
world_create(struct world *world)
{
	linear_init(&world->linear[0], AF_INET, 100000);
	linear_init(&world->linear[1], AF_INET6, 100000);
	assert_int_equal(route_table_create(-1, NULL, &world->table), 0);
	port_setup(world->table, 0);
	port_setup(world->table, 1);
	connect_port(world, 0, "192.0.2.1", 24);
	connect_port(world, 1, "198.51.100.1", 31);
	connect_port(world, 0, "2001:db8:0::1", 64);
	connect_port(world, 1, "2001:db8:1::1", 127);
	connect_port(world, 1, "2001:db8:1::2", 64);
	add_gateways(world);
	assert_int_equal(route_publish(world->table), 0);

	learn(world, "192.0.2.1/32", "192.0.2.1");
	learn(world, "192.0.2.0/24", "192.0.2.77");
	learn(world, "192.0.2.255/32", "192.0.2.255");
	learn(world, "198.51.100.0/31", "198.51.100.0");
	learn(world, "198.51.100.1/32", "198.51.100.1");
	learn(world, "2001:db8::/64", "2001:db8::77");
	learn(world, "2001:db8::1/128", "2001:db8::1");
	learn(world, "2001:db8:1::/64", "2001:db8:1::77");
	learn(world, "2001:db8:1::/127", "2001:db8:1::");
	learn(world, "2001:db8:1::1/128", "2001:db8:1::1");
	learn(world, "2001:db8:1::2/128", "2001:db8:1::2");
	for (unsigned int family = 0; family < 2; family++) {
		for (unsigned int i = 0; i < WORLD_GATEWAYS; i++) {
			const struct ip_addr *const gateway = &world->gateway[family][i];
			const struct ip_prefix host = {*gateway, family == 0 ? 32 : 128};

			world->gateway_id[family][i] = lookup_one(world->table, gateway);
			linear_set(&world->linear[family], &host, world->gateway_id[family][i]);
		}
	}
}

void
world_destroy(struct world *world)
{
	route_table_destroy(world->table);
	linear_fini(&world->linear[0]);
	linear_fini(&world->linear[1]);
}

void
world_compare(const struct world *world, unsigned int family, const linear_addr_t *addrs, unsigned int n)
{
	const struct linear *const linear = &world->linear[family];
	char text[INET6_ADDRSTRLEN];
	uint64_t ids[64];

	memset(ids, 0xff, sizeof(ids));
	lookup_bulk(world->table, linear->family, addrs, ids, n);
	for (unsigned int i = 0; i < n; i++) {
		const uint16_t want = linear_lookup(linear, addrs[i]);
		const struct ip_addr addr = linear_to_addr(linear->family, addrs[i]);

		if (ids[i] == want)
			continue;
		inet_ntop(linear->family, addr.bytes, text, sizeof(text));
		fail_msg("%s (%u of %u): table %#lx, oracle %#x", text, i, n, (unsigned long)ids[i], want);
	}
}

/* Half of the time anywhere, half of the time at an edge of some prefix, or just beyond it. */
static linear_addr_t
pick_addr(const struct linear *linear, struct random *random)
{
	const linear_addr_t anywhere = (linear_addr_t)random_next(random) << 64 | random_next(random);
	const struct linear_entry *const entry = &linear->entries[random_below(random, linear->n)];
	const linear_addr_t one = linear->family == AF_INET ? (linear_addr_t)1 << 96 : 1;

	switch (random_below(random, 10)) {
	case 0: return entry->addr;
	case 1: return entry->addr | ~entry->mask;
	case 2: return entry->addr - one;
	case 3: return (entry->addr | ~entry->mask) + 1;
	case 4: return entry->addr | (anywhere & ~entry->mask);
	case 5: return entry->addr ^ (one << random_below(random, 20));
	default: return anywhere;
	}
}

void
world_verify(struct world *world, unsigned int family, struct random *random, unsigned int n)
{
	linear_addr_t addrs[64];

	while (n > 0) {
		const unsigned int n_bulk = RTE_MIN(n, 1 + random_below(random, 64));

		for (unsigned int i = 0; i < n_bulk; i++)
			addrs[i] = pick_addr(&world->linear[family], random);
		world_compare(world, family, addrs, n_bulk);
		n -= n_bulk;
	}
}
