/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every burst size, one packet that is not to be forwarded at every position: that one leaves under its own name,
 * all others are sent, in order, with the right bytes. Then families and egress ports in random order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "oracle.h"
#include "rig.h"

#define N_SIZES 34u

/* 1..33: around what the compiler may unroll and vectorise by; 64: the largest */
static uint32_t
size_of(uint32_t i)
{
	return i < 33 ? i + 1 : BURST_MAX;
}

/* ---- one odd packet among good ones ---- */

struct odd {
	enum verdict verdict;
	void (*spoil)(struct frame *frame);
	bool ip4, ip6; /* the families it is tried with */
};

static void
spoil_dst_mac(struct frame *f)
{
	frame_mac(f->bytes, 0xff);
}

static void
spoil_group_mac(struct frame *f)
{
	memset(f->bytes, 0xff, 6);
}

static void
spoil_src_mac(struct frame *f)
{
	f->bytes[6] |= 1;
}

static void
spoil_own_src_mac(struct frame *f)
{
	frame_mac(f->bytes + 6, 0x01);
}

static void
spoil_runt(struct frame *f)
{
	f->len = 13;
}

static void
spoil_truncated4(struct frame *f)
{
	f->len = FRAME_L3 + 19;
}

static void
spoil_checksum(struct frame *f)
{
	f->bytes[FRAME_L3 + 4] ^= 0x80;
}

static void
spoil_version4(struct frame *f)
{
	f->bytes[FRAME_L3] = 0x65;
	frame_seal(f);
}

static void
spoil_ihl(struct frame *f)
{
	f->bytes[FRAME_L3] = 0x44;
}

static void
spoil_length4(struct frame *f)
{
	f->len--;
}

static void
spoil_options(struct frame *f)
{
	f->bytes[FRAME_L3] = 0x46;
	f->bytes[FRAME_L3 + 20] = 7;
	f->bytes[FRAME_L3 + 21] = 0;
	frame_seal(f);
}

static void
spoil_source4(struct frame *f)
{
	frame_set_addr(f, FRAME_L3 + 12, "127.0.0.1");
}

static void
spoil_ttl(struct frame *f)
{
	f->bytes[FRAME_L3 + 8] = 1;
	frame_seal(f);
}

static void
spoil_no_route4(struct frame *f)
{
	frame_set_addr(f, FRAME_L3 + 16, "203.0.113.9");
}

static void
spoil_local4(struct frame *f)
{
	frame_set_addr(f, FRAME_L3 + 16, "10.0.1.1");
}

static void
spoil_blackhole4(struct frame *f)
{
	frame_set_addr(f, FRAME_L3 + 16, "10.66.1.1");
}

static void
spoil_truncated6(struct frame *f)
{
	f->len = FRAME_L3 + 39;
}

static void
spoil_version6(struct frame *f)
{
	f->bytes[FRAME_L3] = 0x40;
}

static void
spoil_length6(struct frame *f)
{
	f->bytes[FRAME_L3 + 5]++;
}

static void
spoil_source6(struct frame *f)
{
	frame_set_addr(f, FRAME_L3 + 8, "::1");
}

static void
spoil_link_local(struct frame *f)
{
	frame_set_addr(f, FRAME_L3 + 8, "fe80::2");
}

static void
spoil_multicast6(struct frame *f)
{
	frame_set_addr(f, FRAME_L3 + 24, "ff05::2");
}

static void
spoil_hop_limit(struct frame *f)
{
	f->bytes[FRAME_L3 + 7] = 1;
}

static void
spoil_no_route6(struct frame *f)
{
	frame_set_addr(f, FRAME_L3 + 24, "2001:db8:ffff::1");
}

static void
spoil_local6(struct frame *f)
{
	frame_set_addr(f, FRAME_L3 + 24, "2001:db8:1::1");
}

static void
spoil_type(struct frame *f)
{
	frame_put16(f->bytes + 12, 0x88cc);
}

static void
spoil_arp(struct frame *f)
{
	frame_put16(f->bytes + 12, 0x0806);
}

static void
spoil_vlan(struct frame *f)
{
	frame_tag(f, 0x8100, 100);
}

static const struct odd odds[] = {
	{VERDICT_not_for_us, spoil_dst_mac, true, true},
	{VERDICT_l2_multicast, spoil_group_mac, true, true},
	{VERDICT_bad_source_mac, spoil_src_mac, true, true},
	{VERDICT_bad_source_mac, spoil_own_src_mac, true, true},
	{VERDICT_runt, spoil_runt, true, true},
	{VERDICT_ethertype, spoil_type, true, true},
	{VERDICT_punt_arp, spoil_arp, true, true},
	{VERDICT_vlan, spoil_vlan, true, true},
	{VERDICT_ip4_truncated, spoil_truncated4, true, false},
	{VERDICT_ip4_checksum, spoil_checksum, true, false},
	{VERDICT_ip4_version, spoil_version4, true, false},
	{VERDICT_ip4_ihl, spoil_ihl, true, false},
	{VERDICT_ip4_length, spoil_length4, true, false},
	{VERDICT_ip4_options, spoil_options, true, false},
	{VERDICT_ip4_src_martian, spoil_source4, true, false},
	{VERDICT_ip4_ttl, spoil_ttl, true, false},
	{VERDICT_no_route, spoil_no_route4, true, false},
	{VERDICT_punt_local, spoil_local4, true, false},
	{VERDICT_blackhole, spoil_blackhole4, true, false},
	{VERDICT_ip6_truncated, spoil_truncated6, false, true},
	{VERDICT_ip6_version, spoil_version6, false, true},
	{VERDICT_ip6_length, spoil_length6, false, true},
	{VERDICT_ip6_src_martian, spoil_source6, false, true},
	{VERDICT_ip6_link_local, spoil_link_local, false, true},
	{VERDICT_ip6_multicast, spoil_multicast6, false, true},
	{VERDICT_ip6_hop_limit, spoil_hop_limit, false, true},
	{VERDICT_no_route, spoil_no_route6, false, true},
	{VERDICT_punt_local, spoil_local6, false, true},
};

/* The i-th good frame: of its own length and with its own bytes, so that none can stand for another. */
static void
good_frame(struct frame *f, bool ip6, uint32_t i)
{
	frame_udp(f, ip6 ? "2001:db8:1::2" : "10.0.1.2", 4 + i);
	f->bytes[f->len - 1] = (uint8_t)i;
}

static void
expect_frame(struct rig *rig, const struct oracle *o, const struct rte_mbuf *sent)
{
	struct rte_mbuf *m = rig_collect(rig, o->port);

	assert_non_null(m);
	assert_ptr_equal(m, sent);
	assert_int_equal(m->pkt_len, m->data_len);
	assert_int_equal(m->nb_segs, 1);
	assert_true(oracle_accepts(o, rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len));
	rig_return(m);
}

static void
expect_nothing(struct rig *rig)
{
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		assert_null(rig_collect(rig, p));
	assert_null(rig_punted(rig));
}

static void
one_burst(struct rig *rig, const struct odd *odd, bool ip6, uint32_t size, uint32_t position)
{
	static struct oracle oracle[BURST_MAX];
	const struct rte_mbuf *sent[BURST_MAX];
	const uint64_t before = rig_count(rig, odd->verdict);
	struct frame f;

	for (uint32_t i = 0; i < size; i++) {
		good_frame(&f, ip6, i);
		oracle_judge(&f, &oracle[i]);
		if (i == position)
			odd->spoil(&f);
		sent[i] = rig_inject(rig, &f);
	}
	assert_int_equal(rig_turn(rig), size);
	for (uint32_t i = 0; i < size; i++)
		if (i != position)
			expect_frame(rig, &oracle[i], sent[i]);

	struct skb *skb = rig_punted(rig);

	if (verdict_info[odd->verdict].kind == VERDICT_KIND_PUNT) {
		assert_non_null(skb);
		assert_ptr_equal(skb->mbuf, sent[position]);
		assert_int_equal(skb->reason, odd->verdict);
		assert_int_equal(skb->port, 0);
		rig_consume(rig, skb);
	}
	expect_nothing(rig);
	if (rig_count(rig, odd->verdict) != before + 1)
		fail_msg("burst of %u, position %u: not one %s", size, position,
			verdict_info[odd->verdict].name);
	rig_check_home(rig);
}

/* Every step-th size: 3 divides 33, so the largest is always among them. */
static void
odd_one_out(enum build_mode build, uint32_t step)
{
	const struct rig_conf conf = {.build = build};
	struct rig *rig = rig_create(&conf);

	for (size_t k = 0; k < sizeof(odds) / sizeof(odds[0]); k++)
		for (uint32_t s = 0; s < N_SIZES; s += step)
			for (uint32_t at = 0; at < size_of(s); at++) {
				if (odds[k].ip4)
					one_burst(rig, &odds[k], false, size_of(s), at);
				if (odds[k].ip6)
					one_burst(rig, &odds[k], true, size_of(s), at);
			}
	rig_destroy(rig);
}

static void
odd_one_out_late(void **state)
{
	odd_one_out(BUILD_LATE, 1);
}

static void
odd_one_out_early(void **state)
{
	odd_one_out(BUILD_EARLY, 3);
}

static void
odd_one_out_lazy(void **state)
{
	odd_one_out(BUILD_LAZY, 3);
}

/* A burst smaller than what waits: the rest stays for the next turns, and nothing is lost. */
static void
burst_option(void **state)
{
	struct frame f;

	for (uint32_t burst = 1; burst <= BURST_MAX; burst++) {
		const struct rig_conf conf = {.burst = burst};
		struct rig *rig = rig_create(&conf);

		good_frame(&f, false, 0);
		for (uint32_t i = 0; i < BURST_MAX; i++)
			rig_inject(rig, &f);
		for (uint32_t left = BURST_MAX; left > 0;) {
			const uint32_t n = RTE_MIN(left, burst);

			assert_int_equal(rig_turn(rig), n);
			assert_int_equal(rig_discard(rig, 1), n);
			left -= n;
		}
		assert_int_equal(rig_turn(rig), 0);
		rig_destroy(rig);
	}
}

/* ---- families and ways out, mixed ---- */

#define N_MIXED 20000u
#define SEED    0xb0057u

static void
mixed_frame(struct frame *f, uint64_t *seed)
{
	static const char *const dsts[] = {"10.0.1.2", "10.0.0.2", "10.2.3.4", "10.2.9.9", "2001:db8:1::2",
		"2001:db8::2", "2001:db8:2:3::1", "2001:db8:2::7", "10.0.1.3", "2001:db8:1::3"};

	frame_udp(f, dsts[frame_random(seed, 10)], 4 + frame_random(seed, 100));
	switch (frame_random(seed, 8)) {
	case 0: frame_put16(f->bytes + 12, 0x0806); break;
	case 1: frame_tag(f, 0x8100, (uint16_t)(frame_random(seed, 8) << 13)); break;
	case 2: frame_pad(f, frame_random(seed, 20), 0xee); break;
	default: break;
	}
}

/* What leaves a port is, in order, all of IPv4, then all of IPv6; the punt ring keeps the order of arrival. */
static void
mixed_burst(struct rig *rig, uint64_t *seed)
{
	static struct oracle oracle[BURST_MAX];
	const struct rte_mbuf *sent[BURST_MAX];
	const uint32_t n = 1 + frame_random(seed, BURST_MAX);
	struct frame f;
	struct skb *skb;

	for (uint32_t i = 0; i < n; i++) {
		mixed_frame(&f, seed);
		oracle_judge(&f, &oracle[i]);
		sent[i] = rig_inject(rig, &f);
	}
	assert_int_equal(rig_turn(rig), n);
	for (uint32_t family = 0; family < 2; family++)
		for (uint32_t i = 0; i < n; i++)
			if (oracle[i].verdict == VERDICT_forward && oracle[i].family == family)
				expect_frame(rig, &oracle[i], sent[i]);
	for (uint32_t i = 0; i < n; i++) {
		if (oracle[i].verdict == VERDICT_forward)
			continue;
		skb = rig_punted(rig);
		assert_non_null(skb);
		assert_ptr_equal(skb->mbuf, sent[i]);
		rig_consume(rig, skb);
	}
	expect_nothing(rig);
}

static void
mixed_families(void **state)
{
	static const enum build_mode modes[] = {BUILD_LATE, BUILD_EARLY, BUILD_LAZY};

	for (uint32_t m = 0; m < 3; m++) {
		const struct rig_conf conf = {.build = modes[m]};
		struct rig *rig = rig_create(&conf);
		uint64_t seed = SEED;

		for (uint32_t i = 0; i < N_MIXED / BURST_MAX; i++)
			mixed_burst(rig, &seed);
		rig_destroy(rig);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(odd_one_out_late),
		cmocka_unit_test(odd_one_out_early),
		cmocka_unit_test(odd_one_out_lazy),
		cmocka_unit_test(burst_option),
		cmocka_unit_test(mixed_families),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
