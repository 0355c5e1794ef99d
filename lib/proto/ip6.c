/* SPDX-License-Identifier: BSD-3-Clause */
/* The judge of one IPv6 header; the twin of ip4.c, oracle of the walk's column loops in the same way. */
#include "ip6.h"

#include <stdbool.h>
#include <string.h>

#define IP6_NEXT_HBH  0
#define IP6_NEXT_ICMP 58

static const uint8_t zero[16];

static bool
is_unspecified(const uint8_t *a)
{
	return memcmp(a, zero, 16) == 0;
}

/* ::1 (RFC 4291 2.5.3) and ::ffff:0:0/96 (RFC 6890: IPv4-mapped is not forwardable). */
static bool
is_martian(const uint8_t *a)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return (memcmp(a, zero, 15) == 0 && a[15] == 1) || memcmp(a, mapped, sizeof(mapped)) == 0;
}

static enum ip6_fault
check_addresses(const uint8_t *src, const uint8_t *dst, uint8_t next)
{
	if (src[0] == 0xff || is_martian(src))
		return IP6_SRC_MARTIAN;
	/* Before the unspecified source: duplicate address detection asks from ::. */
	if (dst[0] == 0xff && dst[1] == 0x02 && next == IP6_NEXT_ICMP)
		return IP6_LINK_ICMP;
	if (is_unspecified(src))
		return IP6_SRC_MARTIAN;
	if (is_unspecified(dst) || is_martian(dst))
		return IP6_DST_MARTIAN;
	if (dst[0] == 0xff)
		return IP6_MULTICAST;
	if (ip6_is_link_local(src) || ip6_is_link_local(dst))
		return IP6_LINK_LOCAL;
	return IP6_OK;
}

enum ip6_fault
ip6_check(const uint8_t *p, uint32_t len)
{
	if (len < IP6_HLEN)
		return IP6_TRUNCATED;

	uint32_t payload = load16_be(p + 4);

	if (p[0] >> 4 != 6)
		return IP6_VERSION;
	if (IP6_HLEN + payload > len)
		return IP6_LENGTH;
	/* RFC 2675 3: payload length 0 and a hop-by-hop header announce a jumbogram. */
	if (payload == 0 && p[6] == IP6_NEXT_HBH)
		return IP6_JUMBOGRAM;

	enum ip6_fault fault = check_addresses(p + 8, p + 24, p[6]);

	if (fault == IP6_OK && p[7] <= 1)
		fault = IP6_HOP_LIMIT_USED;
	return fault;
}
