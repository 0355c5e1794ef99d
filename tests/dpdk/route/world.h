/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small world for route tests: two ports, own addresses of both families on each, some neighbours to be
 * gateways, and everything that this puts into the tables also in a linear oracle.
 */
#ifndef WORLD_H
#define WORLD_H

#include <stdint.h>

#include "linear.h"
#include "route.h"

#define WORLD_GATEWAYS 8u

struct world {
	struct route_table *table;
	struct linear linear[2]; /* IPv4, IPv6 */
	struct ip_addr gateway[2][WORLD_GATEWAYS];
	uint16_t gateway_id[2][WORLD_GATEWAYS];
};

/* Text to address or prefix; aborts on nonsense. */
struct ip_addr addr_of(const char *text);
struct ip_prefix prefix_of(const char *text);

void port_setup(struct route_table *table, uint16_t port);
struct rte_ether_addr mac_of(uint8_t last);

/* One lookup in the published view. */
uint16_t lookup_one(const struct route_table *table, const struct ip_addr *addr);
uint16_t lookup_text(const struct route_table *table, const char *addr);

int add_via(struct route_table *table, const char *prefix, const char *via);

void world_create(struct world *world);
void world_destroy(struct world *world);

/* Looks n addresses up in bulks of all sizes, chosen to hit the edges of prefixes; fails the test on a
 * difference. */
void world_verify(struct world *world, unsigned int family, struct random *random, unsigned int n);

/* Fails the test at the first address of addrs[n] where table and oracle differ. */
void world_compare(
	const struct world *world, unsigned int family, const linear_addr_t *addrs, unsigned int n);

#endif
