/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet's beginning. Building late: a head meets its data buffer when the packet has arrived, and
 * leaves it at transmit. Both run once per burst, on the walk: one visit to the
 * magazines for all heads, then nothing but stores to lines that are still in the
 * L1 cache from the burst before. The cold line is not touched.
 */
#include <errno.h>

#include "skb.h"
#include "skb_priv.h"

int
skb_heads_alloc_bulk(struct skb_cpu *cpu, struct skb **skbs, uint32_t n)
{
	return skb_heads_get(cpu->heads, cpu->lcore, skbs, n) < 0 ? -ENOMEM : 0;
}

void
skb_heads_free_bulk(struct skb_cpu *cpu, struct skb *const *skbs, uint32_t n)
{
	skb_heads_put(cpu->heads, cpu->lcore, skbs, n);
}

void
skb_init_bulk(struct skb_cpu *cpu, struct rte_mbuf *const *mbufs, struct skb *const *skbs, uint32_t n,
	struct skb_owner *owner)
{
	const unsigned int lcore = cpu->lcore;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < n; i++) {
		skb_write_hot(skbs[i], mbufs[i], lcore, owner);
		bytes += skbs[i]->truesize;
	}
	if (owner != NULL)
		skb_owner_charge(owner, lcore, (int64_t)bytes);
}

int
skb_build_bulk(struct skb_cpu *cpu, struct rte_mbuf *const *mbufs, struct skb **skbs, uint32_t n,
	struct skb_owner *owner)
{
	if (unlikely(skb_heads_get(cpu->heads, cpu->lcore, skbs, n) < 0))
		return -ENOMEM;
	skb_init_bulk(cpu, mbufs, skbs, n, owner);
	return 0;
}

int
skb_build(struct skb_cpu *cpu, struct rte_mbuf *mbuf, struct skb **skb)
{
	return skb_build_bulk(cpu, &mbuf, skb, 1, NULL);
}

int
skb_alloc(struct skb_cpu *cpu, uint32_t size, struct skb **skb)
{
	struct rte_mbuf *mbuf;
	int ret;

	if (cpu->data == NULL)
		return -ENOMEM;
	if (size > skb_segment_room(cpu))
		return -EMSGSIZE;
	mbuf = skb_segment_alloc(cpu, 0);
	if (mbuf == NULL)
		return -ENOMEM;
	ret = skb_build(cpu, mbuf, skb);
	if (ret < 0)
		rte_pktmbuf_free(mbuf);
	return ret;
}
