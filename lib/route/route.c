/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The route table: what callers may say, and what follows from it for the parts.
 *
 * A prefix has one slot per source in its RIB entry (rib.h); which one the FIB yields, if any, is the choice of
 * choice.h. Every change goes through slot_set(), which notes the prefix for the FIB if that may be another. So
 * deleting a configured route uncovers the connected one below it without anyone having to know.
 *
 * Who holds references to next hops: an own address its subnet's adjacency, a neighbour its own (once), a
 * configured slot its adjacency or group, a group its adjacencies. Ids that nobody holds are reused only
 * after the next publication (ids.h), because until then the live FIB may still yield them.
 *
 * All of it on one thread at a time, but for route_view() and the two tables, which any worker may read.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <rte_common.h>

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
		table->choices[i] = (struct choice){
			.rib = &table->ribs[i],
			.adjacencies = &table->adjacencies,
			.port_down = table->adjacencies.port_down,
			.group_down = table->groups.down,
		};
		if (ret == 0)
			ret = fib_side_init(&table->sides[i], &table->choices[i]);
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

uint16_t
slot_get(const struct route_table *table, const struct ip_prefix *prefix, enum rib_source source)
{
	return rib_get(&table->ribs[family_index(prefix->addr.family)], prefix).id[source];
}

int
slot_set(struct route_table *table, const struct ip_prefix *prefix, enum rib_source source, uint16_t id)
{
	const unsigned int i = family_index(prefix->addr.family);
	const struct rib_entry before = rib_get(&table->ribs[i], prefix);
	struct rib_entry after = before;
	int ret;

	after.id[source] = id;
	ret = rib_set(&table->ribs[i], prefix, after);
	if (ret == 0 && choice_changed(&table->choices[i], prefix, &before, &after))
		fib_side_touch(&table->sides[i], prefix);
	return ret;
}

int
route_port_set(struct route_table *table, uint16_t port, const struct rte_ether_addr *mac, uint32_t mtu)
{
	return adjacency_port_set(&table->adjacencies, port, mac, mtu);
}

int
route_publish(struct route_table *table)
{
	struct route_view *const next = &table->views[table->view == &table->views[0]];

	link_settle(table);
	for (unsigned int i = 0; i < N_FAMILIES; i++)
		if (fib_side_prepare(&table->sides[i]) != 0)
			return -ENOMEM;
	for (unsigned int i = 0; i < N_FAMILIES; i++)
		fib_side_swap(&table->sides[i]);
	*next = (struct route_view){.fib4 = table->sides[V4].live.table, .fib6 = table->sides[V6].live.table};
	__atomic_store_n(&table->view, next, __ATOMIC_RELEASE);
	adjacency_grace(&table->adjacencies);
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
