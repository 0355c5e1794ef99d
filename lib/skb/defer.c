/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Release in TX completion. The head is gone by then, so the charge goes with the data buffer: in a dynamic field of its
 * first mbuf, until the buffer is put back to its mempool, whoever does that and for whatever reason: sent, refused by the port,
 * thrown away when the port is closed. It is in the mbuf's second line, which forwarding touches for nothing else.
 */
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf_dyn.h>

#include "skb.h"
#include "skb_priv.h"

int skb_charge_offset = -1;

int
skb_owner_defer_init(void)
{
	static const struct rte_mbuf_dynfield field = {
		.name = "magpie_skb_charge",
		.size = sizeof(struct skb_charge),
		.align = alignof(struct skb_charge),
	};
	const int offset = rte_mbuf_dynfield_register(&field);

	if (offset < 0)
		return -rte_errno;
	skb_charge_offset = offset;
	return 0;
}

void
skb_owner_defer_bulk(struct skb_cpu *cpu, struct skb *const *skbs, uint32_t n)
{
	assert(skb_charge_offset >= 0);
	for (uint32_t i = 0; i < n; i++) {
		struct skb *const skb = skbs[i];
		uint32_t bytes;
		struct skb_owner *const stale = skb_charge_take(skb->mbuf, &bytes);

		/* another process of the EAL puts buffers back without the hook */
		if (unlikely(stale != NULL))
			skb_owner_release(stale, cpu->lcore, bytes);
		*skb_charge_of(skb->mbuf) = (struct skb_charge){
			.owner = skb->owner, .bytes = skb->truesize, .of = skb_charge_tag(skb->mbuf)};
		skb->owner = NULL;
	}
}

void
skb_owner_put_hook(void *arg, void *const *mbufs, unsigned int n)
{
	const unsigned int lcore = rte_lcore_id();
	struct skb_owner *owner = NULL;
	int64_t sum = 0;

	for (unsigned int i = 0; i < n; i++) {
		uint32_t bytes;
		struct skb_owner *const next = skb_charge_take(mbufs[i], &bytes);

		if (next == NULL)
			continue;
		if (next != owner && owner != NULL) {
			skb_owner_release_far(owner, lcore, sum);
			sum = 0;
		}
		owner = next;
		sum += bytes;
	}
	if (owner != NULL)
		skb_owner_release_far(owner, lcore, sum);
}
