/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adjacencies and what may happen to them under a reader.
 *
 * A worker gets an id from the published FIB, reads kind, and later in the same turn l2, port and mtu. So:
 *   - l2 is written only while no worker can have read FORWARD from this entry: before the first resolution
 *     (kind is stored last, with release), or after a grace period with another kind. A neighbour that goes
 *     and comes back may find that a publication has waited for one meanwhile: hidden_at < n_graces;
 *   - port, mtu, family and addr are written once, before anything published leads to the entry;
 *   - an entry is reused only after a grace period (ids.h).
 * kind alone flips at any time: to PORT_DOWN and back as the link goes, to UNRESOLVED as the neighbour goes.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
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
	*table = (struct adjacency_table){.qsbr = qsbr, .n_graces = 1};
	table->entries = memory_map(NEXTHOP_MAX * sizeof(*table->entries), node);
	if (table->entries == NULL)
		return -ENOMEM;
	table->uses = calloc(NEXTHOP_MAX, sizeof(*table->uses));
	if (table->uses == NULL || ids_init(&table->ids, NEXTHOP_MAX - NEXTHOP_ID_FIRST) != 0) {
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
	free(table->uses);
	table->uses = NULL;
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

/* Index of the id in ids, IDS_NONE: there is none. */
static uint16_t
find(const struct adjacency_table *table, uint32_t hash, uint16_t port, const struct ip_addr *addr)
{
	uint16_t i = ids_find(&table->ids, hash, IDS_NONE);

	while (i != IDS_NONE && !has_key(&table->entries[NEXTHOP_ID_FIRST + i], port, addr))
		i = ids_find(&table->ids, hash, i);
	return i;
}

uint16_t
adjacency_find(const struct adjacency_table *table, uint16_t port, const struct ip_addr *addr)
{
	const uint16_t i = find(table, key_hash(port, addr), port, addr);

	return i == IDS_NONE ? NEXTHOP_ID_NO_ROUTE : NEXTHOP_ID_FIRST + i;
}

static uint8_t
kind_of(const struct adjacency_table *table, const struct adjacency *entry)
{
	if (table->port_down[entry->port])
		return NEXTHOP_PORT_DOWN;
	return entry->resolved ? NEXTHOP_FORWARD : NEXTHOP_UNRESOLVED;
}

int
adjacency_hold(struct adjacency_table *table, uint16_t port, const struct ip_addr *addr, uint16_t *id)
{
	const uint32_t hash = key_hash(port, addr);
	struct adjacency *entry;
	uint16_t i = find(table, hash, port, addr);

	if (i != IDS_NONE) {
		ids_hold(&table->ids, i);
		*id = NEXTHOP_ID_FIRST + i;
		return 0;
	}
	i = ids_alloc(&table->ids, hash);
	if (i == IDS_NONE)
		return -ENOSPC;
	*id = NEXTHOP_ID_FIRST + i;
	table->uses[*id] = (struct adjacency_use){0};
	entry = &table->entries[*id];
	*entry = (struct adjacency){.mtu = table->ports[port].mtu, .port = port, .family = addr->family};
	entry->kind = kind_of(table, entry);
	memcpy(entry->addr, addr->bytes, ip_family_bits(addr->family) / 8);
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

void
adjacency_grace(struct adjacency_table *table)
{
	if (table->qsbr != NULL)
		rte_rcu_qsbr_synchronize(table->qsbr, RTE_QSBR_THRID_INVALID);
	table->n_graces++;
}

static void
show_kind(const struct adjacency_table *table, struct adjacency *entry)
{
	__atomic_store_n(&entry->kind, kind_of(table, entry), __ATOMIC_RELEASE);
}

void
adjacency_unresolve(struct adjacency_table *table, uint16_t id)
{
	struct adjacency *const entry = &table->entries[id];

	assert(id >= NEXTHOP_ID_FIRST && entry->resolved);
	entry->resolved = 0;
	show_kind(table, entry);
	table->uses[id].hidden_at = table->n_graces;
}

void
adjacency_resolve(struct adjacency_table *table, uint16_t id, const struct rte_ether_addr *mac)
{
	struct adjacency *const entry = &table->entries[id];
	uint8_t l2[2 * RTE_ETHER_ADDR_LEN];
	bool same;

	assert(id >= NEXTHOP_ID_FIRST);
	memcpy(l2, mac, RTE_ETHER_ADDR_LEN);
	memcpy(l2 + RTE_ETHER_ADDR_LEN, &table->ports[entry->port].mac, RTE_ETHER_ADDR_LEN);
	same = memcmp(entry->l2, l2, sizeof(l2)) == 0;
	if (entry->resolved && same)
		return;
	if (entry->resolved)
		adjacency_unresolve(table, id);
	if (!same && table->uses[id].hidden_at == table->n_graces)
		adjacency_grace(table);
	if (!same)
		memcpy(entry->l2, l2, sizeof(l2));
	entry->resolved = 1;
	show_kind(table, entry);
}

bool
adjacency_port_link(struct adjacency_table *table, uint16_t port, bool up)
{
	if (port >= RTE_MAX_ETHPORTS || table->port_down[port] == !up)
		return false;
	table->port_down[port] = !up;
	table->n_down += up ? -1 : 1;
	for (uint16_t i = 0; i < table->ids.n_high; i++) {
		struct adjacency *const entry = &table->entries[NEXTHOP_ID_FIRST + i];

		if (table->ids.used[i] && entry->port == port)
			show_kind(table, entry);
	}
	return true;
}

void
adjacency_lead(struct adjacency_table *table, uint16_t id)
{
	table->uses[id].n_leads++;
}

void
adjacency_unlead(struct adjacency_table *table, uint16_t id)
{
	assert(table->uses[id].n_leads > 0);
	table->uses[id].n_leads--;
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
