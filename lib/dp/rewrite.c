/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Past the gate: the bytes one hop changes. MAC addresses from the adjacency, TTL with
 * its checksum (RFC 1624, derived in ip4.h) or hop limit, and the end of the frame where
 * link padding followed the packet.
 */
#include <rte_mbuf.h>

#include "ip4.h"
#include "ip6.h"
#include "skb_frags.h"
#include "worker_priv.h"

static inline void
rewrite_eth(uint8_t *d, const struct adjacency *adj)
{
	store64(d, load64(adj->l2));
	store32(d + 8, load32(adj->l2 + 8));
}

static inline void
rewrite_ip4(uint8_t *d, const struct adjacency *adj)
{
	uint8_t *word = d + ETH_HLEN + IP4_TTL_WORD;

	rewrite_eth(d, adj);
	store32(word, ip4_ttl_rewrite(load32(word)));
}

/* Fragments behind the first one. */
static void
rewrite_lists(struct burst *b)
{
	for (uint32_t i = 0; i < b->n4; i++)
		for (struct skb *skb = skb_frag_list(b->skb[i]); skb != NULL; skb = skb->next)
			rewrite_ip4(skb->data, b->adj[i]);
}

/* A chain's mbufs are ours alone since parse, so this cannot fail. */
static void
trim_chain(struct worker *w, struct burst *b, uint32_t i, uint32_t len)
{
	int err = pskb_trim(&w->cpu, b->skb[i], len);

	assert(err == 0);
	RTE_SET_USED(err);
}

static void
trim(struct worker *w, struct burst *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t len = ETH_HLEN + b->l3len[i];

		if (unlikely(b->mbuf[i]->nb_segs > 1)) {
			trim_chain(w, b, i, len);
			continue;
		}
		if (b->has_heads)
			skb_trim(b->skb[i], len);
		b->mbuf[i]->pkt_len = len;
		b->mbuf[i]->data_len = len;
	}
}

void
burst_rewrite(struct worker *w, struct burst *b)
{
	for (uint32_t i = 0; i < b->n4; i++)
		rewrite_ip4(b->data[i], b->adj[i]);
	for (uint32_t i = b->n4; i < b->n; i++) {
		rewrite_eth(b->data[i], b->adj[i]);
		b->data[i][ETH_HLEN + IP6_HOP_LIMIT]--;
	}
	if (b->trim)
		trim(w, b);
	if (unlikely(b->lists))
		rewrite_lists(b);
}
