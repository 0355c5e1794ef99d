/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ECMP groups: 256 buckets, each an adjacency id, shared out by weight. Two routes with the
 * same paths share one group. Workers read entries[]; the rest is the control thread's.
 */
#ifndef GROUP_H
#define GROUP_H

#include <stdint.h>

#include "adjacency.h"
#include "ids.h"
#include "nexthop.h"

/* One path of a group. */
struct group_path {
	uint16_t adjacency;
	uint64_t weight;
};

struct group_table {
	struct nexthop_group *entries; /* [NEXTHOP_MAX], never moves */
	struct ids ids;                /* id n is next hop NEXTHOP_GROUP | n */
};

/* Returns 0, -ENOMEM. */
int group_init(struct group_table *table, int node);
void group_fini(struct group_table *table);

/*
 * Shares NEXTHOP_BUCKETS out to paths[n] by weight: each gets the whole part of its share, what is left
 * goes to the largest remainders (ties: the first), so that no path is off by a whole bucket. (Hare quota; a
 * path whose weight is below 1/256 of the sum may get none.) The sum of weights is at most 2^48.
 */
void group_share(const struct group_path *paths, unsigned int n, struct nexthop_group *group);

/*
 * Finds or makes the group of paths[n], which are in order of adjacency, and takes a reference. A group that
 * was not held takes a reference to the adjacencies of its own. Returns 0 and *id (with NEXTHOP_GROUP set),
 * -ENOSPC.
 */
int group_hold(struct group_table *table, struct adjacency_table *adjacencies, const struct group_path *paths,
	unsigned int n, uint16_t *id);
void group_unref(struct group_table *table, uint16_t id);

/* Frees the groups that nothing holds, and their references. After a grace period; before
 * adjacency_reclaim(). */
void group_reclaim(struct group_table *table, struct adjacency_table *adjacencies);

#endif
