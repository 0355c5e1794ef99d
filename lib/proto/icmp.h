/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ICMP (RFC 792) and ICMPv6 (RFC 4443): which error tells what, and about which packets none may be sent. Pure functions of
 * bytes.
 */
#ifndef ICMP_H
#define ICMP_H

#include <stdbool.h>
#include <stdint.h>

#define ICMP_HLEN 8u /* of every message of both: type, code, checksum, a word that depends on the type */
#define ICMP_SUM  2u /* offset of the checksum */

#define ICMP4_ECHO_REPLY 0u
#define ICMP4_ECHO       8u
#define ICMP6_ECHO       128u
#define ICMP6_ECHO_REPLY 129u

/* Longest error, IP header included, that carries as much of the packet as fits: RFC 1812 4.3.2.3, RFC 4443 2.4 (c). */
#define ICMP4_ERROR_MAX 576u
#define ICMP6_ERROR_MAX 1280u

/* What a sender is told about its packet. What info is: see icmp4_error_write(). */
enum icmp_error {
	ICMP_ERROR_NONE,
	ICMP_ERROR_TTL,        /* 11/0, 3/0: time or hop limit exceeded in transit */
	ICMP_ERROR_REASSEMBLY, /* 11/1, 3/1: fragments missing after the time limit */
	ICMP_ERROR_NO_ROUTE,   /* 3/0, 1/0 */
	ICMP_ERROR_HOST,       /* 3/1, 1/3: host, address unreachable */
	ICMP_ERROR_PROHIBITED, /* 3/13, 1/1: administratively prohibited */
	ICMP_ERROR_PROTOCOL,   /* 3/2, 4/1: no such protocol here; IPv6: named at offset info */
	ICMP_ERROR_PORT,       /* 3/3, 1/4: no such port here */
	ICMP_ERROR_TOO_BIG,    /* 3/4, 2/0: larger than an MTU on its way, which info is */
	ICMP_ERROR_PARAM,      /* 12/0, 4/0: an erroneous header field at offset info */
	ICMP_ERROR_PARAM_OPTION, /* 4/2: an IPv6 option that is not known at offset info; in IPv4 as ICMP_ERROR_PARAM */
	ICMP_N_ERRORS
};

/* Its name, as in statistics: "ttl", "too_big". */
const char *icmp_error_name(enum icmp_error error);

/*
 * Writes the first ICMP_HLEN bytes of an error, with checksum 0, to p. Of info there is in the last word: an MTU in bytes, 16 bits for
 * IPv4 (RFC 1191 4; a larger one as 65535), 32 for IPv6; an offset into the packet, 8 bits at the front for IPv4 (RFC 792),
 * 32 for IPv6; 0 with all other errors.
 */
void icmp4_error_write(uint8_t *p, enum icmp_error error, uint32_t info);
void icmp6_error_write(uint8_t *p, enum icmp_error error, uint32_t info);

/*
 * Whether the sender of the packet, whose IP header is at p, may be told of error. len bytes of it are there; what does not show in
 * them is taken for the worse. False for an ICMP error or what could be one, for a sender or receiver that is not a single host, for
 * fragments but the first one. RFC 1812 4.3.2.7, RFC 1122 3.2.2; RFC 4443 2.4 (e), of which the exceptions for multicast are kept. IPv6 has
 * no rule about fragments: RFC 4443 3.2 and RFC 8200 4.5 want TOO_BIG and PARAM about any. What only a
 * router's tables tell (own addresses, directed broadcasts) and the link layer's addresses are the caller's affair.
 */
bool icmp4_error_allowed(const uint8_t *p, uint32_t len);
bool icmp6_error_allowed(const uint8_t *p, uint32_t len, enum icmp_error error);

/* Whether error is one of the two that may be sent about multicasts, of the network or the link layer (RFC 4443 2.4 (e.3)). */
bool icmp6_error_multicast(enum icmp_error error);

/*
 * Whether the message at p, len bytes long and an error for us, holds what an error must: the IP header of a packet, and of IPv4 the 8 bytes behind it
 * (RFC 792, RFC 4443 2.4 (c)). True for a message that is no error.
 */
bool icmp4_error_complete(const uint8_t *p, uint32_t len);
bool icmp6_error_complete(const uint8_t *p, uint32_t len);

/* The sum of the pseudo header (RFC 8200 8.1), not complemented, in the machine's order: addrs[32] source and destination, len of the
 * upper layer. */
uint32_t icmp6_pseudo_sum(const uint8_t *addrs, uint32_t len);

#endif
