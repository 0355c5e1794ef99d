/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a hop changes in a frame and what not: padding, priority tags, TTL and hop limit, MAC addresses, the way back
 * out of the port it came by; fragments and extension headers stay as they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "oracle.h"
#include "rig.h"

#define B4 "10.0.1.2"
#define B6 "2001:db8:1::2"

/* f is forwarded as the oracle says; returns the oracle for more questions. */
static const struct oracle *
forwarded(struct rig *rig, const struct frame *f)
{
	static struct oracle oracle;
	struct rte_mbuf *m;

	oracle_judge(f, &oracle);
	assert_int_equal(oracle.verdict, VERDICT_forward);
	rig_inject(rig, f);
	assert_int_equal(rig_turn(rig), 1);
	m = rig_collect(rig, oracle.port);
	assert_non_null(m);
	assert_int_equal(m->data_len, m->pkt_len);
	assert_true(oracle_accepts(&oracle, rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len));
	rig_return(m);
	return &oracle;
}

static const enum build_mode modes[] = {BUILD_LATE, BUILD_EARLY, BUILD_LAZY};

/* Every amount of padding from none to a minimum frame's and beyond, of any content. */
static void
padding(void **state)
{
	struct frame f;

	for (uint32_t m = 0; m < 3; m++) {
		const struct rig_conf conf = {.build = modes[m]};
		struct rig *rig = rig_create(&conf);

		for (uint32_t n = 0; n < 80; n++) {
			frame_udp(&f, B4, 0);
			frame_pad(&f, n, 0xff);
			assert_int_equal(forwarded(rig, &f)->out.len, 14 + 28);
			frame_udp(&f, B6, 0);
			frame_pad(&f, n, 0);
			assert_int_equal(forwarded(rig, &f)->out.len, 14 + 48);
		}
		assert_int_equal(
			worker_port_stats(rig_worker(rig, 0), 1)->tx_bytes, 80 * (14 + 28 + 14 + 48));
		rig_destroy(rig);
	}
}

/* One padded packet among many: each keeps its own length. */
static void
padding_in_a_burst(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	for (uint32_t padded = 0; padded < 20; padded++) {
		for (uint32_t i = 0; i < 20; i++) {
			frame_udp(&f, B4, 10 + i);
			frame_pad(&f, i == padded ? 7 : 0, 0xee);
			rig_inject(rig, &f);
		}
		assert_int_equal(rig_turn(rig), 20);
		for (uint32_t i = 0; i < 20; i++) {
			struct rte_mbuf *m = rig_collect(rig, 1);

			assert_int_equal(m->pkt_len, 14 + 28 + 10 + i);
			assert_int_equal(m->data_len, m->pkt_len);
			rig_return(m);
		}
	}
	rig_destroy(rig);
}

static void
expect_vlan(struct rig *rig, const struct frame *f)
{
	const uint64_t before = rig_count(rig, VERDICT_vlan);

	rig_inject(rig, f);
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_vlan), before + 1);
	assert_null(rig_collect(rig, 1));
}

/* Id 0 with any priority goes on without its tag; every other id, a service tag and a second tag do not. */
static void
tags(void **state)
{
	struct frame f;

	for (uint32_t m = 0; m < 3; m++) {
		const struct rig_conf conf = {.build = modes[m]};
		struct rig *rig = rig_create(&conf);

		for (uint32_t tci = 0; tci <= 0xffff; tci += tci % 4096 == 0 ? 1 : 409) {
			frame_udp(&f, tci % 2 ? B6 : B4, 10);
			frame_tag(&f, 0x8100, (uint16_t)tci);
			if (tci % 4096 == 0)
				assert_int_equal(forwarded(rig, &f)->out.len, f.len - 4);
			else
				expect_vlan(rig, &f);
		}
		frame_udp(&f, B6, 10);
		frame_tag(&f, 0x8100, 0xe000);
		assert_int_equal(forwarded(rig, &f)->out.len, f.len - 4);
		frame_tag(&f, 0x8100, 0);
		expect_vlan(rig, &f);
		frame_udp(&f, B4, 10);
		frame_tag(&f, 0x88a8, 0);
		expect_vlan(rig, &f);
		/* no room for what a tag says */
		for (f.len = 14; f.len < 18; f.len++) {
			frame_put16(f.bytes + 12, 0x8100);
			expect_vlan(rig, &f);
		}
		rig_destroy(rig);
	}
}

/* A tag and padding at once, and a tagged packet too short for its length. */
static void
tag_and_length(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	frame_udp(&f, B4, 4);
	frame_pad(&f, 18, 0x11);
	frame_tag(&f, 0x8100, 0x2000);
	assert_int_equal(forwarded(rig, &f)->out.len, 14 + 32);
	frame_udp(&f, B4, 4);
	frame_tag(&f, 0x8100, 0);
	f.len -= 1;
	rig_inject(rig, &f);
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_ip4_length), 1);
	frame_udp(&f, B4, 4);
	frame_tag(&f, 0x8100, 0);
	f.len = 18 + 19;
	rig_inject(rig, &f);
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_ip4_truncated), 1);
	/* ARP with a priority tag is punted without it */
	frame_udp(&f, B4, 4);
	frame_put16(f.bytes + 12, 0x0806);
	frame_tag(&f, 0x8100, 0);
	rig_inject(rig, &f);
	rig_turn(rig);

	struct skb *skb = rig_punted(rig);

	assert_non_null(skb);
	assert_int_equal(skb->len, f.len - 4);
	assert_int_equal(skb->protocol, 0x0806);
	assert_int_equal(frame_get16(skb->data + 12), 0x0806);
	assert_ptr_equal(skb->data, (uint8_t *)skb->mbuf->buf_addr + skb->mac_header);
	rig_consume(rig, skb);
	rig_destroy(rig);
}

static void
every_ttl(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	for (uint32_t ttl = 2; ttl < 256; ttl++) {
		frame_udp(&f, B4, 10);
		f.bytes[FRAME_L3 + 8] = (uint8_t)ttl;
		frame_seal(&f);
		assert_int_equal(forwarded(rig, &f)->out.bytes[FRAME_L3 + 8], ttl - 1);
		frame_udp(&f, B6, 10);
		f.bytes[FRAME_L3 + 7] = (uint8_t)ttl;
		assert_int_equal(forwarded(rig, &f)->out.bytes[FRAME_L3 + 7], ttl - 1);
	}
	rig_destroy(rig);
}

/* Every identification, so every checksum: also 0xffff for 0x0000 as received from others. */
static void
every_checksum(void **state)
{
	const struct rig_conf conf = {.n_data = 256};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	frame_udp(&f, B4, 10);
	for (uint32_t id = 0; id <= 0xffff; id++) {
		frame_put16(f.bytes + FRAME_L3 + 4, id);
		frame_seal(&f);
		if (frame_get16(f.bytes + FRAME_L3 + 10) == 0)
			frame_put16(f.bytes + FRAME_L3 + 10, 0xffff);
		forwarded(rig, &f);
	}
	rig_destroy(rig);
}

/* Options and extension headers that need nothing done to them, fragments of every sort. */
static void
left_alone(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);
	static const uint16_t fragments[] = {0x2000, 0x2001, 0x0001, 0x1fff, 0x3fff, 0x4000, 0x8000, 0xffff};
	static const uint8_t next_headers[] = {0, 43, 44, 50, 51, 58, 59, 60, 135, 255};
	struct frame f;

	for (uint32_t i = 0; i < RTE_DIM(fragments); i++) {
		frame_udp(&f, B4, 60);
		frame_put16(f.bytes + FRAME_L3 + 6, fragments[i]);
		frame_seal(&f);
		forwarded(rig, &f);
	}
	for (uint32_t ihl = 6; ihl <= 15; ihl++) {
		frame_udp(&f, B4, 60);
		f.bytes[FRAME_L3] = (uint8_t)(0x40 | ihl);
		memset(f.bytes + FRAME_L3 + 20, 1, 4 * (ihl - 5));
		frame_seal(&f);
		forwarded(rig, &f);
	}
	for (uint32_t i = 0; i < RTE_DIM(next_headers); i++) {
		frame_udp(&f, B6, 60);
		f.bytes[FRAME_L3 + 6] = next_headers[i];
		forwarded(rig, &f);
	}
	/* nothing behind the header */
	frame_udp(&f, B6, 0);
	frame_put16(f.bytes + FRAME_L3 + 4, 0);
	f.bytes[FRAME_L3 + 6] = 59;
	assert_int_equal(forwarded(rig, &f)->out.len, 54);
	rig_destroy(rig);
}

/* By either port in, by either port out: the source MAC is the egress port's, the destination the next hop's. */
static void
both_ways(void **state)
{
	const struct rig_conf conf = {0};
	struct rig *rig = rig_create(&conf);
	static const char *const dsts[] = {"10.0.0.2", "2001:db8::2", "10.0.1.2", "2001:db8:1::2"};
	struct frame f;

	for (uint16_t in = 0; in < RIG_PORTS; in++)
		for (uint32_t i = 0; i < 4; i++) {
			frame_udp(&f, dsts[i], 10);
			frame_mac(f.bytes, (uint8_t)(in + 1));
			rig_inject_at(rig, in, 0, &f);
			assert_int_equal(rig_turn(rig), 1);

			struct rte_mbuf *m = rig_collect(rig, i / 2);
			uint8_t macs[12];

			assert_non_null(m);
			frame_mac(macs, i / 2 ? 0x0b : 0x0a);
			frame_mac(macs + 6, i / 2 ? 0x02 : 0x01);
			assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *), macs, 12);
			rig_return(m);
		}
	/* each port knows its own address only */
	frame_udp(&f, B4, 10);
	rig_inject_at(rig, 1, 0, &f);
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_not_for_us), 1);
	rig_destroy(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(padding),
		cmocka_unit_test(padding_in_a_burst),
		cmocka_unit_test(tags),
		cmocka_unit_test(tag_and_length),
		cmocka_unit_test(every_ttl),
		cmocka_unit_test(every_checksum),
		cmocka_unit_test(left_alone),
		cmocka_unit_test(both_ways),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
