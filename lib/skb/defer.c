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
		struct skb_charge *const charge = skb_charge_of(skb->mbuf);

		/* another process of the EAL puts buffers back without the hook */
		if (unlikely(charge->owner != NULL))
			skb_owner_release(charge->owner, cpu->lcore, charge->bytes);
		*charge = (struct skb_charge){.owner = skb->owner, .bytes = skb->truesize};
		skb->owner = NULL;
	}
}

void
skb_owner_put_hook(void *arg, void *const *mbufs, unsigned int n)
{
	const unsigned int lcore = rte_lcore_id();
	struct skb_owner *owner = NULL;
	int64_t bytes = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct skb_charge *const charge = skb_charge_of(mbufs[i]);

		if (charge->owner == NULL)
			continue;
		if (charge->owner != owner && owner != NULL) {
			skb_owner_release(owner, lcore, bytes);
			bytes = 0;
		}
		owner = charge->owner;
		bytes += charge->bytes;
		charge->owner = NULL;
	}
	if (owner != NULL)
		skb_owner_release(owner, lcore, bytes);
}
