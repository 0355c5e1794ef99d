/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of the table of neighbours: neigh_table.c keeps them, neigh.c knows their states. */
#ifndef NEIGH_PRIV_H
#define NEIGH_PRIV_H

#include <rte_config.h>

#include "neigh.h"

#define NEIGH_NONE  UINT32_MAX
#define NEIGH_NEVER UINT64_MAX

struct neigh_table {
	const struct neigh_ops *ops;
	void *arg;
	struct neigh *all; /* [n_max]; none used at or above n_high */
	uint64_t *due;     /* [n_max] */
	uint32_t *buckets; /* [mask + 1]: first neighbour, or NEIGH_NONE */
	uint32_t mask, n_max, n_high;
	uint32_t free;    /* first of those below n_high that are not used, or NEIGH_NONE */
	uint32_t n_fixed; /* static and pinned ones, at most */
	uint32_t n_dynamic, n_incomplete, n_told; /* neither static nor pinned */
	uint32_t n_used, n_held, hold_max;
	uint32_t hash_seed;
	uint64_t random;
	uint64_t reachable_ns;
	uint64_t soonest; /* no due is before it */
	bool up[RTE_MAX_ETHPORTS];
};

static inline bool
neigh_is_known(const struct neigh *n)
{
	return n->state != NEIGH_INCOMPLETE && n->state != NEIGH_FAILED;
}

/* Makes a neighbour whose MAC address is 0 and with which nothing is due. It is not there yet, and the caller has seen to the limits. */
struct neigh *neigh_new(struct neigh_table *table, uint16_t port, const struct ip_addr *addr,
	enum neigh_state state, bool pinned);

/* Takes away one that holds no packet. */
void neigh_delete(struct neigh_table *table, struct neigh *n);

/* Puts n into the sums (by 1), or takes it out of them (-1u): around every change of what they tell apart. */
void neigh_account(struct neigh_table *table, const struct neigh *n, uint32_t by);

/* Packets: the newest comes in, the oldest goes out. */
void neigh_append(struct neigh_table *table, struct neigh *n, struct skb *skb);
void neigh_release(struct neigh_table *table, struct neigh *n, enum neigh_fate fate);
void neigh_release_all(struct neigh_table *table, struct neigh *n, enum neigh_fate fate);

#endif
