/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A frame in pieces fares as the same frame in one buffer does: the same verdict, port and bytes, wherever it is cut, whatever
 * is in it, whenever heads are built and charges released. Then bursts in which some frames are in pieces and others not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "modes.h"
#include "oracle.h"
#include "outcome.h"
#include "rig.h"

#define B4    "10.0.1.2"
#define B6    "2001:db8:1::2"
#define ECMP4 "10.70.1.1" /* three ways */
#define ECMP6 "2001:db8:70::1"
#define L3(n) (FRAME_L3 + (n))
#define LEN   200u

#define PRIORITY 0x8100e000u /* a tag without a VLAN */

struct shape {
	const char *dst;
	uint32_t ihl;     /* words of the IPv4 header [5] */
	uint32_t tag;     /* type and TCI, 0 = none */
	uint32_t pad;     /* bytes of link padding among the LEN */
	uint32_t cut;     /* bytes that it is cut to */
	uint32_t sport;   /* [1024] */
	uint8_t at, byte; /* one written over, before the tag is there */
	bool spoil;       /* after the checksum was computed */
};

/* clang-format off */
static const struct shape shapes[] = {
	{B4}, {B6}, {B4, .tag = PRIORITY}, {B6, .tag = PRIORITY},
	/* padding: what is cut off at the end reaches over one segment or several */
	{B4, .pad = 1}, {B6, .pad = 1}, {B4, .pad = 100}, {B6, .pad = 100}, {B4, .pad = LEN - L3(28)},
	{B6, .pad = LEN - L3(48)}, {B4, .pad = 60, .tag = PRIORITY}, {B6, .pad = 60, .tag = PRIORITY},
	/* the flow decides about the way, and its ports stand behind the options */
	{ECMP4, .sport = 1}, {ECMP4, .sport = 2}, {ECMP4, .sport = 3}, {ECMP4, .sport = 4}, {ECMP4, .sport = 5}, {ECMP4, .sport = 6},
	{ECMP4, .sport = 7}, {ECMP4, .sport = 8}, {ECMP4, .sport = 9}, {ECMP6},
	{ECMP4, 6}, {ECMP4, 7}, {ECMP4, 8}, {ECMP4, 9}, {ECMP4, 10}, {ECMP4, 11}, {ECMP4, 12}, {ECMP4, 13}, {ECMP4, 14},
	{ECMP4, 15}, {ECMP4, 15, .sport = 1}, {ECMP4, 15, .sport = 2}, {ECMP4, 15, .sport = 3}, {ECMP4, 15, .sport = 4},
	{ECMP4, 15, .sport = 5}, {ECMP4, 15, .sport = 6}, {ECMP4, 15, .sport = 7}, {ECMP4, 15, .sport = 8},
	{ECMP4, 15, PRIORITY}, {ECMP4, 15, PRIORITY, .sport = 1}, {ECMP4, 15, PRIORITY, .sport = 2},
	{ECMP4, 15, PRIORITY, .sport = 3}, {ECMP4, 15, PRIORITY, .pad = 50}, {ECMP6, .tag = PRIORITY},
	/* punted: for us, with whatever TTL; neighbour discovery; ARP */
	{"10.0.0.1"}, {"2001:db8:1::1"}, {"10.0.0.1", 15, PRIORITY}, {"10.0.0.1", .pad = 60},
	{"10.0.0.1", .at = L3(8), .byte = 1}, {"2001:db8::1", .at = L3(7), .byte = 1},
	{"ff02::1", .at = L3(6), .byte = 58}, {B4, .at = 13, .byte = 6}, {B4, .tag = PRIORITY, .at = 13, .byte = 6},
	/* dropped, by rules that look at every part of the headers */
	{B4, .at = L3(8), .byte = 1}, {B6, .at = L3(7), .byte = 1}, {B4, .at = 13, .byte = 8}, {B4, .at = 6, .byte = 3},
	{B4, .at = 5, .byte = 9}, {B4, .at = 0, .byte = 1}, {B4, .tag = 0x81000005}, {B6, .tag = 0x88a80000},
	{B4, .at = L3(4), .byte = 1, .spoil = true}, {B4, 15, .at = L3(59), .byte = 1 ^ 3, .spoil = true},
	{B4, .at = L3(0), .byte = 0x44}, {B4, .at = L3(3), .byte = 250}, {B4, 15, .at = L3(59), .byte = 7},
	{B6, .at = L3(0), .byte = 0x50}, {B6, .at = L3(5), .byte = 250}, {B6, .at = L3(8), .byte = 0xff},
	{"203.0.113.1"}, {"2001:db8:ffff::1"}, {"10.66.0.1"}, {"10.67.0.1", 9}, {"10.71.0.1"}, {"239.1.1.1"}, {"ff05::1"},
	/* too short for what it says it is */
	{B4, .cut = 1}, {B4, .cut = 13}, {B4, .cut = 14}, {B6, .cut = 14}, {B4, .tag = PRIORITY, .cut = 17},
	{B4, .tag = PRIORITY, .cut = 18}, {B4, .cut = L3(19)}, {B4, .cut = L3(20)}, {B6, .cut = L3(39)}, {B6, .cut = L3(40)},
	{B4, .tag = PRIORITY, .cut = L3(22)}, {B4, 15, .cut = L3(40)}, {B4, .cut = LEN - 1}, {B6, .cut = LEN - 1},
};
/* clang-format on */

/* Makes room for 4-byte words of options that mean nothing, up to a header of ihl words. */
static void
add_options(struct frame *f, uint32_t ihl)
{
	const uint32_t n = 4 * (ihl - 5);
	uint8_t *l3 = f->bytes + FRAME_L3;

	memmove(l3 + 20 + n, l3 + 20, f->len - L3(20));
	memset(l3 + 20, 1, n);
	l3[0] = (uint8_t)(0x40 | ihl);
	f->len += n;
	frame_put16(l3 + 2, f->len - FRAME_L3);
}

static void
shape_frame(struct frame *f, const struct shape *s)
{
	const bool ip6 = strchr(s->dst, ':') != NULL;
	const uint32_t ihl = s->ihl ? s->ihl : 5;
	const uint32_t headers = FRAME_L3 + (ip6 ? 40 : 4 * ihl) + 8;

	frame_udp(f, s->dst, LEN - headers - s->pad);
	if (s->sport != 0)
		frame_put16(f->bytes + FRAME_L3 + (ip6 ? 40 : 20), s->sport);
	if (!ip6)
		add_options(f, ihl);
	if (s->at != 0 && !s->spoil)
		f->bytes[s->at] = s->byte;
	if (!ip6)
		frame_seal(f);
	if (s->spoil)
		f->bytes[s->at] = s->byte;
	frame_pad(f, s->pad, 0xee);
	assert_int_equal(f->len, LEN);
	if (s->tag != 0)
		frame_tag(f, (uint16_t)(s->tag >> 16), (uint16_t)s->tag);
	if (s->cut != 0)
		f->len = s->cut;
}

/* ---- one frame ---- */

/* The frame cut at cuts[n] fares as expected. */
static void
one_cut(struct rig *rig, const struct frame *f, const uint32_t *cuts, uint32_t n,
	const struct outcome *expected)
{
	static struct outcome outcome;
	char what[80];

	snprintf(what, sizeof(what), "to %02x:%02x, %u segments, cut at %u and %u", f->bytes[FRAME_L3 + 18],
		f->bytes[FRAME_L3 + 19], n + 1, cuts[0], cuts[n - 1]);
	rig_inject_cut(rig, f, cuts, n);
	outcome_take(rig, &outcome);
	outcome_compare(&outcome, expected, what);
}

/* At every byte; a second time a byte later and in the middle of what follows; and into single bytes. */
static void
every_cut(struct rig *rig, const struct frame *f)
{
	static struct outcome whole;
	uint32_t cuts[LEN + 4];

	rig_inject(rig, f);
	outcome_take(rig, &whole);
	for (uint32_t at = 0; at <= f->len; at++) {
		const uint32_t close[2] = {at, RTE_MIN(at + 1, f->len)};
		const uint32_t wide[2] = {at, (at + f->len) / 2};

		one_cut(rig, f, &at, 1, &whole);
		one_cut(rig, f, close, 2, &whole);
		one_cut(rig, f, wide, 2, &whole);
	}
	for (uint32_t i = 1; i < f->len; i++)
		cuts[i - 1] = i;
	if (f->len > 1)
		one_cut(rig, f, cuts, f->len - 1, &whole);
	rig_check_home(rig);
}

static void
cut_or_whole(void **state)
{
	static struct frame f;

	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {
			.build = all_modes[m].build, .complete = all_modes[m].complete, .n_data = 256};
		struct rig *rig = rig_create(&conf);

		for (size_t i = 0; i < RTE_DIM(shapes); i++) {
			shape_frame(&f, &shapes[i]);
			every_cut(rig, &f);
		}
		rig_destroy(rig);
	}
}

/* The shapes take every way that a chain can go; else the test above says little. */
static void
shapes_differ(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);
	static struct frame f;
	static struct outcome o;
	uint32_t macs[256] = {0}, verdicts = 0, seen[N_VERDICTS] = {0};

	for (size_t i = 0; i < RTE_DIM(shapes); i++) {
		shape_frame(&f, &shapes[i]);
		rig_inject(rig, &f);
		outcome_take(rig, &o);
		verdicts += seen[o.verdict]++ == 0;
		if (o.verdict == VERDICT_forward)
			macs[o.out.bytes[5]]++;
	}
	assert_true(verdicts >= 25);
	assert_true(seen[VERDICT_forward] >= 30);
	/* each way of a group, and the one that all others take, by several flows */
	assert_true(macs[0x0b] >= 8 && macs[0x0c] >= 4 && macs[0x0d] >= 4);
	rig_destroy(rig);
}

/* ---- bursts ---- */

/* What the frames in pieces are, among whole ones to host B. */
static const struct shape odd_shapes[] = {
	{B4},
	{B6},
	{B4, 15, PRIORITY, .pad = 20},
	{"10.0.0.2"},
	{"10.0.0.1"},
	{B4, .at = L3(8), .byte = 1},
	{B4, .cut = 10},
};

/* Which of the size frames are in pieces: the one at `at`, or all but it. */
static bool
is_odd(uint32_t i, uint32_t at, bool inverse)
{
	return (i == at) != inverse;
}

static void
inject_burst(struct rig *rig, struct oracle *oracle, const struct shape *shape, uint32_t size, uint32_t at,
	bool inverse)
{
	static struct frame f;

	for (uint32_t i = 0; i < size; i++) {
		if (is_odd(i, at, inverse)) {
			shape_frame(&f, shape);

			const uint32_t cuts[] = {(i + at) % 10, RTE_MIN(40 + i, f.len)};

			rig_inject_cut(rig, &f, cuts, 2 - (i + size) % 2);
		} else {
			frame_udp(&f, B4, 4 + i);
			rig_inject(rig, &f);
		}
		oracle_judge(&f, &oracle[i]);
	}
}

/* What left each port is IPv4, then IPv6, each in the order of arrival. */
static void
expect_sent(struct rig *rig, const struct oracle *oracle, uint32_t size)
{
	static struct frame sent;

	for (uint32_t family = 0; family < 2; family++)
		for (uint32_t i = 0; i < size; i++) {
			struct rte_mbuf *m;

			if (oracle[i].verdict != VERDICT_forward || oracle[i].family != family)
				continue;
			m = rig_collect(rig, oracle[i].port);
			if (m == NULL)
				fail_msg("burst of %u: frame %u did not leave", size, i);
			rig_bytes(m, &sent);
			if (!oracle_accepts(&oracle[i], sent.bytes, sent.len))
				fail_msg("burst of %u: frame %u left with other bytes", size, i);
			rig_return(m);
		}
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		assert_null(rig_collect(rig, p));
}

static void
one_burst(struct rig *rig, const struct shape *shape, uint32_t size, uint32_t at, bool inverse)
{
	static struct oracle oracle[BURST_MAX];
	uint32_t n_punts = 0;
	struct skb *skb;

	inject_burst(rig, oracle, shape, size, at, inverse);
	assert_int_equal(rig_turn(rig), size);
	expect_sent(rig, oracle, size);
	for (uint32_t i = 0; i < size; i++)
		n_punts += verdict_info[oracle[i].verdict].kind == VERDICT_KIND_PUNT;
	for (; (skb = rig_punted(rig)) != NULL; n_punts--) {
		assert_int_equal(skb->len, LEN);
		rig_consume(rig, skb);
	}
	assert_int_equal(n_punts, 0);
}

static void
among_others(void **state)
{
	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {.build = all_modes[m].build, .complete = all_modes[m].complete};
		struct rig *rig = rig_create(&conf);

		for (size_t k = 0; k < RTE_DIM(odd_shapes); k++)
			for (uint32_t size = 1; size <= 33;
				size += all_modes[m].complete == COMPLETE_NONE ? 1 : 8)
				for (uint32_t at = 0; at < size; at++) {
					one_burst(rig, &odd_shapes[k], size, at, false);
					if (m == 0 || at % 7 == 0)
						one_burst(rig, &odd_shapes[k], size, at, true);
				}
		rig_destroy(rig);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_or_whole),
		cmocka_unit_test(shapes_differ),
		cmocka_unit_test(among_others),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
