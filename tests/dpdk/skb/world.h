/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What packets are made of: a pool that they are received from, one that the verbs take data buffers from (perhaps the
 * same), heads, and the struct skb_cpu of this thread. Small, so that each can be emptied.
 */
#ifndef SKB_WORLD_H
#define SKB_WORLD_H

#include <stdint.h>

#include "skb.h"

struct world_conf {
	const char *ops;       /* of both mempools */
	uint32_t n_rx, n_data; /* buffers; n_data 0: the verbs take theirs from where packets come from */
	uint32_t n_heads;
	uint16_t rx_room, data_room; /* bytes of a buffer, headroom included */
};

struct world {
	struct rte_mempool *rx, *data;
	struct skb_pool *heads;
	struct skb_cpu cpu;
	struct world_conf conf;
};

/* Objects of each kind that are not in use. */
struct world_stock {
	uint32_t rx, data, heads;
};

void world_open(struct world *w, const struct world_conf *conf);

/* Everything must be back. */
void world_close(struct world *w);

struct world_stock world_stock(const struct world *w);

/* Everything is back, and the heads' books are right. */
void world_assert_whole(const struct world *w);

/*
 * A chain of n mbufs from the rx pool, lens[] bytes in each, of bytes[] from the start on; the first has headroom bytes
 * before it. NULL if there are too few.
 */
struct rte_mbuf *world_chain(
	struct world *w, uint16_t headroom, const uint16_t *lens, uint32_t n, const uint8_t *bytes);

/* The same as a packet, which there must be enough for. */
struct skb *world_packet(
	struct world *w, uint16_t headroom, const uint16_t *lens, uint32_t n, const uint8_t *bytes);

/* The mbufs of a chain have these bytes, and say so themselves. */
void world_assert_chain(const struct rte_mbuf *mbuf, const uint8_t *bytes, uint32_t len);

/* The same for a packet, with what its head says about itself. */
void world_assert_packet(const struct skb *skb, const uint8_t *bytes, uint32_t len);

/* Bytes of memory that the packet's head, mbufs and buffers take. */
uint32_t world_truesize(const struct skb *skb);

#endif
