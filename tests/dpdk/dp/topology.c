/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of topology.h, twice: told to lib/route, and searched row by row. */
#include "topology.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_lcore.h>

const struct rte_ether_addr topology_mac[TOPOLOGY_PORTS] = {
	{{0x02, 0, 0, 0, 0, 0x01}},
	{{0x02, 0, 0, 0, 0, 0x02}},
	{{0x02, 0, 0, 0, 0, 0x03}},
};

const uint32_t topology_mtu[TOPOLOGY_PORTS] = {9000, 1500, 9000};

#define A_4                         \
	{                           \
		"10.0.0.2", 0x0a, 1 \
	}
#define B_4                         \
	{                           \
		"10.0.1.2", 0x0b, 1 \
	}
#define B_6                              \
	{                                \
		"2001:db8:1::2", 0x0b, 1 \
	}
#define FWD  VERDICT_forward
#define NONE VERDICT_neigh_unresolved

/* clang-format off */
static const struct topology_row rows[] = {
	{TOPOLOGY_OWN,     "10.0.0.1",          24, 0, VERDICT_punt_local},
	{TOPOLOGY_DERIVED, "10.0.0.0",          24, 0, NONE},
	{TOPOLOGY_DERIVED, "10.0.0.255",        32, 0, VERDICT_ip4_broadcast},
	{TOPOLOGY_OWN,     "10.0.1.1",          24, 1, VERDICT_punt_local},
	{TOPOLOGY_DERIVED, "10.0.1.0",          24, 1, NONE},
	{TOPOLOGY_DERIVED, "10.0.1.255",        32, 1, VERDICT_ip4_broadcast},
	{TOPOLOGY_OWN,     "2001:db8::1",       64, 0, VERDICT_punt_local},
	{TOPOLOGY_DERIVED, "2001:db8::",        64, 0, NONE},
	{TOPOLOGY_OWN,     "fe80::ff:fe00:1",   64, 0, VERDICT_punt_local},
	{TOPOLOGY_DERIVED, "fe80::",            64, 0, NONE},
	{TOPOLOGY_OWN,     "2001:db8:1::1",     64, 1, VERDICT_punt_local},
	{TOPOLOGY_DERIVED, "2001:db8:1::",      64, 1, NONE},
	{TOPOLOGY_NEIGH,   "10.0.0.2",          32, 0, FWD, 1, {A_4}},
	{TOPOLOGY_NEIGH,   "10.0.1.2",          32, 1, FWD, 1, {B_4}},
	{TOPOLOGY_NEIGH,   "10.0.1.3",          32, 1, FWD, 1, {{"10.0.1.3", 0x0c, 1}}},
	{TOPOLOGY_NEIGH,   "10.0.1.4",          32, 1, FWD, 1, {{"10.0.1.4", 0x0d, 1}}},
	{TOPOLOGY_NEIGH,   "2001:db8::2",      128, 0, FWD, 1, {{"2001:db8::2", 0x0a, 1}}},
	{TOPOLOGY_NEIGH,   "2001:db8:1::2",    128, 1, FWD, 1, {B_6}},
	{TOPOLOGY_NEIGH,   "2001:db8:1::3",    128, 1, FWD, 1, {{"2001:db8:1::3", 0x0c, 1}}},
	/* of the published vectors */
	{TOPOLOGY_ROUTE,   "10.156.94.34",      32, 1, FWD, 1, {B_4}},
	{TOPOLOGY_ROUTE,   "240.0.0.0",          4, 1, FWD, 1, {B_4}},
	{TOPOLOGY_ROUTE,   "169.254.0.0",       16, 1, FWD, 1, {B_4}},
	/* one inside the other */
	{TOPOLOGY_ROUTE,   "10.2.0.0",          16, 1, FWD, 1, {B_4}},
	{TOPOLOGY_ROUTE,   "10.2.3.0",          24, 0, FWD, 1, {A_4}},
	{TOPOLOGY_SPECIAL, "10.2.3.128",        25, 0, VERDICT_blackhole},
	{TOPOLOGY_ROUTE,   "10.2.3.129",        32, 1, FWD, 1, {{"10.0.1.3", 0x0c, 1}}},
	{TOPOLOGY_ROUTE,   "2001:db8:2::",      48, 1, FWD, 1, {B_6}},
	{TOPOLOGY_ROUTE,   "2001:db8:2:3::",    64, 0, FWD, 1, {{"2001:db8::2", 0x0a, 1}}},
	{TOPOLOGY_SPECIAL, "2001:db8:2:3::80", 121, 0, VERDICT_blackhole},
	{TOPOLOGY_SPECIAL, "10.66.0.0",         16, 0, VERDICT_blackhole},
	{TOPOLOGY_SPECIAL, "10.67.0.0",         16, 0, VERDICT_unreachable},
	{TOPOLOGY_SPECIAL, "10.68.0.0",         16, 0, VERDICT_prohibit},
	{TOPOLOGY_SPECIAL, "2001:db8:66::",     48, 0, VERDICT_blackhole},
	{TOPOLOGY_SPECIAL, "2001:db8:67::",     48, 0, VERDICT_unreachable},
	{TOPOLOGY_SPECIAL, "2001:db8:68::",     48, 0, VERDICT_prohibit},
	{TOPOLOGY_ROUTE,   "10.71.0.0",         16, 1, NONE, 1, {{"10.0.1.99", 0, 1}}},
	{TOPOLOGY_ROUTE,   "2001:db8:71::",     48, 1, NONE, 1, {{"2001:db8:1::99", 0, 1}}},
	{TOPOLOGY_ROUTE,   "10.70.0.0",         16, 1, FWD, 3,
		{B_4, {"10.0.1.3", 0x0c, 2}, {"10.0.1.4", 0x0d, 5}}},
	{TOPOLOGY_ROUTE,   "2001:db8:70::",     48, 1, FWD, 2, {B_6, {"2001:db8:1::3", 0x0c, 3}}},
};
/* clang-format on */

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static struct ip_addr
addr_parse(const char *text)
{
	struct ip_addr addr = {.family = strchr(text, ':') != NULL ? AF_INET6 : AF_INET};

	if (inet_pton(addr.family, text, addr.bytes) != 1)
		abort();
	return addr;
}

static int
add_route(struct route_table *table, const struct topology_row *row)
{
	const struct ip_prefix prefix = {addr_parse(row->prefix), row->len};
	struct route_path paths[TOPOLOGY_PATHS];

	for (uint32_t i = 0; i < row->n_paths; i++)
		paths[i] = (struct route_path){addr_parse(row->path[i].via), row->path[i].weight};
	return route_add(table, &prefix, paths, row->n_paths);
}

static int
add_special(struct route_table *table, const struct topology_row *row)
{
	const struct ip_prefix prefix = {addr_parse(row->prefix), row->len};
	const enum nexthop_kind kind = row->verdict == VERDICT_blackhole     ? NEXTHOP_BLACKHOLE
				       : row->verdict == VERDICT_unreachable ? NEXTHOP_UNREACHABLE
									     : NEXTHOP_PROHIBIT;

	return route_add_special(table, &prefix, kind);
}

static int
add_row(struct route_table *table, const struct topology_row *row)
{
	const struct ip_addr addr = addr_parse(row->prefix);
	const struct rte_ether_addr mac = {{0x02, 0, 0, 0, 0, row->path[0].mac}};

	switch (row->how) {
	case TOPOLOGY_OWN: return route_add_connected(table, row->port, &addr, row->len);
	case TOPOLOGY_NEIGH: return route_neigh_add(table, row->port, &addr, &mac);
	case TOPOLOGY_ROUTE: return add_route(table, row);
	case TOPOLOGY_SPECIAL: return add_special(table, row);
	case TOPOLOGY_DERIVED: break;
	}
	return 0;
}

struct route_table *
topology_routes(void)
{
	static struct route_table *table;
	int err = 0;

	if (table != NULL)
		return table;
	err = route_table_create((int)rte_socket_id(), NULL, &table);
	for (uint16_t p = 0; p < TOPOLOGY_PORTS && err == 0; p++)
		err = route_port_set(table, p, &topology_mac[p], topology_mtu[p]);
	for (size_t i = 0; i < N_ROWS && err == 0; i++) {
		err = add_row(table, &rows[i]);
		if (err != 0)
			fprintf(stderr, "row %zu, %s: %s\n", i, rows[i].prefix, strerror(-err));
	}
	if (err == 0)
		err = route_publish(table);
	if (err != 0)
		abort();
	return table;
}

static bool
matches(const struct ip_addr *prefix, uint32_t len, const uint8_t *addr)
{
	for (uint32_t bit = 0; bit < len; bit++)
		if (((prefix->bytes[bit / 8] ^ addr[bit / 8]) >> (7 - bit % 8) & 1) != 0)
			return false;
	return true;
}

const struct topology_row *
topology_lookup(uint8_t family, const uint8_t *addr)
{
	const struct topology_row *best = NULL;
	uint32_t best_len = 0;

	for (size_t i = 0; i < N_ROWS; i++) {
		const struct topology_row *row = &rows[i];
		const struct ip_addr prefix = addr_parse(row->prefix);
		const uint32_t bits = family == AF_INET ? 32 : 128;
		const uint32_t len = row->how == TOPOLOGY_OWN ? bits : row->len;

		if (prefix.family != family || !matches(&prefix, len, addr))
			continue;
		if (best == NULL || len > best_len) {
			best = row;
			best_len = len;
		}
	}
	return best;
}
