/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The adjacency table: fixed ids first (enum nexthop_id), then one per (port, address) that a neighbour, a
 * gateway or a connected subnet needs. Workers read entries[]; everything else here is the control thread's.
 *
 * An entry is found by its key (port, address); the address of a whole subnet's adjacency is 0.0.0.0 or ::,
 * so all subnets of one family on one port share it. References: one per connected address, one for a known
 * neighbour, one per path of a configured route or group.
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
	bool link_down;
};

struct adjacency_table {
	struct adjacency *entries; /* [NEXTHOP_MAX], never moves */
	struct ids ids;            /* id n is entry NEXTHOP_ID_FIRST + n */
	struct rte_rcu_qsbr *qsbr; /* NULL: nobody reads */
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

/* One more reference to, or one fewer from, an adjacency; fixed ids have no count. */
void adjacency_ref(struct adjacency_table *table, uint16_t id);
void adjacency_unref(struct adjacency_table *table, uint16_t id);

/*
 * The next hop's MAC is mac. Workers see either nothing of it or all of it: a MAC that changes goes through
 * UNRESOLVED and a grace period, so this waits for their quiescent state then.
 */
void adjacency_resolve(struct adjacency_table *table, uint16_t id, const struct rte_ether_addr *mac);

void adjacency_port_link(struct adjacency_table *table, uint16_t port, bool up);

/* Frees the entries that nothing holds any more. Only after a grace period that began after their last use
 * was unpublished. */
void adjacency_reclaim(struct adjacency_table *table);

uint32_t adjacency_n_unresolved(const struct adjacency_table *table);

#endif
