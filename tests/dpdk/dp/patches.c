/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of patches.h. */
#include "patches.h"

#include <string.h>

#define B4    "10.0.1.2"
#define B6    "2001:db8:1::2"
#define CUT   PATCH_CUT
#define ETH   12u
#define L3(n) (FRAME_L3 + (n))

/* clang-format off */
const struct patch patches[] = {
	{VERDICT_forward,          B4},
	{VERDICT_forward,          B6},
	{VERDICT_punt_arp,         B4, ETH, 2, {0x08, 0x06}},
	{VERDICT_punt_local,       "10.0.0.1"},
	{VERDICT_punt_local,       "10.0.1.1"},
	{VERDICT_punt_local,       "2001:db8:1::1"},
	{VERDICT_punt_local,       "fe80::ff:fe00:1"},
	{VERDICT_runt,             B4, CUT, 13},
	{VERDICT_runt,             B4, CUT, 1},
	{VERDICT_not_for_us,       B4, 5, 1, {0x0f}},
	{VERDICT_l2_multicast,     B4, 0, 6, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
	{VERDICT_l2_multicast,     B4, 0, 6, {0x01, 0x00, 0x5e, 0, 0, 1}},
	{VERDICT_l2_multicast,     B6, 0, 6, {0x33, 0x33, 0, 0, 0, 1}},
	{VERDICT_bad_source_mac,   B4, 6, 1, {0x03}},
	{VERDICT_bad_source_mac,   B6, 11, 1, {0x01}},
	{VERDICT_vlan,             B4, ETH, 2, {0x81, 0x00}},
	{VERDICT_vlan,             B4, ETH, 2, {0x88, 0xa8}},
	{VERDICT_ethertype,        B4, ETH, 2, {0x88, 0x08}},
	{VERDICT_ethertype,        B4, ETH, 2, {0x00, 0x2e}},
	{VERDICT_ip4_truncated,    B4, CUT, L3(19)},
	{VERDICT_ip4_truncated,    B4, CUT, L3(0)},
	{VERDICT_ip4_checksum,     B4, L3(10), 2, {0, 0}},
	{VERDICT_ip4_version,      B4, L3(0), 1, {0x55}, true},
	{VERDICT_ip4_ihl,          B4, L3(0), 1, {0x44}},
	{VERDICT_ip4_ihl,          B4, L3(0), 1, {0x4f}},
	{VERDICT_ip4_length,       B4, L3(2), 2, {0, 19}, true},
	{VERDICT_ip4_length,       B4, L3(2), 2, {0, 47}, true},
	{VERDICT_ip4_length,       B4, L3(2), 2, {0xff, 0xff}, true},
	{VERDICT_ip4_src_martian,  B4, L3(12), 4, {0, 0, 0, 0}, true},
	{VERDICT_ip4_src_martian,  B4, L3(12), 4, {255, 255, 255, 255}, true},
	{VERDICT_ip4_src_martian,  B4, L3(12), 4, {224, 0, 0, 5}, true},
	{VERDICT_ip4_dst_martian,  "127.0.0.1"},
	{VERDICT_ip4_dst_martian,  "169.254.7.7"},
	{VERDICT_ip4_dst_martian,  "240.0.0.1"},
	{VERDICT_ip4_multicast,    "239.1.1.1"},
	{VERDICT_ip4_broadcast,    "255.255.255.255"},
	{VERDICT_ip4_broadcast,    "10.0.1.255"},
	{VERDICT_ip4_broadcast,    "10.0.0.255"},
	{VERDICT_ip4_ttl,          B4, L3(8), 1, {1}, true},
	{VERDICT_ip4_ttl,          B4, L3(8), 1, {0}, true},
	{VERDICT_ip6_truncated,    B6, CUT, L3(39)},
	{VERDICT_ip6_version,      B6, L3(0), 1, {0x40}},
	{VERDICT_ip6_length,       B6, L3(4), 2, {0, 27}},
	{VERDICT_ip6_length,       B6, L3(4), 2, {0xff, 0xff}},
	{VERDICT_ip6_length,       B6, L3(4), 2, {0xff, 0xd8}}, /* 40 + it is 0 in 16 bits */
	{VERDICT_ip6_jumbogram,    B6, L3(4), 3, {0, 0, 0}},
	{VERDICT_ip6_src_martian,  B6, L3(8), 16, {0}},
	{VERDICT_ip6_src_martian,  B6, L3(8), 16, {0xff, 0x02}},
	{VERDICT_ip6_dst_martian,  "::1"},
	{VERDICT_ip6_dst_martian,  "::"},
	{VERDICT_ip6_dst_martian,  "::ffff:10.0.1.2"},
	{VERDICT_ip6_link_local,   "fe80::2"},
	{VERDICT_ip6_link_local,   B6, L3(8), 16, {0xfe, 0x80, [15] = 2}},
	{VERDICT_ip6_multicast,    "ff05::1"},
	{VERDICT_ip6_multicast,    "ff02::1"},
	{VERDICT_ip6_hop_limit,    B6, L3(7), 1, {1}},
	{VERDICT_ip6_hop_limit,    B6, L3(7), 1, {0}},
	{VERDICT_no_route,         "203.0.113.1"},
	{VERDICT_no_route,         "2001:db8:ffff::1"},
	{VERDICT_blackhole,        "10.66.0.1"},
	{VERDICT_blackhole,        "2001:db8:66::1"},
	{VERDICT_unreachable,      "10.67.0.1"},
	{VERDICT_unreachable,      "2001:db8:67::1"},
	{VERDICT_prohibit,         "10.68.0.1"},
	{VERDICT_prohibit,         "2001:db8:68::1"},
	{VERDICT_neigh_unresolved, "10.0.1.99"},
	{VERDICT_neigh_unresolved, "10.71.0.1"},
	{VERDICT_neigh_unresolved, "2001:db8:1::99"},
	{VERDICT_neigh_unresolved, "2001:db8:71::1"},
	/* what is for us is not judged by its hop limit */
	{VERDICT_punt_local,       "10.0.0.1", L3(8), 1, {1}, true},
	{VERDICT_punt_local,       "10.0.0.1", L3(8), 1, {0}, true},
	{VERDICT_punt_local,       "2001:db8::1", L3(7), 1, {1}},
	{VERDICT_punt_local,       "2001:db8::1", L3(8), 16, {0xfe, 0x80, [15] = 2}},
	/* but by everything else */
	{VERDICT_ip4_checksum,     "10.0.0.1", L3(8), 1, {7}},
	{VERDICT_ip4_src_martian,  "10.0.0.1", L3(12), 4, {127, 0, 0, 1}, true},
	{VERDICT_ip6_src_martian,  "2001:db8::1", L3(8), 16, {0}},
	/* a route that says no is heard only when the header is right */
	{VERDICT_ip4_ttl,          "10.67.0.1", L3(8), 1, {1}, true},
	{VERDICT_ip4_ttl,          "203.0.113.1", L3(8), 1, {1}, true},
	{VERDICT_ip6_hop_limit,    "2001:db8:66::1", L3(7), 1, {1}},
};
/* clang-format on */

const uint32_t n_patches = sizeof(patches) / sizeof(patches[0]);

void
patch_frame(const struct patch *patch, struct frame *frame)
{
	frame_udp(frame, patch->dst, 18);
	if (patch->at == CUT)
		frame->len = patch->n;
	else
		memcpy(frame->bytes + patch->at, patch->bytes, patch->n);
	if (patch->seal)
		frame_seal(frame);
}
