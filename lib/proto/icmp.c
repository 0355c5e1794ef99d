/* SPDX-License-Identifier: BSD-3-Clause */
#include "icmp.h"

#include <string.h>

#include <rte_ip.h>

#include "bytes.h"
#include "ip4.h"
#include "ip6.h"
#include "ip6_ext.h"

#define PROTO_ICMP 1u

/* Types from here on are no errors (RFC 4443 2.1), but a redirect counts as one (2.4 (e.2)). */
#define ICMP6_INFO     128u
#define ICMP6_REDIRECT 137u

/* What there is in the last word. */
enum info { INFO_NONE, INFO_MTU, INFO_POINTER };

struct wire {
	uint8_t type, code, info;
};

/* clang-format off */
static const struct {
	const char *name;
	struct wire ip4, ip6;
} errors[ICMP_N_ERRORS] = {
	[ICMP_ERROR_NONE]         = {"none",         {0, 0, INFO_NONE},     {0, 0, INFO_NONE}},
	[ICMP_ERROR_TTL]          = {"ttl",          {11, 0, INFO_NONE},    {3, 0, INFO_NONE}},
	[ICMP_ERROR_REASSEMBLY]   = {"reassembly",   {11, 1, INFO_NONE},    {3, 1, INFO_NONE}},
	[ICMP_ERROR_NO_ROUTE]     = {"no_route",     {3, 0, INFO_NONE},     {1, 0, INFO_NONE}},
	[ICMP_ERROR_HOST]         = {"host",         {3, 1, INFO_NONE},     {1, 3, INFO_NONE}},
	[ICMP_ERROR_PROHIBITED]   = {"prohibited",   {3, 13, INFO_NONE},    {1, 1, INFO_NONE}},
	[ICMP_ERROR_PROTOCOL]     = {"protocol",     {3, 2, INFO_NONE},     {4, 1, INFO_POINTER}},
	[ICMP_ERROR_PORT]         = {"port",         {3, 3, INFO_NONE},     {1, 4, INFO_NONE}},
	[ICMP_ERROR_TOO_BIG]      = {"too_big",      {3, 4, INFO_MTU},      {2, 0, INFO_MTU}},
	[ICMP_ERROR_PARAM]        = {"param",        {12, 0, INFO_POINTER}, {4, 0, INFO_POINTER}},
	[ICMP_ERROR_PARAM_OPTION] = {"param_option", {12, 0, INFO_POINTER}, {4, 2, INFO_POINTER}},
};
/* clang-format on */

const char *
icmp_error_name(enum icmp_error error)
{
	return errors[error].name;
}

static void
wire_write(uint8_t *p, const struct wire *wire, uint32_t word)
{
	p[0] = wire->type;
	p[1] = wire->code;
	store16(p + ICMP_SUM, 0);
	store32(p + 4, htobe32(word));
}

void
icmp4_error_write(uint8_t *p, enum icmp_error error, uint32_t info)
{
	const struct wire *wire = &errors[error].ip4;
	uint32_t word = 0;

	if (wire->info == INFO_MTU)
		word = RTE_MIN(info, 0xffffu);
	if (wire->info == INFO_POINTER)
		word = RTE_MIN(info, 0xffu) << 24;
	wire_write(p, wire, word);
}

void
icmp6_error_write(uint8_t *p, enum icmp_error error, uint32_t info)
{
	const struct wire *wire = &errors[error].ip6;

	wire_write(p, wire, wire->info == INFO_NONE ? 0 : info);
}

/* The messages that are known to be none: echo, router discovery, timestamp, information, address mask, extended echo. What is not
 * known could be an error. */
static bool
is_query4(uint8_t type)
{
	switch (type) {
	case 0:
	case 8:
	case 9:
	case 10:
	case 42:
	case 43: return true;
	default: return type >= 13 && type <= 18;
	}
}

/* RFC 1122 3.2.1.3: 0/8, 127/8, 224/4, 240/4 are no host's, nor is 255.255.255.255. */
static bool
is_host4(uint32_t addr)
{
	const uint32_t net = addr >> 24;

	return net != 0 && net != 127 && net < 224;
}

bool
icmp4_error_allowed(const uint8_t *p, uint32_t len)
{
	if (len < IP4_HLEN)
		return false;

	const uint32_t hlen = (p[0] & 0xf) * 4u;
	const uint32_t end = RTE_MIN(len, (uint32_t)load16_be(p + 2));

	if (hlen < IP4_HLEN || !is_host4(load32_be(p + 12)) || load32_be(p + 16) >> 28 >= 0xe)
		return false;
	if ((load16_be(p + 6) & RTE_IPV4_HDR_OFFSET_MASK) != 0)
		return false;
	if (p[9] != PROTO_ICMP)
		return true;
	return end >= hlen + ICMP_HLEN && is_query4(p[hlen]);
}

bool
icmp6_error_multicast(enum icmp_error error)
{
	return error == ICMP_ERROR_TOO_BIG || error == ICMP_ERROR_PARAM_OPTION;
}

/* Not ::, ::1 or a multicast address. */
static bool
is_host6(const uint8_t *addr)
{
	static const uint8_t zero[15];

	return addr[0] != 0xff && (memcmp(addr, zero, sizeof(zero)) != 0 || addr[15] > 1);
}

bool
icmp6_error_allowed(const uint8_t *p, uint32_t len, enum icmp_error error)
{
	struct ip6_chain chain;

	if (len < IP6_HLEN)
		return false;
	if (!is_host6(p + 8) || (p[24] == 0xff && !icmp6_error_multicast(error)))
		return false;
	len = RTE_MIN(len, IP6_HLEN + load16_be(p + 4));
	ip6_ext_find(p, len, &chain);
	if (chain.fault != IP6_EXT_OK)
		return false;
	if (chain.next == IP6_NEXT_FRAGMENT)
		return error == ICMP_ERROR_TOO_BIG || error == ICMP_ERROR_PARAM;
	if (chain.next != IP6_NEXT_ICMP)
		return true;
	return len - chain.offset >= ICMP_HLEN && p[chain.offset] >= ICMP6_INFO &&
	       p[chain.offset] != ICMP6_REDIRECT;
}

static bool
is_error4(uint8_t type)
{
	return (type >= 3 && type <= 5) || type == 11 || type == 12;
}

bool
icmp4_error_complete(const uint8_t *p, uint32_t len)
{
	if (len < ICMP_HLEN)
		return false;
	if (!is_error4(p[0]))
		return true;
	if (len < ICMP_HLEN + IP4_HLEN)
		return false;

	const uint32_t hlen = (p[ICMP_HLEN] & 0xf) * 4u;

	return hlen >= IP4_HLEN && len >= ICMP_HLEN + hlen + 8;
}

bool
icmp6_error_complete(const uint8_t *p, uint32_t len)
{
	if (len < ICMP_HLEN)
		return false;
	return p[0] >= ICMP6_INFO || len >= ICMP_HLEN + IP6_HLEN;
}

uint32_t
icmp6_pseudo_sum(const uint8_t *addrs, uint32_t len)
{
	const uint32_t words[2] = {htobe32(len), htobe32(IP6_NEXT_ICMP)};

	return (uint32_t)rte_raw_cksum(addrs, 32) + rte_raw_cksum(words, sizeof(words));
}
