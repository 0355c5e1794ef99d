/* SPDX-License-Identifier: BSD-3-Clause */
/* The rig as its own files see it. */
#ifndef RIG_PRIV_H
#define RIG_PRIV_H

#include "rig.h"

struct rig {
	struct dp_conf conf;
	struct port port[RIG_PORTS];
	struct port_rxq map[RIG_PORTS * RIG_WORKERS_MAX];
	struct worker *worker[RIG_WORKERS_MAX];
	struct rte_mempool *pool;
	struct magazine_pool *magazines;
	struct rte_rcu_qsbr *qsbr;
	int stop;
	struct rte_ring *handoff[RIG_PORTS];
	struct skb_cpu control; /* the punts' consumer, no lcore */
	struct punt punt;
	uint64_t n_told; /* taken */
	struct port_policy policy[RIG_PORTS];
	uint32_t room;
	uint32_t n_workers;
};

/* Ends the process. */
void rig_die(const char *what) __attribute__((noreturn));

/* A ring of exactly so many slots, with a name of its own. */
struct rte_ring *rig_ring(const char *what, uint32_t slots);

/* A buffer chain with frame in it, as rig_inject_cut() makes it. */
struct rte_mbuf *rig_mbuf(struct rig *rig, const struct frame *frame, const uint32_t *cuts, uint32_t n);

/* Makes the ports: once. */
void rig_ports(uint32_t tx_slots);

#endif
