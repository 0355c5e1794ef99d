/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses and prefixes of both families as byte strings: pure functions, no
 * tables. Everything here is network order; unused bytes of an IPv4 address are
 * ignored on input and 0 on output.
 */
#ifndef PREFIX_H
#define PREFIX_H

#include <stdbool.h>
#include <stdint.h>

#include "route.h"

/* Length in bits of an address of family: 32, 128, or 0 for any other family. */
uint8_t ip_family_bits(uint8_t family);

bool ip_addr_equal(const struct ip_addr *a, const struct ip_addr *b);
/* All bytes 0: 0.0.0.0 or ::. */
bool ip_addr_is_any(const struct ip_addr *addr);

/* Family known, length within it, host bits 0. Changes nothing. */
bool ip_prefix_check(const struct ip_prefix *prefix);

/* Cuts addr to its first len bits; len <= ip_family_bits(addr->family). */
struct ip_prefix ip_prefix_from(const struct ip_addr *addr, uint8_t len);

/* The prefix that holds addr alone: /32 or /128. */
struct ip_prefix ip_prefix_host(const struct ip_addr *addr);

/* The longest prefix that covers both; they are of one family. */
struct ip_prefix ip_prefix_join(const struct ip_prefix *a, const struct ip_prefix *b);

/* The last address of prefix: all host bits 1. */
struct ip_addr ip_prefix_last(const struct ip_prefix *prefix);

/* Is addr of the prefix's family and inside it? */
bool ip_prefix_covers(const struct ip_prefix *prefix, const struct ip_addr *addr);

#endif
