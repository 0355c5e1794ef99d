/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layouts:
 *
 *   solicitation, advertisement (RFC 4861 4.3, 4.4):  0 type   1 code   2 checksum   4 flags   8 target   24 options
 *   option (4.6):                                     0 type   1 length in 8 bytes   2 ...
 *   report (RFC 3810 5.2):  0 type   2 checksum   6 records: 1   8 its type   10 sources: 0   12 group
 */
#include "nd.h"

#include "bytes.h"
#include "ip6.h"

#define ND_HLEN     24u
#define OPT_SOURCE  1u
#define OPT_TARGET  2u
#define OPT_LLA_LEN 8u /* type, length, MAC */

#define SRC 8u
#define DST 24u

#define NEXT_HOPOPTS 0u
#define NEXT_ICMP6   58u

#define MLD_TYPE              143u
#define MLD_CHANGE_TO_EXCLUDE 4u
#define HOPOPTS_LEN           8u

static const uint8_t solicited_node[13] = {0xff, 0x02, [11] = 0x01, [12] = 0xff};
static const uint8_t mld_routers[16] = {0xff, 0x02, [15] = 0x16};

static bool
is_any(const uint8_t *addr)
{
	return (load64(addr) | load64(addr + 8)) == 0;
}

/* Whether the options fill the message; mac: of the first option of type wanted; has: there is one, whatever its length. */
static bool
options_parse(const uint8_t *p, uint32_t len, uint8_t wanted, const uint8_t **mac, bool *has)
{
	uint32_t size;

	*mac = NULL;
	*has = false;
	for (uint32_t at = ND_HLEN; at < len; at += size) {
		if (len - at < 2)
			return false;
		size = p[at + 1] * 8u;
		if (size == 0 || size > len - at)
			return false;
		if (p[at] != wanted)
			continue;
		*has = true;
		if (*mac == NULL && size == OPT_LLA_LEN)
			*mac = p + at + 2;
	}
	return true;
}

enum nd_fault
nd_parse(const uint8_t *ip6, const uint8_t *p, uint32_t len, struct nd *nd)
{
	bool has_mac;

	if (ip6[IP6_HOP_LIMIT] != 255)
		return ND_HOP_LIMIT;
	if (len < ND_HLEN)
		return ND_TRUNCATED;
	if (p[1] != 0)
		return ND_CODE;
	if (p[8] == 0xff)
		return ND_TARGET;
	*nd = (struct nd){.type = p[0], .target = p + 8};
	if (!options_parse(p, len, nd->type == ND_SOLICIT ? OPT_SOURCE : OPT_TARGET, &nd->mac, &has_mac))
		return ND_OPTION;
	if (nd->type == ND_SOLICIT) {
		if (is_any(ip6 + SRC) &&
			(has_mac || memcmp(ip6 + DST, solicited_node, sizeof(solicited_node)) != 0))
			return ND_UNSPECIFIED;
		return ND_OK;
	}
	nd->flags = p[4] & (ND_ROUTER | ND_SOLICITED | ND_OVERRIDE);
	if (ip6[DST] == 0xff && (nd->flags & ND_SOLICITED))
		return ND_MULTICAST;
	return ND_OK;
}

void
nd_solicited_node(const uint8_t *addr, uint8_t *group)
{
	memcpy(group, solicited_node, sizeof(solicited_node));
	memcpy(group + sizeof(solicited_node), addr + 13, 3);
}

void
nd_group_mac(const uint8_t *group, uint8_t *mac)
{
	mac[0] = mac[1] = 0x33;
	memcpy(mac + 2, group + 12, 4);
}

/* The ICMPv6 checksum (RFC 4443 2.3), in memory order, of the len bytes at icmp; its field is 0. len is even. */
static uint16_t
icmp6_checksum(const uint8_t *ip6, const uint8_t *icmp, uint32_t len)
{
	uint32_t sum = len + NEXT_ICMP6;

	for (uint32_t i = SRC; i < IP6_HLEN; i += 2)
		sum += load16_be(ip6 + i);
	for (uint32_t i = 0; i < len; i += 2)
		sum += load16_be(icmp + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return htobe16((uint16_t)~sum);
}

static void
ip6_build(uint8_t *p, uint32_t payload, uint8_t next, uint8_t hops)
{
	memset(p, 0, IP6_HLEN + payload);
	p[0] = 0x60;
	store16(p + 4, htobe16((uint16_t)payload));
	p[6] = next;
	p[IP6_HOP_LIMIT] = hops;
}

/* mac NULL: no option. */
static uint32_t
message_build(uint8_t *p, uint8_t type, const uint8_t *target, uint8_t option, const uint8_t *mac)
{
	uint8_t *icmp = p + IP6_HLEN;
	const uint32_t len = ND_HLEN + (mac != NULL ? OPT_LLA_LEN : 0);

	ip6_build(p, len, NEXT_ICMP6, 255);
	icmp[0] = type;
	memcpy(icmp + 8, target, 16);
	if (mac != NULL) {
		icmp[ND_HLEN] = option;
		icmp[ND_HLEN + 1] = OPT_LLA_LEN / 8;
		memcpy(icmp + ND_HLEN + 2, mac, 6);
	}
	return len;
}

uint32_t
nd_solicit_build(
	uint8_t *p, const uint8_t *src, const uint8_t *dst, const uint8_t *target, const uint8_t *mac)
{
	const uint32_t len = message_build(p, ND_SOLICIT, target, OPT_SOURCE, is_any(src) ? NULL : mac);

	memcpy(p + SRC, src, 16);
	memcpy(p + DST, dst, 16);
	store16(p + IP6_HLEN + 2, icmp6_checksum(p, p + IP6_HLEN, len));
	return IP6_HLEN + len;
}

uint32_t
nd_advert_build(uint8_t *p, const uint8_t *target, const uint8_t *dst, uint8_t flags, const uint8_t *mac)
{
	const uint32_t len = message_build(p, ND_ADVERT, target, OPT_TARGET, mac);

	p[IP6_HLEN + 4] = flags;
	memcpy(p + SRC, target, 16);
	memcpy(p + DST, dst, 16);
	store16(p + IP6_HLEN + 2, icmp6_checksum(p, p + IP6_HLEN, len));
	return IP6_HLEN + len;
}

uint32_t
mld_report_build(uint8_t *p, const uint8_t *src, const uint8_t *group)
{
	/* next header, length, router alert (RFC 2711) for MLD, padding (PadN) of 2 bytes */
	static const uint8_t hopopts[HOPOPTS_LEN] = {NEXT_ICMP6, 0, 5, 2, 0, 0, 1, 0};
	uint8_t *icmp = p + IP6_HLEN + HOPOPTS_LEN;
	const uint32_t len = MLD_LEN - IP6_HLEN - HOPOPTS_LEN;

	ip6_build(p, HOPOPTS_LEN + len, NEXT_HOPOPTS, 1);
	memcpy(p + SRC, src, 16);
	memcpy(p + DST, mld_routers, 16);
	memcpy(p + IP6_HLEN, hopopts, HOPOPTS_LEN);
	icmp[0] = MLD_TYPE;
	icmp[7] = 1;
	icmp[8] = MLD_CHANGE_TO_EXCLUDE;
	memcpy(icmp + 12, group, 16);
	store16(icmp + 2, icmp6_checksum(p, icmp, len));
	return MLD_LEN;
}
