/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The walk: what happens to every packet, read aloud.
 *
 *   rx -> build -> parse -> check -> lookup -> |GATE| -> rewrite -> tx
 *                  read     read     read      |        write     hand over
 *                                              +-> drop (one named reason)   +-> punt (to control)
 *
 * Between lookup and gate stand two more, for packets that cannot leave as they are: fit, and fragment. What the control thread
 * gives back comes in at parse, or at tx.
 *
 * The read stages only lower a packet's verdict. Whatever could make it unsendable is
 * found before a byte of it is written. The gate splits the burst and counts verdicts;
 * after it nothing judges a packet any more, with one exception: the port took fewer than it
 * was offered (tx_full, handoff_full). Nothing here allocates memory from the system, logs,
 * takes a lock, makes a system call or stores to a line another core writes; the
 * exceptions are the rings to other cores and the depot of the magazines.
 */
#include <rte_cycles.h>
#include <rte_ring.h>

#include "worker_priv.h"

/* Turns between two chances for drivers to free what they sent: while nothing is sent, and while an owner waits for it. */
#define RECLAIM_TURNS         4096u
#define RECLAIM_REFUSED_TURNS 64u

void
burst_walk(struct worker *w, const struct worker_rxq *rxq, struct burst *b)
{
	burst_parse(w, b);
	burst_check(rxq, b);
	burst_lookup(w, b);
	if (unlikely(b->rearranged))
		burst_fit(w, b);
	if (unlikely(b->judged))
		burst_fragment(w, b);
	burst_gate(w, b);
	burst_rewrite(w, b);
	burst_tx(w, b);
}

static uint32_t
walk(struct worker *w, const struct worker_rxq *rxq)
{
	struct burst b;

	if (burst_rx(w, rxq, &b) == 0)
		return 0;

	uint32_t n = b.n;

	w->stats.bursts++;
	burst_build(w, rxq, &b);
	if (unlikely(rxq->mirror_rx != MIRROR_NONE))
		burst_mirror_rx(w, rxq, &b);
	burst_walk(w, rxq, &b);
	return n;
}

/* Sends what other workers have walked for a port of ours. */
static uint32_t
take_handoff(struct worker *w, uint16_t port)
{
	struct rte_mbuf *mbufs[BURST_MAX];
	uint32_t n = rte_ring_sc_dequeue_burst(w->conf->ports[port].handoff, (void **)mbufs, w->burst, NULL);

	if (n == 0)
		return 0;
	w->stats.bursts++;
	w->stats.handoff_in += n;
	worker_send(w, port, mbufs, n);
	return n;
}

/* The equation of worker.h, at the end of every turn. */
static bool
balances(const struct worker *w)
{
	const struct worker_stats *s = &w->stats;
	uint64_t out = s->tx + s->handoff_out;

	for (uint32_t v = 0; v < N_VERDICTS; v++)
		out += s->punted[v] + w->cpu.drops[v];
	return s->rx + s->mirrored + s->injected + s->fragmented + s->handoff_in == out;
}

/* Packets that are not admitted do not make drivers look for what they have sent, and what they have sent keeps packets from being
 * admitted. */
static void
reclaim_refused(struct worker *w)
{
	w->refused = false;
	if (++w->refused_turns % RECLAIM_REFUSED_TURNS == 0)
		worker_reclaim(w);
}

unsigned int
worker_turn(struct worker *w)
{
	uint32_t n = 0, moved = 0;

	for (uint32_t i = 0; i < w->n_rxq; i++)
		n += walk(w, &w->rxq[i]);
	for (uint32_t i = 0; i < w->n_owned; i++)
		moved += take_handoff(w, w->owned[i]);
	if (w->back != NULL)
		moved += worker_take_back(w);
	worker_poll_pools(w);
	assert(balances(w));
	RTE_SET_USED(balances);

	if (n + moved > 0)
		w->idle_turns = 0;
	else if (++w->idle_turns % RECLAIM_TURNS == 0)
		worker_reclaim(w);
	if (unlikely(w->refused))
		reclaim_refused(w);
	return n + moved;
}

int
worker_run(void *arg)
{
	struct worker *w = arg;
	struct rte_rcu_qsbr *qsbr = w->conf->qsbr;
	uint64_t then = rte_rdtsc();

	rte_rcu_qsbr_thread_register(qsbr, w->index);
	rte_rcu_qsbr_thread_online(qsbr, w->index);
	while (*w->conf->stop == 0) {
		uint32_t n = worker_turn(w);
		uint64_t now = rte_rdtsc();

		*(n > 0 ? &w->stats.busy_cycles : &w->stats.idle_cycles) += now - then;
		then = now;
		rte_rcu_qsbr_quiescent(qsbr, w->index);
	}
	rte_rcu_qsbr_thread_offline(qsbr, w->index);
	rte_rcu_qsbr_thread_unregister(qsbr, w->index);
	worker_leave_pools(w);
	return 0;
}

void
worker_drain(struct worker *w)
{
	for (uint32_t i = 0; i < w->n_owned; i++)
		while (take_handoff(w, w->owned[i]) > 0)
			;
}
