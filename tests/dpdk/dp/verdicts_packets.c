/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdicts that one packet gets for what is in it, or for where it wants to go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verdicts.h"

/* ---- frames, a line each: a good one, then bytes of it overwritten ---- */

struct patch {
	enum verdict verdict;
	const char *dst;
	uint32_t at,
		n; /* offset in the frame and number of bytes written over it; bytes cut off when at is CUT */
	uint8_t bytes[16];
	bool seal;
};

#define CUT   0xffffu
#define ETH   12u
#define L3(n) (FRAME_L3 + (n))

/* clang-format off */
static const struct patch patches[] = {
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

static void
single_packets(enum build_mode build)
{
	struct rig *rig = verdicts_rig(build);
	struct frame f;

	for (size_t i = 0; i < sizeof(patches) / sizeof(patches[0]); i++) {
		const struct patch *p = &patches[i];

		frame_udp(&f, p->dst, 18);
		if (p->at == CUT)
			f.len = p->n;
		else
			memcpy(f.bytes + p->at, p->bytes, p->n);
		if (p->seal)
			frame_seal(&f);
		verdicts_expect(rig, &f, p->verdict);
	}
	verdicts_finish(rig);
}

static void
single_packets_late(void **state)
{
	single_packets(BUILD_LATE);
}

static void
single_packets_early(void **state)
{
	single_packets(BUILD_EARLY);
}

static void
single_packets_lazy(void **state)
{
	single_packets(BUILD_LAZY);
}

static void
options(void **state)
{
	struct rig *rig = verdicts_rig(BUILD_LATE);
	struct frame f;

	frame_udp(&f, B4, 18);
	f.bytes[L3(0)] = 0x46;
	memcpy(f.bytes + L3(20), "\x07\x00\x04\x00", 4);
	frame_seal(&f);
	verdicts_expect(rig, &f, VERDICT_ip4_options);
	memcpy(f.bytes + L3(20), "\x83\x03\x04\x00", 4);
	frame_seal(&f);
	verdicts_expect(rig, &f, VERDICT_ip4_source_route);
	memcpy(f.bytes + L3(20), "\x01\x07\x03\x04", 4);
	frame_seal(&f);
	verdicts_expect(rig, &f, VERDICT_forward);
	verdicts_finish(rig);
}

/* Neighbour discovery: to a link-local group, by multicast or unicast MAC, from an address or from none. */
static void
link_groups(void **state)
{
	struct rig *rig = verdicts_rig(BUILD_LATE);
	struct frame f;

	frame_udp(&f, "ff02::1:ff00:1", 24);
	f.bytes[L3(6)] = 58;
	f.bytes[L3(7)] = 255;
	verdicts_expect(rig, &f, VERDICT_punt_link);
	memcpy(f.bytes, "\x33\x33\xff\x00\x00\x01", 6);
	verdicts_expect(rig, &f, VERDICT_punt_link);
	memset(f.bytes + L3(8), 0, 16);
	verdicts_expect(rig, &f, VERDICT_punt_link);
	f.bytes[L3(6)] = 17;
	verdicts_expect(rig, &f, VERDICT_l2_multicast);
	f.bytes[L3(6)] = 58;
	f.bytes[6] |= 1;
	verdicts_expect(rig, &f, VERDICT_bad_source_mac);
	verdicts_finish(rig);
}

static void
arp(void **state)
{
	struct rig *rig = verdicts_rig(BUILD_LATE);
	struct frame f;

	frame_udp(&f, B4, 18);
	frame_put16(f.bytes + ETH, 0x0806);
	verdicts_expect(rig, &f, VERDICT_punt_arp);
	memset(f.bytes, 0xff, 6);
	verdicts_expect(rig, &f, VERDICT_punt_arp);
	f.bytes[0] = 0x01;
	verdicts_expect(rig, &f, VERDICT_l2_multicast);
	frame_mac(f.bytes, 0x77);
	verdicts_expect(rig, &f, VERDICT_not_for_us);
	memset(f.bytes, 0xff, 6);
	f.bytes[6] = 0xff;
	verdicts_expect(rig, &f, VERDICT_bad_source_mac);
	verdicts_finish(rig);
}

/* Port 1 takes 1500 bytes, port 0 takes 9000 (more than a buffer here holds). */
static void
mtu(void **state)
{
	struct rig *rig = verdicts_rig(BUILD_LATE);
	struct frame f;

	frame_udp(&f, B4, 1500 - 28);
	verdicts_expect(rig, &f, VERDICT_forward);
	frame_udp(&f, B4, 1501 - 28);
	f.bytes[L3(6)] = 0x40; /* not to be cut */
	frame_seal(&f);
	verdicts_expect(rig, &f, VERDICT_mtu_exceeded);
	/* nor could this be: where it ends, no datagram does */
	frame_put16(f.bytes + L3(6), 0x3fff);
	frame_seal(&f);
	verdicts_expect(rig, &f, VERDICT_mtu_exceeded);
	frame_udp(&f, B6, 1500 - 48);
	verdicts_expect(rig, &f, VERDICT_forward);
	frame_udp(&f, B6, 1501 - 48);
	verdicts_expect(rig, &f, VERDICT_mtu_exceeded);
	frame_udp(&f, "10.0.0.2", 1900);
	verdicts_expect(rig, &f, VERDICT_forward);
	/* the packet's length counts, not the padding behind it */
	frame_udp(&f, B4, 1500 - 28);
	frame_pad(&f, 40, 0);
	verdicts_expect(rig, &f, VERDICT_forward);
	/* for us: no MTU */
	frame_udp(&f, "10.0.1.1", 1800);
	verdicts_expect(rig, &f, VERDICT_punt_local);
	verdicts_finish(rig);
}

/* Link down and up again; what is sent elsewhere does not care. */
static void
port_down(void **state)
{
	struct rig *rig = verdicts_rig(BUILD_LATE);
	struct frame to_b, to_a, big;

	frame_udp(&to_b, B4, 18);
	frame_udp(&to_a, "2001:db8::2", 18);
	frame_udp(&big, B4, 1501 - 28);
	route_port_link(topology_routes(), 1, false);
	verdicts_expect(rig, &to_b, VERDICT_port_down);
	verdicts_expect(rig, &big, VERDICT_port_down);
	verdicts_expect(rig, &to_a, VERDICT_forward);
	route_port_link(topology_routes(), 1, true);
	verdicts_expect(rig, &to_b, VERDICT_forward);
	verdicts_finish(rig);
}

/* A frame in two buffers that is larger than its port's MTU, whatever its type: the first segment alone looks like a fine packet. */
static void
oversize(void **state)
{
	const struct rig_conf conf = {.mtu = 227};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	for (uint32_t split = 1; split < 200; split++) {
		/* 228 bytes and the room for a tag, and one more */
		frame_udp(&f, split % 2 ? B4 : B6, split % 2 ? 204 : 184);
		rig_inject_chain(rig, &f, split);
		assert_int_equal(rig_turn(rig), 1);
		assert_int_equal(rig_count(rig, VERDICT_oversize), split);
		rig_check_home(rig);
	}
	/* between two good ones */
	rig_inject(rig, &f);
	rig_inject_chain(rig, &f, 60 - 18);
	rig_inject(rig, &f);
	assert_int_equal(rig_turn(rig), 3);
	assert_int_equal(rig_count(rig, VERDICT_oversize), 200);
	assert_int_equal(rig_discard(rig, 1), 2);
	/* a byte less fits */
	f.len--;
	frame_put16(f.bytes + FRAME_L3 + 2, 227);
	frame_seal(&f);
	rig_inject_chain(rig, &f, 60 - 18);
	assert_int_equal(rig_turn(rig), 1);
	assert_int_equal(rig_count(rig, VERDICT_oversize), 200);
	assert_int_equal(rig_discard(rig, 1), 1);
	verdicts_finish(rig);
}

int
verdicts_packets(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_packets_late),
		cmocka_unit_test(single_packets_early),
		cmocka_unit_test(single_packets_lazy),
		cmocka_unit_test(options),
		cmocka_unit_test(link_groups),
		cmocka_unit_test(arp),
		cmocka_unit_test(mtu),
		cmocka_unit_test(port_down),
		cmocka_unit_test(oversize),
	};

	return cmocka_run_group_tests_name("packets", tests, NULL, NULL);
}
