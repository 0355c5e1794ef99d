/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The oracle of the FIB tests: an unordered array of prefixes, longest match by looking at all of them. An
 * address of either family is the top bits of a 128-bit number. Shares no code with lib/route.
 */
#ifndef LINEAR_H
#define LINEAR_H

#include <stdint.h>

#include "route.h"

typedef unsigned __int128 linear_addr_t;

struct linear_entry {
	linear_addr_t addr;
	linear_addr_t mask;
	uint8_t len;
	uint16_t id;
};

struct linear {
	struct linear_entry *entries;
	unsigned int n, n_max;
	uint8_t family;
};

void linear_init(struct linear *table, uint8_t family, unsigned int n_max);
void linear_fini(struct linear *table);

/* Adds or replaces. */
void linear_set(struct linear *table, const struct ip_prefix *prefix, uint16_t id);
/* Index of the prefix, or -1. */
int linear_find(const struct linear *table, const struct ip_prefix *prefix);
void linear_remove(struct linear *table, unsigned int i);
/* 0: no match. */
uint16_t linear_lookup(const struct linear *table, linear_addr_t addr);

linear_addr_t linear_mask(uint8_t len);
linear_addr_t linear_addr(const struct ip_addr *addr);
struct ip_addr linear_to_addr(uint8_t family, linear_addr_t value);
struct ip_prefix linear_to_prefix(uint8_t family, linear_addr_t value, uint8_t len);

/* xorshift128+ (Vigna 2014): the same numbers everywhere for one seed. */
struct random {
	uint64_t state[2];
};
void random_seed(struct random *random, uint64_t seed);
uint64_t random_next(struct random *random);
unsigned int random_below(struct random *random, unsigned int n);

#endif
