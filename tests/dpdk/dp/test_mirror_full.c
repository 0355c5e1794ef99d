/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When there is no room for a copy: in the mirror port, in its MTU, in the ring to its owner, in either pool. The copy is dropped as
 * mirror_full, whatever the reason; the packet goes its way. And ports that take one segment only, or no shared buffers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mirrors.h"
#include "modes.h"
#include "outcome.h"
#include "rig.h"

#define B4 "10.0.1.2"

static const enum build_mode builds[] = {BUILD_LATE, BUILD_EARLY, BUILD_LAZY};

static void
inject_at(struct rig *rig, uint32_t n, uint16_t queue)
{
	static struct frame f;

	frame_udp(&f, B4, 18);
	for (uint32_t i = 0; i < n; i++)
		rig_inject_at(rig, 0, queue, &f);
}

/* Nobody takes what port 2 sends: one ring full of copies leaves, then none, and nothing else is lost. */
static void
port_full(void **state)
{
	for (uint32_t k = 0; k < 2 * RTE_DIM(builds); k++) {
		const struct rig_conf conf = {.build = builds[k / 2], .policy = mirrors[k % 2]};
		struct rig *rig = rig_create(&conf);

		for (uint32_t turn = 0; turn < 5; turn++) {
			inject_at(rig, 40, 0);
			assert_int_equal(rig_turn(rig), 40);
			assert_int_equal(rig_discard(rig, 1), 40);
		}
		assert_int_equal(rig_count(rig, VERDICT_forward), 200 + RIG_TX_SLOTS);
		assert_int_equal(rig_count(rig, VERDICT_mirror_full), 200 - RIG_TX_SLOTS);
		assert_int_equal(rig_discard(rig, MIRROR_PORT), RIG_TX_SLOTS);
		rig_destroy(rig);
	}
}

/* The other way round: port 1 is full, which costs packets but no copy of them. */
static void
mirrored_port_full(void **state)
{
	for (uint32_t k = 0; k < N_MIRRORS; k++) {
		const struct rig_conf conf = {.policy = mirrors[k]};
		struct rig *rig = rig_create(&conf);
		uint32_t n_copies = 0;

		for (uint32_t turn = 0; turn < 5; turn++) {
			inject_at(rig, 30, 0);
			rig_turn(rig);
			n_copies += rig_discard(rig, MIRROR_PORT);
		}
		assert_int_equal(n_copies, k == 2 ? 300 : 150);
		assert_int_equal(rig_count(rig, VERDICT_tx_full), 150 - RIG_TX_SLOTS);
		assert_int_equal(rig_count(rig, VERDICT_mirror_full), 0);
		rig_destroy(rig);
	}
}

/* Frames that port 2 would not send. */
static void
larger_than_the_mtu(void **state)
{
	static struct frame f;

	for (uint32_t k = 0; k < 2; k++) {
		const struct rig_conf conf = {.policy = mirrors[k], .mirror_mtu = 600};
		struct rig *rig = rig_create(&conf);

		for (uint32_t len = 600; len < 640; len++) {
			frame_udp(&f, B4, len - FRAME_L3 - 28);
			rig_inject_chain(rig, &f, len / 2);
			rig_inject(rig, &f);
			rig_turn(rig);
			assert_int_equal(rig_discard(rig, 1), 2);
			/* an IP packet of 600 bytes behind an Ethernet header and a tag */
			assert_int_equal(rig_discard(rig, MIRROR_PORT), len <= 618 ? 2 : 0);
		}
		assert_int_equal(rig_count(rig, VERDICT_mirror_full), 2 * 21);
		rig_destroy(rig);
	}
}

/* ---- the ring to another worker ---- */

/* Port 2 is worker 0's: worker 1's copies reach it over a ring of 8, or not at all. */
static void
ring_full(void **state)
{
	for (uint32_t k = 0; k < 2; k++) {
		const struct rig_conf conf = {
			.policy = mirrors[k], .n_workers = 2, .shared = 1u << 2, .handoff_slots = 8};
		struct rig *rig = rig_create(&conf);

		inject_at(rig, 20, 1);
		assert_int_equal(rig_turn_of(rig, 1), 20);
		assert_int_equal(rig_discard(rig, 1), 20);
		assert_int_equal(rig_discard(rig, MIRROR_PORT), 0);
		assert_int_equal(rig_count(rig, VERDICT_mirror_full), 12);
		assert_int_equal(rig_count(rig, VERDICT_handoff_full), 0);
		assert_int_equal(rig_turn_of(rig, 0), 8);
		assert_int_equal(rig_discard(rig, MIRROR_PORT), 8);
		rig_destroy(rig);
	}
}

/* And when it comes to worker 0's port, that is full. */
static void
port_behind_the_ring_full(void **state)
{
	const struct rig_conf conf = {.policy = mirrors[0], .n_workers = 2, .shared = 1u << 2};
	struct rig *rig = rig_create(&conf);

	inject_at(rig, 30, 1);
	inject_at(rig, 50, 0);
	rig_turn_of(rig, 1);
	rig_turn_of(rig, 0);
	assert_int_equal(rig_discard(rig, 1), RIG_TX_SLOTS + 16);
	assert_int_equal(rig_discard(rig, MIRROR_PORT), RIG_TX_SLOTS);
	assert_int_equal(rig_count(rig, VERDICT_mirror_full), 16);
	assert_int_equal(rig_count(rig, VERDICT_tx_full), 0);
	rig_destroy(rig);
}

/* Packets and copies for one port in one ring: each is refused under its own name, here and behind it. */
static void
both_in_one_ring(void **state)
{
	static const struct port_policy policy[RIG_PORTS] = {
		{0, 1, MIRROR_NONE}, {0, MIRROR_NONE, MIRROR_NONE}, {0, MIRROR_NONE, MIRROR_NONE}};
	const struct rig_conf conf = {
		.policy = policy, .n_workers = 2, .shared = 1u << 1, .handoff_slots = 30, .burst = 64};
	struct rig *rig = rig_create(&conf);

	/* copies first: 20 and 10, then 2 more than there is room for */
	inject_at(rig, 20, 1);
	rig_turn_of(rig, 1);
	assert_int_equal(rig_count(rig, VERDICT_handoff_full), 10);
	assert_int_equal(rig_count(rig, VERDICT_mirror_full), 0);
	inject_at(rig, 2, 1);
	rig_turn_of(rig, 1);
	assert_int_equal(rig_count(rig, VERDICT_handoff_full), 12);
	assert_int_equal(rig_count(rig, VERDICT_mirror_full), 2);
	/* its own 25 copies and 25 packets leave 14 places of 64, for 20 copies and 10 packets */
	inject_at(rig, 25, 0);
	rig_turn_of(rig, 0);
	assert_int_equal(rig_count(rig, VERDICT_mirror_full), 2 + 6);
	assert_int_equal(rig_count(rig, VERDICT_tx_full), 10);
	assert_int_equal(rig_discard(rig, 1), RIG_TX_SLOTS);
	rig_destroy(rig);
}

/* A copy that comes in again over a wire is a packet like any other, and refused as one. */
static void
a_copy_comes_in(void **state)
{
	const struct rig_conf conf = {.policy = mirrors[0]};
	struct rig *rig = rig_create(&conf);
	struct rte_mbuf *copies[10];

	inject_at(rig, 10, 0);
	rig_turn(rig);
	for (uint32_t i = 0; i < 10; i++)
		copies[i] = rig_collect(rig, MIRROR_PORT);
	inject_at(rig, RIG_TX_SLOTS - 10, 0);
	rig_turn(rig);
	rig_discard(rig, MIRROR_PORT);
	for (uint32_t i = 0; i < 10; i++)
		rig_inject_mbuf(rig, 0, copies[i]);
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_tx_full), 10);
	assert_int_equal(rig_count(rig, VERDICT_mirror_full), 0);
	rig_destroy(rig);
}

/* ---- the pools ---- */

/* One frame in 1 + n_cuts buffers with so many heads and other buffers to be had: it is sent. Returns whether its copy was, too. */
static bool
sent_with(const struct rig_conf *conf, uint32_t n_cuts, uint32_t n_spare, uint32_t n_heads)
{
	static const uint32_t cuts[] = {100, 130};
	static struct frame f;
	struct rig_conf c = *conf;
	struct rig *rig;
	uint32_t n;

	c.n_data = 1 + n_cuts + n_spare;
	c.n_heads = n_heads;
	rig = rig_create(&c);
	frame_udp(&f, B4, 140);
	/* twice: nothing is used up */
	for (uint32_t round = 0; round < 2; round++) {
		rig_inject_cut(rig, &f, cuts, n_cuts);
		assert_int_equal(rig_turn(rig), 1);
		assert_int_equal(rig_discard(rig, 1), 1);
		n = rig_discard(rig, MIRROR_PORT);
		assert_int_equal(rig_count(rig, VERDICT_mirror_full), (round + 1) * (1 - n));
		rig_check_home(rig);
	}
	rig_destroy(rig);
	return n == 1;
}

/* The copy is sent from `need` spare buffers on, and from two heads on. */
static void
expect_need(const struct rig_conf *conf, uint32_t n_cuts, uint32_t need)
{
	for (uint32_t n_spare = 0; n_spare < need + 2; n_spare++)
		if (sent_with(conf, n_cuts, n_spare, 64) != (n_spare >= need))
			fail_msg("%u segments, %s: %u buffers are not what it needs", 1 + n_cuts,
				conf->policy == mirrors[0] ? "rx" : "tx", need);
	assert_false(sent_with(conf, n_cuts, 16, 1));
	/* early heads are bound to the new buffers as well */
	assert_true(sent_with(conf, n_cuts, 16, conf->build == BUILD_EARLY ? 20 : 2));
}

/* rx: a buffer for the packet's headers and an mbuf for each of its fragments. tx: an mbuf for the copy's first segment. */
static void
pools_empty(void **state)
{
	for (uint32_t b = 0; b < RTE_DIM(builds); b++)
		for (uint32_t n_cuts = 0; n_cuts < 3; n_cuts++) {
			const struct rig_conf rx = {.build = builds[b], .policy = mirrors[0]};
			const struct rig_conf tx = {.build = builds[b], .policy = mirrors[1]};

			expect_need(&rx, n_cuts, 1 + n_cuts);
			expect_need(&tx, n_cuts, 1);
		}
}

/* The same for ports that want more; how many buffers they need is theirs to know, but with enough it works. */
static void
pools_empty_for_particular_ports(void **state)
{
	for (uint32_t k = 0; k < 16; k++) {
		const struct rig_conf conf = {.policy = mirrors[k % 2],
			.linear = (k & 2) != 0 ? 1u << MIRROR_PORT : 0,
			.exclusive = (k & 4) != 0 ? 1u << MIRROR_PORT : 0,
			.build = (k & 8) != 0 ? BUILD_LAZY : BUILD_LATE};

		for (uint32_t n_cuts = 0; n_cuts < 3; n_cuts++) {
			bool sent = false;

			for (uint32_t n_spare = 0; n_spare < 12; n_spare++) {
				const bool now = sent_with(&conf, n_cuts, n_spare, 8);

				assert_true(now || !sent);
				assert_false(now && n_spare == 0);
				sent = now;
			}
			assert_true(sent);
		}
	}
}

/* ---- ports that take one segment only, ports that must not see shared buffers ---- */

static bool
is_alone(const struct rte_mbuf *mbuf)
{
	for (const struct rte_mbuf *m = mbuf; m != NULL; m = m->next)
		if (!RTE_MBUF_DIRECT(m) || rte_mbuf_refcnt_read(m) != 1)
			return false;
	return true;
}

/* A frame cut at cuts[n_cuts], its copy and the packet are what their ports take, with the right bytes. */
static void
one_particular(struct rig *rig, const struct rig_conf *conf, const uint32_t *cuts, uint32_t n_cuts)
{
	static struct frame f, sent, copied;
	struct rte_mbuf *m[3] = {NULL, NULL, NULL};

	frame_udp(&f, B4, 140);
	rig_inject_cut(rig, &f, cuts, n_cuts);
	rig_turn(rig);
	for (uint16_t p = 1; p < 3; p++) {
		m[p] = rig_collect(rig, p);
		assert_non_null(m[p]);
	}
	for (uint16_t p = 1; p < 3; p++) {
		const bool fits = (m[p]->nb_segs == 1 || (conf->linear >> p & 1) == 0) &&
				  (is_alone(m[p]) || (conf->exclusive >> p & 1) == 0);

		if (!fits)
			fail_msg("%s, linear %u, exclusive %u, %u segments, cut at %u: port %u got %u",
				conf->policy == mirrors[0] ? "rx" : "tx", conf->linear, conf->exclusive,
				1 + n_cuts, cuts[0], p, m[p]->nb_segs);
	}
	rig_bytes(m[1], &sent);
	rig_bytes(m[2], &copied);
	assert_int_equal(sent.len, f.len);
	assert_int_equal(sent.bytes[FRAME_L3 + 8], f.bytes[FRAME_L3 + 8] - 1);
	assert_int_equal(copied.len, f.len);
	assert_memory_equal(copied.bytes, conf->policy == mirrors[0] ? f.bytes : sent.bytes, f.len);
	rig_return(m[1]);
	rig_return(m[2]);
}

static void
particular_ports(void **state)
{
	for (uint32_t k = 0; k < 16 * 2; k++)
		for (uint32_t b = 0; b < RTE_DIM(builds); b++) {
			const struct rig_conf conf = {.build = builds[b],
				.policy = mirrors[k % 2],
				.linear = (k >> 1 & 3) << 1,
				.exclusive = (k >> 3 & 3) << 1};
			struct rig *rig = rig_create(&conf);

			for (uint32_t at = 0; at < 180; at += 11) {
				const uint32_t cuts[] = {at, (at + 182) / 2};

				for (uint32_t n_cuts = 0; n_cuts < 3; n_cuts++)
					one_particular(rig, &conf, cuts, n_cuts);
			}
			rig_check_home(rig);
			rig_destroy(rig);
		}
}

/* A copy that shows the bytes of a packet that is gone already comes in, and leaves by a port that takes no such mbufs. */
static void
a_window_comes_in(void **state)
{
	const struct rig_conf conf = {.policy = mirrors[1], .exclusive = 1u << 0};
	struct rig *rig = rig_create(&conf);
	static struct frame f;
	struct rte_mbuf *copy;

	inject_at(rig, 1, 0);
	rig_turn(rig);
	rig_discard(rig, 1);
	copy = rig_collect(rig, MIRROR_PORT);
	assert_false(RTE_MBUF_DIRECT(copy));
	frame_udp(&f, "10.0.0.2", 18);
	memcpy(rte_pktmbuf_mtod(copy, uint8_t *), f.bytes, f.len);
	rig_inject_mbuf(rig, 0, copy);
	rig_turn(rig);
	copy = rig_collect(rig, 0);
	assert_non_null(copy);
	assert_true(is_alone(copy));
	rig_return(copy);
	rig_destroy(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(port_full),
		cmocka_unit_test(mirrored_port_full),
		cmocka_unit_test(larger_than_the_mtu),
		cmocka_unit_test(ring_full),
		cmocka_unit_test(port_behind_the_ring_full),
		cmocka_unit_test(both_in_one_ring),
		cmocka_unit_test(a_copy_comes_in),
		cmocka_unit_test(pools_empty),
		cmocka_unit_test(pools_empty_for_particular_ports),
		cmocka_unit_test(particular_ports),
		cmocka_unit_test(a_window_comes_in),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
