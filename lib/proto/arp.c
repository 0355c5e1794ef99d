/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layout (RFC 826, "Packet format"):
 *
 *   0 hardware   2 protocol   4 lengths   6 operation   8 sha   14 spa   18 tha   24 tpa   28
 */
#include "arp.h"

#include "bytes.h"

#define HTYPE_ETHERNET 1u /* IEEE 802 (6) is not Ethernet: some answer it, RFC 826 does not */
#define PTYPE_IPV4     0x0800u

enum arp_fault
arp_parse(const uint8_t *p, uint32_t len, struct arp *arp)
{
	if (len < ARP_LEN)
		return ARP_TRUNCATED;
	if (load16_be(p) != HTYPE_ETHERNET || load16_be(p + 2) != PTYPE_IPV4 || p[4] != 6 || p[5] != 4)
		return ARP_FORMAT;
	arp->op = load16_be(p + 6);
	if (arp->op != ARP_REQUEST && arp->op != ARP_REPLY)
		return ARP_OPERATION;
	memcpy(arp->sha, p + 8, 6);
	memcpy(arp->spa, p + 14, 4);
	memcpy(arp->tha, p + 18, 6);
	memcpy(arp->tpa, p + 24, 4);
	return ARP_OK;
}

void
arp_build(const struct arp *arp, uint8_t *p)
{
	store16(p, htobe16(HTYPE_ETHERNET));
	store16(p + 2, htobe16(PTYPE_IPV4));
	p[4] = 6;
	p[5] = 4;
	store16(p + 6, htobe16(arp->op));
	memcpy(p + 8, arp->sha, 6);
	memcpy(p + 14, arp->spa, 4);
	memcpy(p + 18, arp->tha, 6);
	memcpy(p + 24, arp->tpa, 4);
}
