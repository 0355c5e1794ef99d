/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Before the gate: packets in several segments. One that leaves by a device which takes only one segment is made one piece; its MTU
 * fits one data buffer, or the plan would have been refused. One that shares fragments with a mirror's copy and leaves
 * by a device that must not see shared ones is copied. What can be missing is the buffer.
 */
#include "skb_frags.h"
#include "skb_share.h"
#include "worker_priv.h"

/* A copy would go without an owner. */
static int
unshare_one(struct worker *w, struct burst *b, uint32_t i)
{
	const int err = skb_unshare(&w->cpu, &b->skb[i]);

	if (b->skb[i]->owner != b->owner)
		skb_set_owner(&w->cpu, b->skb[i], b->owner);
	return err;
}

static enum verdict
fit_one(struct worker *w, struct burst *b, uint32_t i)
{
	const struct worker_tx *tx = &w->tx[b->adj[i]->port];
	int err = 0;

	if (tx->linear)
		err = skb_linearize(&w->cpu, b->skb[i]);
	else if (tx->exclusive)
		err = unshare_one(w, b, i);
	b->mbuf[i] = b->skb[i]->mbuf;
	b->data[i] = b->skb[i]->data;
	return err == 0 ? VERDICT_forward : VERDICT_no_buffer;
}

void
burst_fit(struct worker *w, struct burst *b)
{
	for (uint32_t i = 0; i < b->n4 + b->n6; i++) {
		const struct worker_tx *tx = &w->tx[b->adj[i]->port];
		const bool forwards = !b->judged || b->verdict[i] == VERDICT_forward;

		if (!forwards || b->mbuf[i]->nb_segs == 1 || !(tx->linear | tx->exclusive))
			continue;
		if (!b->judged)
			memset(b->verdict, VERDICT_forward, b->n);
		b->judged = true;
		b->verdict[i] = fit_one(w, b, i);
	}
	burst_recharge(b);
}
