/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two workers, one TX queue on port 1: what worker 1 walks for it crosses a ring to worker 0. No threads here: the
 * turns are taken in every order that matters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus.h"
#include "oracle.h"
#include "rig.h"

static struct rig *
rig_shared(enum build_mode build, uint32_t slots)
{
	const struct rig_conf conf = {
		.build = build, .n_workers = 2, .shared = 1u << 1, .handoff_slots = slots, .punt_slots = 8};

	return rig_create(&conf);
}

/* Worker 1's packets wait until the owner's turn; then they leave, in order, as if nothing had been between. */
static void
crossing(void **state)
{
	struct rig *rig = rig_shared(BUILD_LATE, 64);
	const struct worker_stats *owner = worker_stats(rig_worker(rig, 0));
	const struct worker_stats *other = worker_stats(rig_worker(rig, 1));
	struct oracle oracle;
	struct frame f;

	for (uint32_t i = 0; i < 40; i++) {
		frame_udp(&f, i % 2 ? "10.0.1.2" : "10.2.9.9", i);
		rig_inject_at(rig, 0, 1, &f);
	}
	assert_int_equal(rig_turn_of(rig, 1), 40);
	assert_null(rig_collect(rig, 1));
	assert_int_equal(other->rx, 40);
	assert_int_equal(other->tx, 0);
	assert_int_equal(other->handoff_out, 40);
	assert_int_equal(worker_port_stats(rig_worker(rig, 1), 1)->tx_pkts, 0);

	assert_int_equal(rig_turn_of(rig, 0), 40);
	assert_int_equal(owner->rx, 0);
	assert_int_equal(owner->handoff_in, 40);
	assert_int_equal(owner->tx, 40);
	assert_int_equal(worker_port_stats(rig_worker(rig, 0), 1)->tx_pkts, 40);
	for (uint32_t i = 0; i < 40; i++) {
		struct rte_mbuf *m = rig_collect(rig, 1);

		frame_udp(&f, i % 2 ? "10.0.1.2" : "10.2.9.9", i);
		oracle_judge(&f, &oracle);
		assert_non_null(m);
		assert_true(oracle_accepts(&oracle, rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len));
		rig_return(m);
	}
	rig_destroy(rig);
}

/* The owner sends its own at once, and does not hand to itself; port 0 is not shared, so worker 1 sends there itself. */
static void
only_what_must(void **state)
{
	struct rig *rig = rig_shared(BUILD_LATE, 64);
	struct frame to_b, to_a;

	frame_udp(&to_b, "2001:db8:1::2", 8);
	frame_udp(&to_a, "2001:db8::2", 8);
	rig_inject_at(rig, 0, 0, &to_b);
	rig_inject_at(rig, 0, 0, &to_a);
	assert_int_equal(rig_turn_of(rig, 0), 2);
	assert_int_equal(worker_stats(rig_worker(rig, 0))->handoff_out, 0);
	assert_int_equal(rig_discard(rig, 0), 1);
	assert_int_equal(rig_discard(rig, 1), 1);

	rig_inject_at(rig, 0, 1, &to_b);
	rig_inject_at(rig, 0, 1, &to_a);
	assert_int_equal(rig_turn_of(rig, 1), 2);
	assert_int_equal(worker_stats(rig_worker(rig, 1))->handoff_out, 1);
	assert_int_equal(rig_discard(rig, 0), 1);
	assert_int_equal(rig_discard(rig, 1), 0);
	assert_int_equal(rig_turn_of(rig, 0), 1);
	assert_int_equal(rig_discard(rig, 1), 1);
	rig_destroy(rig);
}

/* At the end: the owner takes what is left, though it takes no turn any more. */
static void
drained_at_the_end(void **state)
{
	struct rig *rig = rig_shared(BUILD_LATE, 256);
	struct frame f;

	frame_udp(&f, "10.0.1.2", 18);
	for (uint32_t i = 0; i < RIG_TX_SLOTS; i++)
		rig_inject_at(rig, 0, 1, &f);
	rig_turn_of(rig, 1);
	worker_drain(rig_worker(rig, 1));
	assert_null(rig_collect(rig, 1));
	worker_drain(rig_worker(rig, 0));
	assert_int_equal(rig_discard(rig, 1), RIG_TX_SLOTS);

	/* more than the port takes: counted, nothing waits for ever */
	for (uint32_t i = 0; i < 3 * BURST_MAX; i++)
		rig_inject_at(rig, 0, 1, &f);
	for (uint32_t i = 0; i < 3; i++)
		rig_turn_of(rig, 1);
	worker_drain(rig_worker(rig, 0));
	assert_int_equal(rig_count(rig, VERDICT_tx_full), 3 * BURST_MAX - RIG_TX_SLOTS);
	rig_destroy(rig);
}

/* A ring too small, a port too small, both workers busy, punts and drops in between: every packet is counted once. */
static void
storm(enum build_mode build)
{
	struct rig *rig = rig_shared(build, 16);
	uint64_t seed = 0x570f4, counts[N_VERDICTS];
	struct frame f;
	struct skb *skb;

	for (uint32_t round = 0; round < 2000; round++) {
		for (uint32_t i = frame_random(&seed, 60); i > 0; i--) {
			const uint16_t queue = (uint16_t)frame_random(&seed, 2);

			if (frame_random(&seed, 2))
				frame_udp(&f, "10.0.1.2", frame_random(&seed, 50));
			else
				corpus_random(&seed, &f);
			rig_inject_at(rig, 0, queue, &f);
		}
		rig_turn_of(rig, frame_random(&seed, 2));
		rig_turn_of(rig, frame_random(&seed, 2));
		for (uint16_t p = 0; p < RIG_PORTS; p++)
			if (frame_random(&seed, 3))
				rig_discard(rig, p);
		while (frame_random(&seed, 4) && (skb = rig_punted(rig)) != NULL)
			rig_consume(rig, skb);
	}
	rig_counts(rig, counts);
	assert_true(counts[VERDICT_tx_full] > 0);
	assert_true(counts[VERDICT_handoff_full] > 0);
	assert_true(counts[VERDICT_punt_full] > 0);
	rig_destroy(rig);
}

static void
storm_late(void **state)
{
	storm(BUILD_LATE);
}

static void
storm_early(void **state)
{
	storm(BUILD_EARLY);
}

static void
storm_lazy(void **state)
{
	storm(BUILD_LAZY);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crossing),
		cmocka_unit_test(only_what_must),
		cmocka_unit_test(drained_at_the_end),
		cmocka_unit_test(storm_late),
		cmocka_unit_test(storm_early),
		cmocka_unit_test(storm_lazy),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
