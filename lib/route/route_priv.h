/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a route table, for the files of this directory and their tests. */
#ifndef ROUTE_PRIV_H
#define ROUTE_PRIV_H

#include <stdint.h>

#include "adjacency.h"
#include "choice.h"
#include "fib.h"
#include "group.h"
#include "rib.h"
#include "route.h"

/* index of the family in the arrays of two below */
enum { V4, V6, N_FAMILIES };

struct route_table {
	const struct route_view *view; /* workers load it (acquire); one of views[] */
	struct route_view views[2];
	struct rte_rcu_qsbr *qsbr;
	struct rib ribs[N_FAMILIES];
	struct choice choices[N_FAMILIES];
	struct fib_side sides[N_FAMILIES];
	struct adjacency_table adjacencies;
	struct group_table groups;
	struct own_addr *own; /* [n_own], in order of addition */
	uint32_t n_own;
};

/* What source has for prefix, 0 if nothing. */
uint16_t slot_get(const struct route_table *table, const struct ip_prefix *prefix, enum rib_source source);

/* id 0 empties the slot, which cannot fail. Notes the prefix for the FIB if that may show another id. Returns 0,
 * -ENOMEM. */
int slot_set(struct route_table *table, const struct ip_prefix *prefix, enum rib_source source, uint16_t id);

/* Notes the prefixes for which other prefixes have changed something since the last publication. */
void link_settle(struct route_table *table);

/* The own address addr, or NULL. */
const struct own_addr *own_find(const struct route_table *table, const struct ip_addr *addr);

/* The own address whose subnet holds addr; of several, the longest subnet, then the first added. NULL: none.
 * */
const struct own_addr *own_lookup(const struct route_table *table, const struct ip_addr *addr);

/* Holds the adjacency of whole subnets on port: hosts in them are neighbours that are not resolved yet.
 * Returns 0 and *id, -EINVAL (port not set), -ENOSPC. */
int subnet_hold(struct route_table *table, uint16_t port, uint8_t family, uint16_t *id);

#endif
