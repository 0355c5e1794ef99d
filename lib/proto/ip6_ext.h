/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * IPv6 extension headers, as the node sees them that a packet is addressed to (RFC 8200 4): nobody else looks. Pure functions of
 * bytes.
 *
 *   IPv6 | hop-by-hop | destination options | routing | fragment | ... | upper layer
 *   40     8 n          8 n                   8 n       8                ^ offset
 */
#ifndef IP6_EXT_H
#define IP6_EXT_H

#include <stdint.h>

#define IP6_NEXT_HBH      0u
#define IP6_NEXT_ROUTING  43u
#define IP6_NEXT_FRAGMENT 44u
#define IP6_NEXT_AUTH     51u
#define IP6_NEXT_ICMP     58u
#define IP6_NEXT_NONE     59u
#define IP6_NEXT_DSTOPTS  60u

#define IP6_FRAGMENT_HLEN 8u

/* What stops the walk along the headers. */
enum ip6_ext_fault {
	IP6_EXT_OK,
	IP6_EXT_TRUNCATED, /* a header or an option is longer than what it is in */
	IP6_EXT_DISCARD, /* an unknown option wants that, and nothing said (RFC 8200 4.2: 01; 11 to a multicast address) */
	IP6_EXT_OPTION, /* the same, and ICMPv6 4/2 with pointer (10; 11 to a unicast address) */
	IP6_EXT_ROUTING, /* a route to go on by, of a type that is not known (RFC 8200 4.4), or type 0 (RFC 5095): 4/0 with pointer */
	IP6_EXT_NEXT /* a hop-by-hop header that is not the first (RFC 8200 4): 4/1 with pointer */
};

struct ip6_chain {
	uint8_t fault;    /* enum ip6_ext_fault */
	uint8_t next;     /* the protocol of what is at offset */
	uint32_t next_at; /* where the byte is that says so */
	uint32_t offset;  /* of the upper layer's or the fragment header; may be the packet's end */
	uint32_t pointer; /* to what is wrong, for the ICMPv6 error */
};

/*
 * Examines the headers behind the IPv6 header at p, of which len >= 40 bytes are there, up to a fragment header, the upper layer, or
 * none (next is IP6_NEXT_NONE). Known options are Pad1, PadN and Router Alert. All offsets are from p. Reads at most len bytes.
 */
void ip6_ext_check(const uint8_t *p, uint32_t len, struct ip6_chain *chain);

/*
 * Finds the upper layer without judging: goes through options, routes, authentication and first fragments. Of another fragment next is
 * IP6_NEXT_FRAGMENT. fault is IP6_EXT_OK or IP6_EXT_TRUNCATED.
 */
void ip6_ext_find(const uint8_t *p, uint32_t len, struct ip6_chain *chain);

#endif
