/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The route table: what callers may say, and what follows from it for the parts.
 *
 * A prefix has one slot per source in its RIB entry (rib.h); the best one is what the FIB yields. Every change
 * goes through slot_set(), which notes the prefix for the FIB if the best id changed. So
 * deleting a configured route uncovers the connected one below it without anyone having to know.
 *
 * Who holds references to next hops: an own address its subnet's adjacency, a neighbour its own (once), a configured
 * slot its adjacency or group, a group its adjacencies. Ids that nobody holds are reused only
 * after the next publication (ids.h), because until then the live FIB may still yield them.
 *
 * All of it on one thread at a time, but for route_view() and the two tables, which any worker may read.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <rte_common.h>

#include "prefix.h"
#include "route_priv.h"

static unsigned int
family_index(uint8_t family)
{
	return family == AF_INET ? V4 : V6;
}

static int
table_init(struct route_table *table, int node)
{
	static const uint8_t family[N_FAMILIES] = {[V4] = AF_INET, [V6] = AF_INET6};
	int ret = adjacency_init(&table->adjacencies, node, table->qsbr);

	if (ret == 0)
		ret = group_init(&table->groups, node);
	for (unsigned int i = 0; ret == 0 && i < N_FAMILIES; i++) {
		ret = rib_init(&table->ribs[i], family[i], node);
		if (ret == 0)
			ret = fib_side_init(&table->sides[i], &table->ribs[i]);
	}
	return ret;
}

int
route_table_create(int node, struct rte_rcu_qsbr *qsbr, struct route_table **table)
{
	struct route_table *const made = calloc(1, sizeof(*made));

	if (made == NULL)
		return -ENOMEM;
	made->view = &made->views[0];
	made->qsbr = qsbr;
	if (table_init(made, node) != 0) {
		route_table_destroy(made);
		return -ENOMEM;
	}
	*table = made;
	return 0;
}

void
route_table_destroy(struct route_table *table)
{
	if (table == NULL)
		return;
	for (unsigned int i = 0; i < N_FAMILIES; i++) {
		fib_side_fini(&table->sides[i]);
		rib_fini(&table->ribs[i]);
	}
	group_fini(&table->groups);
	adjacency_fini(&table->adjacencies);
	free(table->own);
	free(table);
}

static uint16_t
slot_get(const struct route_table *table, const struct ip_prefix *prefix, enum rib_source source)
{
	return rib_get(&table->ribs[family_index(prefix->addr.family)], prefix).id[source];
}

/* id 0 empties the slot, which cannot fail. Returns 0, -ENOMEM. */
static int
slot_set(struct route_table *table, const struct ip_prefix *prefix, enum rib_source source, uint16_t id)
{
	const unsigned int i = family_index(prefix->addr.family);
	struct rib_entry entry = rib_get(&table->ribs[i], prefix);
	const uint16_t before = rib_entry_best(&entry);
	int ret;

	entry.id[source] = id;
	ret = rib_set(&table->ribs[i], prefix, entry);
	if (ret == 0 && rib_entry_best(&entry) != before)
		fib_side_touch(&table->sides[i], prefix);
	return ret;
}

int
route_port_set(struct route_table *table, uint16_t port, const struct rte_ether_addr *mac, uint32_t mtu)
{
	return adjacency_port_set(&table->adjacencies, port, mac, mtu);
}

void
route_port_link(struct route_table *table, uint16_t port, bool up)
{
	adjacency_port_link(&table->adjacencies, port, up);
}

static const struct own_addr *
own_find(const struct route_table *table, const struct ip_addr *addr)
{
	for (uint32_t i = 0; i < table->n_own; i++)
		if (ip_addr_equal(&table->own[i].addr, addr))
			return &table->own[i];
	return NULL;
}

/* The own address whose subnet holds addr; of several, the longest subnet, then the first added. */
static const struct own_addr *
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

/* The adjacency of a whole subnet on port: hosts in it are neighbours that are not resolved yet. */
static int
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
		adjacency_resolve(&table->adjacencies, host.id, mac);
		return 0;
	}
	ret = claim_all(table, &host, 1);
	if (ret != 0) {
		adjacency_unref(&table->adjacencies, host.id);
		return ret;
	}
	adjacency_resolve(&table->adjacencies, host.id, mac);
	return 0;
}

static void
nexthop_unref(struct route_table *table, uint16_t id)
{
	if (id & NEXTHOP_GROUP)
		group_unref(&table->groups, id);
	else
		adjacency_unref(&table->adjacencies, id);
}

/* Fills the configured slot of prefix with id, whose reference it takes over, also on error. */
static int
configure(struct route_table *table, const struct ip_prefix *prefix, uint16_t id)
{
	const uint16_t present = slot_get(table, prefix, RIB_CONFIGURED);
	int ret = -EEXIST;

	if (present == 0) {
		ret = slot_set(table, prefix, RIB_CONFIGURED, id);
		if (ret == 0)
			return 0;
	}
	nexthop_unref(table, id);
	return present == id ? 0 : ret;
}

static int
paths_check(const struct ip_prefix *prefix, const struct route_path *paths, unsigned int n)
{
	if (!ip_prefix_check(prefix) || n == 0 || n > NEXTHOP_GROUP_MAX)
		return -EINVAL;
	for (unsigned int i = 0; i < n; i++)
		if (paths[i].via.family != prefix->addr.family || paths[i].weight == 0)
			return -EINVAL;
	return 0;
}

static int
gateway_hold(struct route_table *table, const struct ip_addr *via, uint16_t *id)
{
	const struct own_addr *const own = own_lookup(table, via);

	if (own_find(table, via) != NULL)
		return -EADDRINUSE;
	if (own == NULL || ip_addr_is_any(via))
		return -ENETUNREACH;
	return adjacency_hold(&table->adjacencies, own->port, via, id);
}

/* Keeps paths[*n] in order of adjacency; one that is there already only gets the weight. */
static void
path_insert(struct route_table *table, struct group_path *paths, unsigned int *n, struct group_path path)
{
	unsigned int at = *n;

	while (at > 0 && paths[at - 1].adjacency > path.adjacency)
		at--;
	if (at > 0 && paths[at - 1].adjacency == path.adjacency) {
		paths[at - 1].weight += path.weight;
		adjacency_unref(&table->adjacencies, path.adjacency);
		return;
	}
	for (unsigned int i = *n; i > at; i--)
		paths[i] = paths[i - 1];
	paths[at] = path;
	++*n;
}

/* One path is its adjacency, more are a group. Takes over the references to the adjacencies, also on error. */
static int
paths_join(struct route_table *table, const struct group_path *paths, unsigned int n, uint16_t *id)
{
	int ret;

	if (n == 1) {
		*id = paths[0].adjacency;
		return 0;
	}
	ret = group_hold(&table->groups, &table->adjacencies, paths, n, id);
	for (unsigned int i = 0; i < n; i++)
		adjacency_unref(&table->adjacencies, paths[i].adjacency);
	return ret;
}

int
route_add(struct route_table *table, const struct ip_prefix *prefix, const struct route_path *paths,
	unsigned int n)
{
	struct group_path joined[NEXTHOP_GROUP_MAX];
	unsigned int n_joined = 0;
	uint16_t id;
	int ret = paths_check(prefix, paths, n);

	if (ret != 0)
		return ret;
	for (unsigned int i = 0; i < n; i++) {
		ret = gateway_hold(table, &paths[i].via, &id);
		if (ret != 0)
			goto unref;
		path_insert(table, joined, &n_joined, (struct group_path){id, paths[i].weight});
	}
	ret = paths_join(table, joined, n_joined, &id);
	return ret != 0 ? ret : configure(table, prefix, id);

unref:
	for (unsigned int i = 0; i < n_joined; i++)
		adjacency_unref(&table->adjacencies, joined[i].adjacency);
	return ret;
}

int
route_add_onlink(struct route_table *table, const struct ip_prefix *prefix, uint16_t port)
{
	uint16_t id;
	int ret;

	if (!ip_prefix_check(prefix))
		return -EINVAL;
	ret = subnet_hold(table, port, prefix->addr.family, &id);
	return ret != 0 ? ret : configure(table, prefix, id);
}

int
route_add_special(struct route_table *table, const struct ip_prefix *prefix, enum nexthop_kind kind)
{
	static const uint16_t id[NEXTHOP_N_KINDS] = {
		[NEXTHOP_BLACKHOLE] = NEXTHOP_ID_BLACKHOLE,
		[NEXTHOP_UNREACHABLE] = NEXTHOP_ID_UNREACHABLE,
		[NEXTHOP_PROHIBIT] = NEXTHOP_ID_PROHIBIT,
	};

	if (!ip_prefix_check(prefix) || (unsigned int)kind >= NEXTHOP_N_KINDS || id[kind] == 0)
		return -EINVAL;
	return configure(table, prefix, id[kind]);
}

int
route_del(struct route_table *table, const struct ip_prefix *prefix)
{
	uint16_t id;

	if (!ip_prefix_check(prefix))
		return -ENOENT;
	id = slot_get(table, prefix, RIB_CONFIGURED);
	if (id == 0)
		return -ENOENT;
	slot_set(table, prefix, RIB_CONFIGURED, 0);
	nexthop_unref(table, id);
	return 0;
}

int
route_publish(struct route_table *table)
{
	struct route_view *const next = &table->views[table->view == &table->views[0]];

	for (unsigned int i = 0; i < N_FAMILIES; i++)
		if (fib_side_prepare(&table->sides[i]) != 0)
			return -ENOMEM;
	for (unsigned int i = 0; i < N_FAMILIES; i++)
		fib_side_swap(&table->sides[i]);
	*next = (struct route_view){.fib4 = table->sides[V4].live.table, .fib6 = table->sides[V6].live.table};
	__atomic_store_n(&table->view, next, __ATOMIC_RELEASE);
	if (table->qsbr != NULL)
		rte_rcu_qsbr_synchronize(table->qsbr, RTE_QSBR_THRID_INVALID);
	for (unsigned int i = 0; i < N_FAMILIES; i++)
		fib_side_settle(&table->sides[i]);
	group_reclaim(&table->groups, &table->adjacencies);
	adjacency_reclaim(&table->adjacencies);
	return 0;
}

const struct route_view *
route_view(const struct route_table *table)
{
	return __atomic_load_n(&table->view, __ATOMIC_ACQUIRE);
}

const struct adjacency *
route_adjacencies(const struct route_table *table)
{
	return table->adjacencies.entries;
}

const struct nexthop_group *
route_groups(const struct route_table *table)
{
	return table->groups.entries;
}

void
route_counts(const struct route_table *table, struct route_counts *counts)
{
	const struct ids *const adjacencies = &table->adjacencies.ids;
	const struct ids *const groups = &table->groups.ids;

	*counts = (struct route_counts){
		.routes4 = table->ribs[V4].n_prefixes,
		.routes6 = table->ribs[V6].n_prefixes,
		.adjacencies = adjacencies->n_used - adjacencies->n_retired,
		.unresolved = adjacency_n_unresolved(&table->adjacencies),
		.groups = groups->n_used - groups->n_retired,
		.fib_bytes = fib_side_bytes(&table->sides[V4]) + fib_side_bytes(&table->sides[V6]),
	};
}
