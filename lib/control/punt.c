/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of the punt ring. Nothing answers punted packets in this version: each is counted by the
 * reason that sent it here, and consumed.
 */
#include "control_priv.h"

#include <assert.h>

#include <rte_lcore.h>
#include <rte_ring.h>

#define PUNT_BURST 32u

void
punt_queue_init(struct punt_queue *queue, const struct control_conf *conf)
{
	queue->ring = conf->punt;
	skb_cpu_init(&queue->cpu, conf->heads, conf->data, LCORE_ID_ANY);
}

static void
punt_count(struct punt_queue *queue, unsigned int reason)
{
	assert(reason < SKB_REASONS_MAX);
	/* One writer, so no atomic addition: only the store must not be torn for a reader. */
	__atomic_store_n(&queue->counts[reason], queue->counts[reason] + 1, __ATOMIC_RELAXED);
}

void
punt_queue_drain(struct punt_queue *queue)
{
	struct skb *skbs[PUNT_BURST];
	unsigned int n;

	for (unsigned int taken = 0; taken < rte_ring_get_capacity(queue->ring); taken += n) {
		n = rte_ring_dequeue_burst(queue->ring, (void **)skbs, PUNT_BURST, NULL);
		if (n == 0)
			return;
		for (unsigned int i = 0; i < n; i++) {
			punt_count(queue, skbs[i]->reason);
			skb_consume(&queue->cpu, skbs[i]);
		}
	}
}
