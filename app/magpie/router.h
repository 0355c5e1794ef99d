/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that exists while Magpie runs, and the phases that make it, in their order. Each phase's *_start makes
 * its part and says how to go on; its *_end undoes that, also if start got only half way or found the stop flag raised.
 * Ends are called in mirror order. All on the main thread.
 */
#ifndef ROUTER_H
#define ROUTER_H

#include "complaint.h"
#include "control.h"
#include "options.h"
#include "plan.h"
#include "stats.h"
#include "worker.h"

struct router {
	bool eal; /* is initialised */
	struct options options;
	struct plan plan;
	struct rte_rcu_qsbr *qsbr;
	struct route_table *routes;
	struct ip_addr link_local[RTE_MAX_ETHPORTS];   /* that tables.c gave to ports; family 0 = none */
	struct rte_mempool *pools[RTE_MAX_NUMA_NODES]; /* as plan.pools */
	struct magazine_pool *magazines[RTE_MAX_NUMA_NODES]; /* behind pools; NULL with other ops */
	struct punt punt;
	struct skb_pool *heads;
	uint64_t ports_open; /* bit = ethdev id */
	struct dp_conf dp;
	struct worker *workers[RTE_MAX_LCORE]; /* [plan.n_lcores] */
	struct stats *stats;
	struct control_neigh *statics; /* what --neigh told, for the control thread */
	struct control *control;
	bool failed;     /* a phase did; set before the ends are called */
	bool unbalanced; /* the final account is wrong */
};

/* eal.c: rte_eal_init() and what may be wrong with it; the magazine mempool ops. */
enum outcome eal_start(struct router *router);
void eal_end(struct router *router);

/* plan.c: which port, queue, lcore and pool does what. */
enum outcome plan_start(struct router *router);

/* tables.c: addresses, neighbours, routes. */
enum outcome tables_start(struct router *router);
void tables_end(struct router *router);

/* report.c: warnings; with --check the plan, and DONE. */
enum outcome report_start(struct router *router);

/* pools.c: data buffers, heads, the road to the control thread. */
enum outcome pools_start(struct router *router);
void pools_end(struct router *router);

/* ports.c: configures them. */
enum outcome ports_start(struct router *router);
void ports_end(struct router *router);

/* workers.c: makes them; nothing runs yet. */
enum outcome workers_start(struct router *router);
void workers_end(struct router *router);

/* account.c: statistics; at the end, once ports are closed and every buffer is home, the final account. */
enum outcome account_start(struct router *router);
void account_end(struct router *router);

/* ports.c: lets packets in. */
enum outcome links_start(struct router *router);

/* account.c: the control thread. */
enum outcome control_begin(struct router *router);
void control_end(struct router *router);

/* workers.c: every lcore runs the walk until the stop flag is raised. DONE. */
enum outcome forward_start(struct router *router);

#endif
