/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Before the gate: packets that not every device can send. One in several segments, that leaves by a device which takes only
 * one, is made one piece: its MTU fits one data buffer, or the plan would have been refused. One that shows bytes of somebody else's
 * buffers, and leaves by a device that must not see such, is copied. What can be missing is the buffer.
 */
#include "skb_frags.h"
#include "skb_share.h"
#include "worker_priv.h"

bool
mbufs_are_own(const struct rte_mbuf *mbuf)
{
	for (; mbuf != NULL; mbuf = mbuf->next)
		if (!RTE_MBUF_DIRECT(mbuf) || skb_mbuf_refs(mbuf) > 1)
			return false;
	return true;
}

int
worker_own(struct worker *w, struct skb **skb)
{
	struct skb_owner *owner = (*skb)->owner;
	struct skb *copy;
	int err;

	if (mbufs_are_own((*skb)->mbuf))
		return 0;
	err = skb_copy(&w->cpu, *skb, &copy);
	if (err != 0)
		return err;
	skb_consume(&w->cpu, *skb);
	skb_set_owner(&w->cpu, copy, owner);
	*skb = copy;
	return 0;
}

/* Link padding goes first: it need not fit. */
static int
linearize(struct worker *w, struct burst *b, uint32_t i)
{
	const int err = pskb_trim(&w->cpu, b->skb[i], ETH_HLEN + b->l3len[i]);

	return err != 0 ? err : skb_linearize(&w->cpu, b->skb[i]);
}

static enum verdict
fit_one(struct worker *w, const struct worker_tx *tx, struct burst *b, uint32_t i)
{
	int err = 0;

	if (tx->linear && b->mbuf[i]->nb_segs > 1)
		err = linearize(w, b, i);
	if (err == 0 && tx->exclusive)
		err = worker_own(w, &b->skb[i]);
	b->mbuf[i] = b->skb[i]->mbuf;
	b->data[i] = b->skb[i]->data;
	return err == 0 ? VERDICT_forward : VERDICT_no_buffer;
}

void
burst_fit(struct worker *w, struct burst *b)
{
	for (uint32_t i = 0; i < b->n4 + b->n6; i++) {
		const struct worker_tx *tx;

		if (b->judged && b->verdict[i] != VERDICT_forward)
			continue;
		tx = &w->tx[b->adj[i]->port];
		if (!tx->linear && !tx->exclusive)
			continue;
		if (!b->judged)
			memset(b->verdict, VERDICT_forward, b->n);
		b->judged = true;
		b->verdict[i] = fit_one(w, tx, b, i);
	}
	burst_recharge(b);
}
