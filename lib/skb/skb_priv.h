/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this directory share: the pool, and how a hot line is written.
 */
#ifndef SKB_PRIV_H
#define SKB_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_byteorder.h>
#include <rte_mbuf.h>

#include "magazine.h"
#include "skb.h"

struct skb_pool {
	struct magazine_pool *heads;
	struct skb *mem; /* [n], one block */
	uint32_t n;
	bool numa; /* the block came from libnuma */
};

/* Half a hot line as the 16-bit fields it ends in: one 32-byte store, or two of 16. */
typedef uint16_t skb_half __attribute__((vector_size(32), may_alias));

static_assert(sizeof(skb_half) == offsetof(struct skb, len), "first half: pointers and time");
static_assert(2 * sizeof(skb_half) == offsetof(struct skb, frag_list), "second half: numbers");

static inline uint32_t
skb_mbuf_hash(const struct rte_mbuf *mbuf)
{
	return mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH ? mbuf->hash.rss : 0;
}

/*
 * Writes the hot line of a head that lcore builds: first the whole of it, in as few stores as the
 * processor has, then over that the six fields that are not the same in every head. Assigning all sixteen
 * fields instead costs a cycle more, copying an initialised struct skb twenty: gcc makes `rep stos` of it.
 */
static inline void
skb_write_hot(struct skb *skb, struct rte_mbuf *mbuf, unsigned int lcore)
{
	skb_half *const half = (skb_half *)skb;
	const uint16_t users = rte_cpu_to_le_16(1); /* and flags behind it, 0 */

	half[0] = (skb_half){0};
	half[1] = (skb_half){
		0, 0, 0, 0, 0, 0, 0, 0,          /* len, truesize, hash, nexthop */
		SKB_UNSET, SKB_UNSET, SKB_UNSET, /* mac, network and transport header */
		0, (uint16_t)lcore, users, 0, 0, /* port, lcore, users and flags, protocol, reason */
	};
	skb->mbuf = mbuf;
	skb->data = rte_pktmbuf_mtod(mbuf, uint8_t *);
	skb->len = mbuf->pkt_len;
	skb->truesize = mbuf->buf_len + sizeof(*mbuf) + sizeof(*skb);
	skb->hash = skb_mbuf_hash(mbuf);
	skb->port = mbuf->port;
}

/* Takes n heads of pool, all or none, on the calling thread. Returns 0 or -ENOENT. */
static inline int
skb_heads_get(struct magazine_pool *heads, unsigned int lcore, struct skb **skbs, uint32_t n)
{
	return magazine_get_bulk(heads, lcore, (void **)skbs, n);
}

static inline void
skb_heads_put(struct magazine_pool *heads, unsigned int lcore, struct skb *const *skbs, uint32_t n)
{
	magazine_put_bulk(heads, lcore, (void *const *)skbs, n);
}

#endif
