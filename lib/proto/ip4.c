/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The judge of one IPv4 header, rule by rule. The walk's column loops let a
 * burst pass when no rule could be broken; this function says which one was. It is
 * also the oracle those loops are tested against.
 */
#include "ip4.h"

#include <rte_ip.h>

#define IP4_OPT_END  0
#define IP4_OPT_NOP  1
#define IP4_OPT_LSRR 131
#define IP4_OPT_SSRR 137

/* RFC 791 3.1: single bytes END and NOP, all others type, length (of the whole option), data. */
static enum ip4_fault
check_options(const uint8_t *opt, uint32_t len)
{
	for (uint32_t at = 0; at < len && opt[at] != IP4_OPT_END;) {
		if (opt[at] == IP4_OPT_NOP) {
			at++;
			continue;
		}
		if (at + 1 >= len || opt[at + 1] < 2 || opt[at + 1] > len - at)
			return IP4_OPTIONS;
		if (opt[at] == IP4_OPT_LSRR || opt[at] == IP4_OPT_SSRR)
			return IP4_SOURCE_ROUTE;
		at += opt[at + 1];
	}
	return IP4_OK;
}

/* 0/8, 127/8, 169.254/16 (RFC 6890: not forwardable) and 240/4 (RFC 1112 class E). */
static int
is_martian(uint32_t addr)
{
	uint32_t net = addr >> 24;

	return net == 0 || net == 127 || addr >> 16 == 0xa9fe || net >= 240;
}

static int
is_multicast(uint32_t addr)
{
	return addr >> 28 == 0xe;
}

/* RFC 1812 5.3.7 and 5.3.4. */
static enum ip4_fault
check_addresses(uint32_t src, uint32_t dst)
{
	if (is_martian(src) || is_multicast(src))
		return IP4_SRC_MARTIAN;
	if (dst == 0xffffffff)
		return IP4_BROADCAST;
	if (is_martian(dst))
		return IP4_DST_MARTIAN;
	if (is_multicast(dst))
		return IP4_MULTICAST;
	return IP4_OK;
}

enum ip4_fault
ip4_check(const uint8_t *p, uint32_t len)
{
	if (len < IP4_HLEN)
		return IP4_TRUNCATED;

	uint32_t hlen = (p[0] & 0xf) * 4u;
	uint32_t total = load16_be(p + 2);

	/* A checksum over a header of impossible length says nothing: only then it is not the first to be judged. */
	if (hlen >= IP4_HLEN && hlen <= len && rte_raw_cksum(p, hlen) != 0xffff)
		return IP4_CHECKSUM;
	if (p[0] >> 4 != 4)
		return IP4_VERSION;
	if (hlen < IP4_HLEN || hlen > len)
		return IP4_IHL;
	if (total < hlen || total > len)
		return IP4_LENGTH;

	enum ip4_fault fault = check_options(p + IP4_HLEN, hlen - IP4_HLEN);

	if (fault == IP4_OK)
		fault = check_addresses(load32_be(p + 12), load32_be(p + 16));
	if (fault == IP4_OK && p[8] <= 1)
		fault = IP4_TTL;
	return fault;
}
