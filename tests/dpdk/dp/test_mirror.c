/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Port mirroring: a copy of everything that a port receives, as it came in, or sends, as it goes out; and for the packets
 * themselves nothing is different. Then what shares bytes: neither side's are changed by what becomes of the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "corpus.h"
#include "mirrors.h"
#include "modes.h"
#include "record.h"
#include "rig.h"

#define N_FRAMES 6000u
#define SEED     0x5fa9u

#define A4 "10.0.0.2"
#define B4 "10.0.1.2"
#define B6 "2001:db8:1::2"

/* ---- the random stream, with and without a mirror ---- */

/* A turn's frames: at most as many as port 2 has room for two copies of. */
struct turn {
	uint32_t n;
	struct frame frame[RIG_TX_SLOTS / 2];
};

static void
inject_turn(struct rig *rig, struct turn *t, uint64_t *seed)
{
	t->n = 1 + frame_random(seed, RTE_DIM(t->frame));
	for (uint32_t i = 0; i < t->n; i++) {
		struct frame *f = &t->frame[i];

		corpus_random(seed, f);
		if (frame_random(seed, 4) == 0)
			rig_inject_chain(rig, f, frame_random(seed, f->len + 1));
		else
			rig_inject(rig, f);
	}
}

/* The next copy has these bytes. */
static void
expect_copy(struct rig *rig, const uint8_t *bytes, uint32_t len, const char *what)
{
	struct rte_mbuf *copy = rig_collect(rig, MIRROR_PORT);
	static struct frame f;

	if (copy == NULL)
		fail_msg("%s of %u bytes: no copy", what, len);
	rig_bytes(copy, &f);
	if (f.len != len || memcmp(f.bytes, bytes, len) != 0)
		fail_msg("%s of %u bytes: the copy has %u, or others", what, len, f.len);
	rig_return(copy);
}

/* First of what came in, then of what port 1 sent, which stands in the record from `at` on. */
static void
expect_copies(struct rig *rig, uint32_t mirror, const struct turn *t, const struct record *r, uint32_t at)
{
	const struct record_entry *entry;

	for (uint32_t i = 0; mirrors_rx(mirror) && i < t->n; i++)
		expect_copy(rig, t->frame[i].bytes, t->frame[i].len, "received");
	while (mirrors_tx(mirror) && (entry = record_next(r, &at)) != NULL)
		if (entry->where == 1)
			expect_copy(rig, entry->bytes, entry->len, "sent");
	assert_null(rig_collect(rig, MIRROR_PORT));
}

/* Copies are counted, but apart. */
static void
take_counts(struct rig *rig, struct record *r)
{
	rig_counts(rig, r->counts);
	r->counts[VERDICT_forward] -= worker_port_stats(rig_worker(rig, 0), MIRROR_PORT)->tx_pkts;
	assert_int_equal(worker_stats(rig_worker(rig, 0))->mirrored,
		worker_port_stats(rig_worker(rig, 0), MIRROR_PORT)->tx_pkts);
}

static void
run(const struct rig_conf *conf, uint32_t mirror, struct record *r)
{
	static struct turn turn;
	struct rig *rig = rig_create(conf);
	uint64_t seed = SEED;

	record_init(r);
	for (uint32_t n = 0; n < N_FRAMES; n += turn.n) {
		const uint32_t at = r->len;

		inject_turn(rig, &turn, &seed);
		assert_int_equal(rig_turn(rig), turn.n);
		record_output(r, rig, MIRROR_PORT);
		if (conf->policy != NULL)
			expect_copies(rig, mirror, &turn, r, at);
	}
	take_counts(rig, r);
	rig_check_home(rig);
	rig_destroy(rig);
}

static void
nothing_else_changes(void **state)
{
	static const uint32_t rooms[] = {RIG_ROOM, 128};
	struct record without, with;

	for (uint32_t m = 0; m < N_MODES * RTE_DIM(rooms); m++) {
		struct rig_conf conf = {.build = all_modes[m / 2].build,
			.complete = all_modes[m / 2].complete,
			.room = rooms[m % 2],
			.n_data = 2048,
			.n_heads = 2048};

		run(&conf, 0, &without);
		assert_in_range(without.n_out, N_FRAMES / 5, N_FRAMES);
		for (uint32_t k = 0; k < N_MIRRORS; k++) {
			conf.policy = mirrors[k];
			run(&conf, k, &with);
			record_compare(&with, &without);
			record_fini(&with);
		}
		record_fini(&without);
	}
}

/* ---- which copies, by which port ---- */

static void
inject_to(struct rig *rig, const char *dst, uint32_t payload)
{
	static struct frame f;

	frame_udp(&f, dst, payload);
	rig_inject(rig, &f);
}

/* The copies that left port have these payloads, in this order. */
static void
expect_payloads(struct rig *rig, uint16_t port, const uint32_t *payloads, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct rte_mbuf *m = rig_collect(rig, port);

		assert_non_null(m);
		assert_int_equal(m->pkt_len, FRAME_L3 + 28 + payloads[i]);
		rig_return(m);
	}
	assert_null(rig_collect(rig, port));
}

/* What two ports send leaves a third in the order of the burst. */
static void
two_ports_one_mirror(void **state)
{
	static const struct port_policy policy[RIG_PORTS] = {
		{0, MIRROR_NONE, MIRROR_PORT}, {0, MIRROR_NONE, MIRROR_PORT}, {0, MIRROR_NONE, MIRROR_NONE}};
	static const uint32_t all[] = {11, 12, 13, 14, 15}, a[] = {12, 14}, b[] = {11, 13, 15};
	const struct rig_conf conf = {.policy = policy};
	struct rig *rig = rig_create(&conf);

	for (uint32_t i = 0; i < 5; i++)
		inject_to(rig, i % 2 ? A4 : B4, 11 + i);
	rig_turn(rig);
	expect_payloads(rig, 2, all, 5);
	expect_payloads(rig, 0, a, 2);
	expect_payloads(rig, 1, b, 3);
	rig_destroy(rig);
}

/* A copy is not mirrored again, though it leaves by a port that is. */
static void
no_copies_of_copies(void **state)
{
	static const struct port_policy policy[RIG_PORTS] = {
		{0, MIRROR_NONE, MIRROR_PORT}, {0, MIRROR_NONE, 0}, {0, MIRROR_NONE, MIRROR_NONE}};
	static const uint32_t a[] = {22, 21}, copies[] = {22};
	const struct rig_conf conf = {.policy = policy};
	struct rig *rig = rig_create(&conf);

	inject_to(rig, B4, 21);
	inject_to(rig, A4, 22);
	rig_turn(rig);
	/* of port 0's own packet and the copy of port 1's, the former may be first or last */
	assert_int_equal(rig_discard(rig, 0), 2);
	expect_payloads(rig, 2, copies, 1);
	expect_payloads(rig, 1, &a[1], 1);
	rig_destroy(rig);
}

/* ---- what is shared ---- */

static void
expect_bytes(const struct rte_mbuf *m, const struct frame *expected)
{
	static struct frame f;

	rig_bytes(m, &f);
	assert_int_equal(f.len, expected->len);
	assert_memory_equal(f.bytes, expected->bytes, f.len);
}

/* The mirror's copy comes in again, is forwarded and rewritten a second time, while the first one still waits to be fetched. */
static void
walked_twice(struct rig *rig, const struct frame *in, const uint32_t *cuts, uint32_t n_cuts, bool copy_last)
{
	static struct frame out;
	struct rte_mbuf *first, *copy, *second, *other;

	rig_inject_cut(rig, in, cuts, n_cuts);
	rig_turn(rig);
	first = rig_collect(rig, 1);
	copy = rig_collect(rig, MIRROR_PORT);
	assert_non_null(first);
	expect_bytes(copy, in);
	rig_bytes(first, &out);

	rig_inject_mbuf(rig, 0, copy);
	rig_turn(rig);
	second = rig_collect(rig, 1);
	other = rig_collect(rig, MIRROR_PORT);
	expect_bytes(first, &out);
	expect_bytes(second, &out);
	expect_bytes(other, in);
	/* whoever is last frees the bytes */
	rig_return(copy_last ? first : other);
	expect_bytes(second, &out);
	rig_return(second);
	expect_bytes(copy_last ? other : first, copy_last ? in : &out);
	rig_return(copy_last ? other : first);
	rig_check_home(rig);
}

static void
neither_changes_the_other(void **state)
{
	static struct frame f;

	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {.build = all_modes[m].build,
			.complete = all_modes[m].complete,
			.policy = mirrors[0],
			.n_data = 128};
		struct rig *rig = rig_create(&conf);

		for (uint32_t at = 0; at < 140; at++) {
			const uint32_t cuts[] = {at, at + 20};

			frame_udp(&f, at % 3 ? B4 : B6, 120);
			frame_pad(&f, at % 5 * 8, 0xaa);
			if (at % 4 == 0)
				frame_tag(&f, 0x8100, 0);
			walked_twice(rig, &f, cuts, at % 3, at % 2);
			walked_twice(rig, &f, cuts, at % 3, at % 2 == 0);
		}
		rig_destroy(rig);
	}
}

/* What port 1 sends is shared with its copy, not copied. Not so in completion mode: the port that has the copy must not keep the
 * packet's owner charged. */
static void
sharing_ends_where_charges_do(void **state)
{
	for (uint32_t m = 0; m < N_MODES; m++) {
		const bool shares = all_modes[m].complete != COMPLETE_COMPLETION;
		const struct rig_conf conf = {
			.build = all_modes[m].build, .complete = all_modes[m].complete, .policy = mirrors[1]};
		struct rig *rig = rig_create(&conf);
		struct rte_mbuf *sent, *copy;

		inject_to(rig, B4, 18);
		rig_turn(rig);
		sent = rig_collect(rig, 1);
		copy = rig_collect(rig, MIRROR_PORT);
		assert_int_equal(sent->buf_addr == copy->buf_addr, shares);
		if (!shares)
			assert_int_equal(skb_owner_used(worker_owner(rig_worker(rig, 0), 0)), RIG_TRUESIZE);
		rig_return(sent);
		if (!shares)
			assert_int_equal(skb_owner_used(worker_owner(rig_worker(rig, 0), 0)), 0);
		rig_return(copy);
		rig_destroy(rig);
	}
}

/* The port that has the copies gives none back: whom the packets are charged to has room again as soon as their own port does. */
static void
a_stalled_mirror_charges_nobody(void **state)
{
	const struct rig_conf conf = {
		.complete = COMPLETE_COMPLETION, .policy = mirrors[1], .owner_limit = 8 * RIG_TRUESIZE};
	struct rig *rig = rig_create(&conf);

	for (uint32_t turn = 0; turn < 10; turn++) {
		for (uint32_t i = 0; i < 8; i++)
			inject_to(rig, B4, 18);
		rig_turn(rig);
		assert_int_equal(rig_discard(rig, 1), 8);
		assert_int_equal(skb_owner_used(worker_owner(rig_worker(rig, 0), 0)), 0);
	}
	assert_int_equal(rig_count(rig, VERDICT_owner_limit), 0);
	assert_int_equal(rig_count(rig, VERDICT_mirror_full), 80 - RIG_TX_SLOTS);
	rig_destroy(rig);
}

/* A buffer that was sent comes in again, still charged: its charge is neither copied with it nor forgotten. */
static void
charged_once(void **state)
{
	static struct frame f;
	const uint32_t cut = 60;

	for (uint32_t k = 0; k < 2 * N_MIRRORS; k++) {
		const struct rig_conf conf = {.complete = COMPLETE_COMPLETION, .policy = mirrors[k / 2]};
		struct rig *rig = rig_create(&conf);
		const struct skb_owner *owner = worker_owner(rig_worker(rig, 0), 0);

		frame_udp(&f, B4, 100);
		rig_inject_cut(rig, &f, &cut, k % 2);
		for (uint32_t round = 0; round < 5; round++) {
			struct rte_mbuf *m;

			rig_turn(rig);
			rig_discard(rig, MIRROR_PORT);
			m = rig_collect(rig, 1);
			assert_non_null(m);
			assert_int_equal(skb_owner_used(owner),
				(1 + k % 2) * RIG_TRUESIZE - k % 2 * sizeof(struct skb));
			frame_mac(rte_pktmbuf_mtod(m, uint8_t *), 0x01);
			rig_inject_mbuf(rig, 0, m);
		}
		rig_destroy(rig);
	}
}

/* Nobody is charged for the copy of what came in; its packet is charged as without a mirror. */
static void
copies_have_no_owner(void **state)
{
	const struct rig_conf conf = {.complete = COMPLETE_COMPLETION, .policy = mirrors[0]};
	struct rig *rig = rig_create(&conf);
	const struct skb_owner *owner = worker_owner(rig_worker(rig, 0), 0);

	for (uint32_t i = 0; i < 10; i++)
		inject_to(rig, i % 2 ? B4 : "203.0.113.1", 18);
	rig_turn(rig);
	assert_int_equal(skb_owner_used(owner), 5 * RIG_TRUESIZE);
	rig_discard(rig, 1);
	assert_int_equal(skb_owner_used(owner), 0);
	assert_int_equal(rig_discard(rig, MIRROR_PORT), 10);
	rig_destroy(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_else_changes),
		cmocka_unit_test(two_ports_one_mirror),
		cmocka_unit_test(no_copies_of_copies),
		cmocka_unit_test(neither_changes_the_other),
		cmocka_unit_test(sharing_ends_where_charges_do),
		cmocka_unit_test(a_stalled_mirror_charges_nobody),
		cmocka_unit_test(charged_once),
		cmocka_unit_test(copies_have_no_owner),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
