/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The walk against the oracle, on a random stream of good and spoilt frames: what the columns let pass and what they
 * stop must be what the judges say of each packet alone. Verdicts are compared burst by burst,
 * forwarded frames one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus.h"
#include "modes.h"
#include "oracle.h"
#include "pieces.h"
#include "rig.h"
#include "skb_frags.h"

#define N_FRAMES 250000u
#define SEED     0x5eedu

/* One burst on its way through. */
struct flight {
	uint32_t n;
	uint64_t seed; /* before its first frame, to find it again */
	struct frame frame[BURST_MAX];
	struct oracle oracle[BURST_MAX];
};

static void
complain(const struct flight *flight, uint32_t i, const char *what)
{
	const struct frame *f = &flight->frame[i];

	print_error("seed %#lx, packet %u of %u: %s; the oracle says %s; frame of %u bytes:\n",
		(unsigned long)flight->seed, i, flight->n, what, verdict_info[flight->oracle[i].verdict].name,
		f->len);
	for (uint32_t k = 0; k < RTE_MIN(f->len, 100u); k++)
		print_error("%02x", f->bytes[k]);
	print_error("\n");
	fail();
}

/* What the oracle sends by port, family by family in the order of arrival: the next one from `next` on, else n of them all. */
static uint32_t
next_sent(const struct flight *flight, uint16_t port, uint32_t next)
{
	for (; next < 2 * flight->n; next++) {
		const struct oracle *o = &flight->oracle[next % flight->n];

		if (o->verdict == VERDICT_forward && o->port == port && o->family == next / flight->n)
			break;
	}
	return next;
}

/* Every frame that was to leave by a port did, in its turn, with its bytes; and no other. */
static void
check_sent(struct rig *rig, const struct flight *flight)
{
	static struct frame sent;

	for (uint16_t p = 0; p < RIG_PORTS; p++) {
		for (uint32_t next = 0; (next = next_sent(flight, p, next)) < 2 * flight->n; next++) {
			const uint32_t i = next % flight->n;

			pieces_collect(rig, p, &flight->oracle[i].out, &sent);
			if (!oracle_accepts(&flight->oracle[i], sent.bytes, sent.len))
				complain(flight, i, "was sent with other bytes, or overtaken");
		}
		assert_null(rig_collect(rig, p));
	}
}

/* The next packet in the ring that this verdict leads to; a dropped one is there, too, if its sender is to be told. */
static struct skb *
take(struct rig *rig, enum verdict v)
{
	if (verdict_info[v].kind == VERDICT_KIND_ERROR)
		return rig_told(rig);
	return rig_punted_in(rig, v == VERDICT_neigh_unresolved ? PUNT_NEIGH : PUNT_HOST);
}

/* Packets leave the walk for their ring in the order of their families. */
static void
check_punted(struct rig *rig, const struct flight *flight)
{
	static uint8_t bytes[FRAME_MAX];

	for (uint32_t k = 0; k < 3 * flight->n; k++) {
		const uint32_t i = k % flight->n;
		const struct oracle *o = &flight->oracle[i];
		struct skb *skb;

		if ((verdict_info[o->verdict].kind != VERDICT_KIND_PUNT &&
			    verdict_info[o->verdict].kind != VERDICT_KIND_ERROR) ||
			o->family != k / flight->n)
			continue;
		skb = take(rig, o->verdict);
		if (skb == NULL || skb->reason != o->verdict)
			complain(flight, i, "or one before it was not punted");
		/* untagged, but otherwise as it came */
		if (skb->len != o->out.len || skb_copy_bits(skb, 0, bytes, skb->len) != 0 ||
			memcmp(bytes, o->out.bytes, skb->len) != 0)
			complain(flight, i, "was punted with other bytes");
		if (skb->protocol != frame_get16(o->out.bytes + 12) || skb->port != 0 ||
			skb->network_header != skb->mac_header + FRAME_L3)
			complain(flight, i, "was punted with a wrong head");
		rig_consume(rig, skb);
	}
	assert_null(rig_punted(rig));
	assert_null(rig_told(rig));
}

/* Frames, if it is sent; otherwise it is one packet still. */
static uint32_t
n_sent(const struct oracle *o)
{
	return o->verdict == VERDICT_forward ? pieces_of(&o->out, topology_mtu[o->port]) : 1;
}

static void
check_counts(const struct flight *flight, const uint64_t before[N_VERDICTS], const uint64_t after[N_VERDICTS])
{
	uint64_t expected[N_VERDICTS];

	memcpy(expected, before, sizeof(expected));
	for (uint32_t i = 0; i < flight->n; i++)
		expected[flight->oracle[i].verdict] += n_sent(&flight->oracle[i]);
	for (uint32_t i = 0; i < flight->n; i++)
		if (after[flight->oracle[i].verdict] != expected[flight->oracle[i].verdict])
			complain(flight, i, "that verdict's count is wrong");
	assert_memory_equal(after, expected, sizeof(expected));
}

/* In one piece (or what the buffers make of it), or cut at up to three places. */
static void
inject(struct rig *rig, const struct frame *f, uint64_t *cut_seed)
{
	uint32_t cuts[3], n = 0;

	for (uint32_t at = 0; cut_seed != NULL && n < 3 && frame_random(cut_seed, 3) != 0; n++) {
		/* where headers are, mostly */
		at += frame_random(cut_seed, 4) ? frame_random(cut_seed, RTE_MIN(f->len - at, 40u) + 1)
						: frame_random(cut_seed, f->len - at + 1);
		cuts[n] = at;
	}
	rig_inject_cut(rig, f, cuts, n);
}

static void
fly(struct rig *rig, struct flight *flight, uint64_t *seed, uint64_t *cut_seed, uint64_t seen[N_VERDICTS])
{
	uint64_t before[N_VERDICTS], after[N_VERDICTS];

	flight->seed = *seed;
	flight->n = 1 + frame_random(seed, frame_random(seed, 2) ? BURST_MAX : 4);
	for (uint32_t i = 0; i < flight->n; i++) {
		corpus_random(seed, &flight->frame[i]);
		oracle_judge(&flight->frame[i], &flight->oracle[i]);
		inject(rig, &flight->frame[i], cut_seed);
		seen[flight->oracle[i].verdict]++;
	}
	rig_counts(rig, before);
	assert_int_equal(rig_turn(rig), flight->n);
	rig_counts(rig, after);
	check_sent(rig, flight);
	check_punted(rig, flight);
	check_counts(flight, before, after);
}

/* Verdicts that no single frame can bring about. */
static bool
is_circumstance(uint32_t v)
{
	return v == VERDICT_oversize || v == VERDICT_port_down || v == VERDICT_no_head ||
	       v == VERDICT_tx_full || v == VERDICT_handoff_full || v == VERDICT_punt_full ||
	       v == VERDICT_no_buffer || v == VERDICT_owner_limit || v == VERDICT_mirror_full;
}

static void
against_oracle(const struct rig_conf *conf, bool cut, uint32_t n_frames)
{
	static struct flight flight;
	struct rig *rig = rig_create(conf);
	uint64_t seed = SEED, cut_seed = SEED, seen[N_VERDICTS] = {0};

	for (uint32_t n = 0; n < n_frames; n += flight.n)
		fly(rig, &flight, &seed, cut ? &cut_seed : NULL, seen);
	rig_destroy(rig);
	for (uint32_t v = 0; v < N_VERDICTS; v++)
		if (!is_circumstance(v) && seen[v] < n_frames / 20000)
			fail_msg("%s was seen %lu times only: the stream is too tame", verdict_info[v].name,
				(unsigned long)seen[v]);
}

static void
against_oracle_late(void **state)
{
	const struct rig_conf conf = {.icmp_rate = ICMP_UNLIMITED};

	against_oracle(&conf, false, N_FRAMES);
}

/* In all other modes, and in pieces: less of the same stream. */
static void
against_oracle_modes(void **state)
{
	for (uint32_t m = 1; m < N_MODES; m++) {
		const struct rig_conf conf = {.build = all_modes[m].build,
			.complete = all_modes[m].complete,
			.icmp_rate = ICMP_UNLIMITED,
			.fragments = m % 2 ? 1u << 1 : 0};

		against_oracle(&conf, false, N_FRAMES / 10);
	}
}

static void
against_oracle_cut(void **state)
{
	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {.build = all_modes[m].build,
			.complete = all_modes[m].complete,
			.icmp_rate = ICMP_UNLIMITED,
			.fragments = m % 2 ? 0 : 1u << 1};

		against_oracle(&conf, true, N_FRAMES / 10);
	}
}

static void
against_oracle_room_128(void **state)
{
	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {.build = all_modes[m].build,
			.complete = all_modes[m].complete,
			.icmp_rate = ICMP_UNLIMITED,
			.fragments = m % 2 ? 1u << 1 : 0,
			.room = 128,
			.n_data = 4096};

		against_oracle(&conf, m % 2 == 1, N_FRAMES / 10);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_oracle_late),
		cmocka_unit_test(against_oracle_modes),
		cmocka_unit_test(against_oracle_cut),
		cmocka_unit_test(against_oracle_room_128),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
