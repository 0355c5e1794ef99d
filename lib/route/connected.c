/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is directly attached: own addresses with their subnets, and neighbours. An own address fills three
 * slots (itself, the subnet, the directed broadcast), a neighbour one; a slot that is taken stays with
 * whoever came first. Control thread only.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "prefix.h"
#include "route_priv.h"

const struct own_addr *
own_find(const struct route_table *table, const struct ip_addr *addr)
{
	for (uint32_t i = 0; i < table->n_own; i++)
		if (ip_addr_equal(&table->own[i].addr, addr))
			return &table->own[i];
	return NULL;
}

const struct own_addr *
own_lookup(const struct route_table *table, const struct ip_addr *addr)
{
	const struct own_addr *best = NULL;

	for (uint32_t i = 0; i < table->n_own; i++) {
		const struct own_addr *const own = &table->own[i];

		if (!ip_prefix_covers(&own->subnet, addr))
			continue;
		if (best == NULL || own->subnet.len > best->subnet.len)
			best = own;
	}
	return best;
}

static int
own_append(struct route_table *table, const struct own_addr *own)
{
	struct own_addr *const grown = realloc(table->own, (table->n_own + 1) * sizeof(*grown));

	if (grown == NULL)
		return -ENOMEM;
	table->own = grown;
	table->own[table->n_own++] = *own;
	return 0;
}

int
subnet_hold(struct route_table *table, uint16_t port, uint8_t family, uint16_t *id)
{
	const struct ip_addr any = {.family = family};

	if (!adjacency_port_known(&table->adjacencies, port))
		return -EINVAL;
	return adjacency_hold(&table->adjacencies, port, &any, id);
}

/* A slot that an own address fills, unless another got there first. */
struct claim {
	struct ip_prefix prefix;
	enum rib_source source;
	uint16_t id;
	bool done;
};

static int
claim_all(struct route_table *table, struct claim *claims, unsigned int n)
{
	int ret = 0;

	for (unsigned int i = 0; i < n && ret == 0; i++) {
		if (slot_get(table, &claims[i].prefix, claims[i].source) != 0)
			continue;
		ret = slot_set(table, &claims[i].prefix, claims[i].source, claims[i].id);
		claims[i].done = ret == 0;
	}
	for (unsigned int i = 0; i < n && ret != 0; i++)
		if (claims[i].done)
			slot_set(table, &claims[i].prefix, claims[i].source, 0);
	return ret;
}

static int
own_claim(struct route_table *table, const struct own_addr *own, uint16_t subnet_id)
{
	const struct ip_addr last = ip_prefix_last(&own->subnet);
	struct claim claims[] = {
		{ip_prefix_host(&own->addr), RIB_LOCAL, NEXTHOP_ID_LOCAL, false},
		{own->subnet, RIB_CONNECTED, subnet_id, false},
		{ip_prefix_host(&last), RIB_CONNECTED, NEXTHOP_ID_BROADCAST, false},
	};
	/* RFC 3021: a /31 has two hosts and no broadcast address. */
	const bool has_broadcast = own->addr.family == AF_INET && own->subnet.len <= 30;

	return claim_all(table, claims, has_broadcast ? 3 : 2);
}

int
route_add_connected(struct route_table *table, uint16_t port, const struct ip_addr *addr, uint8_t len)
{
	const uint8_t bits = ip_family_bits(addr->family);
	struct own_addr own;
	uint16_t subnet_id;
	int ret;

	if (bits == 0 || len > bits)
		return -EINVAL;
	if (own_find(table, addr) != NULL)
		return -EEXIST;
	own = (struct own_addr){
		.addr = ip_prefix_host(addr).addr, .subnet = ip_prefix_from(addr, len), .port = port};
	ret = subnet_hold(table, port, addr->family, &subnet_id);
	if (ret != 0)
		return ret;
	ret = own_append(table, &own);
	if (ret != 0)
		goto unref;
	ret = own_claim(table, &own, subnet_id);
	if (ret != 0)
		goto forget;
	return 0;

forget:
	table->n_own--;
unref:
	adjacency_unref(&table->adjacencies, subnet_id);
	return ret;
}

/* The lowest port with a known neighbour addr. Returns its adjacency, NEXTHOP_ID_NO_ROUTE if there is none. */
static uint16_t
neigh_anywhere(const struct route_table *table, const struct ip_addr *addr)
{
	for (uint16_t port = 0; port < RTE_MAX_ETHPORTS; port++) {
		const uint16_t id = adjacency_find(&table->adjacencies, port, addr);

		if (table->adjacencies.entries[id].resolved)
			return id;
	}
	return NEXTHOP_ID_NO_ROUTE;
}

/* mac NULL: not known any more. */
static void
neigh_resolve(struct route_table *table, uint16_t id, const struct rte_ether_addr *mac)
{
	const uint8_t before = table->adjacencies.entries[id].kind;

	if (mac != NULL)
		adjacency_resolve(&table->adjacencies, id, mac);
	else
		adjacency_unresolve(&table->adjacencies, id);
	if (table->adjacencies.entries[id].kind != before)
		group_adjacency_changed(&table->groups, &table->adjacencies, id);
}

int
route_neigh_add(struct route_table *table, uint16_t port, const struct ip_addr *addr,
	const struct rte_ether_addr *mac)
{
	struct claim host = {.source = RIB_NEIGHBOUR};
	int ret;

	if (!adjacency_port_known(&table->adjacencies, port) || ip_family_bits(addr->family) == 0 ||
		ip_addr_is_any(addr))
		return -EINVAL;
	host.prefix = ip_prefix_host(addr);
	ret = adjacency_hold(&table->adjacencies, port, addr, &host.id);
	if (ret != 0)
		return ret;
	/* Resolved means that this neighbour is known and has its reference and its host route. */
	if (table->adjacencies.entries[host.id].resolved) {
		adjacency_unref(&table->adjacencies, host.id);
		neigh_resolve(table, host.id, mac);
		return 0;
	}
	ret = claim_all(table, &host, 1);
	if (ret != 0) {
		adjacency_unref(&table->adjacencies, host.id);
		return ret;
	}
	neigh_resolve(table, host.id, mac);
	return 0;
}

int
route_neigh_del(struct route_table *table, uint16_t port, const struct ip_addr *addr)
{
	const struct ip_prefix host = ip_prefix_host(addr);
	uint16_t id;

	if (ip_family_bits(addr->family) == 0)
		return -ENOENT;
	id = adjacency_find(&table->adjacencies, port, addr);
	if (!table->adjacencies.entries[id].resolved)
		return -ENOENT;
	neigh_resolve(table, id, NULL);
	/* Neither emptying a slot nor refilling it can fail. */
	if (slot_get(table, &host, RIB_NEIGHBOUR) == id)
		slot_set(table, &host, RIB_NEIGHBOUR, neigh_anywhere(table, addr));
	adjacency_unref(&table->adjacencies, id);
	return 0;
}

const struct own_addr *
route_own(const struct route_table *table, unsigned int i)
{
	return i < table->n_own ? &table->own[i] : NULL;
}
