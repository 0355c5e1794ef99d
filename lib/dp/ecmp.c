/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which path a flow takes in an ECMP group. IPv4: addresses, protocol and ports,
 * but addresses only for every fragment, so that all pieces of a datagram go one way
 * (RFC 2992). IPv6: addresses and flow label (RFC 6438). Every router has a seed of its own: with the same hash, the
 * flows that one router sends over one path would all take one path at the next, too.
 */
#include <rte_jhash.h>

#include "ip4.h"
#include "ip6.h"
#include "worker_priv.h"

#define IP4_FRAGMENT 0x3fffu /* MF and the offset */
#define IP_TCP       6
#define IP_UDP       17
#define IP_SCTP      132

static bool
has_ports(uint8_t protocol)
{
	return protocol == IP_TCP || protocol == IP_UDP || protocol == IP_SCTP;
}

static uint32_t
hash_ip4(uint32_t seed, const uint8_t *l3, uint32_t len)
{
	const uint32_t hlen = (l3[0] & 0xf) * 4u;
	uint32_t ports = 0;
	uint32_t protocol = 0;

	if ((load16_be(l3 + 6) & IP4_FRAGMENT) == 0) {
		protocol = l3[9];
		if (has_ports(l3[9]) && len >= hlen + 4)
			ports = load32(l3 + hlen);
	}
	return rte_jhash_3words(load32(l3 + 12), load32(l3 + 16), ports, seed ^ protocol);
}

static uint32_t
hash_ip6(uint32_t seed, const uint8_t *l3)
{
	uint32_t addrs[8];

	/* rte_jhash() would read the packet as aligned words, which it need not be */
	memcpy(addrs, l3 + 8, sizeof(addrs));
	return rte_jhash_32b(addrs, 8, seed ^ (load32_be(l3) & 0xfffff));
}

uint32_t
ecmp_select(const struct nexthop_group *group, uint32_t seed, const uint8_t *l3, uint32_t len)
{
	uint32_t hash = l3[0] >> 4 == 4 ? hash_ip4(seed, l3, len) : hash_ip6(seed, l3);

	/* control changes buckets at any time */
	return __atomic_load_n(&group->bucket[hash % NEXTHOP_BUCKETS], __ATOMIC_RELAXED);
}
