/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes of both families: the RIB (rte_hash) is the truth, the FIB
 * (rte_fib, rte_fib6) is what the walk reads, adjacencies are what it yields.
 *
 *   route_add/del --> RIB --> standby FIB --route_publish()--> published FIB <-- the walk
 *
 * Workers never see an edit: changes are made to the standby copy, publish swaps the two
 * pointers and waits until every worker has passed a quiescent state (rte_rcu_qsbr), then
 * brings the other copy up to date. The second copy is made by the first change after a
 * publication, so a table that never changes costs one. When an incremental update of
 * rte_fib fails for want of tbl8 groups (DPDK bug 1731) the standby is built anew from the RIB, larger if
 * need be.
 *
 * Precedence for one prefix: own address (local) > configured route > connected > neighbour.
 *
 * Links. A next hop over a port that is down is not usable; nor is a group, if all of its next hops are. Own
 * addresses, directed broadcasts, blackholes and their like always are. A prefix yields the first of its sources
 * that is usable. If none is, it is withdrawn, be it configured, connected or a neighbour's, so that lookups
 * fall to the longest shorter prefix that is not; unless no shorter prefix is usable: then it stays, and its
 * packets go to NEXTHOP_PORT_DOWN. This holds for every published table, whatever came first. (Of two ports
 * with the same subnet, or the same neighbour, only the first has the prefix, also while it is down.)
 *
 * Groups. A next hop of a group that is unresolved or whose port is down leaves it at once, and its flows
 * are shared out among those that live, by weight; those of other next hops do not move. When it is back, so are
 * its flows. If none lives, all get their own flows, and packets are told why (group.h).
 *
 * Threads: everything that changes runs on one thread at a time (main at start, then control);
 * the lookups run on any worker that is registered with the qsbr variable.
 */
#ifndef ROUTE_H
#define ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>
#include <rte_rcu_qsbr.h>

#include "nexthop.h"

struct rte_fib;
struct rte_fib6;

/* An address of either family, network order; IPv4 in the first 4 bytes. */
struct ip_addr {
	uint8_t family; /* AF_INET or AF_INET6 */
	uint8_t bytes[16];
};

struct ip_prefix {
	struct ip_addr addr; /* host bits 0 */
	uint8_t len;
};

/* One path of a route. */
struct route_path {
	struct ip_addr via;
	uint32_t weight; /* >= 1 */
};

struct route_table;

/* What the walk holds: one pointer load per burst gives a consistent view. */
struct route_view {
	struct rte_fib *fib4; /* NULL while the family has no entry: every lookup yields id 0 */
	struct rte_fib6 *fib6;
};

/*
 * Makes an empty table on NUMA node. qsbr: the workers' variable, NULL if nobody reads yet.
 * Returns 0 and *table, or -ENOMEM.
 */
int route_table_create(int node, struct rte_rcu_qsbr *qsbr, struct route_table **table);
void route_table_destroy(struct route_table *table);

/* Our own address on port: adds the local /32 or /128, the connected prefix (unresolved), and for IPv4
 * prefixes up to /30 the directed broadcast (RFC 3021: a /31 has none). Of two ports with the same subnet
 * the first keeps it.
 * Returns 0, -EINVAL (port not set, len or family wrong), -EEXIST (the address is ours already), -ENOSPC
 * (next-hop table full), -ENOMEM. */
int route_add_connected(struct route_table *table, uint16_t port, const struct ip_addr *addr, uint8_t len);

/* Tells the table a port's MAC address and MTU (largest IP packet, bytes); before any address, neighbour or
 * route that uses it. The link counts as up until route_port_link() says otherwise.
 * Returns 0, -EINVAL (port >= RTE_MAX_ETHPORTS), -EBUSY (in use with another MAC or MTU). */
int route_port_set(struct route_table *table, uint16_t port, const struct rte_ether_addr *mac, uint32_t mtu);

/*
 * The link of port is up, or down. Every adjacency over it goes to (or comes back from) NEXTHOP_PORT_DOWN, and
 * leaves (or comes back to) its groups, visible to workers at once. Prefixes that fall to others, or are
 * withdrawn, do so with the next route_publish(). Looks through the whole RIB: 0.1 to 0.3 s for a million
 * prefixes. Does nothing if the link is like this already.
 * Returns true if a route_publish() is due.
 */
bool route_port_link(struct route_table *table, uint16_t port, bool up);

/* A neighbour is known: resolves the adjacency of (port, addr), adding a host route for it.
 * Visible to workers at once where a published route leads to the adjacency; the host route with the next
 * route_publish(). A second call replaces the MAC; if it differs, packets count as unresolved until all
 * workers have passed a quiescent state, which it waits for (also when the neighbour was taken away in between,
 * unless there was a publication since). The same address on two ports: each is resolved
 * for its gateways, the first has the host route.
 * Returns 0, -EINVAL (port unknown, address 0), -ENOSPC, -ENOMEM. */
int route_neigh_add(struct route_table *table, uint16_t port, const struct ip_addr *addr,
	const struct rte_ether_addr *mac);

/*
 * Takes a neighbour away that route_neigh_add() made known: its adjacency is unresolved (no MAC address) at
 * once, its host route goes with the next route_publish(), to a neighbour of the same address on another port
 * if there is one (the lowest). Routes and groups through it stay, and wait. It may come back at any time.
 * Returns 0, -ENOENT (not known).
 */
int route_neigh_del(struct route_table *table, uint16_t port, const struct ip_addr *addr);

/*
 * Adds prefix through paths[n]: n == 1 an adjacency, more an ECMP group. Each via must lie in a connected
 * subnet of some port and not be our own. An adjacency without a neighbour is made unresolved and resolves
 * when route_neigh_add() is called, in either order. Each path has the part of NEXTHOP_BUCKETS that its
 * weight is of the sum, exact to less than one bucket; a weight below 1/256 of the sum may get none. The
 * same via twice counts as one with both weights. Adding what is there already (the same paths, in any
 * order) returns 0.
 * Returns 0, -EEXIST (the prefix has another route), -ENETUNREACH (a via is on no connected subnet),
 * -EADDRINUSE (a via is ours), -EINVAL (families differ, host bits set, n 0 or > NEXTHOP_GROUP_MAX, weight
 * 0), -ENOSPC, -ENOMEM. Nothing has changed then.
 */
int route_add(struct route_table *table, const struct ip_prefix *prefix, const struct route_path *paths,
	unsigned int n);
/* On-link over port: hosts in prefix are neighbours there; a prefix of one host has that host as its gateway.
 * Returns 0, -EEXIST, -EINVAL (also: port unknown), -ENOSPC, -ENOMEM. */
int route_add_onlink(struct route_table *table, const struct ip_prefix *prefix, uint16_t port);
/* kind: NEXTHOP_BLACKHOLE, _UNREACHABLE or _PROHIBIT, otherwise -EINVAL. Returns 0, -EEXIST, -ENOMEM. */
int route_add_special(struct route_table *table, const struct ip_prefix *prefix, enum nexthop_kind kind);
/* Takes a configured route away, and so uncovers what the prefix has from other sources. Returns 0, -ENOENT.
 * Next hops that nothing uses any more are free for others after the next route_publish(). */
int route_del(struct route_table *table, const struct ip_prefix *prefix);

/* One of our own addresses. */
struct own_addr {
	struct ip_addr addr;
	struct ip_prefix subnet;
	uint16_t port;
};

/* Own address i, in order of addition; NULL: there are no more. Control thread. */
const struct own_addr *route_own(const struct route_table *table, unsigned int i);

/* A next hop that some route leads through: gateways are asked for before anybody needs them, so that ECMP
 * groups know which live. */
struct route_gateway {
	uint16_t port;
	struct ip_addr addr;
};

/* The first gateway of a configured route or group at or after *at, resolved or not, and moves *at behind it;
 * each is met once. false: there are no more. Start with *at = 0. Control thread. */
bool route_gateway_next(const struct route_table *table, uint16_t *at, struct route_gateway *gateway);

/* Makes all changes since the last call visible to workers; waits for their quiescent state. The caller is
 * not one of them.
 * Returns 0, or -ENOMEM (the FIB does not fit in memory): then workers still see the old table. */
int route_publish(struct route_table *table);

/* The published view: read it once per burst. Any worker. */
const struct route_view *route_view(const struct route_table *table);
const struct adjacency *route_adjacencies(const struct route_table *table);
const struct nexthop_group *route_groups(const struct route_table *table);

/* Bulk lookups: addrs[n] to ids[n]; IPv4 in host order, IPv6 as n * 16 bytes. Default: id 0 (no route). */
void route_lookup4_bulk(const struct route_view *view, const uint32_t *addrs, uint64_t *ids, unsigned int n);
void route_lookup6_bulk(
	const struct route_view *view, const uint8_t (*addrs)[16], uint64_t *ids, unsigned int n);

/* For people and tests. */
struct route_counts {
	uint32_t routes4, routes6, adjacencies, unresolved, groups;
	uint64_t fib_bytes;
};
void route_counts(const struct route_table *table, struct route_counts *counts);

#endif
