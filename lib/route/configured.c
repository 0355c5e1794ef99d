/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Configured routes: from paths to one next-hop id, and the slot that it fills. References to next hops are
 * taken on the way in and given back on every way out but success. Control thread only.
 */
#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "prefix.h"
#include "route_priv.h"

static void
nexthop_unref(struct route_table *table, uint16_t id)
{
	if (id & NEXTHOP_GROUP)
		group_unref(&table->groups, &table->adjacencies, id);
	else
		adjacency_unref(&table->adjacencies, id);
}

/* A group sees to its adjacencies itself. */
static bool
is_adjacency(uint16_t id)
{
	return !(id & NEXTHOP_GROUP);
}

/* Fills the configured slot of prefix with id, whose reference it takes over, also on error. */
static int
configure(struct route_table *table, const struct ip_prefix *prefix, uint16_t id)
{
	const uint16_t present = slot_get(table, prefix, RIB_CONFIGURED);
	int ret = -EEXIST;

	if (present == 0) {
		ret = slot_set(table, prefix, RIB_CONFIGURED, id);
		if (ret == 0 && is_adjacency(id))
			adjacency_lead(&table->adjacencies, id);
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

/* One path is its adjacency, more are a group. Takes over the references to the adjacencies, also on error.
 * */
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

/* A single host is its own next hop: its route covers the one that route_neigh_add() makes, so the neighbour must be what this leads to. */
static int
onlink_hold(struct route_table *table, const struct ip_prefix *prefix, uint16_t port, uint16_t *id)
{
	const struct ip_addr *const addr = &prefix->addr;

	if (prefix->len < ip_family_bits(addr->family) || ip_addr_is_any(addr) ||
		own_find(table, addr) != NULL)
		return subnet_hold(table, port, addr->family, id);
	if (!adjacency_port_known(&table->adjacencies, port))
		return -EINVAL;
	return adjacency_hold(&table->adjacencies, port, addr, id);
}

int
route_add_onlink(struct route_table *table, const struct ip_prefix *prefix, uint16_t port)
{
	uint16_t id;
	int ret;

	if (!ip_prefix_check(prefix))
		return -EINVAL;
	ret = onlink_hold(table, prefix, port, &id);
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
	if (is_adjacency(id))
		adjacency_unlead(&table->adjacencies, id);
	nexthop_unref(table, id);
	return 0;
}

bool
route_gateway_next(const struct route_table *table, uint16_t *at, struct route_gateway *gateway)
{
	const struct adjacency_table *const adjacencies = &table->adjacencies;
	const unsigned int end = NEXTHOP_ID_FIRST + adjacencies->ids.n_high;

	for (unsigned int id = RTE_MAX(*at, NEXTHOP_ID_FIRST); id < end; id++) {
		const struct adjacency *const entry = &adjacencies->entries[id];

		*gateway = (struct route_gateway){.port = entry->port, .addr.family = entry->family};
		memcpy(gateway->addr.bytes, entry->addr, sizeof(entry->addr));
		if (adjacencies->uses[id].n_leads == 0 || ip_addr_is_any(&gateway->addr))
			continue;
		*at = (uint16_t)(id + 1);
		return true;
	}
	return false;
}
