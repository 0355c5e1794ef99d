/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two ends of a packet that is not sent: consumed, because it has served its
 * purpose, or dropped for a reason that is counted. They are different calls, as in
 * the kernel, so that a drop cannot hide.
 */
#include "skb.h"
#include "skb_priv.h"

void
skb_consume(struct skb_cpu *cpu, struct skb *skb)
{
	struct rte_mbuf *const mbuf = skb->mbuf;

	assert(skb->users == 1);
	skb_heads_put(cpu->heads, cpu->lcore, &skb, 1);
	rte_pktmbuf_free(mbuf);
}

void
skb_drop(struct skb_cpu *cpu, struct skb *skb, unsigned int reason)
{
	assert(reason < SKB_REASONS_MAX);
	cpu->drops[reason]++;
	skb_consume(cpu, skb);
}

void
skb_drop_raw_bulk(struct skb_cpu *cpu, struct rte_mbuf **mbufs, uint32_t n, unsigned int reason)
{
	assert(reason < SKB_REASONS_MAX);
	cpu->drops[reason] += n;
	rte_pktmbuf_free_bulk(mbufs, n);
}
