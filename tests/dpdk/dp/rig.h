/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The walk on a bench: net_ring ports whose far ends the test holds, the real pools, the
 * route table of topology.h, one or two workers whose turns the test takes by hand.
 *
 *   rig_inject --ring--> port 0 |                | port 0 --ring--> rig_collect
 *   rig_inject --ring--> port 1 | worker_turn()  | port 1 --ring--> rig_collect
 *   rig_inject --ring--> port 2 |   |            | port 2 --ring--> rig_collect
 *                  rig_back --> |   +-> punt rings -----------> rig_punted, rig_told
 *
 * Worker w polls RX queue w of all ports and is not bound to any thread: everything happens in
 * rig_turn(). Taking the rig down checks that every packet and every buffer is accounted for.
 */
#ifndef RIG_H
#define RIG_H

#include <stddef.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "frame.h"
#include "skb.h"
#include "topology.h"
#include "worker.h"

#define RIG_PORTS       TOPOLOGY_PORTS
#define RIG_WORKERS_MAX 2u
#define RIG_TX_SLOTS    64u   /* of each TX ring: one burst */
#define RIG_ROOM        2048u /* bytes of a data buffer */

/* Bytes that a packet of one data buffer of RIG_ROOM is charged with. */
#define RIG_TRUESIZE \
	(RTE_PKTMBUF_HEADROOM + RIG_ROOM + (uint32_t)(sizeof(struct rte_mbuf) + sizeof(struct skb)))

/* 0 = the default in brackets. */
struct rig_conf {
	enum build_mode build;
	enum complete_mode complete; /* lazy: always none */
	uint32_t burst;              /* [BURST_MAX] */
	uint32_t n_workers;          /* [1] */
	uint32_t n_data;             /* data buffers [1024] */
	uint32_t n_heads;            /* [1024] */
	uint32_t cache;              /* of the data buffers' mempool [0] */
	uint32_t room;               /* bytes of a data buffer [RIG_ROOM]; longer frames come in pieces */
	uint16_t mtu;                /* of the ports, for what comes in [9000] */
	uint16_t mirror_mtu;         /* of port 2 [mtu] */
	uint64_t owner_limit;        /* of each port's RX queues [any] */
	int64_t punt_limit;          /* bytes on their way to the control thread, of each class [any] */
	uint32_t icmp_rate;          /* as in struct dp_conf: 0 is none */
	uint32_t ecmp_seed;
	const struct port_policy
		*policy; /* [RIG_PORTS], with MIRROR_NONE where nothing is mirrored; without owner_limit */
	uint32_t linear, exclusive, fragments; /* the ports that are said to be so: bit p is port p */
	uint32_t shared; /* the ports that have one TX queue, of worker 0: bits, likewise */
	uint32_t punt_slots, handoff_slots; /* [64] each, exact; of each class, and of the ring back */
};

struct rig;

/* Starts the EAL with main()'s arguments; ends the process if that fails. Once. */
void rig_eal(int argc, char **argv);

/* The same with TX rings of so many slots instead of RIG_TX_SLOTS. */
void rig_eal_with(int argc, char **argv, uint32_t tx_slots);

/* Never fails: ends the process instead. */
struct rig *rig_create(const struct rig_conf *conf);

/*
 * Takes what is left out of every ring and checks, with cmocka's asserts: rx == tx + dropped + punted, nothing in the
 * data pool or the pool of heads is missing, every magazine is sound. Then frees all.
 */
void rig_destroy(struct rig *rig);

/* Puts a copy of frame before RX queue `queue` of port. Returns its buffer, to be recognised by and nothing else. */
const struct rte_mbuf *rig_inject_at(
	struct rig *rig, uint16_t port, uint16_t queue, const struct frame *frame);

/* The same at queue 0 of port 0. */
const struct rte_mbuf *rig_inject(struct rig *rig, const struct frame *frame);

/* The same in two segments, the first with split bytes: 0 to all of them. */
void rig_inject_chain(struct rig *rig, const struct frame *frame, uint32_t split);

/* The same in segments that end after cuts[n] bytes, rising, and one with what is left. */
void rig_inject_cut(struct rig *rig, const struct frame *frame, const uint32_t *cuts, uint32_t n);

/* The same in buffers that the test sees too: returns them, to be compared and given to rig_return() at the end. */
struct rte_mbuf *rig_inject_shared(
	struct rig *rig, const struct frame *frame, const uint32_t *cuts, uint32_t n);

/* Puts mbufs[n] before RX queue queue of port 0 as they are. */
void rig_inject_bulk(struct rig *rig, uint16_t queue, struct rte_mbuf *const *mbufs, uint32_t n);

/* Puts an mbuf before RX queue 0 of port as it is. */
void rig_inject_mbuf(struct rig *rig, uint16_t port, struct rte_mbuf *mbuf);

/* All bytes of a frame that was collected, over its segments. */
void rig_bytes(const struct rte_mbuf *mbuf, struct frame *frame);

/* One turn of each worker; returns the packets moved. */
uint32_t rig_turn(struct rig *rig);
uint32_t rig_turn_of(struct rig *rig, uint32_t worker);

/* The next frame that left port, in the order they left; NULL if none. Valid until rig_return(). Any TX queue, lowest first.
 * Checks that its segments agree with what the first one says of them. */
struct rte_mbuf *rig_collect(struct rig *rig, uint16_t port);
void rig_return(struct rte_mbuf *mbuf);

/* Returns all that left port without looking; how many. */
uint32_t rig_discard(struct rig *rig, uint16_t port);

/* The next packet punted in class; in PUNT_HOST, then in PUNT_NEIGH; the next of which the sender is to be told. NULL if there is none. Valid
 * until rig_consume() or rig_back(). */
struct skb *rig_punted_in(struct rig *rig, enum punt_class class);
struct skb *rig_punted(struct rig *rig);
struct skb *rig_told(struct rig *rig);
void rig_consume(struct rig *rig, struct skb *skb);

/* Takes all of them without looking; how many. */
uint32_t rig_consume_told(struct rig *rig);

/* Gives skb back to worker 0, for port. */
void rig_back(struct rig *rig, struct skb *skb, uint16_t port, enum punt_road road);

/* A packet of the control thread, with frame in it, in segments that end after cuts[n] bytes, rising, and one with what is left. */
struct skb *rig_packet(struct rig *rig, const struct frame *frame, const uint32_t *cuts, uint32_t n);

/* How many packets got this verdict so far: sent, punted or dropped, over all workers. */
uint64_t rig_count(const struct rig *rig, enum verdict verdict);

/* One of the counters of struct worker_stats, over all workers: RIG_STAT(rig, injected). */
#define RIG_STAT(rig, name) rig_stat((rig), offsetof(struct worker_stats, name))
uint64_t rig_stat(const struct rig *rig, size_t offset);

/* All of them at once. */
void rig_counts(const struct rig *rig, uint64_t counts[N_VERDICTS]);

/* The stop flag is raised: worker_run() leaves at once. */
struct worker *rig_worker(struct rig *rig, uint32_t index);
struct skb_owner *rig_punt_owner(struct rig *rig, enum punt_class class);
struct rte_mempool *rig_pool(struct rig *rig);
struct skb_pool *rig_heads(struct rig *rig);

/* Whether anybody is charged for anything. */
bool rig_charges(const struct rig *rig);

/* No data buffer and no head is out now (nothing waits in a ring). */
void rig_check_home(const struct rig *rig);

#endif
