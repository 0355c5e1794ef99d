/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdicts that one packet gets for what is in it, or for where it wants to go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "patches.h"
#include "verdicts.h"

#define ETH   12u
#define L3(n) (FRAME_L3 + (n))

static void
single_packets(enum build_mode build)
{
	struct rig *rig = verdicts_rig(build);
	struct frame f;

	for (uint32_t i = 0; i < n_patches; i++) {
		patch_frame(&patches[i], &f);
		verdicts_expect(rig, &f, patches[i].verdict);
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
