/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the control thread gives back: packets that are walked as if they had come in by a port, frames that are sent by one as they are. In
 * every mode, whatever the buffers and ports, and when something is used up.
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
#include "skb_frags.h"
#include "skb_share.h"

#define B4     "10.0.1.2"
#define L3(n)  (FRAME_L3 + (n))
#define B_PORT 1u

static struct rig *
rig_in(const struct modes *modes)
{
	const struct rig_conf conf = {
		.build = modes->build, .complete = modes->complete, .icmp_rate = ICMP_UNLIMITED};

	return rig_create(&conf);
}

/* The one frame that left port, in one piece. */
static void
expect_left(struct rig *rig, uint16_t port, const struct frame *expected)
{
	static struct frame sent;
	struct rte_mbuf *m = rig_collect(rig, port);

	assert_non_null(m);
	rig_bytes(m, &sent);
	assert_int_equal(sent.len, expected->len);
	assert_memory_equal(sent.bytes, expected->bytes, sent.len);
	rig_return(m);
}

/* ---- packets ---- */

static void
expect_walked(struct rig *rig, const struct frame *f, const uint32_t *cuts, uint32_t n)
{
	static struct oracle oracle;
	static struct frame sent;
	const uint64_t before = RIG_STAT(rig, injected);

	oracle_judge(f, &oracle);
	rig_back(rig, rig_packet(rig, f, cuts, n), 0, PUNT_WALK);
	assert_int_equal(rig_turn(rig), 1);
	pieces_collect(rig, oracle.port, &oracle.out, &sent);
	assert_true(oracle_accepts(&oracle, sent.bytes, sent.len));
	assert_int_equal(RIG_STAT(rig, injected), before + 1);
	assert_int_equal(RIG_STAT(rig, rx), 0);
	rig_check_home(rig);
}

/* Forwarded, whole or cut, in one buffer or several. */
static void
walked(void **state)
{
	static struct frame f;

	for (uint32_t m = 0; m < N_MODES; m++) {
		struct rig *rig = rig_in(&all_modes[m]);

		for (uint32_t cut = 0; cut < 3; cut++) {
			const uint32_t cuts[] = {20 + 10 * cut, 50};

			frame_udp(&f, B4, 100);
			expect_walked(rig, &f, cuts, cut);
			frame_udp(&f, "2001:db8::2", 100);
			expect_walked(rig, &f, cuts, cut);
			frame_udp(&f, "10.70.1.9", 100);
			expect_walked(rig, &f, cuts, cut);
			frame_udp(&f, B4, 3000);
			expect_walked(rig, &f, cuts, cut);
		}
		rig_destroy(rig);
	}
}

/* Larger than what the port may bring: a reply to a packet that came in fragments. */
static void
larger_than_a_frame(void **state)
{
	const struct rig_conf conf = {.mtu = 1500};
	struct rig *rig = rig_create(&conf);
	static struct frame f;

	frame_udp(&f, B4, 8000);
	expect_walked(rig, &f, NULL, 0);
	rig_destroy(rig);
}

/* The MAC address that a packet must have is that of the port it is given back for, also of one that another worker polls. */
static void
every_port(void **state)
{
	const struct rig_conf conf = {.n_workers = 2};
	struct rig *rig = rig_create(&conf);
	static struct frame f;

	for (uint16_t p = 0; p < RIG_PORTS; p++)
		for (uint16_t mac = 0; mac < RIG_PORTS; mac++) {
			frame_udp(&f, B4, 40);
			frame_mac(f.bytes, (uint8_t)(mac + 1));
			rig_back(rig, rig_packet(rig, &f, NULL, 0), p, PUNT_WALK);
			assert_int_equal(rig_turn_of(rig, 1), 0);
			assert_int_equal(rig_turn_of(rig, 0), 1);
			assert_int_equal(rig_discard(rig, B_PORT), mac == p);
		}
	assert_int_equal(rig_count(rig, VERDICT_not_for_us), RIG_PORTS * (RIG_PORTS - 1));
	rig_destroy(rig);
}

/* Any verdict: what came back may be punted, told of and dropped again, as from the port it was given back for. */
static void
any_verdict(void **state)
{
	static const char *const dsts[] = {"10.0.0.1", "10.71.0.1", "203.0.113.1", "10.66.0.1"};
	static struct frame f;

	for (uint32_t m = 0; m < N_MODES; m++) {
		struct rig *rig = rig_in(&all_modes[m]);

		for (uint32_t i = 0; i < RTE_DIM(dsts); i++) {
			frame_udp(&f, dsts[i], 40);
			rig_back(rig, rig_packet(rig, &f, NULL, 0), 0, PUNT_WALK);
		}
		assert_int_equal(rig_turn(rig), 4);
		for (uint32_t class = 0; class < PUNT_N_CLASSES; class ++) {
			struct skb *skb = class == PUNT_ERROR ? rig_told(rig) : rig_punted_in(rig, class);

			assert_non_null(skb);
			assert_int_equal(skb->port, 0);
			rig_consume(rig, skb);
		}
		assert_int_equal(rig_count(rig, VERDICT_blackhole), 1);
		rig_destroy(rig);
	}
}

/* Round and round: punted for want of a neighbour, held, given back, and so on; always the same packet. */
static void
same_packet_again(void **state)
{
	static struct frame f;

	frame_udp(&f, "10.71.0.1", 40);
	for (uint32_t m = 0; m < N_MODES; m++) {
		struct rig *rig = rig_in(&all_modes[m]);
		struct skb *skb;

		rig_inject(rig, &f);
		assert_int_equal(rig_turn(rig), 1);
		for (uint32_t i = 0; i < 5; i++) {
			skb = rig_punted_in(rig, PUNT_NEIGH);
			assert_non_null(skb);
			assert_int_equal(skb->len, f.len);
			assert_memory_equal(skb->data, f.bytes, f.len);
			rig_back(rig, skb, skb->port, PUNT_WALK);
			assert_int_equal(rig_turn(rig), 1);
		}
		rig_destroy(rig);
	}
}

/* ---- frames ---- */

/* As they are: no address, TTL or length is looked at. */
static void
sent_as_they_are(void **state)
{
	static struct frame f;

	for (uint32_t m = 0; m < N_MODES; m++) {
		struct rig *rig = rig_in(&all_modes[m]);

		for (uint16_t p = 0; p < RIG_PORTS; p++)
			for (uint32_t cut = 0; cut < 2; cut++) {
				const uint32_t at = 30;

				frame_udp(&f, "203.0.113.1", 20 + p);
				memset(f.bytes, 0xff, 6);
				f.bytes[13] = 6;
				rig_back(rig, rig_packet(rig, &f, &at, cut), p, PUNT_SEND);
				assert_int_equal(rig_turn(rig), 1);
				expect_left(rig, p, &f);
				assert_int_equal(worker_port_stats(rig_worker(rig, 0), p)->tx_bytes,
					(cut + 1) * f.len);
				rig_check_home(rig);
			}
		rig_destroy(rig);
	}
}

/* In segments that are more than the port takes, or show bytes that somebody else sees; longer than a buffer: as it is allowed. */
static void
sent_in_fitting_buffers(void **state)
{
	static struct frame f;

	for (uint32_t k = 0; k < 4; k++) {
		const struct rig_conf conf = {.linear = k == 1 ? 1u << B_PORT : 0,
			.exclusive = k == 2 ? 1u << B_PORT : 0,
			.room = k == 3 ? 128 : RIG_ROOM};
		struct rig *rig = rig_create(&conf);
		struct skb *skb, *clone;
		struct rte_mbuf *m;
		struct skb_cpu cpu;
		const uint32_t cuts[] = {40, 90};

		skb_cpu_init(&cpu, rig_heads(rig), rig_pool(rig), LCORE_ID_ANY);
		frame_udp(&f, B4, 300);
		skb = rig_packet(rig, &f, cuts, 2);
		assert_int_equal(skb_clone(&cpu, skb, &clone), 0);
		rig_back(rig, skb, B_PORT, PUNT_SEND);
		assert_int_equal(rig_turn(rig), 1);
		m = rig_collect(rig, B_PORT);
		assert_non_null(m);
		if (k < 3)
			assert_true(m->nb_segs == 1 && RTE_MBUF_DIRECT(m) && rte_mbuf_refcnt_read(m) == 1);
		assert_int_equal(m->pkt_len, f.len);
		/* nobody wrote to what the clone shows */
		assert_int_equal(clone->len, f.len);
		rig_return(m);
		skb_consume(&cpu, clone);
		rig_check_home(rig);
		rig_destroy(rig);
	}
}

/* Copies of what port 1 sends leave by port 2, whoever sends it; what port 0 receives is mirrored, but this it did not receive. */
static void
mirrored(void **state)
{
	static struct frame f;

	frame_udp(&f, B4, 60);
	for (uint32_t m = 0; m < N_MODES; m++)
		for (uint32_t k = 0; k < N_MIRRORS; k++) {
			const struct rig_conf conf = {.build = all_modes[m].build,
				.complete = all_modes[m].complete,
				.policy = mirrors[k]};
			struct rig *rig = rig_create(&conf);

			rig_back(rig, rig_packet(rig, &f, NULL, 0), 0, PUNT_WALK);
			rig_back(rig, rig_packet(rig, &f, NULL, 0), B_PORT, PUNT_SEND);
			assert_int_equal(rig_turn(rig), 2);
			assert_int_equal(rig_discard(rig, B_PORT), 2);
			assert_int_equal(rig_discard(rig, MIRROR_PORT), mirrors_tx(k) ? 2 : 0);
			rig_check_home(rig);
			rig_destroy(rig);
		}
}

/* ---- bursts ---- */

/* Ports and roads in random runs: what leaves a port is in the order in which it was given back. */
static void
order(void **state)
{
	static struct frame f, sent;
	uint64_t seed = 0xbac0;

	for (uint32_t m = 0; m < N_MODES; m++) {
		struct rig *rig = rig_in(&all_modes[m]);

		for (uint32_t round = 0; round < 200; round++) {
			const uint32_t n = 1 + frame_random(&seed, 64);
			uint32_t next = 0, n_out = 0;
			struct rte_mbuf *mbuf;

			for (uint32_t i = 0; i < n; i++) {
				const bool walk = frame_random(&seed, 4) != 0;

				frame_udp(&f, B4, 20);
				frame_put16(f.bytes + L3(28), i);
				rig_back(rig, rig_packet(rig, &f, NULL, 0), walk ? 0 : B_PORT,
					walk ? PUNT_WALK : PUNT_SEND);
			}
			assert_int_equal(rig_turn(rig), n);
			for (; (mbuf = rig_collect(rig, B_PORT)) != NULL; n_out++) {
				rig_bytes(mbuf, &sent);
				assert_int_equal(frame_get16(sent.bytes + L3(28)), next++);
				rig_return(mbuf);
			}
			assert_int_equal(n_out, n);
		}
		rig_destroy(rig);
	}
}

/* No more than a burst in a turn, so that what the ports receive does not wait. */
static void
a_burst_at_a_time(void **state)
{
	const struct rig_conf conf = {.burst = 8};
	struct rig *rig = rig_create(&conf);
	static struct frame f;

	frame_udp(&f, B4, 20);
	for (uint32_t i = 0; i < 20; i++)
		rig_back(rig, rig_packet(rig, &f, NULL, 0), 0, PUNT_WALK);
	assert_int_equal(rig_turn(rig), 8);
	assert_int_equal(rig_turn(rig), 8);
	assert_int_equal(rig_turn(rig), 4);
	assert_int_equal(rig_turn(rig), 0);
	assert_int_equal(rig_discard(rig, B_PORT), 20);
	rig_destroy(rig);
}

/* ---- shortages ---- */

/* A packet that somebody else sees too, and no buffer for a copy; between two that need none. */
static void
no_buffer(void **state)
{
	const struct rig_conf conf = {.n_data = 3};
	static struct frame f;

	frame_udp(&f, B4, 20);
	for (uint32_t road = 0; road < 2; road++) {
		struct rig *rig = rig_create(&conf);
		struct skb_cpu cpu;
		struct skb *skb, *clone;

		skb_cpu_init(&cpu, rig_heads(rig), rig_pool(rig), LCORE_ID_ANY);
		for (uint32_t i = 0; i < 3; i++) {
			skb = rig_packet(rig, &f, NULL, 0);
			if (i == 1)
				assert_int_equal(skb_clone(&cpu, skb, &clone), 0);
			rig_back(rig, skb, road == PUNT_WALK ? 0 : B_PORT, road);
		}
		assert_int_equal(rig_turn(rig), 3);
		assert_int_equal(rig_count(rig, VERDICT_no_buffer), 1);
		assert_int_equal(rig_discard(rig, B_PORT), 2);
		skb_consume(&cpu, clone);
		rig_check_home(rig);
		rig_destroy(rig);
	}
}

/* The port takes no more; or another worker sends by it, and its ring is full. */
static void
full(void **state)
{
	static struct frame f;

	frame_udp(&f, B4, 20);
	for (uint32_t m = 0; m < N_MODES; m++)
		for (uint32_t road = 0; road < 2; road++) {
			struct rig *rig = rig_in(&all_modes[m]);

			for (uint32_t i = 0; i < 2; i++) {
				for (uint32_t k = 0; k < 40; k++)
					rig_back(rig, rig_packet(rig, &f, NULL, 0),
						road == PUNT_WALK ? 0 : B_PORT, road);
				assert_int_equal(rig_turn(rig), 40);
			}
			assert_int_equal(rig_count(rig, VERDICT_tx_full), 80 - RIG_TX_SLOTS);
			assert_int_equal(rig_discard(rig, B_PORT), RIG_TX_SLOTS);
			rig_check_home(rig);
			rig_destroy(rig);
		}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walked),
		cmocka_unit_test(larger_than_a_frame),
		cmocka_unit_test(every_port),
		cmocka_unit_test(any_verdict),
		cmocka_unit_test(same_packet_again),
		cmocka_unit_test(sent_as_they_are),
		cmocka_unit_test(sent_in_fitting_buffers),
		cmocka_unit_test(mirrored),
		cmocka_unit_test(order),
		cmocka_unit_test(a_burst_at_a_time),
		cmocka_unit_test(no_buffer),
		cmocka_unit_test(full),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
