/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the control thread gives back (punt.h): packets that have waited or are our own, to be walked as if they had come in, and frames
 * to be sent as they are. Both join the walk's burst where they belong, so mirrors copy and ports count them as they do all others;
 * nobody is charged for them.
 */
#include <errno.h>

#include "skb_frags.h"
#include "skb_share.h"
#include "worker_priv.h"

/* As a driver would have brought it: ours alone, all said in the mbuf, and in one buffer if it fits, since not every port sends more. */
static int
make_plain(struct worker *w, struct skb *skb)
{
	int err = skb_cow(&w->cpu, skb, 0);

	if (err == 0 && skb->mbuf->nb_segs > 1)
		err = skb_linearize(&w->cpu, skb);
	if (err != 0 && err != -EMSGSIZE)
		return err;
	skb_sync(skb);
	/* no mirror's copy */
	skb->mbuf->port = skb->port;
	return 0;
}

/*
 * The packets' mbufs. Their heads go to the depot, where the control thread takes its own: among the worker's they would shift where its
 * magazines end, and a burst that reaches over an end costs 13 instructions a packet, from then on.
 */
static void
gather(struct worker *w, struct burst *b, struct skb *const *skbs, uint32_t n)
{
	struct skb_cpu depot;

	skb_cpu_init(&depot, w->conf->heads, NULL, LCORE_ID_ANY);
	b->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (make_plain(w, skbs[i]) != 0) {
			skb_drop(&w->cpu, skbs[i], VERDICT_no_buffer);
			continue;
		}
		b->mbuf[b->n++] = skbs[i]->mbuf;
		skb_heads_free_bulk(&depot, &skbs[i], 1);
	}
}

/* Of a frame that is sent as it is, only what fit and tx read. */
static void
send_frames(struct worker *w, struct burst *b)
{
	b->n4 = 0;
	b->n6 = b->n;
	b->judged = false;
	b->lists = false;
	for (uint32_t i = 0; i < b->n; i++) {
		b->data[i] = b->skb[i]->data;
		b->l3len[i] = b->skb[i]->len - ETH_HLEN;
		b->adj[i] = &w->back[b->port].out;
	}
	burst_fit(w, b);
	burst_gate(w, b);
	burst_tx(w, b);
}

static void
inject(struct worker *w, struct skb *const *skbs, uint32_t n)
{
	const struct worker_rxq *in = &w->back[skbs[0]->port].in;
	const bool is_frame = punt_info(skbs[0])->road == PUNT_SEND;
	struct burst b;

	w->stats.bursts++;
	b.port = in->port;
	b.frame_max = in->frame_max;
	b.owner = NULL;
	b.charged = 0;
	gather(w, &b, skbs, n);
	if (burst_build_lazy(w, &b) != 0)
		return;
	if (is_frame) {
		send_frames(w, &b);
		return;
	}
	burst_walk(w, in, &b);
}

/* Where the packets end that have the same port and road as the first one of skbs[n]. */
static uint32_t
run_of(struct skb *const *skbs, uint32_t n)
{
	uint32_t k = 1;

	while (k < n && skbs[k]->port == skbs[0]->port &&
		punt_info(skbs[k])->road == punt_info(skbs[0])->road)
		k++;
	return k;
}

uint32_t
worker_take_back(struct worker *w)
{
	struct skb *skbs[BURST_MAX];
	const uint32_t n = punt_back_take(w->conf->punt, skbs, w->burst);

	w->stats.injected += n;
	for (uint32_t i = 0, k; i < n; i += k) {
		k = run_of(&skbs[i], n - i);
		inject(w, &skbs[i], k);
	}
	return n;
}
