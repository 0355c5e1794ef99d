/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routing information base of one family: what is known about each prefix, from every
 * source, whether or not a better source hides it. Nobody looks addresses up here, only prefixes,
 * so it is a hash table (rte_hash), and a sorted copy when a FIB is to be built (choice.h). (As a tree, rte_rib took
 * four times the memory and rte_rib6 ten times the time: doc/adr/0001-fib.md.) Control thread only.
 */
#ifndef RIB_H
#define RIB_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "route.h"

/* In order of precedence: the first source that has a usable id (choice.h) wins. */
enum rib_source {
	RIB_LOCAL,      /* our own address */
	RIB_CONFIGURED, /* route_add and its relatives */
	RIB_CONNECTED,  /* the subnet of an own address, and its directed broadcast */
	RIB_NEIGHBOUR,  /* host route of a neighbour */
	RIB_N_SOURCES
};

/* What a prefix has. An id of 0 means that the source has nothing. */
struct rib_entry {
	uint16_t id[RIB_N_SOURCES];
};

static_assert(sizeof(struct rib_entry) == sizeof(void *), "an entry is the data word of rte_hash");

struct rte_hash;

struct rib {
	struct rte_hash *hash;
	uint32_t n_prefixes; /* with an id from some source */
	uint32_t n_max;      /* what hash has room for */
	int node;
	uint8_t family;
};

/* Makes an empty RIB on NUMA node. Returns 0, -ENOMEM. */
int rib_init(struct rib *rib, uint8_t family, int node);
void rib_fini(struct rib *rib);

/* What prefix has; all ids 0 if nothing. */
struct rib_entry rib_get(const struct rib *rib, const struct ip_prefix *prefix);

/* Replaces what prefix has; all ids 0 takes it out, which cannot fail. Returns 0, -ENOMEM. */
int rib_set(struct rib *rib, const struct ip_prefix *prefix, struct rib_entry entry);

/* The id that wins while all links are up, 0 if there is none. */
uint16_t rib_entry_best(const struct rib_entry *entry);

/* The next prefix, in no order, and moves *at behind it; false: there are no more. Start with *at = 0; nothing
 * may change on the way. */
bool rib_next(const struct rib *rib, uint32_t *at, struct ip_prefix *prefix, struct rib_entry *entry);

#endif
