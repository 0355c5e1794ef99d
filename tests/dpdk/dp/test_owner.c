/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who is charged for a packet, and until when: the RX queue that it came in by, until just before it is sent (orphan), or until its
 * buffers are back (completion); the control thread's owner from the punt ring on; nobody.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "modes.h"
#include "rig.h"

#define B4    "10.0.1.2"
#define B6    "2001:db8:1::2"
#define LOCAL "10.0.0.1"

/* What worker's queue of port 0 is charged with. Its queues stand in the order of the ports. */
static int64_t
used_by(struct rig *rig, uint32_t worker)
{
	return skb_owner_used(worker_owner(rig_worker(rig, worker), 0));
}

static int64_t
used(struct rig *rig)
{
	return used_by(rig, 0);
}

static int64_t
punts_used(struct rig *rig)
{
	return skb_owner_used(rig_punt_owner(rig, PUNT_HOST));
}

/* n packets before port 0's queue `queue`. */
static void
inject_at(struct rig *rig, const char *dst, uint32_t n, uint16_t queue)
{
	static struct frame f;

	frame_udp(&f, dst, 18);
	for (uint32_t i = 0; i < n; i++)
		rig_inject_at(rig, 0, queue, &f);
}

static void
inject(struct rig *rig, const char *dst, uint32_t n)
{
	inject_at(rig, dst, n, 0);
}

/* What became of a mixed burst that took one turn: 10 are sent, 3 dropped, 4 punted. */
static struct rig *
rig_with_mixture(enum build_mode build, enum complete_mode complete)
{
	const struct rig_conf conf = {.build = build, .complete = complete};
	struct rig *rig = rig_create(&conf);

	inject(rig, B4, 4);
	inject(rig, LOCAL, 2);
	inject(rig, "203.0.113.1", 3);
	inject(rig, B6, 3);
	inject(rig, LOCAL, 2);
	inject(rig, "10.0.0.2", 3);
	assert_int_equal(rig_turn(rig), 17);
	return rig;
}

static void
punts_are_charged_until_consumed(struct rig *rig)
{
	for (uint32_t left = 4; left > 0; left--) {
		struct skb *skb = rig_punted(rig);

		assert_ptr_equal(skb->owner, rig_punt_owner(rig, PUNT_HOST));
		assert_int_equal(punts_used(rig), left * RIG_TRUESIZE);
		rig_consume(rig, skb);
	}
	assert_int_equal(punts_used(rig), 0);
}

/* Released while the frames are still in the TX ring. */
static void
orphan(void **state)
{
	static const enum complete_mode modes[] = {COMPLETE_ORPHAN, COMPLETE_ORPHAN_PACKET};
	static const enum build_mode builds[] = {BUILD_LATE, BUILD_EARLY};

	for (uint32_t i = 0; i < 4; i++) {
		struct rig *rig = rig_with_mixture(builds[i / 2], modes[i % 2]);

		assert_int_equal(used(rig), 0);
		assert_int_equal(rig_discard(rig, 1), 7);
		assert_int_equal(used(rig), 0);
		punts_are_charged_until_consumed(rig);
		rig_destroy(rig);
	}
}

/* Charged as long as the other side has the buffers, packet by packet. */
static void
completion(void **state)
{
	static const enum build_mode builds[] = {BUILD_LATE, BUILD_EARLY};

	for (uint32_t i = 0; i < 2; i++) {
		struct rig *rig = rig_with_mixture(builds[i], COMPLETE_COMPLETION);

		assert_int_equal(used(rig), 10 * RIG_TRUESIZE);
		punts_are_charged_until_consumed(rig);
		for (uint32_t left = 10; left > 3; left--) {
			struct rte_mbuf *m = rig_collect(rig, 1);

			assert_int_equal(used(rig), left * RIG_TRUESIZE);
			rig_return(m);
		}
		assert_int_equal(rig_discard(rig, 0), 3);
		assert_int_equal(used(rig), 0);
		rig_destroy(rig);
	}
}

/* What the port did not take is released at once: it is free. */
static void
completion_tx_full(void **state)
{
	const struct rig_conf conf = {.complete = COMPLETE_COMPLETION};
	struct rig *rig = rig_create(&conf);

	for (uint32_t turn = 0; turn < 3; turn++) {
		inject(rig, B4, RIG_TX_SLOTS - 10);
		rig_turn(rig);
		assert_int_equal(used(rig), (turn == 0 ? RIG_TX_SLOTS - 10 : RIG_TX_SLOTS) * RIG_TRUESIZE);
	}
	assert_int_equal(rig_count(rig, VERDICT_tx_full), 2 * RIG_TX_SLOTS - 30);
	rig_discard(rig, 1);
	assert_int_equal(used(rig), 0);
	rig_destroy(rig);
}

/* ---- two workers ---- */

static int64_t
sum_used(struct rig *rig)
{
	return used_by(rig, 0) + used_by(rig, 1);
}

/* Released by worker 0's thread when the buffers come back, though it was worker 1's queue; and when worker 0's port is full. */
static void
handed_off(void **state)
{
	const struct rig_conf conf = {.complete = COMPLETE_COMPLETION, .n_workers = 2, .shared = 1u << 1};
	struct rig *rig = rig_create(&conf);

	inject_at(rig, B4, 40, 1);
	inject_at(rig, B4, 30, 0);
	assert_int_equal(rig_turn_of(rig, 1), 40);
	assert_int_equal(used_by(rig, 0), 0);
	assert_int_equal(used_by(rig, 1), 40 * RIG_TRUESIZE);
	assert_int_equal(rig_turn_of(rig, 0), 70);
	assert_int_equal(rig_count(rig, VERDICT_tx_full), 6);
	assert_int_equal(used_by(rig, 0), 30 * RIG_TRUESIZE);
	assert_int_equal(used_by(rig, 1), 34 * RIG_TRUESIZE);
	assert_int_equal(rig_discard(rig, 1), RIG_TX_SLOTS);
	assert_int_equal(sum_used(rig), 0);
	rig_destroy(rig);
}

/* Nobody is charged for what the ring to the owner refused. */
static void
handoff_full(void **state)
{
	const struct rig_conf conf = {
		.complete = COMPLETE_COMPLETION, .n_workers = 2, .shared = 1u << 1, .handoff_slots = 8};
	struct rig *rig = rig_create(&conf);

	inject_at(rig, B4, 20, 1);
	rig_turn_of(rig, 1);
	assert_int_equal(rig_count(rig, VERDICT_handoff_full), 12);
	assert_int_equal(used_by(rig, 1), 8 * RIG_TRUESIZE);
	rig_turn_of(rig, 0);
	assert_int_equal(used_by(rig, 1), 8 * RIG_TRUESIZE);
	rig_discard(rig, 1);
	assert_int_equal(sum_used(rig), 0);
	rig_destroy(rig);
}

static void
handed_off_orphans(void **state)
{
	const struct rig_conf conf = {.n_workers = 2, .shared = 1u << 1};
	struct rig *rig = rig_create(&conf);

	inject_at(rig, B4, 40, 1);
	rig_turn_of(rig, 1);
	assert_int_equal(sum_used(rig), 0);
	rig_turn_of(rig, 0);
	assert_int_equal(sum_used(rig), 0);
	rig_destroy(rig);
}

/* ---- limits ---- */

/* n packets in one turn, the queue holding `held` already: as many get in as fit, to the byte. */
static void
expect_admitted(struct rig *rig, uint32_t n, uint32_t n_admitted)
{
	const uint64_t refused = rig_count(rig, VERDICT_owner_limit), sent = rig_count(rig, VERDICT_forward);

	inject(rig, B4, n);
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_owner_limit) - refused, n - n_admitted);
	assert_int_equal(rig_count(rig, VERDICT_forward) - sent, n_admitted);
}

/* A byte short of ten packets is nine; in completion mode what the port still has counts, too. */
static void
limit_to_the_byte(void **state)
{
	for (uint32_t m = 0; m < N_MODES; m++)
		for (int64_t spare = -1; spare <= 1; spare++) {
			const struct rig_conf conf = {.build = all_modes[m].build,
				.complete = all_modes[m].complete,
				.owner_limit = (uint64_t)(10 * RIG_TRUESIZE + spare)};
			const bool none = all_modes[m].complete == COMPLETE_NONE;
			const bool keeps = all_modes[m].complete == COMPLETE_COMPLETION;
			const uint32_t fit = none ? 20 : spare < 0 ? 9 : 10;
			struct rig *rig = rig_create(&conf);

			expect_admitted(rig, 20, fit);
			expect_admitted(rig, 1, keeps ? 0 : 1);
			rig_return(rig_collect(rig, 1));
			rig_return(rig_collect(rig, 1));
			expect_admitted(rig, 5, keeps ? 2 : 5);
			rig_discard(rig, 1);
			expect_admitted(rig, fit, fit);
			rig_destroy(rig);
		}
}

/* Chains count with all their buffers; the oldest of a burst get in, and nothing behind the first that did not fit. */
static void
limit_and_chains(void **state)
{
	const struct rig_conf conf = {.owner_limit = 3 * RIG_TRUESIZE};
	static struct frame f;
	struct rig *rig = rig_create(&conf);

	frame_udp(&f, B4, 200);
	rig_inject(rig, &f);
	rig_inject_chain(rig, &f, 100); /* one head less than two packets */
	rig_inject_chain(rig, &f, 100);
	f.bytes[f.len - 1] = 0x77;
	rig_inject(rig, &f);
	assert_int_equal(rig_turn(rig), 4);
	assert_int_equal(rig_count(rig, VERDICT_owner_limit), 2);
	assert_int_equal(rig_discard(rig, 1), 2);
	rig_destroy(rig);
}

/* Each of two queues may hold half. */
static void
limit_is_divided(void **state)
{
	const struct rig_conf conf = {.n_workers = 2, .owner_limit = 20 * RIG_TRUESIZE};
	struct rig *rig = rig_create(&conf);

	inject_at(rig, B4, 25, 0);
	inject_at(rig, B4, 7, 1);
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_owner_limit), 15);
	assert_int_equal(rig_discard(rig, 1), 17);
	inject_at(rig, B4, 11, 1);
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_owner_limit), 16);
	for (uint32_t w = 0; w < 2; w++)
		assert_int_equal(skb_owner_refused(worker_owner(rig_worker(rig, w), 0)), w ? 1 : 15);
	rig_destroy(rig);
}

/* Punts have an owner of their own: what is not consumed counts, to the byte, and then punt_full. */
static void
punt_limit(void **state)
{
	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {.build = all_modes[m].build,
			.complete = all_modes[m].complete,
			.punt_limit = 5 * RIG_TRUESIZE};
		const uint32_t fit = conf.complete == COMPLETE_NONE ? 8 : 5;
		struct rig *rig = rig_create(&conf);

		inject(rig, LOCAL, 8);
		inject(rig, B4, 8);
		rig_turn(rig);
		assert_int_equal(rig_count(rig, VERDICT_punt_local), fit);
		assert_int_equal(rig_count(rig, VERDICT_punt_full), 8 - fit);
		assert_int_equal(rig_discard(rig, 1), 8);
		assert_int_equal(used(rig), 0);
		rig_consume(rig, rig_punted(rig));
		rig_consume(rig, rig_punted(rig));
		inject(rig, LOCAL, 3);
		rig_turn(rig);
		assert_int_equal(rig_count(rig, VERDICT_punt_local), fit == 5 ? 7 : 11);
		assert_int_equal(punts_used(rig), fit == 5 ? 5 * RIG_TRUESIZE : 0);
		rig_destroy(rig);
	}
}

/* A full ring leaves nobody charged. */
static void
punt_ring_full(void **state)
{
	const struct rig_conf conf = {.punt_slots = 3};
	struct rig *rig = rig_create(&conf);

	inject(rig, LOCAL, 10);
	rig_turn(rig);
	assert_int_equal(rig_count(rig, VERDICT_punt_full), 7);
	assert_int_equal(punts_used(rig), 3 * RIG_TRUESIZE);
	assert_int_equal(used(rig), 0);
	rig_destroy(rig);
}

static void
none(void **state)
{
	static const enum build_mode builds[] = {BUILD_LATE, BUILD_EARLY, BUILD_LAZY};

	for (uint32_t i = 0; i < 3; i++) {
		struct rig *rig = rig_with_mixture(builds[i], COMPLETE_NONE);

		struct skb *skb = rig_punted(rig);

		assert_int_equal(worker_n_owners(rig_worker(rig, 0)), 0);
		assert_null(skb->owner);
		assert_int_equal(punts_used(rig), 0);
		rig_consume(rig, skb);
		rig_destroy(rig);
	}
}

/* Each queue is one, named after its port. */
static void
owners_have_names(void **state)
{
	const struct rig_conf conf = {.n_workers = 2};
	struct rig *rig = rig_create(&conf);

	for (uint32_t w = 0; w < 2; w++) {
		assert_int_equal(worker_n_owners(rig_worker(rig, w)), RIG_PORTS);
		for (uint32_t p = 0; p < RIG_PORTS; p++) {
			const char name[] = {'r', 'i', 'g', (char)('0' + p), '.', (char)('0' + w), '\0'};

			assert_string_equal(worker_owner(rig_worker(rig, w), p)->name, name);
		}
	}
	rig_destroy(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orphan),
		cmocka_unit_test(completion),
		cmocka_unit_test(completion_tx_full),
		cmocka_unit_test(handed_off),
		cmocka_unit_test(handoff_full),
		cmocka_unit_test(handed_off_orphans),
		cmocka_unit_test(limit_to_the_byte),
		cmocka_unit_test(limit_and_chains),
		cmocka_unit_test(limit_is_divided),
		cmocka_unit_test(punt_limit),
		cmocka_unit_test(punt_ring_full),
		cmocka_unit_test(none),
		cmocka_unit_test(owners_have_names),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
