/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ECMP groups: 256 buckets, each an adjacency id, shared out by weight. Two routes with the
 * same paths share one group. Each group has its buckets twice:
 *
 *   nominal[]   what the weights say; it is what the group is, and never changes
 *   entries[]   what workers read: the same, but buckets whose adjacency is not FORWARD are lent to those that
 *               are, by weight. A bucket of a path that lives is never moved, so neither are its flows; a
 *               path that comes back takes its own buckets and no others. If no path lives, the nominal ones.
 *
 * A bucket of entries[] may change under a reader at any time: it is one aligned store, and all adjacencies
 * of the group are held for as long as the group is used. Everything but entries[] is the control thread's.
 */
#ifndef GROUP_H
#define GROUP_H

#include <stdbool.h>
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
	struct nexthop_group *nominal; /* [NEXTHOP_MAX] */
	bool *down;                    /* [NEXTHOP_MAX]: the ports of all adjacencies are down */
	struct ids ids;                /* id n is next hop NEXTHOP_GROUP | n */
};

/* Returns 0, -ENOMEM. */
int group_init(struct group_table *table, int node);
void group_fini(struct group_table *table);

/*
 * Shares buckets[n_buckets] out to paths[n] by weight: each gets the whole part of its share, what is left
 * goes to the largest remainders (ties: the first), so that no path is off by a whole bucket. (Hare quota; a
 * path whose weight is below 1/n_buckets of the sum may get none.) The buckets of a path stand together. The
 * sum of weights is at most 2^48, n_buckets at most NEXTHOP_BUCKETS, n 1 to NEXTHOP_GROUP_MAX.
 */
void group_share(const struct group_path *paths, unsigned int n, uint16_t *buckets, unsigned int n_buckets);

/*
 * Finds or makes the group of paths[n], which are in order of adjacency, and takes a reference. A group that
 * was not held takes a reference to the adjacencies of its own. Returns 0 and *id (with NEXTHOP_GROUP set),
 * -ENOSPC.
 * A group that is held leads through its adjacencies (adjacency_lead()).
 */
int group_hold(struct group_table *table, struct adjacency_table *adjacencies, const struct group_path *paths,
	unsigned int n, uint16_t *id);
void group_unref(struct group_table *table, struct adjacency_table *adjacencies, uint16_t id);

/* The kind of an adjacency has changed: workers see at once what follows for the groups with it in them. */
void group_adjacency_changed(
	struct group_table *table, const struct adjacency_table *adjacencies, uint16_t adjacency);

/* The link of some port has changed, and the kinds of the adjacencies over it already have. */
void group_link(struct group_table *table, const struct adjacency_table *adjacencies);

/* Frees the groups that nothing holds, and their references. After a grace period; before
 * adjacency_reclaim(). */
void group_reclaim(struct group_table *table, struct adjacency_table *adjacencies);

#endif
