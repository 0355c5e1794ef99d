/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of lib/control: one struct, whose parts are written by the control thread alone, and how its files hand packets to each
 * other.
 *
 *   input.c       a punted packet to whoever handles it
 *   arp.c, nd.c   what neighbours say and ask; dad.c: whether somebody else uses our addresses
 *   neigh.c       the neighbours: states, timers, packets that wait for them. resolve.c: what it does to routes and packets
 *   local.c       packets for our own addresses: echo.c answers, reassemble.c joins fragments
 *   error.c       ICMP errors: whether one may be sent, and the packet
 *   packet.c      new packets; output.c: the ways out
 *
 * A function that "takes" a packet has given it away, freed or kept it by the time it returns, and has counted its outcome.
 */
#ifndef CONTROL_PRIV_H
#define CONTROL_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_config.h>

#include "bucket.h"
#include "control.h"
#include "thread.h"

#define CONTROL_PERIOD_MS 10  /* between two looks at *stop, and at the rings while nothing comes */
#define CONTROL_BUSY_MS   1   /* between two looks at the rings while something does */
#define LINK_PERIOD_MS    100 /* between two looks at every link */

#define NS_PER_MS     1000000ull
#define NS_PER_SECOND 1000000000ull

/* What the routes were last told about the links. */
struct link_watch {
	struct port *ports;
	unsigned int n_ports;
	struct route_table *routes;
	bool up[RTE_MAX_ETHPORTS];
	bool lsc[RTE_MAX_ETHPORTS]; /* our callback is registered */
	bool event;                 /* a driver reported a change; set by its interrupt thread, atomic */
};

struct control;

/* Tells the routes every link's state now, and asks drivers for their interrupts. Returns whether route_publish() is due. Before the thread
 * starts. */
bool link_watch_init(struct link_watch *watch, const struct control_conf *conf);

/* Takes the callbacks back. After the thread has ended. */
void link_watch_fini(struct link_watch *watch);

/* Whether a driver has reported a change since the last call. */
bool link_watch_event(struct link_watch *watch);

struct neighs;     /* resolve.c */
struct reassembly; /* reassemble.c */

struct control {
	struct control_conf conf;
	struct control_thread thread;
	struct link_watch links;
	struct skb_cpu cpu;
	uint64_t now_ns;     /* CLOCK_MONOTONIC, as the thread last woke up */
	uint64_t period_ns;  /* between two looks at the rings while nothing comes */
	bool routes_changed; /* route_publish() is due before packets are walked again */
	struct neighs *neighs;
	struct reassembly *reassembly;
	struct bucket errors; /* of ICMP errors about packets for us, in ns */
	uint16_t ip4_id;      /* of the next IPv4 packet of our own */
	struct control_counts counts;
};

/* ---- control.c ---- */

/* One writer, so no atomic addition: only the store must not be torn for a reader. */
static inline void
control_add(uint64_t *count, uint64_t n)
{
	__atomic_store_n(count, *count + n, __ATOMIC_RELAXED);
}

/* A packet that was taken from a ring has come to its end. */
static inline void
control_outcome(struct control *c, enum control_outcome outcome)
{
	control_add(&c->counts.outcome[outcome], 1);
}

/* Its end, and the packet's. Takes skb. */
void control_finish(struct control *c, struct skb *skb, enum control_outcome outcome);

/* ---- link.c ---- */

/* Tells the routes, then the neighbours, about every link that has changed. */
void link_watch_poll(struct control *c);

/* ---- input.c ---- */

/* Takes at most a ring's capacity of packets from each ring, so that it returns however fast workers punt. Returns how many. */
unsigned int input_drain(struct control *c);

/* ---- resolve.c, arp.c, nd.c, dad.c ---- */

/* Makes the neighbours: static ones, and every gateway of the routes, which is asked for from now on. Returns 0 or -ENOMEM. */
int neighs_create(struct control *c);

/* Frees what waits (stopped), and the neighbours. NULL in c->neighs is allowed. */
void neighs_destroy(struct control *c);

/* Timers: what is due by c->now_ns. */
void neighs_tick(struct control *c);

/* A link has come up, or gone: when up, our addresses on it are told and checked for duplicates (RFC 5227 2.1, RFC 4862 5.4). */
void neighs_link(struct control *c, uint16_t port, bool up);

/* Takes a packet of PUNT_NEIGH: holds it until its next hop is known, then gives it back to the walk; or tells its sender. */
void neighs_hold(struct control *c, struct skb *skb);

/* Takes an ARP packet, a whole frame. */
void arp_input(struct control *c, struct skb *skb);

/*
 * Takes a neighbour discovery packet (ICMPv6 133..137), a whole frame whose network_header and transport_header are set, all of
 * whose bytes are in the packet; its checksum was right.
 */
void nd_input(struct control *c, struct skb *skb);

/*
 * Sends an IPv6 packet (data at its header, ETH_HLEN bytes of headroom) to addr, a neighbour on port, without the walk: what
 * link-local addresses need. Held while the MAC address is asked for. Takes skb; its outcome is sent when it was sent or is held by then.
 */
void neighs_output(struct control *c, struct skb *skb, uint16_t port, const struct ip_addr *addr,
	enum control_outcome sent);

/* ---- local.c, reassemble.c, error.c ---- */

/* Takes a packet that is addressed to us, a whole frame. */
void local_input(struct control *c, struct skb *skb);

/* Returns 0, -ENOMEM. */
int reassembly_create(struct control *c);
void reassembly_destroy(struct control *c);
void reassembly_tick(struct control *c);

/* Takes a packet of PUNT_ERROR. */
void error_input(struct control *c, struct skb *skb);

/*
 * Tells the sender of a packet (a whole frame with network_header set) that error is why it went no further, if that is allowed; info as
 * enum icmp_error says. Takes skb; counts outcome instead of error_sent where that is not CONTROL_error_sent (neigh_failed).
 */
void error_send(struct control *c, struct skb *skb, enum icmp_error error, uint32_t info,
	enum control_outcome outcome);

/* ---- packet.c ---- */

/*
 * Makes a packet of len bytes, whatever they are, in as many data buffers as that takes, with headroom for an Ethernet header before
 * the first. Returns 0 and *skb, -ENOMEM, or -EMSGSIZE (len > 65535).
 */
int packet_alloc(struct control *c, uint32_t len, struct skb **skb);

/* Copies from[len] to skb's bytes from offset on, in whichever segments they are. skb is that long. Linux: skb_store_bits(). */
void packet_store(struct skb *skb, uint32_t offset, const void *from, uint32_t len);

/* Copies len bytes of one packet, from its offset on, to the other's. */
void packet_copy(
	struct skb *to, uint32_t to_offset, const struct skb *from, uint32_t from_offset, uint32_t len);

/* The Internet checksum (RFC 1071) of skb's bytes from offset on, not complemented, with sum (of a pseudo header) added. Host order
 * of the machine, as rte_raw_cksum(). */
uint16_t packet_sum(const struct skb *skb, uint32_t offset, uint32_t len, uint32_t sum);

/* ---- output.c ---- */

/*
 * Sends an IP packet of our own: data at its header, ETH_HLEN bytes of headroom, TTL as it shall leave, length, addresses and checksums complete.
 * It goes the way of all packets, through the walk, as if it had come in by port: so it is routed, cut into fragments,
 * held for its next hop and counted there as any other. A packet to a link-local address goes to that neighbour on port. Takes skb; counts
 * outcome, or back_full. CONTROL_N_OUTCOMES: skb was made here, so it has no outcome, and counts as made.
 */
void output_ip(struct control *c, struct skb *skb, uint16_t port, enum control_outcome outcome);

/* Sends a whole frame by port. Takes skb; outcome as above. */
void output_frame(struct control *c, struct skb *skb, uint16_t port, enum control_outcome outcome);

/* Gives a whole frame back to the walk, as it came in. Takes skb; outcome as above. */
void output_rewalk(struct control *c, struct skb *skb, enum control_outcome outcome);

/* The next hop's id that the published routes have for addr; NEXTHOP_GROUP may be set. */
uint64_t output_nexthop(const struct control *c, const struct ip_addr *addr);

/* The MTU of the way to addr, which IPv6 packets of our own must not exceed: of the egress port, of port when addr is link-local, and
 * IPv6's least where there is no way. */
uint32_t output_mtu(const struct control *c, const struct ip_addr *addr, uint16_t port);

#endif
