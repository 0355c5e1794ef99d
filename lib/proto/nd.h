/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Neighbour discovery for IPv6 (RFC 4861) on Ethernet (RFC 2464): solicitations and advertisements, and the report that
 * tells a switch which of their groups we listen to (RFC 3810). Pure functions of bytes; addresses are in network order.
 */
#ifndef ND_H
#define ND_H

#include <stdbool.h>
#include <stdint.h>

#define ND_SOLICIT 135u /* ICMPv6 types */
#define ND_ADVERT  136u

/* In the first byte behind an advertisement's checksum (RFC 4861 4.4). Elsewhere Linux never believes that we are there. */
#define ND_ROUTER    0x80u
#define ND_SOLICITED 0x40u
#define ND_OVERRIDE  0x20u

#define ND_LEN  72u /* of the packets made here, IPv6 header and link-layer address option included */
#define MLD_LEN 76u /* of a report: IPv6 header, router alert, one group */

/* Why a message is not valid (RFC 4861 7.1.1, 7.1.2), in the order it is judged. The checksum is the caller's. */
enum nd_fault {
	ND_OK,
	ND_HOP_LIMIT, /* not 255: a router has forwarded it */
	ND_TRUNCATED, /* shorter than 24 bytes */
	ND_CODE,      /* not 0 */
	ND_TARGET,    /* a multicast address */
	ND_OPTION,    /* of length 0, or beyond the message */
	ND_UNSPECIFIED, /* a solicitation from ::, not to a solicited-node group or with a source link-layer address */
	ND_MULTICAST, /* an advertisement to a group that says it was solicited */
	ND_N_FAULTS
};

/* What one says. Pointers lead into the message. */
struct nd {
	uint8_t type;          /* ND_SOLICIT or ND_ADVERT */
	uint8_t flags;         /* of an advertisement: ND_ROUTER, ND_SOLICITED, ND_OVERRIDE */
	const uint8_t *target; /* 16 bytes */
	/* The source's (solicitation) or target's (advertisement) MAC address; NULL: there is no such option of 8 bytes. Of several the first. */
	const uint8_t *mac;
};

/*
 * Reads the message at p, len bytes, whose IPv6 header is at ip6; p[0] is ND_SOLICIT or ND_ADVERT. Returns the first fault in the order
 * above, or ND_OK and *nd. Reads IP6_HLEN bytes and at most len bytes.
 */
enum nd_fault nd_parse(const uint8_t *ip6, const uint8_t *p, uint32_t len, struct nd *nd);

/* The group in which addr is asked for: ff02::1:ff00:0/104 and its last 3 bytes (RFC 4291 2.7.1). */
void nd_solicited_node(const uint8_t *addr, uint8_t *group);

/* The MAC address of a multicast group: 33:33 and its last 4 bytes (RFC 2464 7). */
void nd_group_mac(const uint8_t *group, uint8_t *mac);

/*
 * Write ND_LEN bytes, a whole IPv6 packet with its checksum, to p. mac is the sender's and goes into the option. A solicitation
 * from :: has no option (RFC 4861 4.3) and is 8 bytes shorter. Both return its length.
 */
uint32_t nd_solicit_build(
	uint8_t *p, const uint8_t *src, const uint8_t *dst, const uint8_t *target, const uint8_t *mac);
uint32_t nd_advert_build(
	uint8_t *p, const uint8_t *target, const uint8_t *dst, uint8_t flags, const uint8_t *mac);

/* Writes MLD_LEN bytes: from now on src, a link-local address or ::, listens to group whoever sends (RFC 3810 5.2). Returns MLD_LEN. To
 * ff02::16. */
uint32_t mld_report_build(uint8_t *p, const uint8_t *src, const uint8_t *group);

#endif
