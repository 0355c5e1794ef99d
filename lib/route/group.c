/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ECMP groups. A group is its nominal buckets and nothing else: equal arrays are the same group, and
 * the adjacencies that it holds are the ones that occur in it. Its references last until the group is
 * reclaimed, not until the last route lets go, so that a retired group can come back as it is. For as long,
 * its effective buckets follow its adjacencies, because workers may still read them.
 */
#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include <rte_jhash.h>

#include "group.h"
#include "memory.h"

/* The last id is left out: fib.h uses it for "none". */
#define GROUPS_MAX (NEXTHOP_MAX - 1)

int
group_init(struct group_table *table, int node)
{
	*table = (struct group_table){0};
	table->entries = memory_map(NEXTHOP_MAX * sizeof(*table->entries), node);
	table->nominal = memory_map(NEXTHOP_MAX * sizeof(*table->nominal), node);
	table->down = calloc(NEXTHOP_MAX, sizeof(*table->down));
	if (table->entries == NULL || table->nominal == NULL || table->down == NULL ||
		ids_init(&table->ids, GROUPS_MAX) != 0) {
		group_fini(table);
		return -ENOMEM;
	}
	return 0;
}

void
group_fini(struct group_table *table)
{
	ids_fini(&table->ids);
	free(table->down);
	memory_unmap(table->nominal, NEXTHOP_MAX * sizeof(*table->nominal));
	memory_unmap(table->entries, NEXTHOP_MAX * sizeof(*table->entries));
	*table = (struct group_table){0};
}

void
group_share(const struct group_path *paths, unsigned int n, uint16_t *buckets, unsigned int n_buckets)
{
	uint32_t n_own[NEXTHOP_GROUP_MAX] = {0};
	uint64_t remainder[NEXTHOP_GROUP_MAX] = {0};
	uint64_t sum = 0;
	unsigned int n_left = n_buckets;
	unsigned int n_filled = 0;

	for (unsigned int path = 0; path < n; path++)
		sum += paths[path].weight;
	for (unsigned int path = 0; path < n; path++) {
		n_own[path] = (uint32_t)(paths[path].weight * n_buckets / sum);
		remainder[path] = paths[path].weight * n_buckets % sum;
		n_left -= n_own[path];
	}
	/* The remainders add up to n_left * sum and each is below sum, so n_left is below n: nobody gets two.
	 */
	for (; n_left > 0; n_left--) {
		unsigned int largest = 0;

		for (unsigned int path = 1; path < n; path++)
			if (remainder[path] > remainder[largest])
				largest = path;
		n_own[largest]++;
		remainder[largest] = 0;
	}
	for (unsigned int path = 0; path < n; path++)
		for (uint32_t i = 0; i < n_own[path]; i++)
			buckets[n_filled++] = paths[path].adjacency;
}

/* The paths of a nominal group, as weights their numbers of buckets; equal buckets stand together. Returns
 * how many. */
static unsigned int
paths_of(const struct nexthop_group *nominal, struct group_path paths[NEXTHOP_GROUP_MAX])
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < NEXTHOP_BUCKETS; i++) {
		if (i == 0 || nominal->bucket[i] != nominal->bucket[i - 1]) {
			assert(n < NEXTHOP_GROUP_MAX);
			paths[n++] = (struct group_path){.adjacency = nominal->bucket[i]};
		}
		paths[n - 1].weight++;
	}
	return n;
}

static bool
lives(const struct adjacency_table *adjacencies, uint16_t id)
{
	return adjacencies->entries[id].kind == NEXTHOP_FORWARD;
}

static void
show(struct nexthop_group *effective, unsigned int i, uint16_t adjacency)
{
	if (effective->bucket[i] != adjacency)
		__atomic_store_n(&effective->bucket[i], adjacency, __ATOMIC_RELAXED);
}

/* Brings the effective buckets of group i, and whether it is down, to what its adjacencies say. */
static void
refresh(struct group_table *table, const struct adjacency_table *adjacencies, uint16_t i)
{
	const struct nexthop_group *const nominal = &table->nominal[i];
	struct group_path paths[NEXTHOP_GROUP_MAX];
	uint16_t lent[NEXTHOP_BUCKETS] = {0};
	const unsigned int n = paths_of(nominal, paths);
	unsigned int n_alive = 0, n_lent = 0, next = 0;

	table->down[i] = true;
	for (unsigned int path = 0; path < n; path++) {
		const struct adjacency *const entry = &adjacencies->entries[paths[path].adjacency];

		table->down[i] &= adjacencies->port_down[entry->port];
		if (lives(adjacencies, paths[path].adjacency))
			paths[n_alive++] = paths[path];
		else
			n_lent += (unsigned int)paths[path].weight;
	}
	if (n_alive > 0)
		group_share(paths, n_alive, lent, n_lent);
	for (unsigned int bucket = 0; bucket < NEXTHOP_BUCKETS; bucket++) {
		uint16_t id = nominal->bucket[bucket];

		if (n_alive > 0 && !lives(adjacencies, id))
			id = lent[next++];
		show(&table->entries[i], bucket, id);
	}
}

static void
adopt(struct adjacency_table *adjacencies, uint16_t id)
{
	adjacency_ref(adjacencies, id);
	adjacencies->uses[id].n_groups++;
}

static void
abandon(struct adjacency_table *adjacencies, uint16_t id)
{
	adjacencies->uses[id].n_groups--;
	adjacency_unref(adjacencies, id);
}

/* Calls change once for each adjacency of the group. */
static void
for_each_adjacency(const struct nexthop_group *nominal, struct adjacency_table *adjacencies,
	void (*change)(struct adjacency_table *table, uint16_t id))
{
	struct group_path paths[NEXTHOP_GROUP_MAX];
	const unsigned int n = paths_of(nominal, paths);

	for (unsigned int path = 0; path < n; path++)
		change(adjacencies, paths[path].adjacency);
}

/* Index of the group that is nominal, IDS_NONE: there is none. */
static uint16_t
find(const struct group_table *table, uint32_t hash, const struct nexthop_group *nominal)
{
	uint16_t i = ids_find(&table->ids, hash, IDS_NONE);

	while (i != IDS_NONE && memcmp(&table->nominal[i], nominal, sizeof(*nominal)) != 0)
		i = ids_find(&table->ids, hash, i);
	return i;
}

int
group_hold(struct group_table *table, struct adjacency_table *adjacencies, const struct group_path *paths,
	unsigned int n, uint16_t *id)
{
	alignas(uint32_t) struct nexthop_group nominal = {0}; /* rte_jhash reads words */
	uint32_t hash;
	uint16_t i;

	group_share(paths, n, nominal.bucket, NEXTHOP_BUCKETS);
	hash = rte_jhash(&nominal, sizeof(nominal), n);
	i = find(table, hash, &nominal);
	if (i != IDS_NONE) {
		ids_hold(&table->ids, i);
	} else {
		i = ids_alloc(&table->ids, hash);
		if (i == IDS_NONE)
			return -ENOSPC;
		table->nominal[i] = nominal;
		for_each_adjacency(&nominal, adjacencies, adopt);
		refresh(table, adjacencies, i);
	}
	if (table->ids.refs[i] == 1)
		for_each_adjacency(&nominal, adjacencies, adjacency_lead);
	*id = NEXTHOP_GROUP | i;
	return 0;
}

void
group_unref(struct group_table *table, struct adjacency_table *adjacencies, uint16_t id)
{
	const uint16_t i = id & ~NEXTHOP_GROUP;

	if (ids_release(&table->ids, i))
		for_each_adjacency(&table->nominal[i], adjacencies, adjacency_unlead);
}

static bool
contains(const struct nexthop_group *nominal, uint16_t adjacency)
{
	for (unsigned int i = 0; i < NEXTHOP_BUCKETS; i++)
		if (nominal->bucket[i] == adjacency)
			return true;
	return false;
}

void
group_adjacency_changed(
	struct group_table *table, const struct adjacency_table *adjacencies, uint16_t adjacency)
{
	uint32_t n_left = adjacencies->uses[adjacency].n_groups;

	for (uint16_t i = 0; n_left > 0 && i < table->ids.n_high; i++) {
		if (!table->ids.used[i] || !contains(&table->nominal[i], adjacency))
			continue;
		refresh(table, adjacencies, i);
		n_left--;
	}
}

void
group_link(struct group_table *table, const struct adjacency_table *adjacencies)
{
	for (uint16_t i = 0; i < table->ids.n_high; i++)
		if (table->ids.used[i])
			refresh(table, adjacencies, i);
}

void
group_reclaim(struct group_table *table, struct adjacency_table *adjacencies)
{
	uint16_t i = 0;

	while ((i = ids_reclaim(&table->ids, i)) != IDS_NONE)
		for_each_adjacency(&table->nominal[i], adjacencies, abandon);
}
