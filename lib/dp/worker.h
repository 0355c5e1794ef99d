/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker: one lcore that runs the walk over its RX queues.
 *
 * A turn takes one burst from one RX queue all the way to the TX queues. At its end
 *
 *   rx + mirrored + injected + fragmented + handoff_in == tx + dropped + punted + handoff_out
 *
 * holds for the worker, and over all workers rx + mirrored + injected + fragmented == tx + dropped + punted + what is in
 * the hand-off rings. Worker 0 also takes what the control thread gives back (punt.h).
 *
 * Everything in struct worker is written by its lcore only; the control thread reads the counters
 * (each is one aligned word).
 */
#ifndef WORKER_H
#define WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_rcu_qsbr.h>

#include "port.h"
#include "punt.h"
#include "route.h"
#include "skb.h"
#include "verdict.h"

#define BURST_MAX 64u /* packets in a turn */

enum build_mode { BUILD_LATE, BUILD_EARLY, BUILD_LAZY };

/* When a packet's charge is released: once per burst before transmit, packet by packet before transmit, when its buffers are
 * back from the driver; or nobody is charged. */
enum complete_mode { COMPLETE_ORPHAN, COMPLETE_ORPHAN_PACKET, COMPLETE_COMPLETION, COMPLETE_NONE };

#define MIRROR_NONE UINT16_MAX

#define ICMP_UNLIMITED UINT32_MAX /* of icmp_rate */

/* What was asked for one port, beyond struct port. */
struct port_policy {
	uint64_t owner_limit; /* bytes its RX queues may be charged with together, 0 = any */
	uint16_t mirror_rx,
		mirror_tx; /* copies of what it receives, of what it sends, leave by these; or MIRROR_NONE */
};

/* What the workers share: read-only while they run. */
struct dp_conf {
	struct port *ports; /* indexed by ethdev id: [n_ports]; id 0 unused entries have n_rxq 0 */
	unsigned int n_ports;
	const struct port_rxq *map;
	unsigned int n_map;
	struct route_table *routes;
	const struct port_policy *policy; /* [n_ports]; NULL = nothing was asked for */
	struct skb_pool *heads;
	struct rte_mempool *const *pools;       /* of data buffers: [n_pools] */
	struct magazine_pool *const *magazines; /* behind each of pools; NULL for other ops */
	unsigned int n_pools;
	enum build_mode build;
	enum complete_mode complete;
	unsigned int burst; /* 1..BURST_MAX */
	struct punt *punt;  /* the road to the control thread and back */
	uint32_t
		icmp_rate; /* packets a second and worker whose senders are told why they were dropped; 0 = none, or ICMP_UNLIMITED */
	uint32_t ecmp_seed; /* of the flow hash: routers in series with the same one would all choose alike */
	struct rte_rcu_qsbr *qsbr; /* sized for all workers; thread id = worker index */
	const volatile int *stop;  /* workers leave when it is not 0 */
};

/* Counters of one port as one worker saw it. */
struct worker_port {
	uint64_t rx_pkts, rx_bytes; /* received from the port; frames without FCS */
	uint64_t tx_pkts, tx_bytes; /* accepted by the port */
} __rte_cache_aligned;

struct worker_stats {
	uint64_t rx, tx, punted[N_VERDICTS]; /* punted: by verdict; 0 for those that are no punts */
	uint64_t handoff_in, handoff_out;
	uint64_t mirrored;   /* copies that were to be sent by mirror ports: each is sent or dropped */
	uint64_t injected;   /* packets taken back from the control thread */
	uint64_t fragmented; /* fragments made, beyond the first of each packet */
	/* of packets dropped under a verdict of kind ERROR: handed to the control thread so that it tells their senders; beyond icmp_rate; no
	 * room in its ring, or no head. None of these with icmp_rate 0 */
	uint64_t told, icmp_limited, icmp_full;
	uint64_t bursts;                   /* that had packets, from a queue or a hand-off ring */
	uint64_t busy_cycles, idle_cycles; /* TSC: turns with packets, turns without */
};

struct worker; /* worker_priv.h */

/* Makes worker index (its lcore: lcore) on the lcore's node. conf must outlive it. Main thread.
 * Returns 0 and *worker, or -ENOMEM. */
int worker_create(const struct dp_conf *conf, unsigned int index, uint16_t lcore, struct worker **worker);

/* Frees it. Its lcore must have left worker_run(). */
void worker_destroy(struct worker *worker);

/* The lcore's main loop (an lcore_function_t; arg: struct worker *): turns until *conf->stop. On leaving it
 * gives all its magazines to their depots. Returns 0. */
int worker_run(void *arg);

/* One turn over each of its RX queues and owned hand-off rings. Returns the packets received. Worker's lcore (or a test). */
unsigned int worker_turn(struct worker *worker);

/* Sends what other workers still have put into its hand-off rings. After every worker has left worker_run(). Main thread. What is in the
 * ring back from the control thread is not sent any more: control_join() counts and frees it. */
void worker_drain(struct worker *worker);

/* Its counters; any thread, single words of their moment. */
const struct worker_stats *worker_stats(const struct worker *worker);
const struct worker_port *worker_port_stats(const struct worker *worker, uint16_t port);
const uint64_t *worker_drops(const struct worker *worker); /* [N_VERDICTS] by verdict */
uint16_t worker_lcore(const struct worker *worker);

/* The owners of its RX queues, named PORT.QUEUE: 0 <= i < worker_n_owners(). None with COMPLETE_NONE. Any thread. */
unsigned int worker_n_owners(const struct worker *worker);
const struct skb_owner *worker_owner(const struct worker *worker, unsigned int i);

#endif
