/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network of the walk's tests, which is that of tests/vectors with more routes: one table, from which both
 * the route table and the tests' own linear lookup come.
 *
 *   host A 10.0.0.2  --- port 0   port 1 --- host B 10.0.1.2
 *   2001:db8::2          MTU 9000 MTU 1500   2001:db8:1::2
 *
 * Port 2 has no address and no route leads there: only mirrors send by it.
 */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "route.h"
#include "verdict.h"

#define TOPOLOGY_PORTS 3u
#define TOPOLOGY_PATHS 3u

enum topology_how {
	TOPOLOGY_OWN,     /* an own address; its subnet follows as _DERIVED */
	TOPOLOGY_DERIVED, /* what the route table makes of an own address by itself */
	TOPOLOGY_NEIGH,
	TOPOLOGY_ROUTE,
	TOPOLOGY_SPECIAL,
};

struct topology_path {
	const char *via;
	uint8_t mac; /* last byte of the gateway's */
	uint32_t weight;
};

struct topology_row {
	enum topology_how how;
	const char *prefix; /* "10.2.0.0" */
	uint8_t len;        /* of an own address: its subnet's */
	uint16_t port;
	enum verdict verdict;
	uint8_t n_paths; /* where the verdict is forward */
	struct topology_path path[TOPOLOGY_PATHS];
};

extern const struct rte_ether_addr topology_mac[TOPOLOGY_PORTS];
extern const uint32_t topology_mtu[TOPOLOGY_PORTS];

/* The route table, published; one per process, made at the first call. */
struct route_table *topology_routes(void);

/* The row of the longest matching prefix, NULL if there is none: a linear search. addr is network order, family its own. */
const struct topology_row *topology_lookup(uint8_t family, const uint8_t *addr);

#endif
