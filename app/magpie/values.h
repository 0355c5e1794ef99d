/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strict parsers for the values of options: the whole text must be the value, nothing before, behind or left out.
 * Each returns 0 and *out, or -EINVAL and *why. They keep no state; any thread.
 */
#ifndef VALUES_H
#define VALUES_H

#include <stdint.h>

#include <rte_ether.h>

#include "complaint.h"
#include "route.h"

#define ADDRESS_TEXT_LEN 64 /* room for any address or prefix as text */

/* Decimal digits only, from min to max. */
int number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *out, struct complaint *why);

/* Decimal digits, or hexadecimal ones behind 0x; up to max. */
int hex_or_number_parse(const char *text, uint64_t max, uint64_t *out, struct complaint *why);

/* An IPv4 or IPv6 address of a host: not unspecified, multicast, loopback or limited broadcast. */
int host_parse(const char *text, struct ip_addr *out, struct complaint *why);

/* ADDR/LEN of a route: host bits must be 0. */
int prefix_parse(const char *text, struct ip_prefix *out, struct complaint *why);

/* ADDR/LEN of an interface: a host address in its subnet, neither its network nor its broadcast address. */
int interface_parse(const char *text, struct ip_addr *out, uint8_t *len, struct complaint *why);

/* A station's MAC address: six pairs of hex digits with colons, not zero, not a group. */
int mac_parse(const char *text, struct rte_ether_addr *out, struct complaint *why);

/* Text for people. Both return room. */
const char *address_text(const struct ip_addr *addr, char room[ADDRESS_TEXT_LEN]);
const char *prefix_text(const struct ip_prefix *prefix, char room[ADDRESS_TEXT_LEN]);

#endif
