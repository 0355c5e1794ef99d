/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building late: a head meets its data buffer when the packet has arrived, and
 * leaves it at transmit. Both run once per burst, on the walk: one visit to the
 * magazines for all heads, then nothing but stores to lines that are still in the
 * L1 cache from the burst before. The cold line is not touched.
 */
#include <errno.h>

#include "skb.h"
#include "skb_priv.h"

int
skb_build_bulk(struct skb_cpu *cpu, struct rte_mbuf *const *mbufs, struct skb **skbs, uint32_t n)
{
	const unsigned int lcore = cpu->lcore;

	if (unlikely(skb_heads_get(cpu->heads, lcore, skbs, n) < 0))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		skb_write_hot(skbs[i], mbufs[i], lcore);
	return 0;
}

void
skb_release_bulk(struct skb_cpu *cpu, struct skb *const *skbs, uint32_t n)
{
	skb_heads_put(cpu->heads, cpu->lcore, skbs, n);
}
