/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * IPv4 as a forwarder sees it: is this header fit to be forwarded (RFC 1812 5.2.2,
 * 5.3.7), and what one hop changes in it (RFC 1624). Pure functions of bytes.
 */
#ifndef IP4_H
#define IP4_H

#include <stdint.h>

#include "bytes.h"

#define IP4_HLEN     20u /* without options */
#define IP4_ALEN     4u  /* of an address */
#define IP4_DST      16u /* offset of the destination */
#define IP4_TTL_WORD 8u  /* offset of the word TTL, protocol, checksum */

/* Why a header is not fit, in the order it is judged. */
enum ip4_fault {
	IP4_OK,
	IP4_TRUNCATED,
	IP4_CHECKSUM,
	IP4_VERSION,
	IP4_IHL,
	IP4_LENGTH,
	IP4_OPTIONS,
	IP4_SOURCE_ROUTE,
	IP4_SRC_MARTIAN,
	IP4_DST_MARTIAN,
	IP4_MULTICAST,
	IP4_BROADCAST,
	IP4_TTL, /* 0 or 1: last, since it does not matter to a packet that is for us */
	IP4_N_FAULTS
};

/*
 * Judges the header at p, of which len bytes were received (padding included).
 * Returns the first fault in the order above; IP4_OK also for a packet shorter than len.
 * Reads at most len bytes. The rules: RFC 1812 5.2.2 (1)-(5), 5.2.4, 5.3.7, RFC 6890.
 */
enum ip4_fault ip4_check(const uint8_t *p, uint32_t len);

/*
 * The word TTL, protocol, checksum (memory order) of a packet with TTL >= 1, one hop later.
 *
 * RFC 1624 eqn 3: HC' = ~(~HC + ~m + m'). With m' = m - 0x0100 (TTL is the high byte of
 * its 16-bit word) ~m + m' is 0xfeff in one's complement, so HC' = HC + 0x0100
 * with the carry added back. Of the two zeros it must give 0x0000 (never 0xffff):
 *
 *   HC   0xfeff -> 0x0000    0xff00 -> 0x0001    0x0000 -> 0x0100    0xffff -> 0x0100
 *
 * In memory order on a little-endian machine HC + 0x0100 is c + 1, c the checksum as loaded.
 * c = 0xfffe would become 0xffff: one more makes it 0; c = 0xffff, the same.
 */
static inline uint32_t
ip4_ttl_rewrite(uint32_t word)
{
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	uint32_t c = word >> 16;

	c = c + 1 + (c >= 0xfffe);
	return ((word & 0xffff) - 1) | (c << 16);
#else
	uint32_t c = (word & 0xffff) + 0x0100;

	c = (c & 0xffff) + (c >> 16);
	return ((word & 0xffff0000) - 0x01000000) | (c == 0xffff ? 0 : c);
#endif
}

#endif
