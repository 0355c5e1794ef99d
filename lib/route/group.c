/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ECMP groups. A group is its bucket array and nothing else: equal arrays are the same group, and
 * the adjacencies that it holds are the ones that occur in it. Its references last until the group is
 * reclaimed, not until the last route lets go, so that a retired group can come back as it is.
 */
#include <errno.h>
#include <stdalign.h>
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
	if (table->entries == NULL)
		return -ENOMEM;
	if (ids_init(&table->ids, GROUPS_MAX) != 0) {
		group_fini(table);
		return -ENOMEM;
	}
	return 0;
}

void
group_fini(struct group_table *table)
{
	ids_fini(&table->ids);
	memory_unmap(table->entries, NEXTHOP_MAX * sizeof(*table->entries));
	table->entries = NULL;
}

void
group_share(const struct group_path *paths, unsigned int n, struct nexthop_group *group)
{
	uint32_t n_buckets[NEXTHOP_GROUP_MAX] = {0};
	uint64_t remainder[NEXTHOP_GROUP_MAX] = {0};
	uint64_t sum = 0;
	unsigned int n_left = NEXTHOP_BUCKETS;
	unsigned int n_filled = 0;

	for (unsigned int path = 0; path < n; path++)
		sum += paths[path].weight;
	for (unsigned int path = 0; path < n; path++) {
		n_buckets[path] = (uint32_t)(paths[path].weight * NEXTHOP_BUCKETS / sum);
		remainder[path] = paths[path].weight * NEXTHOP_BUCKETS % sum;
		n_left -= n_buckets[path];
	}
	/* The remainders add up to n_left * sum and each is below sum, so n_left is below n: nobody gets two.
	 * */
	for (; n_left > 0; n_left--) {
		unsigned int largest = 0;

		for (unsigned int path = 1; path < n; path++)
			if (remainder[path] > remainder[largest])
				largest = path;
		n_buckets[largest]++;
		remainder[largest] = 0;
	}
	for (unsigned int path = 0; path < n; path++)
		for (uint32_t i = 0; i < n_buckets[path]; i++)
			group->bucket[n_filled++] = paths[path].adjacency;
}

/* Calls change once for each adjacency of the group: equal buckets stand together. */
static void
for_each_adjacency(const struct nexthop_group *group, struct adjacency_table *adjacencies,
	void (*change)(struct adjacency_table *table, uint16_t id))
{
	for (unsigned int i = 0; i < NEXTHOP_BUCKETS; i++)
		if (i == 0 || group->bucket[i] != group->bucket[i - 1])
			change(adjacencies, group->bucket[i]);
}

int
group_hold(struct group_table *table, struct adjacency_table *adjacencies, const struct group_path *paths,
	unsigned int n, uint16_t *id)
{
	alignas(uint32_t) struct nexthop_group group = {0}; /* rte_jhash reads words */
	uint32_t hash;
	uint16_t i;

	group_share(paths, n, &group);
	hash = rte_jhash(&group, sizeof(group), n);
	for (i = ids_find(&table->ids, hash, IDS_NONE); i != IDS_NONE; i = ids_find(&table->ids, hash, i)) {
		if (memcmp(&table->entries[i], &group, sizeof(group)) != 0)
			continue;
		ids_hold(&table->ids, i);
		*id = NEXTHOP_GROUP | i;
		return 0;
	}
	i = ids_alloc(&table->ids, hash);
	if (i == IDS_NONE)
		return -ENOSPC;
	table->entries[i] = group;
	for_each_adjacency(&group, adjacencies, adjacency_ref);
	*id = NEXTHOP_GROUP | i;
	return 0;
}

void
group_unref(struct group_table *table, uint16_t id)
{
	ids_release(&table->ids, id & ~NEXTHOP_GROUP);
}

void
group_reclaim(struct group_table *table, struct adjacency_table *adjacencies)
{
	uint16_t i = 0;

	while ((i = ids_reclaim(&table->ids, i)) != IDS_NONE)
		for_each_adjacency(&table->entries[i], adjacencies, adjacency_unref);
}
