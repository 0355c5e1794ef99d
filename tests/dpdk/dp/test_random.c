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
#include "oracle.h"
#include "rig.h"

#define N_FRAMES 250000u
#define SEED     0x5eedu

/* One burst on its way through. */
struct flight {
	uint32_t n;
	uint64_t seed; /* before its first frame, to find it again */
	const struct rte_mbuf *mbuf[BURST_MAX];
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

static uint32_t
index_of(const struct flight *flight, const struct rte_mbuf *m)
{
	for (uint32_t i = 0; i < flight->n; i++)
		if (flight->mbuf[i] == m)
			return i;
	fail_msg("a buffer left that never came");
	return 0;
}

/* Every frame that left was to leave, by that port, with these bytes; the order within family and port is that of arrival. */
static void
check_sent(struct rig *rig, const struct flight *flight)
{
	for (uint16_t p = 0; p < RIG_PORTS; p++) {
		uint32_t next[2] = {0, 0};
		struct rte_mbuf *m;

		while ((m = rig_collect(rig, p)) != NULL) {
			const uint32_t i = index_of(flight, m);
			const struct oracle *o = &flight->oracle[i];

			if (o->verdict != VERDICT_forward || o->port != p)
				complain(flight, i, "was sent");
			if (!oracle_accepts(o, rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len) ||
				m->data_len != m->pkt_len)
				complain(flight, i, "was sent with other bytes");
			if (i < next[o->family])
				complain(flight, i, "was overtaken");
			next[o->family] = i + 1;
			rig_return(m);
		}
	}
}

static void
check_punted(struct rig *rig, const struct flight *flight)
{
	struct skb *skb;

	while ((skb = rig_punted(rig)) != NULL) {
		const uint32_t i = index_of(flight, skb->mbuf);
		const struct oracle *o = &flight->oracle[i];

		if (skb->reason != o->verdict)
			complain(flight, i, "was punted");
		/* untagged, but otherwise as it came */
		if (skb->len != o->out.len || memcmp(skb->data, o->out.bytes, skb->len) != 0)
			complain(flight, i, "was punted with other bytes");
		if (skb->protocol != frame_get16(o->out.bytes + 12) || skb->port != 0 ||
			skb->network_header != skb->mac_header + FRAME_L3)
			complain(flight, i, "was punted with a wrong head");
		rig_consume(rig, skb);
	}
}

static void
check_counts(const struct flight *flight, const uint64_t before[N_VERDICTS], const uint64_t after[N_VERDICTS])
{
	uint64_t expected[N_VERDICTS];

	memcpy(expected, before, sizeof(expected));
	for (uint32_t i = 0; i < flight->n; i++)
		expected[flight->oracle[i].verdict]++;
	for (uint32_t i = 0; i < flight->n; i++)
		if (after[flight->oracle[i].verdict] != expected[flight->oracle[i].verdict])
			complain(flight, i, "that verdict's count is wrong");
	assert_memory_equal(after, expected, sizeof(expected));
}

static void
fly(struct rig *rig, struct flight *flight, uint64_t *seed, uint64_t seen[N_VERDICTS])
{
	uint64_t before[N_VERDICTS], after[N_VERDICTS];

	flight->seed = *seed;
	flight->n = 1 + frame_random(seed, frame_random(seed, 2) ? BURST_MAX : 4);
	for (uint32_t i = 0; i < flight->n; i++) {
		corpus_random(seed, &flight->frame[i]);
		oracle_judge(&flight->frame[i], &flight->oracle[i]);
		flight->mbuf[i] = rig_inject(rig, &flight->frame[i]);
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
against_oracle(enum build_mode build, uint32_t n_frames)
{
	static struct flight flight;
	const struct rig_conf conf = {.build = build};
	struct rig *rig = rig_create(&conf);
	uint64_t seed = SEED, seen[N_VERDICTS] = {0};

	for (uint32_t n = 0; n < n_frames; n += flight.n)
		fly(rig, &flight, &seed, seen);
	rig_destroy(rig);
	for (uint32_t v = 0; v < N_VERDICTS; v++)
		if (!is_circumstance(v) && seen[v] < n_frames / 20000)
			fail_msg("%s was seen %lu times only: the stream is too tame", verdict_info[v].name,
				(unsigned long)seen[v]);
}

static void
against_oracle_late(void **state)
{
	against_oracle(BUILD_LATE, N_FRAMES);
}

static void
against_oracle_early(void **state)
{
	against_oracle(BUILD_EARLY, N_FRAMES / 5);
}

static void
against_oracle_lazy(void **state)
{
	against_oracle(BUILD_LAZY, N_FRAMES / 5);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_oracle_late),
		cmocka_unit_test(against_oracle_early),
		cmocka_unit_test(against_oracle_lazy),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
