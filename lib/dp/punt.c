/* SPDX-License-Identifier: BSD-3-Clause */
/* The way to the control thread: a packet that leaves the fast path, head and all, over a ring. */
#include <rte_ring.h>

#include "worker_priv.h"

void
burst_punt(struct worker *w, struct burst *b, uint32_t i)
{
	const enum verdict v = b->verdict[i];
	struct skb_owner *owner = w->conf->punt_owner;
	struct skb *skb = NULL;

	if (b->has_heads) {
		skb = b->skb[i];
		burst_discharge(b, i);
	} else if (skb_build(&w->cpu, b->mbuf[i], &skb) != 0) {
		skb_drop_raw_bulk(&w->cpu, &b->mbuf[i], 1, VERDICT_no_head);
		return;
	}
	skb->reason = (uint8_t)v;
	/* not from the mbuf: net_ring hands buffers over with the sender's port in them */
	skb->port = b->port;
	skb->mac_header = skb_headroom(skb);
	skb->network_header = skb->mac_header + ETH_HLEN;
	skb->protocol = (uint16_t)burst_type(b, i);
	if ((owner != NULL && skb_try_set_owner(&w->cpu, skb, owner) != 0) ||
		rte_ring_mp_enqueue(w->conf->punt, skb) != 0) {
		skb_drop(&w->cpu, skb, VERDICT_punt_full);
		return;
	}
	w->stats.punted[v]++;
}
