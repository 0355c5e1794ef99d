/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Port mirroring (SPAN): clones of what a port receives or sends leave by another port.
 *
 *   rx   as it came in, before the walk has touched it. The walk will write to the packet, so it goes on with a private
 *        first segment (skb_cow) and the clone keeps the bytes as they were.
 *   tx   as it is handed to its port, whether that then takes it or not. Nobody writes any more: the two share the bytes.
 *
 * Each copy is counted as mirrored, and then either sent or dropped as mirror_full: also if there was no head or buffer for it. The
 * original goes its way in either case.
 */
#include "skb_frags.h"
#include "skb_share.h"
#include "worker_priv.h"

/* The clone is given up; its mbufs too. */
static struct rte_mbuf *
no_room(struct worker *w, struct skb *clone)
{
	skb_drop(&w->cpu, clone, VERDICT_mirror_full);
	return NULL;
}

/* The clone as mbufs that port takes, alone: with buffers that nobody else sees. NULL: it was dropped. */
static struct rte_mbuf *
clone_send(struct worker *w, uint16_t port, struct skb *clone, bool alone)
{
	const uint32_t frame_max = w->conf->ports[port].mtu + ETH_HLEN + VLAN_HLEN;
	struct rte_mbuf *mbuf;

	if (clone->len > frame_max)
		return no_room(w, clone);
	if (w->tx[port].linear && skb_linearize(&w->cpu, clone) != 0)
		return no_room(w, clone);
	if (alone && worker_own(w, &clone) != 0)
		return no_room(w, clone);
	if (skb_release(&w->cpu, clone, &mbuf) != 0)
		return no_room(w, clone);
	mbuf->port = MIRROR_MARK;
	return mbuf;
}

static struct skb *
clone_make(struct worker *w, struct skb *skb)
{
	struct skb *clone;

	w->stats.mirrored++;
	if (skb_clone(&w->cpu, skb, &clone) == 0)
		return clone;
	w->cpu.drops[VERDICT_mirror_full]++;
	return NULL;
}

/* A copy of a packet that will be written to. */
static struct rte_mbuf *
copy_rx(struct worker *w, uint16_t port, struct skb *skb)
{
	struct skb *clone = clone_make(w, skb);

	if (clone == NULL)
		return NULL;
	if (skb_cow(&w->cpu, skb, 0) != 0)
		return no_room(w, clone);
	return clone_send(w, port, clone, w->tx[port].exclusive);
}

void
burst_mirror_rx(struct worker *w, const struct worker_rxq *rxq, struct burst *b)
{
	struct rte_mbuf *copies[BURST_MAX];
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		copies[n] = copy_rx(w, rxq->mirror_rx, b->skb[i]);
		n += copies[n] != NULL;
		b->mbuf[i] = b->skb[i]->mbuf;
	}
	burst_recharge(b);
	worker_send(w, rxq->mirror_rx, copies, n);
}

/* A copy of a packet that leaves by port from. */
static struct rte_mbuf *
copy_tx(struct worker *w, uint16_t from, uint16_t port, struct skb *skb)
{
	/* bytes that the copy's port holds on to would stay charged to the original's owner until completion */
	const bool alone =
		w->tx[from].exclusive || w->tx[port].exclusive || w->complete == COMPLETE_COMPLETION;
	struct skb *clone = clone_make(w, skb);

	return clone == NULL ? NULL : clone_send(w, port, clone, alone);
}

/* By which port copies of what leaves by port do. */
static uint16_t
mirror_of(const struct worker *w, uint16_t port)
{
	return w->conf->policy[port].mirror_tx;
}

void
burst_mirror_tx(struct worker *w, struct burst *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		const uint16_t port = mirror_of(w, b->adj[i]->port);
		struct rte_mbuf *copy;

		if (port == MIRROR_NONE)
			continue;
		copy = copy_tx(w, b->adj[i]->port, port, b->skb[i]);
		if (copy != NULL)
			w->out[port].mbuf[w->out[port].n++] = copy;
	}
	for (uint32_t i = 0; i < b->n; i++) {
		const uint16_t port = mirror_of(w, b->adj[i]->port);

		if (port == MIRROR_NONE || w->out[port].n == 0)
			continue;
		worker_send(w, port, w->out[port].mbuf, w->out[port].n);
		w->out[port].n = 0;
	}
}
