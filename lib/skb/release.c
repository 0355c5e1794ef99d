/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet's other end: it is sent. The heads go back, the mbufs go to a PMD, which knows a packet by its mbufs alone.
 * So a packet whose first mbuf is shared gets one of its own for it, an indirect one, that can hold its geometry. The
 * fragments' mbufs may stay shared: nobody writes to them, and each is freed by whoever is last.
 */
#include <errno.h>

#include "skb.h"
#include "skb_frags.h"
#include "skb_priv.h"
#include "skb_share.h"

void
skb_release_bulk(struct skb_cpu *cpu, struct skb *const *skbs, uint32_t n)
{
	skb_heads_put(cpu->heads, cpu->lcore, skbs, n);
}

/* Whether skbs[n] are all charged to owner, with bytes together. */
static bool
is_charged(struct skb *const *skbs, uint32_t n, const struct skb_owner *owner, int64_t bytes)
{
	for (uint32_t i = 0; i < n; i++) {
		if (skbs[i]->owner != owner)
			return false;
		bytes -= skbs[i]->truesize;
	}
	return bytes == 0;
}

void
skb_orphan_release_bulk(
	struct skb_cpu *cpu, struct skb *const *skbs, uint32_t n, struct skb_owner *owner, int64_t bytes)
{
	assert(is_charged(skbs, n, owner, bytes));
	RTE_SET_USED(is_charged);
	skb_owner_release(owner, cpu->lcore, bytes);
	skb_heads_put(cpu->heads, cpu->lcore, skbs, n);
}

static int
own_first(struct skb_cpu *cpu, struct skb *skb)
{
	struct rte_mbuf *const old = skb->mbuf;
	struct rte_mbuf *const own = skb_segment_indirect(cpu, old, false);

	if (own == NULL)
		return -ENOMEM;
	own->next = old->next;
	own->nb_segs = old->nb_segs;
	skb->mbuf = own;
	rte_pktmbuf_free_seg(old);
	return 0;
}

int
skb_release(struct skb_cpu *cpu, struct skb *skb, struct rte_mbuf **mbuf)
{
	SKB_CHECK(skb, !skb_shared(skb));
	SKB_CHECK(skb, skb_frag_list(skb) == NULL);
	if (skb_mbuf_refs(skb->mbuf) > 1 && own_first(cpu, skb) < 0)
		return -ENOMEM;
	skb_orphan(cpu, skb);
	skb_sync(skb);
	*mbuf = skb->mbuf;
	skb_heads_put(cpu->heads, cpu->lcore, &skb, 1);
	return 0;
}
