/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Last stage: the heads go back to their LIFO, the data buffers to the port. What a full port
 * refuses is counted and freed, never offered again in a loop: a peer may have gone.
 *
 * A burst mostly leaves by one port. If not, it is gathered per port and sent before the
 * turn ends, so nothing ever waits here. Neither does a packet's list of fragments: it is sent in as many bursts as it takes.
 */
#include <rte_ring.h>

#include "skb_frags.h"
#include "worker_priv.h"

/* Frees what found no room: under reason, unless it is a copy for a mirror port. */
static void
drop_refused(struct worker *w, struct rte_mbuf **mbufs, uint32_t n, enum verdict reason)
{
	if (!w->mirrors) {
		skb_drop_raw_bulk(&w->cpu, mbufs, n, reason);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		skb_drop_raw_bulk(
			&w->cpu, &mbufs[i], 1, mbufs[i]->port == MIRROR_MARK ? VERDICT_mirror_full : reason);
}

static void
hand_off(struct worker *w, struct rte_ring *ring, struct rte_mbuf **mbufs, uint32_t n)
{
	uint32_t sent = rte_ring_mp_enqueue_burst(ring, (void *const *)mbufs, n, NULL);

	w->stats.handoff_out += sent;
	if (sent < n)
		drop_refused(w, mbufs + sent, n - sent, VERDICT_handoff_full);
}

static bool
may_send_one(const struct worker_tx *tx, const struct rte_mbuf *mbuf)
{
	const bool several = mbuf->nb_segs > 1;

	if (tx->linear && several)
		return false;
	if (tx->fast_free && (several || !mbufs_are_own(mbuf)))
		return false;
	return !tx->exclusive || mbufs_are_own(mbuf);
}

/* Whether tx may be given mbufs[n]: a driver that does not look frees what others hold, or sends other bytes. */
static bool
may_send(const struct worker_tx *tx, struct rte_mbuf *const *mbufs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!may_send_one(tx, mbufs[i]))
			return false;
	return true;
}

void
worker_send(struct worker *w, uint16_t port, struct rte_mbuf **mbufs, uint32_t n)
{
	const struct worker_tx *tx = &w->tx[port];
	struct worker_port *count = &w->port[port];
	uint64_t bytes = 0;

	if (tx->handoff != NULL) {
		hand_off(w, tx->handoff, mbufs, n);
		return;
	}
	/* before the call: afterwards those that were sent are not ours to read */
	for (uint32_t i = 0; i < n; i++)
		bytes += mbufs[i]->pkt_len;

	assert(may_send(tx, mbufs, n));
	RTE_SET_USED(may_send);

	uint32_t sent = rte_eth_tx_burst(port, tx->queue, mbufs, n);

	for (uint32_t i = sent; i < n; i++)
		bytes -= mbufs[i]->pkt_len;
	w->stats.tx += sent;
	count->tx_pkts += sent;
	count->tx_bytes += bytes;
	if (sent < n)
		drop_refused(w, mbufs + sent, n - sent, VERDICT_tx_full);
}

/* More than one way out: gather, then send each gathering. Order within a port is kept. */
static void
scatter(struct worker *w, struct burst *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		struct worker_out *out = &w->out[b->adj[i]->port];

		out->mbuf[out->n++] = b->mbuf[i];
	}
	for (uint32_t i = 0; i < b->n; i++) {
		struct worker_out *out = &w->out[b->adj[i]->port];

		if (out->n > 0)
			worker_send(w, b->adj[i]->port, out->mbuf, out->n);
		out->n = 0;
	}
}

/* Who was charged is released now, before the port has the packets (Dumazet, netdev, May 2009), or when it gives the buffers
 * back; then the heads go. */
static void
let_go(struct worker *w, struct burst *b)
{
	switch (w->complete) {
	case COMPLETE_ORPHAN:
		if (b->owner == NULL)
			break;
		skb_orphan_release_bulk(&w->cpu, b->skb, b->n, b->owner, b->charged);
		return;
	case COMPLETE_ORPHAN_PACKET:
		for (uint32_t i = 0; i < b->n; i++)
			skb_orphan(&w->cpu, b->skb[i]);
		break;
	case COMPLETE_COMPLETION: skb_owner_defer_bulk(&w->cpu, b->skb, b->n); break;
	case COMPLETE_NONE: break;
	}
	skb_release_bulk(&w->cpu, b->skb, b->n);
}

static void
send_burst(struct worker *w, struct burst *b)
{
	uint32_t differ = 0;

	if (unlikely(w->mirrors))
		burst_mirror_tx(w, b);
	if (b->has_heads)
		let_go(w, b);
	for (uint32_t i = 1; i < b->n; i++)
		differ |= b->adj[i]->port ^ b->adj[0]->port;
	if (differ != 0)
		scatter(w, b);
	else
		worker_send(w, b->adj[0]->port, b->mbuf, b->n);
}

/* Adds skb to the burst out, which is sent when it is full. */
static void
gather(struct worker *w, struct burst *out, struct skb *skb, const struct adjacency *adj)
{
	out->skb[out->n] = skb;
	out->mbuf[out->n] = skb->mbuf;
	out->adj[out->n] = adj;
	if (++out->n < BURST_MAX)
		return;
	burst_recharge(out);
	send_burst(w, out);
	out->n = 0;
}

/* Fragments leave where their packet stood, among those before and behind it. */
static __rte_noinline void
send_lists(struct worker *w, const struct burst *b)
{
	struct burst out;

	out.n = 0;
	out.owner = b->owner;
	out.charged = 0;
	out.has_heads = true;
	for (uint32_t i = 0; i < b->n; i++) {
		struct skb *list = skb_frag_list_take(b->skb[i]);

		gather(w, &out, b->skb[i], b->adj[i]);
		while (list != NULL) {
			struct skb *skb = list;

			list = skb->next;
			gather(w, &out, skb, b->adj[i]);
		}
	}
	burst_recharge(&out);
	if (out.n > 0)
		send_burst(w, &out);
}

void
burst_tx(struct worker *w, struct burst *b)
{
	if (unlikely(b->lists))
		send_lists(w, b);
	else if (b->n > 0)
		send_burst(w, b);
}

void
worker_reclaim(struct worker *w)
{
	/* Most drivers free what they have sent only when they are next asked to send, and nobody asks now. Of those that
	 * cannot be asked this way (-ENOTSUP) some copied the frame when they took it, the others keep it: see port.keeps. */
	for (uint32_t port = 0; port < w->conf->n_ports; port++)
		if (w->tx[port].ours)
			rte_eth_tx_done_cleanup(port, w->tx[port].queue, 0);
}
