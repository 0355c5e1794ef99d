/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The published frames, one by one: each gets the verdict that first_light.tsv names, no other counter moves, and what is
 * forwarded leaves port 1 (or 0) with exactly the bytes that one hop makes of it, in one piece or as fragments. Also whether the two tables
 * agree: what is published as FWD is forwarded, as DROP not, what is published as ICMP gets to the control thread.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus.h"
#include "modes.h"
#include "pieces.h"
#include "rig.h"
#include "skb_frags.h"

static enum verdict
verdict_named(const char *id, const char *name)
{
	for (uint32_t v = 0; name != NULL && v < N_VERDICTS; v++)
		if (strcmp(verdict_info[v].name, name) == 0)
			return v;
	fail_msg("first_light.tsv: %s: no such verdict: %s", id, name != NULL ? name : "(no row)");
	return N_VERDICTS;
}

/* One hop of frame f by port, done here from the text of README.md. */
static void
one_hop(struct frame *f, uint16_t port)
{
	uint8_t *l3 = f->bytes + FRAME_L3;

	frame_mac(f->bytes, port == 0 ? 0x0a : 0x0b);
	frame_mac(f->bytes + 6, (uint8_t)(port + 1));
	if (frame_get16(f->bytes + 12) == 0x86dd) {
		l3[7]--;
		f->len = FRAME_L3 + 40 + frame_get16(l3 + 4);
		return;
	}
	l3[8]--;
	frame_seal(f);
	f->len = FRAME_L3 + frame_get16(l3 + 2);
}

/* In how many pieces. */
static uint32_t
expect_sent(struct rig *rig, const struct vector *v, bool forwarded)
{
	const uint16_t port = strstr(v->verdict, "port0") != NULL ? 0 : 1;
	struct frame expected = v->frame, sent;
	uint32_t n = 0;

	if (forwarded) {
		one_hop(&expected, port);
		n = pieces_collect(rig, port, &expected, &sent);
		if (sent.len != expected.len || memcmp(sent.bytes, expected.bytes, expected.len) != 0)
			fail_msg("%s left port %u with other bytes", v->id, port);
	}
	assert_null(rig_collect(rig, 0));
	assert_null(rig_collect(rig, 1));
	return n;
}

static void
expect_counted(const struct rig *rig, const struct vector *v, const uint64_t before[N_VERDICTS],
	enum verdict verdict, uint32_t n)
{
	uint64_t after[N_VERDICTS];

	rig_counts(rig, after);
	for (uint32_t i = 0; i < N_VERDICTS; i++)
		if (after[i] != before[i] + (i == verdict ? n : 0))
			fail_msg("%s: expected %s, but %s counted %lu", v->id, verdict_info[verdict].name,
				verdict_info[i].name, (unsigned long)(after[i] - before[i]));
}

/* The control thread gets the frame as it came. */
static void
expect_at_control(struct rig *rig, const struct vector *v, struct skb *skb, bool expected)
{
	static uint8_t bytes[FRAME_MAX];

	if ((skb != NULL) != expected)
		fail_msg("%s: is %sat the control thread", v->id, expected ? "not " : "");
	if (skb == NULL)
		return;
	assert_int_equal(skb->len, v->frame.len);
	assert_int_equal(skb_copy_bits(skb, 0, bytes, skb->len), 0);
	assert_memory_equal(bytes, v->frame.bytes, v->frame.len);
	rig_consume(rig, skb);
}

static void
one_vector(struct rig *rig, const struct vector *v)
{
	const enum verdict verdict = verdict_named(v->id, corpus_first_light(v->id));
	const enum verdict_kind kind = verdict_info[verdict].kind;
	uint64_t before[N_VERDICTS];
	uint32_t n;

	rig_counts(rig, before);
	rig_inject(rig, &v->frame);
	assert_int_equal(rig_turn(rig), 1);
	n = expect_sent(rig, v, verdict == VERDICT_forward);
	expect_counted(rig, v, before, verdict, RTE_MAX(n, 1u));
	if (strcmp(v->verdict, "FWD 2 fragments") == 0)
		assert_int_equal(n, 2);
	expect_at_control(rig, v, rig_punted(rig), kind == VERDICT_KIND_PUNT);
	expect_at_control(rig, v, rig_told(rig), kind == VERDICT_KIND_ERROR);
	rig_check_home(rig);
}

static void
published(const struct rig_conf *conf)
{
	struct rig *rig = rig_create(conf);
	uint32_t n;
	const struct vector *vectors = corpus_vectors(&n);

	assert_in_range(n, 116, CORPUS_MAX - 1);
	for (uint32_t i = 0; i < n; i++)
		one_vector(rig, &vectors[i]);
	rig_destroy(rig);
}

/* Whole, and in data buffers of 128 bytes: longer frames come, and go, in several. */
static void
published_in(uint32_t room)
{
	for (uint32_t m = 0; m < N_MODES; m++)
		for (uint32_t fragments = 0; fragments < 2; fragments++) {
			const struct rig_conf conf = {.build = all_modes[m].build,
				.complete = all_modes[m].complete,
				.icmp_rate = ICMP_UNLIMITED,
				.fragments = fragments << 1,
				.room = room};

			published(&conf);
		}
}

static void
published_whole(void **state)
{
	published_in(RIG_ROOM);
}

static void
published_in_pieces(void **state)
{
	published_in(128);
}

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Whether the verdict is a step towards what published.tsv says; its later steps, if it has any, are the control thread's. */
static bool
agrees(const struct vector *v, enum verdict verdict)
{
	const enum verdict_kind kind = verdict_info[verdict].kind;

	if (begins(v->verdict, "ANY"))
		return true;
	if (begins(v->verdict, "FWD"))
		return verdict == VERDICT_forward || verdict == VERDICT_neigh_unresolved;
	if (begins(v->verdict, "ICMP"))
		return kind == VERDICT_KIND_ERROR || kind == VERDICT_KIND_PUNT;
	if (begins(v->verdict, "LOCAL") || begins(v->verdict, "LEARN"))
		return kind == VERDICT_KIND_PUNT && verdict != VERDICT_neigh_unresolved;
	/* DROP: an error may be forbidden, an answer refused, by control */
	return verdict != VERDICT_forward && verdict != VERDICT_neigh_unresolved;
}

static void
tables_agree(void **state)
{
	uint32_t n;
	const struct vector *vectors = corpus_vectors(&n);

	assert_int_equal(n, corpus_first_light_rows());
	for (uint32_t i = 0; i < n; i++) {
		const char *name = corpus_first_light(vectors[i].id);

		if (!agrees(&vectors[i], verdict_named(vectors[i].id, name)))
			fail_msg("%s is published as %s, but %s here", vectors[i].id, vectors[i].verdict,
				name);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_whole),
		cmocka_unit_test(published_in_pieces),
		cmocka_unit_test(tables_agree),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
