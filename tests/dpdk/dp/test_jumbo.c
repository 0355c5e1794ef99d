/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames larger than a data buffer, of every length at which the number of segments changes, up to the MTU of the way out and of
 * the way in and beyond. They leave in the segments that they came in, unless the port takes one only.
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

#define MTU       9000u /* of port 0; port 1 has 1500 */
#define FRAME_EXT 18u   /* an Ethernet header and a tag */

#define A4 "10.0.0.2"
#define A6 "2001:db8::2"
#define B4 "10.0.1.2"
#define B6 "2001:db8:1::2"

/* A frame with an IP packet of len bytes. */
static void
packet(struct frame *f, const char *dst, uint32_t len)
{
	const bool ip6 = strchr(dst, ':') != NULL;

	frame_udp(f, dst, len - (ip6 ? 48 : 28));
	if (!ip6) {
		/* not to be cut: that is test_fragment's affair */
		f->bytes[FRAME_L3 + 6] = 0x40;
		frame_seal(f);
	}
	assert_int_equal(f->len, FRAME_L3 + len);
}

static struct outcome *
outcome_of(struct rig *rig, const struct frame *f)
{
	static struct outcome outcome;

	rig_inject(rig, f);
	outcome_take(rig, &outcome);
	return &outcome;
}

static void
expect_verdict(struct rig *rig, const char *dst, uint32_t len, enum verdict verdict)
{
	static struct frame f;
	static struct oracle oracle;
	const struct outcome *outcome;

	packet(&f, dst, len);
	oracle_judge(&f, &oracle);
	outcome = outcome_of(rig, &f);
	if (outcome->verdict != verdict)
		fail_msg("%u bytes to %s: %s, not %s", len, dst, verdict_info[outcome->verdict].name,
			verdict_info[verdict].name);
	if (verdict == VERDICT_forward && !oracle_accepts(&oracle, outcome->out.bytes, outcome->out.len))
		fail_msg("%u bytes to %s: other bytes", len, dst);
}

/* As the oracle says; in as many segments as it came in, since its headers were in one. */
static void
forwarded(struct rig *rig, const char *dst, uint32_t len, uint32_t room)
{
	static struct frame f, sent;
	static struct oracle oracle;
	struct rte_mbuf *m;

	packet(&f, dst, len);
	oracle_judge(&f, &oracle);
	assert_int_equal(oracle.verdict, VERDICT_forward);
	rig_inject(rig, &f);
	assert_int_equal(rig_turn(rig), 1);
	m = rig_collect(rig, oracle.port);
	if (m == NULL)
		fail_msg("%u bytes to %s in segments of %u: not sent", len, dst, room);
	rig_bytes(m, &sent);
	if (!oracle_accepts(&oracle, sent.bytes, sent.len))
		fail_msg("%u bytes to %s in segments of %u: other bytes", len, dst, room);
	assert_int_equal(m->nb_segs, (f.len + room - 1) / room);
	rig_return(m);
}

static void
forwarded_both(struct rig *rig, uint32_t len, uint32_t room)
{
	forwarded(rig, A4, len, room);
	forwarded(rig, A6, len, room);
	if (len > topology_mtu[1])
		return;
	forwarded(rig, B4, len, room);
	forwarded(rig, B6, len, room);
}

static void
every_number_of_segments(void **state)
{
	static const uint32_t rooms[] = {128, 256, 2048};

	for (uint32_t m = 0; m < N_MODES; m++)
		for (uint32_t r = 0; r < RTE_DIM(rooms); r++) {
			const struct rig_conf conf = {.build = all_modes[m].build,
				.complete = all_modes[m].complete,
				.room = rooms[r],
				.n_data = 512};
			struct rig *rig = rig_create(&conf);

			for (uint32_t n = 1; n * rooms[r] < FRAME_L3 + MTU; n++)
				for (uint32_t len = n * rooms[r] - 1; len <= n * rooms[r] + 1; len++)
					forwarded_both(rig, len - FRAME_L3, rooms[r]);
			forwarded_both(rig, MTU, rooms[r]);
			forwarded_both(rig, 1500, rooms[r]);
			rig_check_home(rig);
			rig_destroy(rig);
		}
}

/* More than the way out takes: dropped, with all segments; more than the way in does: whatever it is. */
static void
too_large(void **state)
{
	static const enum build_mode modes[] = {BUILD_LATE, BUILD_EARLY, BUILD_LAZY};
	static const uint32_t rooms[] = {128, 1024, 2048};

	for (uint32_t i = 0; i < 9; i++) {
		const struct rig_conf conf = {.build = modes[i % 3], .room = rooms[i / 3]};
		struct rig *rig = rig_create(&conf);

		expect_verdict(rig, A4, MTU, VERDICT_forward);
		expect_verdict(rig, A4, MTU + 1, VERDICT_mtu_exceeded);
		expect_verdict(rig, A6, MTU + 1, VERDICT_mtu_exceeded);
		expect_verdict(rig, B4, 1500, VERDICT_forward);
		expect_verdict(rig, B6, 1500, VERDICT_forward);
		expect_verdict(rig, B4, 1501, VERDICT_mtu_exceeded);
		expect_verdict(rig, B6, 1501, VERDICT_mtu_exceeded);
		expect_verdict(rig, B4, MTU, VERDICT_mtu_exceeded);
		expect_verdict(rig, "10.0.0.1", MTU, VERDICT_punt_local);
		expect_verdict(rig, A4, MTU + FRAME_EXT - FRAME_L3, VERDICT_mtu_exceeded);
		expect_verdict(rig, A4, MTU + FRAME_EXT - FRAME_L3 + 1, VERDICT_oversize);
		expect_verdict(rig, A6, MTU + FRAME_EXT - FRAME_L3 + 1, VERDICT_oversize);
		expect_verdict(rig, "10.0.0.1", MTU + FRAME_EXT - FRAME_L3 + 1, VERDICT_oversize);
		rig_check_home(rig);
		rig_destroy(rig);
	}
}

/* A frame of the largest size with a tag comes in and leaves without. Padding does not count as packet. */
static void
largest_with_tag(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);
	static struct frame f;

	packet(&f, A4, MTU);
	frame_tag(&f, 0x8100, 0);
	assert_int_equal(outcome_of(rig, &f)->out.len, FRAME_L3 + MTU);
	packet(&f, B4, 1500);
	frame_pad(&f, MTU - 1500, 0xdd);
	assert_int_equal(outcome_of(rig, &f)->out.len, FRAME_L3 + 1500);
	rig_destroy(rig);
}

/* ---- a port that takes one segment ---- */

static void
inject_mixed(struct rig *rig, struct oracle *oracle, uint32_t n)
{
	static const char *const dsts[] = {B4, A4, B6, "10.0.0.1", A6, B4, "203.0.113.1"};
	static struct frame f;

	for (uint32_t i = 0; i < n; i++) {
		packet(&f, dsts[i % RTE_DIM(dsts)], 200 + i);
		if (i % 3 != 0)
			rig_inject_chain(rig, &f, 3 * i % f.len);
		else
			rig_inject(rig, &f);
		oracle_judge(&f, &oracle[i]);
	}
}

static void
collect_mixed(struct rig *rig, const struct oracle *oracle, uint32_t n, uint32_t family)
{
	static struct frame sent;

	for (uint32_t i = 0; i < n; i++) {
		struct rte_mbuf *m;

		if (oracle[i].verdict != VERDICT_forward || oracle[i].family != family)
			continue;
		m = rig_collect(rig, oracle[i].port);
		assert_non_null(m);
		rig_bytes(m, &sent);
		assert_true(oracle_accepts(&oracle[i], sent.bytes, sent.len));
		if (oracle[i].port == 1)
			assert_int_equal(m->nb_segs, 1);
		rig_return(m);
	}
}

/* Port 1 does: what goes there is one segment, what goes to port 0 in the same burst may stay a chain. */
static void
one_segment_only(void **state)
{
	static struct oracle oracle[BURST_MAX];

	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {
			.build = all_modes[m].build, .complete = all_modes[m].complete, .linear = 1u << 1};
		struct rig *rig = rig_create(&conf);
		struct skb *skb;

		for (uint32_t n = 1; n <= BURST_MAX; n++) {
			inject_mixed(rig, oracle, n);
			assert_int_equal(rig_turn(rig), n);
			collect_mixed(rig, oracle, n, 0);
			collect_mixed(rig, oracle, n, 1);
			while ((skb = rig_punted(rig)) != NULL)
				rig_consume(rig, skb);
			rig_check_home(rig);
		}
		rig_destroy(rig);
	}
}

/* With buffers of 256 bytes, 128 of them headroom: a packet is put together as long as it fits one, in front of nothing. */
static void
one_segment_if_it_fits(void **state)
{
	static const enum build_mode modes[] = {BUILD_LATE, BUILD_EARLY, BUILD_LAZY};
	static struct frame f;

	for (uint32_t m = 0; m < RTE_DIM(modes); m++) {
		const struct rig_conf conf = {.build = modes[m], .room = 128, .linear = 1u << 1};
		struct rig *rig = rig_create(&conf);

		for (uint32_t len = 100; len < 300; len++) {
			const bool fits = FRAME_L3 + len <= 128 + RTE_PKTMBUF_HEADROOM;

			expect_verdict(rig, B4, len, fits ? VERDICT_forward : VERDICT_no_buffer);
			expect_verdict(rig, A4, len, VERDICT_forward);
			expect_verdict(rig, "10.0.1.1", len, VERDICT_punt_local);
		}
		/* link padding need not fit */
		packet(&f, B4, 200);
		frame_pad(&f, 100, 0xcc);
		assert_int_equal(outcome_of(rig, &f)->verdict, VERDICT_forward);
		rig_check_home(rig);
		rig_destroy(rig);
	}
}

/* What is to be dropped stays that, though it would leave by such a port. */
static void
one_segment_or_none(void **state)
{
	static const enum build_mode modes[] = {BUILD_LATE, BUILD_EARLY, BUILD_LAZY};
	static struct frame f;

	for (uint32_t m = 0; m < RTE_DIM(modes); m++) {
		const struct rig_conf conf = {.build = modes[m], .room = 128, .linear = 1u << 1};
		struct rig *rig = rig_create(&conf);

		packet(&f, B4, 190);
		f.bytes[FRAME_L3 + 8] = 1;
		frame_seal(&f);
		assert_int_equal(outcome_of(rig, &f)->verdict, VERDICT_ip4_ttl);
		packet(&f, B6, 190);
		f.bytes[FRAME_L3 + 7] = 1;
		assert_int_equal(outcome_of(rig, &f)->verdict, VERDICT_ip6_hop_limit);
		expect_verdict(rig, B4, 1501, VERDICT_mtu_exceeded);
		expect_verdict(rig, "10.0.1.99", 190, VERDICT_neigh_unresolved);
		expect_verdict(rig, "2001:db8:1::1", 190, VERDICT_punt_local);
		rig_destroy(rig);
	}
}

/* And as long as there is a buffer to put it together in: 200 bytes come in two of 128, and need a third. */
static void
one_segment_if_there_is_a_buffer(void **state)
{
	static const enum build_mode modes[] = {BUILD_LATE, BUILD_EARLY, BUILD_LAZY};

	for (uint32_t m = 0; m < RTE_DIM(modes); m++)
		for (uint32_t n_data = 2; n_data <= 3; n_data++) {
			const struct rig_conf conf = {
				.build = modes[m], .room = 128, .n_data = n_data, .linear = 1u << 1};
			struct rig *rig = rig_create(&conf);

			for (uint32_t round = 0; round < 3; round++) {
				expect_verdict(
					rig, B4, 186, n_data == 3 ? VERDICT_forward : VERDICT_no_buffer);
				expect_verdict(rig, A4, 186, VERDICT_forward);
				rig_check_home(rig);
			}
			rig_destroy(rig);
		}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_of_segments),
		cmocka_unit_test(too_large),
		cmocka_unit_test(largest_with_tag),
		cmocka_unit_test(one_segment_only),
		cmocka_unit_test(one_segment_if_it_fits),
		cmocka_unit_test(one_segment_or_none),
		cmocka_unit_test(one_segment_if_there_is_a_buffer),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
