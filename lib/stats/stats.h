/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics for people: sums the workers' counters, and draws them as a live table (terminal) or as
 * plain lines (anything else). Reads only; the walk never waits for it.
 *
 * Mpps and Gbit/s are over the time since the last drawing. Gbit/s is what the frames take on the wire, so that line
 * rate reads as a port's nominal speed: frame without FCS + 24 bytes (FCS 4, preamble 8, gap 12).
 *
 * Plain lines, one fact each. NAME: ethdev, mempool or verdict name; LCORE: the worker's lcore id. Counts are
 * totals since start; drop and punt lines appear once they are not 0.
 *
 *   time.uptime_s  time.interval_s                     seconds
 *   port.NAME.link_up                                  1 or 0
 *   port.NAME.rx_mpps .rx_gbps .tx_mpps .tx_gbps       rates
 *   port.NAME.rx_pkts .rx_bytes .tx_pkts .tx_bytes     as the workers counted; frames without FCS
 *   port.NAME.nic_missed .nic_errors .nic_nombuf       lost by the device before a worker could see them
 *   worker.LCORE.idle_percent                          TSC cycles of turns without a packet, of all
 *   worker.LCORE.cycles_per_packet                     TSC cycles of turns with packets, by packets
 *   worker.LCORE.packets_per_burst  .rx_mpps           over turns with packets
 *   worker.LCORE.rx .tx .dropped .punted .handoff_in .handoff_out .mirrored .injected .fragmented
 *   pool.NAME.size .in_use .cached .depot              in_use + cached + depot = size; in_use: rings and packets
 *   pool.NAME.drift                                    magazine pools: ledger imbalance, 0 at rest
 *   pool.NAME.magazine                                 rounds that its magazines are filled to now
 *   pool.NAME.gets .puts                               buffers that left and came back, past any mempool cache
 *   pool.NAME.swaps .exchanges .exchange_fails         of magazines: with previous, with the depot, that found too little
 *   pool.NAME.contended .cross_core                    exchanges that waited; magazines that another lcore filled
 *   pool.NAME.reclaimed .sent_home                     buffers given up for a starving lcore, to their own node
 *   pool.NAME.lcore.LCORE.magazine .cached .gets ...   what one lcore holds and did; those that ever did something
 *   pool.NAME.depot.NODE.magazine .full .empty         magazines of a node's depot
 *   pool.NAME.depot.NODE.exchanges .contended
 *   heads.size ... .sent_home                          the same for skb heads
 *   drop.NAME  punt.NAME                               packets by verdict
 *   owner.NAME.used .limit                             bytes charged now, and at most (0 = any); NAME: PORT.QUEUE or punt.CLASS
 *   owner.NAME.refused                                 packets there was no room for
 *   icmp.told .limited .full                           dropped packets of which the control thread was told, or was not: too many
 *                                                      (--icmp-rate), no room in its ring
 *   icmp.sent.NAME                                     ICMP errors that were sent, by what they say
 *   control.NAME                                       packets by what became of them in the control thread; as drop.NAME
 *   control.made .made_lost .held .neighs              packets of its own, those there was no room for; packets that wait, neighbours
 *   packets.rx .mirrored .injected .fragmented .tx .dropped .punted .in_flight
 *                                                      rx + mirrored + injected + fragmented = tx + dropped + punted + in_flight
 */
#ifndef STATS_H
#define STATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "control.h"
#include "port.h"
#include "punt.h"
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
	struct magazine_pool *const
		*magazines; /* [n_pools] behind each pool, NULL for other ops; NULL = none */
	unsigned int n_pools;
	struct skb_pool *heads;
	const struct punt *punt; /* its owners stand beside the workers'; NULL = nobody is charged */
	bool lazy;               /* heads are only built for punts */
};

/*
 * Makes the state between two drawings, and shows it to rte_telemetry as
 * /magpie/{ports,workers,pools,owners,drops,punts,icmp,control,neighbours}
 * until it is destroyed. conf is copied. n_ports <= RTE_MAX_ETHPORTS, n_workers <= RTE_MAX_LCORE.
 * One struct stats at a time. Returns 0 and *stats, or -ENOMEM. After rte_eal_init(), main thread.
 */
int stats_create(const struct stats_conf *conf, struct stats **stats);

/* Ends it: afterwards no telemetry callback reads *conf's objects any more. NULL is allowed. */
void stats_destroy(struct stats *stats);

/*
 * The control thread, whose counts and neighbours are shown from now on; NULL before control_join(): returns when nobody reads them any
 * more, and what was read last goes on being shown. Main thread.
 */
void stats_set_control(struct stats *stats, struct control *control);

/* What it had counted when it ended (control_join()), for stats_final(). Main thread. */
void stats_control_ended(struct stats *stats, const struct control_counts *last);

/* Draws rates since the last call: a full-screen table when tty, else plain "key value" lines. The ports must be
 * open (their link and device counters are asked for). One thread at a time. */
void stats_draw(struct stats *stats, FILE *out, bool tty);

/* Reads the devices' own counters a last time, for stats_final(): just before ports are closed. */
void stats_read_devices(struct stats *stats);

/*
 * The final account since start: packets and drops by reason, what the control thread did, cycles per packet, and the ledger of every
 * pool. The
 * last line is "ledger balanced", or "ledger NOT balanced: " and what is missing.
 * Workers must have stopped (worker_drain() done) and ports must be closed, so that every buffer is home; the
 * control thread must have ended, so that every punted packet is.
 * Returns 0, or -EFAULT when the ledger does not balance (a buffer or a packet is unaccounted for): it is printed all the same.
 */
int stats_final(struct stats *stats, FILE *out);

#endif
