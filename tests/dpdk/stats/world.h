/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A world without packets: workers whose counters the test writes, ports whose link and device counters it
 * sets, a control thread of which there are only numbers, and real pools. world.c stands in for lib/dp's and lib/control's readers,
 * port_link_up() and rte_eth_stats_get().
 */
#ifndef WORLD_H
#define WORLD_H

#include <rte_ethdev.h>
#include <rte_mempool.h>

#include "magazine.h"
#include "skb.h"
#include "stats_priv.h"

#define WORLD_PORTS   3 /* the second is not ours: n_rxq 0 */
#define WORLD_WORKERS 64
#define WORLD_BUFS    255u
#define WORLD_NEIGHS  300

struct worker {
	struct worker_stats stats;
	struct worker_port port[WORLD_PORTS];
	uint64_t drops[N_VERDICTS];
	uint16_t lcore;
	struct skb_owner owner; /* of its one RX queue */
};

struct world {
	struct worker worker[WORLD_WORKERS];
	struct worker *workers[WORLD_WORKERS];
	struct port port[WORLD_PORTS];
	struct rte_mempool *pools[2]; /* stock ops with a cache, magazine ops */
	struct magazine_pool *magazines[2];
	struct skb_pool *heads;
	struct punt punt;
	struct control_counts control; /* the control thread's, which is &world.control */
	struct control_neigh_view neighs[WORLD_NEIGHS];
	unsigned int n_neighs;
	struct stats_conf conf; /* two workers */
};

extern struct world world;
extern bool world_link_up[WORLD_PORTS];
extern struct rte_eth_stats world_device[WORLD_PORTS];

/* The control thread, for stats_set_control(). */
struct control *world_control(void);

/* Group setup and teardown: EAL from world_argv, pools. */
extern int world_argc;
extern char **world_argv;
int world_init(void **state);
int world_fini(void **state);

/* Test setup: every counter 0, links up. */
int world_reset(void **state);

/* What a writer wrote, to be freed. */
struct writing {
	FILE *file;
	char *text;
	size_t len;
};
FILE *writing_open(struct writing *writing);
char *writing_close(struct writing *writing);

#endif
