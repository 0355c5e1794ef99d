/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 20 000 random sequences of fragments of both families, of up to three datagrams at a time: in any order, doubled, missing, overlapping,
 * with wrong ends. A model that keeps a byte map of each datagram says what becomes of every one of them.
 */
#include <stdlib.h>

#include <rte_ip.h>
#include <rte_mbuf.h>

#include "eth.h"
#include "frames.h"
#include "icmp.h"

#define SEQUENCES   10000u /* of each data room */
#define DATAGRAMS   3u
#define EIGHTS      32u /* at most so many 8 bytes of payload */
#define PAYLOAD_MAX (EIGHTS * 8)
#define FREE        0xffu

static struct frame whole[DATAGRAMS];
static struct cut cuts[DATAGRAMS];

/* ---- the model ---- */

struct model {
	uint8_t by[PAYLOAD_MAX + 8]; /* the fragment that brought a byte, FREE = none */
	uint32_t start[64], end[64];
	uint32_t n;    /* fragments that wait */
	uint32_t size; /* of the datagram as it was sent */
	uint32_t total;
	bool dead;
};

static struct model models[DATAGRAMS];

/* What there should be counted. */
static uint64_t joined, overlapped, answered, broken, timed_out, told;

static void
model_reset(struct model *m)
{
	const uint32_t size = m->size;

	memset(m, 0, sizeof(*m));
	m->size = size;
	memset(m->by, FREE, sizeof(m->by));
}

static bool
is_there(const struct model *m, uint32_t start, uint32_t end)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (m->start[i] == start && m->end[i] == end)
			return true;
	return false;
}

static bool
is_taken(const struct model *m, uint32_t start, uint32_t end)
{
	for (uint32_t at = start; at < end; at++)
		if (m->by[at] != FREE)
			return true;
	return false;
}

/* Whether an end at end would be wrong, or bytes up to there when more follow. */
static bool
is_wrong_end(const struct model *m, uint32_t end, bool more)
{
	if (more)
		return m->total != 0 && end > m->total;
	return (m->total != 0 && end != m->total) || is_taken(m, end, PAYLOAD_MAX + 8);
}

static bool
is_complete(const struct model *m)
{
	if (m->total == 0)
		return false;
	for (uint32_t at = 0; at < m->total; at++)
		if (m->by[at] == FREE)
			return false;
	return true;
}

static void
model_take(struct model *m, uint32_t start, uint32_t end, bool more)
{
	if (m->dead) {
		overlapped++;
		return;
	}
	if (is_there(m, start, end)) {
		joined++;
		return;
	}
	if (is_taken(m, start, end) || is_wrong_end(m, end, more)) {
		overlapped += m->n + 1;
		model_reset(m);
		m->dead = true;
		return;
	}
	memset(m->by + start, (int)m->n, end - start);
	m->start[m->n] = start;
	m->end[m->n++] = end;
	if (!more)
		m->total = end;
	if (!is_complete(m))
		return;
	joined += m->n - 1;
	/* one that ends too early is whole as well, but not what was sent */
	if (m->total == m->size)
		answered++;
	else
		broken++;
	model_reset(m);
}

static void
model_timeout(struct model *m)
{
	timed_out += m->n;
	told += m->by[0] != FREE;
	model_reset(m);
}

/* ---- sequences ---- */

static uint32_t
upto(uint32_t n)
{
	return (uint32_t)rand() % n;
}

static void
datagrams_make(void)
{
	const uint32_t family = upto(2);

	for (uint32_t i = 0; i < DATAGRAMS; i++) {
		frame_ping(&families[family], 8 + upto(PAYLOAD_MAX - 7), &whole[i], &cuts[i]);
		cuts[i].id = i;
		models[i].size = frame_ip_len(&whole[i]) - cuts[i].at;
		model_reset(&models[i]);
	}
}

/* Datagram i, all of which was there, has been answered. */
static void
assert_echo(struct rig *rig, uint32_t i)
{
	static uint8_t got[FRAME_MAX];
	const uint32_t at = cuts[i].at, len = frame_back(rig, 0, got);

	assert_int_equal(len, frame_ip_len(&whole[i]));
	assert_true(icmp_sum_is_right(got, len));
	assert_memory_equal(got + at + 4, frame_ip(&whole[i]) + at + 4, len - at - 4);
}

static void
hand_over(struct rig *rig, uint32_t i, uint32_t start, uint32_t end, bool more)
{
	const uint64_t n = answered;

	model_take(&models[i], start, end, more);
	frame_part(rig, &cuts[i], start, end, more);
	if (answered > n)
		assert_echo(rig, i);
}

/* A fragment as nobody should send it. */
static void
wrong_part(struct rig *rig, uint32_t i, uint32_t size)
{
	const uint32_t start = upto((size + 7) / 8) * 8;
	const uint32_t most = (size - start) / 8;
	const bool more = most > 0 && upto(2) == 0;
	const uint32_t end = more ? start + 8 * (1 + upto(most)) : start + 1 + upto(size - start);

	/* IPv6: all of a datagram by itself is none of our business (RFC 6946) */
	if (start > 0 || more)
		hand_over(rig, i, start, end, more);
}

struct range {
	uint32_t datagram, start, end;
	bool more;
};

/* Cuts datagram i at random places. Returns how many there are. */
static uint32_t
ranges_make(uint32_t i, struct range *ranges)
{
	const uint32_t size = frame_ip_len(&whole[i]) - cuts[i].at;
	uint32_t n = 0, start = 0;

	while (start < size) {
		const uint32_t end = start + 8 * (1 + upto(12));

		ranges[n++] = (struct range){i, start, RTE_MIN(end, size), end < size};
		start = end;
	}
	return n == 1 ? 0 : n;
}

static void
shuffle(struct range *ranges, uint32_t n)
{
	for (uint32_t k = n; k > 1; k--) {
		const uint32_t other = upto(k);
		const struct range last = ranges[k - 1];

		ranges[k - 1] = ranges[other];
		ranges[other] = last;
	}
}

static void
assert_counts(struct rig *rig)
{
	uint64_t held = 0;

	for (uint32_t i = 0; i < DATAGRAMS; i++)
		held += models[i].n;
	assert_int_equal(rig->c->counts.held, held);
	assert_int_equal(rig_outcome(rig, CONTROL_fragment_joined), joined);
	assert_int_equal(rig_outcome(rig, CONTROL_fragment_overlap), overlapped);
	assert_int_equal(rig_outcome(rig, CONTROL_echo_reply), answered);
	assert_int_equal(
		rig_outcome(rig, CONTROL_icmp_checksum) + rig_outcome(rig, CONTROL_icmp_malformed), broken);
	assert_int_equal(rig_outcome(rig, CONTROL_fragment_timeout), timed_out);
	assert_int_equal(rig->c->counts.error[ICMP_ERROR_REASSEMBLY], told);
}

static void
time_passes(struct rig *rig)
{
	struct skb *skb;

	for (uint32_t i = 0; i < DATAGRAMS; i++)
		model_timeout(&models[i]);
	rig->c->now_ns += 60 * NS_PER_SECOND;
	reassembly_tick(rig->c);
	while ((skb = rig_back(rig, PUNT_WALK)) != NULL)
		rig_free(rig, skb);
}

static void
sequence(struct rig *rig)
{
	struct range ranges[DATAGRAMS * EIGHTS];
	uint32_t n = 0;
	const uint32_t faults = upto(4); /* in every fourth sequence none */

	datagrams_make();
	for (uint32_t i = 0; i < DATAGRAMS; i++)
		n += ranges_make(i, ranges + n);
	shuffle(ranges, n);
	for (uint32_t k = 0; k < n; k++) {
		const struct range *r = &ranges[k];

		if (faults > 0 && upto(12) == 0)
			continue;
		hand_over(rig, r->datagram, r->start, r->end, r->more);
		if (faults > 1 && upto(8) == 0)
			hand_over(rig, r->datagram, r->start, r->end, r->more);
		if (faults > 2 && upto(16) == 0)
			wrong_part(
				rig, r->datagram, frame_ip_len(&whole[r->datagram]) - cuts[r->datagram].at);
	}
	assert_counts(rig);
	time_passes(rig);
	assert_counts(rig);
}

static void
against_a_model(void **state)
{
	static const uint32_t rooms[] = {128, 2048};

	for (unsigned int i = 0; i < RTE_DIM(rooms); i++) {
		struct rig *rig = rig_open(rooms[i], NULL);

		srand(i + 1);
		joined = overlapped = answered = broken = timed_out = told = 0;
		for (uint32_t round = 0; round < SEQUENCES; round++)
			sequence(rig);
		/* all of it has happened, and often */
		assert_true(joined > 10000 && overlapped > 1000 && answered > 10000);
		assert_true(timed_out > 1000 && told > 1000 && broken > 10);
		rig_close(rig);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(against_a_model)};

	rig_eal(argc, argv);
	return cmocka_run_group_tests_name("control/reassemble_random", tests, NULL, NULL);
}
