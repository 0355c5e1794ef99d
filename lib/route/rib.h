/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routing information base of one family: what is known about each prefix,
 * from every source, whether or not a better source hides it. An rte_rib6 holds
 * either family: the IPv4 prefix a.b.c.d/n stands in it as ::ffff:a.b.c.d/(96+n)
 * (RFC 4291 2.5.5.2), so there is one tree code for both.
 *
 * rte_rib6 has a fixed number of nodes; rib_insert() moves to a tree of twice the
 * size when they run out. Only the control thread may call.
 */
#ifndef RIB_H
#define RIB_H

#include <stdint.h>

#include <rte_common.h>

#include "route.h"

/* In order of precedence: the first source that has an id wins. */
enum rib_source {
	RIB_LOCAL,      /* our own address */
	RIB_CONFIGURED, /* route_add and its relatives */
	RIB_CONNECTED,  /* the subnet of an own address, and its directed broadcast */
	RIB_NEIGHBOUR,  /* host route of a neighbour */
	RIB_N_SOURCES
};

/* Lives inside a node of the tree. An id of 0 means that the source has nothing. */
struct rib_entry {
	uint16_t id[RIB_N_SOURCES];
};

struct rte_rib6;

struct rib {
	struct rte_rib6 *tree;
	uint32_t n_prefixes;
	uint32_t n_nodes_max;
	int node;
	uint8_t family;
};

/* Makes an empty RIB on NUMA node. Returns 0, -ENOMEM. */
int
rib_init(struct rib *rib, uint8_t family, int node);
void
rib_fini(struct rib *rib);

/* The entry of exactly this prefix, or NULL. Valid until the next insert or remove. */
struct rib_entry *
rib_find(const struct rib *rib, const struct ip_prefix *prefix);

/* Finds or makes (with all ids 0) the entry of prefix. NULL: no memory. */
struct rib_entry *
rib_insert(struct rib *rib, const struct ip_prefix *prefix);

/* Takes the entry of prefix away, if there is one. */
void
rib_remove(struct rib *rib, const struct ip_prefix *prefix);

/* The id that wins, 0 for a NULL entry. */
uint16_t
rib_entry_best(const struct rib_entry *entry);

/*
 * Calls visit for every prefix, in order of address, a covering prefix before those it covers. cover_len: length of the
 * longest shorter prefix that covers this one, 0 if none. A visit that returns anything but 0 ends the walk, which
 * returns the same. visit must not change the RIB.
 */
typedef int (*rib_visit_t)(
	void *context, const struct ip_prefix *prefix, uint8_t cover_len, const struct rib_entry *entry);
int
rib_walk(const struct rib *rib, rib_visit_t visit, void *context);

#endif
