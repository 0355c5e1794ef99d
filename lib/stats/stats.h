/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics for people: sums the workers' counters, and draws them as a live table (terminal) or as
 * plain lines (anything else). Reads only; the walk never waits for it.
 */
#ifndef STATS_H
#define STATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "port.h"
#include "worker.h"

struct magazine_pool;
struct stats;

/* Where the numbers come from; all must outlive the struct stats. */
struct stats_conf {
	const struct port *ports; /* [n_ports], indexed by ethdev id; those with n_rxq 0 are skipped */
	unsigned int n_ports;
	struct worker *const *workers; /* [n_workers] */
	unsigned int n_workers;
	struct rte_mempool *const *pools; /* data-buffer pools [n_pools], any ops */
	struct magazine_pool *const *magazines; /* [n_pools] behind pools[i], NULL for other ops; NULL = none at all */
	unsigned int n_pools;
	struct skb_pool *heads;
	bool lazy; /* heads are only built for punts */
};

/* Makes the state between two drawings. Returns 0 and *stats, or -ENOMEM. */
int stats_create(const struct stats_conf *conf, struct stats **stats);
void stats_destroy(struct stats *stats);

/* Draws rates since the last call: a full-screen table when tty, else plain "key value" lines. One thread at a time. */
void stats_draw(struct stats *stats, FILE *out, bool tty);

/*
 * The final account since start: packets and drops by reason, cycles per packet, and the ledger of every pool.
 * Workers must have stopped and ports must be closed, so that every buffer is home.
 * Returns 0, or -EFAULT when the ledger does not balance (a buffer or a packet is unaccounted for): it is printed all the same.
 */
int stats_final(struct stats *stats, FILE *out);

#endif
