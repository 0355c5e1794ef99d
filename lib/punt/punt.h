/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The road between the walk and the control thread, in both directions:
 *
 *   workers --ring[PUNT_HOST]-->  control    ARP, neighbour discovery, packets for our own addresses
 *           --ring[PUNT_NEIGH]->             packets whose next hop has no known MAC address
 *           --ring[PUNT_ERROR]->             packets that were dropped, and of which their sender is to be told
 *   worker 0 <----back--------- control      packets to be walked, or frames to be sent as they are
 *
 * Each class has a ring and an owner of its own, so that a flood of one does not starve the others: while somebody scans a
 * subnet, ARP is still answered. A packet keeps its head on the way; what the walk knew and its bytes do not tell stands in its control buffer
 * (struct punt_info). It starts at the Ethernet header, mac_header and network_header are set, port is the one it came in by,
 * protocol its Ethernet type, reason its verdict.
 *
 * Ownership: who puts a packet into a ring gives it away; what a ring refuses stays the caller's.
 */
#ifndef PUNT_H
#define PUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "skb.h"
#include "skb_owner.h"

struct rte_ring;

enum punt_class { PUNT_HOST, PUNT_NEIGH, PUNT_ERROR, PUNT_N_CLASSES };

#define PUNT_RING_SIZE 1024u /* packets in each ring, in the one back too */

/* All packets that may be on the road at once. */
#define PUNT_PACKETS_MAX ((PUNT_N_CLASSES + 1) * PUNT_RING_SIZE)

/* What a packet on its way back is for. */
enum punt_road {
	PUNT_WALK, /* as if it had come in by skb->port, but no mirror copies it and nobody is charged */
	PUNT_SEND, /* a whole frame: sent by skb->port as it is */
};

/* In skb->cb. */
struct punt_info {
	uint8_t addr[16]; /* PUNT_NEIGH: the next hop's address, of the family that protocol tells */
	uint16_t egress;  /* PUNT_NEIGH: the port it is reached by */
	uint16_t mtu;     /* PUNT_ERROR with ICMP_ERROR_TOO_BIG: of the egress port */
	uint8_t error;    /* PUNT_ERROR: enum icmp_error */
	uint8_t road;     /* back: enum punt_road */
};

static_assert(sizeof(struct punt_info) <= SKB_CB_SIZE, "fits the control buffer");

static inline struct punt_info *
punt_info(struct skb *skb)
{
	return (struct punt_info *)skb->cb;
}

struct punt {
	struct rte_ring *ring[PUNT_N_CLASSES];  /* of struct skb *: many workers to the control thread */
	struct rte_ring *back;                  /* of struct skb *: the control thread to worker 0 */
	struct skb_owner owner[PUNT_N_CLASSES]; /* charged with what is in ring[] */
	bool charges;                           /* the owners are used */
};

/*
 * Makes the rings on NUMA node. truesize: bytes of a packet of one buffer; each owner's limit is PUNT_RING_SIZE such packets, 0 =
 * nobody is charged. Returns 0, or -ENOMEM (nothing is left). Main thread.
 */
int punt_init(struct punt *punt, int node, uint32_t truesize);

/* Ends it. The rings must be empty. A zeroed struct is allowed. */
void punt_fini(struct punt *punt);

/* The name of a class and of its owner: "punt.host". */
const char *punt_name(enum punt_class class);

/*
 * Gives skb to the control thread and charges the class's owner with it. Returns 0, or -ENOBUFS: ring or owner is full, the packet
 * stays the caller's, without an owner. Any worker.
 */
int punt_put(struct punt *punt, struct skb_cpu *cpu, enum punt_class class, struct skb *skb);

/* Takes at most n packets of a class to skbs[n], which are the caller's then, still charged. Returns their number. What it keeps the
 * control thread orphans. Control thread. */
unsigned int punt_take(struct punt *punt, enum punt_class class, struct skb **skbs, unsigned int n);

/*
 * Gives skb to worker 0, without its owner, its geometry written to its mbuf unless that is shared: then it must not have been changed. Returns 0, or -ENOBUFS: the ring is full, the packet stays the caller's. Control
 * thread.
 */
int punt_back_put(struct punt *punt, struct skb_cpu *cpu, struct skb *skb, enum punt_road road);

/* Takes at most n of those; after all threads have ended, on any. Worker 0. */
unsigned int punt_back_take(struct punt *punt, struct skb **skbs, unsigned int n);

#endif
