/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a lookup yields. A next-hop id below NEXTHOP_GROUP indexes the adjacency
 * table; an id with that bit set, the table of ECMP groups.
 */
#ifndef NEXTHOP_H
#define NEXTHOP_H

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_ether.h>

#define NEXTHOP_GROUP     0x4000u /* ids are 15 bits wide: the smallest entry of rte_fib that holds enough */
#define NEXTHOP_MAX       0x4000u /* adjacencies, and groups */
#define NEXTHOP_BUCKETS   256u    /* per group: the finest weight is 1/256 */
#define NEXTHOP_GROUP_MAX 64u     /* paths in one group */

/* Adjacencies that are always there; those of neighbours, gateways and subnets start at NEXTHOP_ID_FIRST. */
enum nexthop_id {
	NEXTHOP_ID_NO_ROUTE, /* what a lookup yields when nothing matches */
	NEXTHOP_ID_LOCAL,
	NEXTHOP_ID_BROADCAST,
	NEXTHOP_ID_BLACKHOLE,
	NEXTHOP_ID_UNREACHABLE,
	NEXTHOP_ID_PROHIBIT,
	NEXTHOP_ID_FIRST
};

/* What shall happen to a packet that matches. dp maps each to its verdict. */
enum nexthop_kind {
	NEXTHOP_FORWARD,   /* resolved: l2, port and mtu are valid */
	NEXTHOP_NO_ROUTE,  /* nothing matched (id 0) */
	NEXTHOP_LOCAL,     /* one of our own addresses */
	NEXTHOP_BROADCAST, /* a subnet's directed broadcast (RFC 2644) */
	NEXTHOP_BLACKHOLE,
	NEXTHOP_UNREACHABLE,
	NEXTHOP_PROHIBIT,
	NEXTHOP_UNRESOLVED, /* no MAC address is known */
	NEXTHOP_PORT_DOWN,  /* the port's link is down */
	NEXTHOP_N_KINDS
};

/* A resolved (or not) next hop: one cache line, read by the walk, written by control. port, mtu, family and
 * addr do not change while a published table leads here. l2 changes only while kind is not FORWARD and has
 * not been for a grace period; kind is one store, when a neighbour comes or goes or a link goes up or down.
 * So: read kind first (acquire), then the rest. */
struct adjacency {
	uint8_t l2[16];   /* destination MAC, source MAC; bytes 12..15 are 0 */
	uint32_t mtu;     /* largest IP packet, bytes */
	uint16_t port;    /* ethdev id */
	uint8_t kind;     /* enum nexthop_kind */
	uint8_t family;   /* AF_INET, AF_INET6, 0 = both */
	uint8_t addr[16]; /* the next hop's address, for people */
	uint8_t resolved; /* a MAC is known: kind is FORWARD whenever the link is up */
	uint8_t _pad[23];
} __rte_cache_aligned;

static_assert(sizeof(struct adjacency) == 64, "an adjacency is one line");

/* An ECMP group: flow hash -> bucket -> adjacency. Weights are numbers of buckets. Buckets of next hops that
 * are unresolved or whose port is down lead to those that live, if any does. A bucket is one store too, at any
 * time: read it once (relaxed). */
struct nexthop_group {
	uint16_t bucket[NEXTHOP_BUCKETS]; /* adjacency ids */
};

#endif
