/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The adjacency table: fixed ids first (enum nexthop_id), then one per (port, address) that a neighbour, a
 * gateway or a connected subnet needs. Workers read entries[]; everything else here is the control thread's.
 *
 * An entry is found by its key (port, address); the address of a whole subnet's adjacency is 0.0.0.0 or ::,
 * so all subnets of one family on one port share it. References: one per connected address, one for a known
 * neighbour, one per path of a configured route or group.
 *
 *   kind = PORT_DOWN   while the port's link is down
 *          FORWARD     otherwise, while a neighbour is known (resolved)
 *          UNRESOLVED  otherwise
 */
#ifndef ADJACENCY_H
#define ADJACENCY_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_config.h>
#include <rte_ether.h>
#include <rte_rcu_qsbr.h>

#include "ids.h"
#include "nexthop.h"
#include "route.h"

struct adjacency_port {
	struct rte_ether_addr mac;
	uint32_t mtu;
	bool known;
};

/* What only the control thread needs to know of an adjacency. */
struct adjacency_use {
	uint64_t hidden_at; /* n_graces when it last ceased to be resolved */
	uint32_t n_leads;   /* configured routes, and groups that are held, that lead through it */
	uint32_t n_groups;  /* groups with it in their buckets, held or retired */
};

struct adjacency_table {
	struct adjacency *entries;  /* [NEXTHOP_MAX], never moves */
	struct adjacency_use *uses; /* [NEXTHOP_MAX] */
	struct ids ids;             /* id n is entry NEXTHOP_ID_FIRST + n */
	struct rte_rcu_qsbr *qsbr;  /* NULL: nobody reads */
	uint64_t n_graces;          /* grace periods that have been waited for, and 1 */
	uint32_t n_down;            /* ports whose link is down */
	bool port_down[RTE_MAX_ETHPORTS];
	struct adjacency_port ports[RTE_MAX_ETHPORTS];
};

/* Returns 0, -ENOMEM. */
int adjacency_init(struct adjacency_table *table, int node, struct rte_rcu_qsbr *qsbr);
void adjacency_fini(struct adjacency_table *table);

/* Returns 0, -EINVAL (no such port number), -EBUSY (adjacencies carry another MAC or MTU of it). */
int adjacency_port_set(
	struct adjacency_table *table, uint16_t port, const struct rte_ether_addr *mac, uint32_t mtu);

bool adjacency_port_known(const struct adjacency_table *table, uint16_t port);

/* Finds or makes the adjacency of addr on port and takes a reference. A new one is unresolved. port is known.
 * Returns 0 and *id, -ENOSPC. */
int adjacency_hold(struct adjacency_table *table, uint16_t port, const struct ip_addr *addr, uint16_t *id);

/* The adjacency of addr on port, NEXTHOP_ID_NO_ROUTE if there is none. */
uint16_t adjacency_find(const struct adjacency_table *table, uint16_t port, const struct ip_addr *addr);

/* One more reference to, or one fewer from, an adjacency; fixed ids have no count. */
void adjacency_ref(struct adjacency_table *table, uint16_t id);
void adjacency_unref(struct adjacency_table *table, uint16_t id);

/*
 * The next hop's MAC is mac. Workers see either nothing of it or all of it: a MAC that is another than before
 * goes through a grace period with kind UNRESOLVED, which this waits for unless there was one since
 * adjacency_unresolve().
 */
void adjacency_resolve(struct adjacency_table *table, uint16_t id, const struct rte_ether_addr *mac);

/* The MAC is not known any more. Visible to workers at once. */
void adjacency_unresolve(struct adjacency_table *table, uint16_t id);

/* Returns false if nothing changed: the link was like this already, or there is no such port number. */
bool adjacency_port_link(struct adjacency_table *table, uint16_t port, bool up);

/* Waits until every worker has passed a quiescent state. */
void adjacency_grace(struct adjacency_table *table);

/* One route or group more (fewer) leads through the adjacency. */
void adjacency_lead(struct adjacency_table *table, uint16_t id);
void adjacency_unlead(struct adjacency_table *table, uint16_t id);

/* Frees the entries that nothing holds any more. Only after a grace period that began after their last use
 * was unpublished. */
void adjacency_reclaim(struct adjacency_table *table);

uint32_t adjacency_n_unresolved(const struct adjacency_table *table);

#endif
