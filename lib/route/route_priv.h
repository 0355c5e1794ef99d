/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a route table, for the files of this directory and their tests. */
#ifndef ROUTE_PRIV_H
#define ROUTE_PRIV_H

#include <stdint.h>

#include "adjacency.h"
#include "fib.h"
#include "group.h"
#include "rib.h"
#include "route.h"

/* One of our own addresses. */
struct own_addr {
	struct ip_addr addr;
	struct ip_prefix subnet;
	uint16_t port;
};

/* index of the family in the arrays of two below */
enum { V4, V6, N_FAMILIES };

struct route_table {
	const struct route_view *view; /* workers load it (acquire); one of views[] */
	struct route_view views[2];
	struct rte_rcu_qsbr *qsbr;
	struct rib ribs[N_FAMILIES];
	struct fib_side sides[N_FAMILIES];
	struct adjacency_table adjacencies;
	struct group_table groups;
	struct own_addr *own; /* [n_own], in order of addition */
	uint32_t n_own;
};

#endif
