/* SPDX-License-Identifier: BSD-3-Clause */
/* IPv6 as a forwarder sees it: is this header fit to be forwarded (RFC 8200, 4291, 6890). Pure functions of bytes. */
#ifndef IP6_H
#define IP6_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"

#define IP6_HLEN      40u
#define IP6_ALEN      16u /* of an address */
#define IP6_DST       24u /* offset of the destination */
#define IP6_HOP_LIMIT 7u  /* offset of the hop limit */

/* fe80::/10 (RFC 4291 2.5.6): means something on its own link only. */
static inline bool
ip6_is_link_local(const uint8_t *addr)
{
	return addr[0] == 0xfe && (addr[1] & 0xc0) == 0x80;
}

/* Why a header is not fit, in the order it is judged. */
enum ip6_fault {
	IP6_OK,
	IP6_TRUNCATED,
	IP6_VERSION,
	IP6_LENGTH,
	IP6_JUMBOGRAM,
	IP6_SRC_MARTIAN,
	IP6_LINK_ICMP, /* ICMPv6 to ff02::/16: neighbour discovery, for the control thread */
	IP6_DST_MARTIAN,
	IP6_MULTICAST,
	IP6_LINK_LOCAL,     /* source or destination in fe80::/10: only for us if at all */
	IP6_HOP_LIMIT_USED, /* 0 or 1: last, since it does not matter to a packet that is for us */
	IP6_N_FAULTS
};

/*
 * Judges the header at p, of which len bytes were received (padding included).
 * Returns the first fault in the order above; IP6_OK also for a packet shorter than len.
 * Reads at most len bytes. Extension headers are not examined in transit (RFC 8200 4).
 */
enum ip6_fault ip6_check(const uint8_t *p, uint32_t len);

#endif
