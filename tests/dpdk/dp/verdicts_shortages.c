/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdicts that good packets get because something is used up: heads, buffers, limits, rings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verdicts.h"

/* The only data buffer is seen by somebody else too, and there is none for a copy. */
static void
no_buffer(void **state)
{
	const struct rig_conf conf = {.n_data = 1};
	struct rig *rig = rig_create(&conf);
	struct rte_mbuf *mbuf;
	struct frame f;

	frame_udp(&f, B4, 18);
	mbuf = rig_inject_shared(rig, &f, NULL, 0);
	assert_int_equal(rig_turn(rig), 1);
	assert_int_equal(rig_count(rig, VERDICT_no_buffer), 1);
	assert_memory_equal(rte_pktmbuf_mtod(mbuf, uint8_t *), f.bytes, f.len);
	rig_return(mbuf);
	verdicts_finish(rig);
}

/* The newest of a burst that its port has no room for. */
static void
owner_limit(void **state)
{
	const struct rig_conf conf = {.owner_limit = 10 * RIG_TRUESIZE};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	for (uint32_t i = 0; i < 20; i++) {
		frame_udp(&f, B4, 18 + i);
		rig_inject(rig, &f);
	}
	assert_int_equal(rig_turn(rig), 20);
	assert_int_equal(rig_count(rig, VERDICT_owner_limit), 10);
	for (uint32_t i = 0; i < 10; i++) {
		struct rte_mbuf *mbuf = rig_collect(rig, 1);

		assert_int_equal(mbuf->pkt_len, 60 + i);
		rig_return(mbuf);
	}
	assert_null(rig_collect(rig, 1));
	verdicts_finish(rig);
}

/* No buffer for the copy; the original is sent. */
static void
mirror_full(void **state)
{
	const struct port_policy policy[RIG_PORTS] = {
		{0, 2, MIRROR_NONE}, {0, MIRROR_NONE, MIRROR_NONE}, {0, MIRROR_NONE, MIRROR_NONE}};
	const struct rig_conf conf = {.n_data = 1, .policy = policy};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	frame_udp(&f, B4, 18);
	rig_inject(rig, &f);
	assert_int_equal(rig_turn(rig), 1);
	assert_int_equal(rig_count(rig, VERDICT_mirror_full), 1);
	assert_int_equal(rig_count(rig, VERDICT_forward), 1);
	verdicts_finish(rig);
}

/* The port's ring holds one burst: what is offered beyond it is counted, the newest lost. */
static void
tx_full(void **state)
{
	struct rig *rig = verdicts_rig(BUILD_LATE);
	const struct rte_mbuf *sent[RIG_TX_SLOTS];
	struct rte_mbuf *m;
	struct frame f;

	frame_udp(&f, B4, 18);
	for (uint32_t i = 0; i < RIG_TX_SLOTS - 3; i++)
		sent[i] = rig_inject(rig, &f);
	rig_turn(rig);
	for (uint32_t i = RIG_TX_SLOTS - 3; i < RIG_TX_SLOTS + 7; i++) {
		const struct rte_mbuf *injected = rig_inject(rig, &f);

		if (i < RIG_TX_SLOTS)
			sent[i] = injected;
	}
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_tx_full), 7);
	assert_int_equal(rig_count(rig, VERDICT_forward), RIG_TX_SLOTS);
	rig_inject(rig, &f);
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_tx_full), 8);

	const struct worker_port *port = worker_port_stats(rig_worker(rig, 0), 1);

	assert_int_equal(port->tx_bytes, (uint64_t)RIG_TX_SLOTS * f.len);
	for (uint32_t i = 0; i < RIG_TX_SLOTS; i++) {
		m = rig_collect(rig, 1);
		assert_ptr_equal(m, sent[i]);
		rig_return(m);
	}
	verdicts_finish(rig);
}

/* Worker 1's packets for the shared port go to worker 0, which takes no turn; its ring holds four. */
static void
handoff_full(void **state)
{
	const struct rig_conf conf = {.n_workers = 2, .shared = 1u << 1, .handoff_slots = 4};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	frame_udp(&f, B4, 18);
	for (uint32_t i = 0; i < 7; i++)
		rig_inject_at(rig, 0, 1, &f);
	assert_int_equal(rig_turn_of(rig, 1), 7);
	assert_int_equal(rig_count(rig, VERDICT_handoff_full), 3);
	assert_int_equal(rig_turn_of(rig, 0), 4);
	assert_int_equal(rig_discard(rig, 1), 4);
	verdicts_finish(rig);
}

static void
punt_full(enum build_mode build)
{
	const struct rig_conf conf = {.build = build, .punt_slots = 5};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	frame_udp(&f, "10.0.0.1", 18);
	for (uint32_t i = 0; i < 8; i++)
		rig_inject(rig, &f);
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_punt_local), 5);
	assert_int_equal(rig_count(rig, VERDICT_punt_full), 3);
	rig_consume(rig, rig_punted(rig));
	rig_inject(rig, &f);
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_punt_local), 6);
	verdicts_finish(rig);
}

static void
punt_full_late(void **state)
{
	punt_full(BUILD_LATE);
}

static void
punt_full_lazy(void **state)
{
	punt_full(BUILD_LAZY);
}

static void
punt_full_early(void **state)
{
	punt_full(BUILD_EARLY);
}

/* Three heads: bursts of four are lost whole, the next one of three passes. */
static void
no_head(enum build_mode build)
{
	const struct rig_conf conf = {.build = build, .n_heads = 3};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	frame_udp(&f, B4, 18);
	for (uint32_t round = 1; round < 5; round++) {
		for (uint32_t i = 0; i < 4; i++)
			rig_inject(rig, &f);
		assert_int_equal(rig_turn(rig), 4);
		assert_int_equal(rig_count(rig, VERDICT_no_head), 4 * round);
		assert_int_equal(rig_discard(rig, 1), 0);
		for (uint32_t i = 0; i < 3; i++)
			rig_inject(rig, &f);
		assert_int_equal(rig_turn(rig), 3);
		assert_int_equal(rig_discard(rig, 1), 3);
		rig_check_home(rig);
	}
	verdicts_finish(rig);
}

static void
no_head_late(void **state)
{
	no_head(BUILD_LATE);
}

static void
no_head_early(void **state)
{
	no_head(BUILD_EARLY);
}

/* Lazy: only a punt wants a head; the packets to forward around it do not care that there is none. */
static void
no_head_lazy(void **state)
{
	const struct rig_conf conf = {.build = BUILD_LAZY, .n_heads = 2};
	struct rig *rig = rig_create(&conf);
	struct frame local, f;

	frame_udp(&local, "10.0.0.1", 18);
	frame_udp(&f, B4, 18);
	for (uint32_t i = 0; i < 5; i++) {
		rig_inject(rig, &local);
		rig_inject(rig, &f);
	}
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_punt_local), 2);
	assert_int_equal(rig_count(rig, VERDICT_no_head), 3);
	assert_int_equal(rig_discard(rig, 1), 5);
	verdicts_finish(rig);
}

int
verdicts_shortages(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_buffer),
		cmocka_unit_test(owner_limit),
		cmocka_unit_test(mirror_full),
		cmocka_unit_test(tx_full),
		cmocka_unit_test(handoff_full),
		cmocka_unit_test(punt_full_late),
		cmocka_unit_test(punt_full_lazy),
		cmocka_unit_test(punt_full_early),
		cmocka_unit_test(no_head_late),
		cmocka_unit_test(no_head_early),
		cmocka_unit_test(no_head_lazy),
	};

	return cmocka_run_group_tests_name("shortages", tests, NULL, NULL);
}
