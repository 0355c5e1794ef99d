/* SPDX-License-Identifier: BSD-3-Clause */
/* "Nothing has changed": what a packet was before a verb failed, and is to be afterwards. */
#ifndef SKB_SNAPSHOT_H
#define SKB_SNAPSHOT_H

#include "world.h"

#define SNAPSHOT_SEGS  64u
#define SNAPSHOT_BYTES 8192u

struct snapshot {
	const struct skb *at; /* NULL = only the stock */
	struct skb skb;
	uint32_t n_segs;
	struct rte_mbuf segs[SNAPSHOT_SEGS];
	const struct rte_mbuf *seg_at[SNAPSHOT_SEGS];
	uint8_t bytes[SNAPSHOT_BYTES];
	struct world_stock stock;
};

/* skb may be NULL. */
void snapshot_take(struct snapshot *snapshot, const struct world *w, const struct skb *skb);

/* Packet and stock are as they were. */
void snapshot_assert(const struct snapshot *snapshot, const struct world *w);

#endif
