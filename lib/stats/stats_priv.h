/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of lib/stats: counts are read (counts.c), two readings become rates (rates.c), and a view of both is
 * written as a table (table.c), as plain lines (plain.c), as the final account (final.c) or for
 * telemetry (telemetry.c).
 */
#ifndef STATS_PRIV_H
#define STATS_PRIV_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_config.h>

#include "account.h"
#include "stats.h"

/* Bytes that a frame occupies on the wire beyond those a port counts: FCS 4, preamble and start delimiter 8,
 * inter-frame gap 12 (IEEE 802.3 3.1.1, 4.4.2). */
#define WIRE_OVERHEAD_BYTES 24u

/* One port as its workers saw it. */
struct port_count {
	uint64_t rx_pkts, rx_bytes, tx_pkts, tx_bytes;
};

/* What the device lost before a worker could see it. */
struct device_count {
	uint64_t missed; /* no descriptor was free */
	uint64_t errors; /* bad on the wire */
	uint64_t nombuf; /* no data buffer was free */
};

struct worker_count {
	uint64_t rx, mirrored, injected, fragmented, tx, dropped, punted;
	uint64_t told, icmp_limited, icmp_full;
	uint64_t handoff_in, handoff_out;
	uint64_t bursts, busy_cycles, idle_cycles;
};

/* Every counter at one moment: words of uint64_t only, so that counts_subtract() can walk them. */
struct counts {
	uint64_t tsc;
	struct port_count port[RTE_MAX_ETHPORTS];  /* by ethdev id */
	struct worker_count worker[RTE_MAX_LCORE]; /* by worker index */
	struct worker_count all;                   /* the workers' sum */
	uint64_t drops[N_VERDICTS], punted[N_VERDICTS];
	struct control_counts control;
};

/* Where the control thread's counts come from: itself, or what was read last. */
struct control_source {
	pthread_mutex_t lock;
	struct control *control; /* NULL: it does not run */
	struct control_counts last;
};

/* Where a pool's objects are: in_use + cached + depot == size. */
struct pool_level {
	const char *name;
	uint32_t size;
	uint32_t in_use; /* in NIC rings and in packets */
	uint32_t cached; /* in lcores' magazines and mempool caches */
	uint32_t depot;  /* in what the lcores share: the depot, or the stock ops' ring or stack */
	int64_t drift;   /* of the magazines' ledger: 0 at rest, else objects missing (> 0) or too many */
	bool ledger;     /* there is one: the pool has magazines */
	struct magazine_stats magazines; /* if so */
	const struct magazine_pool *magazine_pool;
};

/* What is drawn. */
struct view {
	const struct stats_conf *conf;
	const struct counts *now;
	const struct counts *delta;        /* now - the last drawing */
	const struct device_count *device; /* [n_ports] */
	double seconds;                    /* between the two; may be 0 */
	double uptime_s;
	unsigned int rows; /* of the terminal; table only */
};

struct stats {
	struct stats_conf conf;
	struct control_source control;
	uint64_t start_tsc;
	struct counts now, last, delta;
	struct device_count device[RTE_MAX_ETHPORTS];
};

/* counts.c: any thread. counts_read(): all but counts->control, which is counts_read_control()'s. */
void counts_read(const struct stats_conf *conf, struct counts *counts);
void counts_read_control(struct control_source *source, struct control_counts *counts);
void counts_subtract(const struct counts *now, const struct counts *last, struct counts *delta);
void device_read(const struct stats_conf *conf, struct device_count *device);
void pool_level_read(const struct stats_conf *conf, unsigned int pool, struct pool_level *level);
void heads_level_read(const struct stats_conf *conf, struct pool_level *level);

/* Owner i of all: those of the workers' RX queues, then those of the road to control. NULL = there are no more. Any thread. */
const struct skb_owner *owner_at(const struct stats_conf *conf, unsigned int i);

/* Packets that have come to their end in the control thread. */
uint64_t counts_outcomes(const struct control_counts *counts);

/* Packets in the walk and in hand-off rings: rx + mirrored + injected + fragmented - tx - dropped - punted. A moment's value, so -1 is possible. */
int64_t counts_in_flight(const struct worker_count *all);

/* rates.c: each is 0 where there is nothing to divide by. */
double rate_mpps(uint64_t pkts, double seconds);
double rate_wire_gbps(uint64_t pkts, uint64_t bytes, double seconds);
double rate_idle_percent(const struct worker_count *count);
double rate_cycles_per_packet(const struct worker_count *count);
double rate_packets_per_burst(const struct worker_count *count);

/* n in at most 7 characters: 12345, 123.5k, 12.35M. Returns text. */
#define COUNT_TEXT_LEN 24
const char *count_text(uint64_t n, char text[COUNT_TEXT_LEN]);

/* Writers of a view. table_write() makes at most view->rows - 1 lines of at most 80 columns. */
void table_write(const struct view *view, FILE *out);
void plain_write(const struct view *view, FILE *out);

/* Redraws text in place on a terminal of rows lines: cursor home, each line cleared to its end, then the rest. */
void screen_write(const char *text, unsigned int rows, FILE *out);

/* Makes stats (NULL = none) what telemetry shows; returns when no callback uses the former one any more. */
void telemetry_show(struct stats *stats);

#endif
