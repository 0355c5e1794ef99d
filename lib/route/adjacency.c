/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adjacencies and what may happen to them under a reader.
 *
 * A worker gets an id from the published FIB, reads kind, and later in the same turn l2, port and mtu. So:
 *   - l2 is written only while no worker can have read FORWARD from this entry: before the first resolution
 *     (kind is stored last, with release), or after a grace period with kind UNRESOLVED;
 *   - port, mtu, family and addr are written once, before anything published leads to the entry;
 *   - an entry is reused only after a grace period (ids.h).
 * kind alone flips at any time: FORWARD <-> PORT_DOWN as the link goes.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include <rte_common.h>
#include <rte_jhash.h>

#include "adjacency.h"
#include "memory.h"
#include "prefix.h"

static const uint8_t fixed_kind[NEXTHOP_ID_FIRST] = {
	[NEXTHOP_ID_NO_ROUTE] = NEXTHOP_NO_ROUTE,
	[NEXTHOP_ID_LOCAL] = NEXTHOP_LOCAL,
	[NEXTHOP_ID_BROADCAST] = NEXTHOP_BROADCAST,
	[NEXTHOP_ID_BLACKHOLE] = NEXTHOP_BLACKHOLE,
	[NEXTHOP_ID_UNREACHABLE] = NEXTHOP_UNREACHABLE,
	[NEXTHOP_ID_PROHIBIT] = NEXTHOP_PROHIBIT,
};

int
adjacency_init(struct adjacency_table *table, int node, struct rte_rcu_qsbr *qsbr)
{
	*table = (struct adjacency_table){.qsbr = qsbr};
	table->entries = memory_map(NEXTHOP_MAX * sizeof(*table->entries), node);
	if (table->entries == NULL)
		return -ENOMEM;
	if (ids_init(&table->ids, NEXTHOP_MAX - NEXTHOP_ID_FIRST) != 0) {
		adjacency_fini(table);
		return -ENOMEM;
	}
	for (unsigned int id = 0; id < NEXTHOP_ID_FIRST; id++)
		table->entries[id].kind = fixed_kind[id];
	return 0;
}

void
adjacency_fini(struct adjacency_table *table)
{
	ids_fini(&table->ids);
	memory_unmap(table->entries, NEXTHOP_MAX * sizeof(*table->entries));
	table->entries = NULL;
}

static bool
port_used(const struct adjacency_table *table, uint16_t port)
{
	for (uint16_t i = 0; i < table->ids.n_high; i++)
		if (table->ids.used[i] && table->entries[NEXTHOP_ID_FIRST + i].port == port)
			return true;
	return false;
}

int
adjacency_port_set(
	struct adjacency_table *table, uint16_t port, const struct rte_ether_addr *mac, uint32_t mtu)
{
	struct adjacency_port *entry;

	if (port >= RTE_MAX_ETHPORTS)
		return -EINVAL;
	entry = &table->ports[port];
	if (entry->known && rte_is_same_ether_addr(&entry->mac, mac) && entry->mtu == mtu)
		return 0;
	if (port_used(table, port))
		return -EBUSY;
	entry->mac = *mac;
	entry->mtu = mtu;
	entry->known = true;
	return 0;
}

bool
adjacency_port_known(const struct adjacency_table *table, uint16_t port)
{
	return port < RTE_MAX_ETHPORTS && table->ports[port].known;
}

static uint32_t
key_hash(uint16_t port, const struct ip_addr *addr)
{
	uint32_t words[4] = {0};

	memcpy(words, addr->bytes, ip_family_bits(addr->family) / 8);
	return rte_jhash_32b(words, RTE_DIM(words), (uint32_t)port << 8 | addr->family);
}

static bool
has_key(const struct adjacency *entry, uint16_t port, const struct ip_addr *addr)
{
	return entry->port == port && entry->family == addr->family &&
	       memcmp(entry->addr, addr->bytes, ip_family_bits(addr->family) / 8) == 0;
}

int
adjacency_hold(struct adjacency_table *table, uint16_t port, const struct ip_addr *addr, uint16_t *id)
{
	const uint32_t hash = key_hash(port, addr);
	struct adjacency *entry;
	uint16_t i;

	for (i = ids_find(&table->ids, hash, IDS_NONE); i != IDS_NONE; i = ids_find(&table->ids, hash, i)) {
		if (!has_key(&table->entries[NEXTHOP_ID_FIRST + i], port, addr))
			continue;
		ids_hold(&table->ids, i);
		*id = NEXTHOP_ID_FIRST + i;
		return 0;
	}
	i = ids_alloc(&table->ids, hash);
	if (i == IDS_NONE)
		return -ENOSPC;
	entry = &table->entries[NEXTHOP_ID_FIRST + i];
	*entry = (struct adjacency){.mtu = table->ports[port].mtu,
		.port = port,
		.kind = NEXTHOP_UNRESOLVED,
		.family = addr->family};
	memcpy(entry->addr, addr->bytes, ip_family_bits(addr->family) / 8);
	*id = NEXTHOP_ID_FIRST + i;
	return 0;
}

void
adjacency_ref(struct adjacency_table *table, uint16_t id)
{
	if (id >= NEXTHOP_ID_FIRST)
		ids_hold(&table->ids, id - NEXTHOP_ID_FIRST);
}

void
adjacency_unref(struct adjacency_table *table, uint16_t id)
{
	if (id >= NEXTHOP_ID_FIRST)
		ids_release(&table->ids, id - NEXTHOP_ID_FIRST);
}

static uint8_t
resolved_kind(const struct adjacency_table *table, uint16_t port)
{
	return table->ports[port].link_down ? NEXTHOP_PORT_DOWN : NEXTHOP_FORWARD;
}

void
adjacency_resolve(struct adjacency_table *table, uint16_t id, const struct rte_ether_addr *mac)
{
	struct adjacency *const entry = &table->entries[id];

	assert(id >= NEXTHOP_ID_FIRST);
	if (entry->resolved && memcmp(entry->l2, mac, RTE_ETHER_ADDR_LEN) == 0)
		return;
	if (entry->resolved && table->qsbr != NULL) {
		__atomic_store_n(&entry->kind, NEXTHOP_UNRESOLVED, __ATOMIC_RELAXED);
		rte_rcu_qsbr_synchronize(table->qsbr, RTE_QSBR_THRID_INVALID);
	}
	memcpy(entry->l2, mac, RTE_ETHER_ADDR_LEN);
	memcpy(entry->l2 + RTE_ETHER_ADDR_LEN, &table->ports[entry->port].mac, RTE_ETHER_ADDR_LEN);
	entry->resolved = 1;
	__atomic_store_n(&entry->kind, resolved_kind(table, entry->port), __ATOMIC_RELEASE);
}

void
adjacency_port_link(struct adjacency_table *table, uint16_t port, bool up)
{
	if (port >= RTE_MAX_ETHPORTS)
		return;
	table->ports[port].link_down = !up;
	for (uint16_t i = 0; i < table->ids.n_high; i++) {
		struct adjacency *const entry = &table->entries[NEXTHOP_ID_FIRST + i];

		if (table->ids.used[i] && entry->port == port && entry->resolved)
			__atomic_store_n(&entry->kind, resolved_kind(table, port), __ATOMIC_RELAXED);
	}
}

void
adjacency_reclaim(struct adjacency_table *table)
{
	uint16_t i = 0;

	while ((i = ids_reclaim(&table->ids, i)) != IDS_NONE)
		;
}

uint32_t
adjacency_n_unresolved(const struct adjacency_table *table)
{
	uint32_t n = 0;

	for (uint16_t i = 0; i < table->ids.n_high; i++)
		if (table->ids.used[i] && table->ids.refs[i] > 0)
			n += !table->entries[NEXTHOP_ID_FIRST + i].resolved;
	return n;
}
