/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * IPv4 packets that are larger than port 1 takes (1500 bytes): whatever mode, port, mirror, buffers they come in, they leave as fragments that
 * RFC 791 would make of them, in their place among others; or, when something is used up, not at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mirrors.h"
#include "modes.h"
#include "oracle.h"
#include "pieces.h"
#include "rig.h"

#define B4       "10.0.1.2"
#define L3(n)    (FRAME_L3 + (n))
#define TX_SLOTS 1024u
#define B_PORT   1u

/* ---- one packet ---- */

/* An IPv4 packet of len bytes to host B, of which no two bytes of payload that are 8 apart are equal. */
static void
packet(struct frame *f, uint32_t len)
{
	frame_udp(f, B4, len - 28);
	for (uint32_t i = 0; i < len - 28; i++)
		f->bytes[L3(28) + i] = (uint8_t)(i / 8 + i);
}

/* f, in segments that end after cuts[n] bytes, leaves as the oracle says. */
static void
expect_cut(struct rig *rig, const struct frame *f, const uint32_t *cuts, uint32_t n)
{
	static struct oracle oracle;
	static struct frame sent;
	const uint64_t before = RIG_STAT(rig, fragmented);
	uint32_t n_pieces;

	oracle_judge(f, &oracle);
	assert_int_equal(oracle.verdict, VERDICT_forward);
	rig_inject_cut(rig, f, cuts, n);
	assert_int_equal(rig_turn(rig), 1);
	n_pieces = pieces_collect(rig, B_PORT, &oracle.out, &sent);
	if (!oracle_accepts(&oracle, sent.bytes, sent.len))
		fail_msg("%u bytes, cut at %u: other bytes", f->len, n > 0 ? cuts[0] : 0);
	assert_null(rig_collect(rig, B_PORT));
	assert_int_equal(RIG_STAT(rig, fragmented), before + n_pieces - 1);
}

/* How buffers are shared, and how large they are. */
struct way {
	uint32_t fragments, linear, exclusive;
	uint32_t room;
};

static const struct way ways[] = {
	{.fragments = 1u << B_PORT},
	{0},
	{.linear = 1u << B_PORT},
	{.exclusive = 1u << B_PORT},
	{.fragments = 1u << B_PORT, .room = 128},
	{.room = 128},
	{.exclusive = 1u << B_PORT, .room = 128},
};

static struct rig *
rig_for(const struct way *way, const struct modes *modes)
{
	const struct rig_conf conf = {.build = modes->build,
		.complete = modes->complete,
		.fragments = way->fragments,
		.linear = way->linear,
		.exclusive = way->exclusive,
		.room = way->room,
		.n_data = 2048};

	return rig_create(&conf);
}

static void
every_length(void **state)
{
	static struct frame f;

	for (uint32_t m = 0; m < N_MODES; m++)
		for (uint32_t k = 0; k < RTE_DIM(ways); k++) {
			struct rig *rig = rig_for(&ways[k], &all_modes[m]);

			/* 2, 3 and 6 pieces, of which the last one has from 1 to all bytes */
			for (uint32_t n = 1; n <= 5; n = n < 2 ? 2 : n + 3)
				for (uint32_t more = 1; more <= 1480;
					more += 1 + (more > 20 && more < 1460) * 71) {
					packet(&f, 20 + n * 1480 + more);
					expect_cut(rig, &f, NULL, 0);
				}
			packet(&f, 1500);
			expect_cut(rig, &f, NULL, 0);
			packet(&f, 1600);
			frame_pad(&f, 200, 0xee);
			expect_cut(rig, &f, NULL, 0);
			frame_tag(&f, 0x8100, 0);
			expect_cut(rig, &f, NULL, 0);
			rig_check_home(rig);
			rig_destroy(rig);
		}
}

static void
every_split(void **state)
{
	static struct frame f;

	packet(&f, 1600);
	frame_pad(&f, 40, 0xee);
	for (uint32_t m = 0; m < N_MODES; m++)
		for (uint32_t k = 0; k < 4; k++) {
			struct rig *rig = rig_for(&ways[k], &all_modes[m]);

			for (uint32_t at = 1; at < f.len; at += m == 0 ? 1 : 13) {
				const uint32_t cuts[2] = {at, RTE_MIN(at + 1 + at % 50, f.len - 1)};

				expect_cut(rig, &f, cuts, 1);
				expect_cut(rig, &f, cuts, 2);
			}
			rig_check_home(rig);
			rig_destroy(rig);
		}
}

/* Copied and other options in every order; offset and MF of a fragment that is cut again. */
static void
options_and_offsets(void **state)
{
	static const struct {
		uint32_t ihl;
		uint8_t bytes[41];
	} options[] = {
		{5, ""}, {6, "\x94\x04\x00\x00"},                        /* router alert: copied */
		{8, "\x07\x0b\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00"}, /* record route: not */
		{8, "\x01\x07\x03\x04\x01\x94\x04\x00\x00\x01\x01\x00"}, /* between others */
		{8, "\x82\x05\x01\x02\x03\x01\x44\x04\x05\x00\x00\x00"}, /* copied, 5 bytes; a timestamp */
		{9, "\x94\x04\x00\x00\x07\x03\x04\x82\x06\x01\x02\x03\x04\x01\x00\x00"}, /* two copied ones */
	};
	static const uint16_t fields[] = {0, 0x2000, 0x0001, 0x2abc, 0x8005};
	static struct frame f;
	const struct way *way = ways;

	for (uint32_t k = 0; k < RTE_DIM(options) * RTE_DIM(fields) * 2; k++) {
		const uint32_t o = k % RTE_DIM(options), hlen = options[o].ihl * 4;
		struct rig *rig = rig_for(&way[k / RTE_DIM(options) % 2], &all_modes[k % N_MODES]);

		packet(&f, 4096 + k % 3);
		memcpy(f.bytes + L3(20), options[o].bytes, hlen - 20);
		f.bytes[L3(0)] = (uint8_t)(0x40 | options[o].ihl);
		frame_put16(f.bytes + L3(6), fields[k / 2 / RTE_DIM(options)]);
		frame_seal(&f);
		expect_cut(rig, &f, NULL, 0);
		rig_destroy(rig);
	}
}

/* ---- what the port is given ---- */

static void
expect_buffers(const struct way *way, bool mirrored, const struct rte_mbuf *m)
{
	if (way->fragments != 0) {
		/* headers of its own, payload of the packet's */
		assert_true(m->nb_segs > 1 && RTE_MBUF_CLONED(m->next));
		return;
	}
	assert_int_equal(m->nb_segs,
		(m->pkt_len + (way->room ? way->room : RIG_ROOM) - 1) / (way->room ? way->room : RIG_ROOM));
	for (; m != NULL; m = m->next)
		assert_true(RTE_MBUF_DIRECT(m) && (rte_mbuf_refcnt_read(m) == 1 || mirrored));
}

/* Port 2 sends, too, what port 1 sends. Returns how many frames that were. */
static uint32_t
expect_mirrored(struct rig *rig, const struct way *way, bool mirrored)
{
	static struct frame sent, copy;
	struct rte_mbuf *m, *c;
	uint32_t n = 0;

	for (; (m = rig_collect(rig, B_PORT)) != NULL; n++) {
		expect_buffers(way, mirrored && way->exclusive == 0, m);
		rig_bytes(m, &sent);
		rig_return(m);
		if (!mirrored)
			continue;
		c = rig_collect(rig, MIRROR_PORT);
		assert_non_null(c);
		rig_bytes(c, &copy);
		assert_int_equal(copy.len, sent.len);
		assert_memory_equal(copy.bytes, sent.bytes, sent.len);
		rig_return(c);
	}
	assert_null(rig_collect(rig, MIRROR_PORT));
	return n;
}

static void
buffers_and_mirrors(void **state)
{
	static const struct port_policy none[RIG_PORTS] = {
		{0, MIRROR_NONE, MIRROR_NONE}, {0, MIRROR_NONE, MIRROR_NONE}, {0, MIRROR_NONE, MIRROR_NONE}};
	static struct frame f;

	packet(&f, 3000);
	for (uint32_t m = 0; m < N_MODES; m++)
		for (uint32_t k = 0; k < 2 * RTE_DIM(ways); k++) {
			const struct way *way = &ways[k / 2];
			const struct rig_conf conf = {.build = all_modes[m].build,
				.complete = all_modes[m].complete,
				.fragments = way->fragments,
				.linear = way->linear,
				.exclusive = way->exclusive | (m % 2 ? 1u << MIRROR_PORT : 0),
				.room = way->room,
				.policy = k % 2 ? mirrors[1] : none,
				.n_data = 2048};
			struct rig *rig = rig_create(&conf);

			for (uint32_t i = 0; i < 3; i++) {
				rig_inject(rig, &f);
				rig_inject(rig, &f);
				assert_int_equal(rig_turn(rig), 2);
				assert_int_equal(expect_mirrored(rig, way, k % 2), 6);
			}
			rig_check_home(rig);
			rig_destroy(rig);
		}
}

/* What the port received is mirrored as it came, whole. */
static void
mirror_of_the_whole(void **state)
{
	static struct frame f, copy;

	packet(&f, 3000);
	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {.build = all_modes[m].build,
			.complete = all_modes[m].complete,
			.fragments = 1u << B_PORT,
			.policy = mirrors[0]};
		struct rig *rig = rig_create(&conf);
		struct rte_mbuf *c;

		rig_inject(rig, &f);
		assert_int_equal(rig_turn(rig), 1);
		assert_int_equal(rig_discard(rig, B_PORT), 3);
		c = rig_collect(rig, MIRROR_PORT);
		assert_non_null(c);
		rig_bytes(c, &copy);
		assert_int_equal(copy.len, f.len);
		assert_memory_equal(copy.bytes, f.bytes, f.len);
		rig_return(c);
		rig_destroy(rig);
	}
}

/* Who is charged for the packet is charged for the pieces, until they are sent or, with completion, back. */
static void
charges(void **state)
{
	static struct frame f;

	packet(&f, 1600);
	for (uint32_t m = 0; m < N_MODES; m++)
		for (uint32_t k = 0; k < 2; k++) {
			struct rig *rig = rig_for(&ways[k], &all_modes[m]);
			const uint32_t n_buffers = k == 0 ? 2 : 1;
			const int64_t bytes =
				2 * (int64_t)(RIG_TRUESIZE +
					      (n_buffers - 1) * (RIG_TRUESIZE - sizeof(struct skb)));

			rig_inject(rig, &f);
			rig_turn(rig);
			if (worker_n_owners(rig_worker(rig, 0)) > 0)
				assert_int_equal(skb_owner_used(worker_owner(rig_worker(rig, 0), 0)),
					all_modes[m].complete == COMPLETE_COMPLETION ? bytes : 0);
			assert_int_equal(rig_discard(rig, B_PORT), 2);
			rig_check_home(rig);
			rig_destroy(rig);
		}
}

/* ---- bursts ---- */

/* Among small ones to two ports, one that is cut at every position: what leaves a port is in order. */
static void
order(void **state)
{
	static struct oracle oracle[33];
	static struct frame f, sent;

	for (uint32_t m = 0; m < N_MODES; m++) {
		struct rig *rig = rig_for(&ways[m % 2], &all_modes[m]);

		for (uint32_t at = 0; at < 33; at++) {
			for (uint32_t i = 0; i < 33; i++) {
				packet(&f, i == at ? 8000 : 60 + i);
				if (i % 3 == 1 && i != at)
					frame_set_addr(&f, L3(16), "10.0.0.2");
				oracle_judge(&f, &oracle[i]);
				rig_inject(rig, &f);
			}
			assert_int_equal(rig_turn(rig), 33);
			for (uint32_t i = 0; i < 33; i++) {
				pieces_collect(rig, oracle[i].port, &oracle[i].out, &sent);
				assert_true(oracle_accepts(&oracle[i], sent.bytes, sent.len));
			}
			assert_int_equal(rig_discard(rig, 0) + rig_discard(rig, 1), 0);
			rig_check_home(rig);
		}
		rig_destroy(rig);
	}
}

/* Full bursts of which each packet becomes six, into a ring that does not hold three of them. */
static void
rings_full(void **state)
{
	static struct frame f;

	packet(&f, 8900);
	for (uint32_t m = 0; m < N_MODES; m++)
		for (uint32_t k = 0; k < 2; k++) {
			const struct rig_conf conf = {.build = all_modes[m].build,
				.complete = all_modes[m].complete,
				.fragments = ways[k].fragments,
				.n_data = 8192,
				.n_heads = 8192};
			struct rig *rig = rig_create(&conf);

			for (uint32_t i = 0; i < 3 * BURST_MAX; i++)
				rig_inject(rig, &f);
			for (uint32_t i = 0; i < 3; i++)
				assert_int_equal(rig_turn(rig), BURST_MAX);
			assert_int_equal(rig_count(rig, VERDICT_forward), TX_SLOTS);
			assert_int_equal(rig_count(rig, VERDICT_tx_full), 3 * BURST_MAX * 6 - TX_SLOTS);
			assert_int_equal(RIG_STAT(rig, fragmented), 3 * BURST_MAX * 5);
			assert_int_equal(rig_discard(rig, B_PORT), TX_SLOTS);
			rig_check_home(rig);
			rig_destroy(rig);
		}
}

/* By a port that another worker sends for. */
static void
handed_off(void **state)
{
	static struct frame f;

	packet(&f, 4000);
	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {.build = all_modes[m].build,
			.complete = all_modes[m].complete,
			.fragments = m % 2 ? 1u << B_PORT : 0,
			.n_workers = 2,
			.handoff_slots = 5,
			.shared = 1u << B_PORT};
		struct rig *rig = rig_create(&conf);

		rig_inject_at(rig, 0, 1, &f);
		rig_inject_at(rig, 0, 1, &f);
		assert_int_equal(rig_turn_of(rig, 1), 2);
		assert_int_equal(rig_count(rig, VERDICT_handoff_full), 1);
		assert_int_equal(rig_turn_of(rig, 0), 5);
		assert_int_equal(rig_discard(rig, B_PORT), 5);
		rig_check_home(rig);
		rig_destroy(rig);
	}
}

/* ---- shortages ---- */

/* A packet to cut between two small ones, with so many buffers and heads: it is cut, or dropped as `otherwise`; nothing is lost. */
static void
short_of(const struct modes *modes, const struct way *way, uint32_t n_data, uint32_t n_heads, bool enough)
{
	const struct rig_conf conf = {.build = modes->build,
		.complete = modes->complete,
		.fragments = way->fragments,
		.n_data = n_data,
		.n_heads = n_heads};
	struct rig *rig = rig_create(&conf);
	static struct frame small, f;

	frame_udp(&small, B4, 18);
	packet(&f, 1600);
	for (uint32_t i = 1; i <= 3; i++) {
		rig_inject(rig, &small);
		rig_inject(rig, &f);
		rig_inject(rig, &small);
		assert_int_equal(rig_turn(rig), 3);
		assert_int_equal(rig_count(rig, VERDICT_no_buffer), enough ? 0 : i);
		assert_int_equal(RIG_STAT(rig, fragmented), enough ? i : 0);
		assert_int_equal(rig_discard(rig, B_PORT), enough ? 4 : 2);
		rig_check_home(rig);
	}
	rig_destroy(rig);
}

static void
no_buffer(void **state)
{
	for (uint32_t m = 0; m < N_MODES; m++) {
		/* three packets; two pieces, each with an mbuf for its headers and one for its payload; room for one of their copies */
		for (uint32_t n = 3; n <= 3 + 6; n++) {
			short_of(&all_modes[m], &ways[0], n, 1024, n >= 3 + 4);
			short_of(&all_modes[m], &ways[1], n, 1024, n >= 3 + 5);
		}
		for (uint32_t n = 3; n <= 3 + 3 && all_modes[m].build != BUILD_EARLY; n++)
			short_of(&all_modes[m], &ways[0], 1024, n, n >= 3 + 2);
	}
}

/* Lazily built, nobody has a head yet; without one for each of the burst it is lost whole. */
static void
no_head_lazy(void **state)
{
	const struct rig_conf conf = {.build = BUILD_LAZY, .n_heads = 2};
	struct rig *rig = rig_create(&conf);
	static struct frame small, f;

	frame_udp(&small, "2001:db8:1::2", 18);
	packet(&f, 1600);
	rig_inject(rig, &small);
	rig_inject(rig, &f);
	rig_inject(rig, &small);
	assert_int_equal(rig_turn(rig), 3);
	assert_int_equal(rig_count(rig, VERDICT_no_head), 3);
	assert_int_equal(rig_discard(rig, B_PORT), 0);
	rig_destroy(rig);
}

/* A port that takes one segment, and buffers that are too small: no plan allows that, but nothing may go wrong. */
static void
too_small_for_one_segment(void **state)
{
	const struct rig_conf conf = {.linear = 1u << B_PORT, .room = 128};
	struct rig *rig = rig_create(&conf);
	static struct frame f;

	packet(&f, 1600);
	rig_inject(rig, &f);
	assert_int_equal(rig_turn(rig), 1);
	assert_int_equal(rig_count(rig, VERDICT_no_buffer), 1);
	rig_destroy(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length),
		cmocka_unit_test(every_split),
		cmocka_unit_test(options_and_offsets),
		cmocka_unit_test(buffers_and_mirrors),
		cmocka_unit_test(mirror_of_the_whole),
		cmocka_unit_test(charges),
		cmocka_unit_test(order),
		cmocka_unit_test(rings_full),
		cmocka_unit_test(handed_off),
		cmocka_unit_test(no_buffer),
		cmocka_unit_test(no_head_lazy),
		cmocka_unit_test(too_small_for_one_segment),
	};

	rig_eal_with(argc, argv, TX_SLOTS);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
