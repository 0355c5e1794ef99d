/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragments for us: how long they wait, how many of them, and what happens without memory. */
#include <stdlib.h>

#include <rte_ip.h>
#include <rte_mbuf.h>

#include "eth.h"
#include "frames.h"
#include "icmp.h"
#include "ip4.h"
#include "ip6.h"
#include "skb_share.h"

static const uint32_t rooms[] = {128, 2048};

static struct frame whole, f;
static uint8_t got[FRAME_MAX];
static struct cut cut;

static void
ping(const struct family *family, uint32_t size)
{
	frame_ping(family, size, &whole, &cut);
}

/* Hands over the part of whole from start to end. */
static void
part(struct rig *rig, uint32_t start, uint32_t end, bool more)
{
	frame_part(rig, &cut, start, end, more);
}

static void
assert_outcomes(struct rig *rig, enum control_outcome outcome, uint64_t n)
{
	assert_int_equal(rig_outcome(rig, outcome), n);
}

/* ---- time ---- */

/* RFC 792: 11/1, RFC 4443 3.3: 3/1, about the first fragment, as it came in. */
static void
timeout(void **state)
{
	for (unsigned int i = 0; i < 2 * RTE_DIM(families); i++) {
		const struct family *family = &families[i % 2];
		struct rig *rig = rig_open(rooms[i / 2], NULL);
		const uint32_t head = family->at + ICMP_HLEN;
		uint32_t len;

		ping(family, 600);
		part(rig, 304, 400, true);
		rig->c->now_ns += family->timeout_ms * NS_PER_MS / 2;
		frame_cut(&cut, 0, 104, true, &f);
		frame_local(rig, &f, 0);
		len = frame_ip_len(&f);
		rig->c->now_ns += family->timeout_ms * NS_PER_MS / 2 - 1;
		reassembly_tick(rig->c);
		assert_int_equal(rig->c->counts.held, 2);
		rig->c->now_ns++;
		reassembly_tick(rig->c);
		assert_int_equal(rig->c->counts.held, 0);
		assert_outcomes(rig, CONTROL_fragment_timeout, 2);
		assert_int_equal(rig->c->counts.error[ICMP_ERROR_REASSEMBLY], 1);
		assert_int_equal(frame_back(rig, 0, got), head + len);
		assert_int_equal(got[family->at], i % 2 == 0 ? 11 : 3);
		assert_int_equal(got[family->at + 1], 1);
		assert_memory_equal(got + head, frame_ip(&f), len);
		rig_close(rig);
	}
}

/* RFC 1122 3.2.2.4, RFC 4443 3.3: without the first fragment nobody is told. */
static void
timeout_without_first(void **state)
{
	for (unsigned int i = 0; i < RTE_DIM(families); i++) {
		struct rig *rig = rig_open(2048, NULL);

		ping(&families[i], 600);
		part(rig, 304, 400, true);
		part(rig, 400, 600, false);
		rig->c->now_ns += families[i].timeout_ms * NS_PER_MS;
		reassembly_tick(rig->c);
		assert_outcomes(rig, CONTROL_fragment_timeout, 2);
		assert_null(rig_back(rig, PUNT_WALK));
		rig_close(rig);
	}
}

/* ---- how many ---- */

static void
too_many_datagrams(void **state)
{
	for (unsigned int i = 0; i < RTE_DIM(families); i++) {
		struct rig *rig = rig_open(2048, NULL);

		ping(&families[i], 600);
		for (cut.id = 0; cut.id < 40; cut.id++)
			part(rig, 0, 304, true);
		assert_int_equal(rig->c->counts.held, 32);
		assert_outcomes(rig, CONTROL_fragment_full, 8);
		/* those that are there go on, and make room; so do dead ones */
		cut.id = 5;
		part(rig, 304, 600, false);
		assert_outcomes(rig, CONTROL_echo_reply, 1);
		cut.id = 41;
		part(rig, 0, 304, true);
		assert_int_equal(rig->c->counts.held, 32);
		part(rig, 8, 304, true);
		assert_outcomes(rig, CONTROL_fragment_overlap, 2);
		cut.id = 42;
		part(rig, 0, 304, true);
		assert_int_equal(rig->c->counts.held, 32);
		cut.id = 43;
		part(rig, 0, 304, true);
		assert_outcomes(rig, CONTROL_fragment_full, 9);
		rig_close(rig);
	}
}

static void
fragment_max(struct rig *rig, struct control_conf *conf)
{
	conf->fragment_bufs_max = 5;
}

static void
too_many_fragments(void **state)
{
	struct rig *rig = rig_open(2048, fragment_max);

	ping(&families[0], 600);
	cut.id = 7;
	for (uint32_t start = 0; start < 40; start += 8)
		part(rig, start, start + 8, true);
	assert_int_equal(rig->c->counts.held, 5);
	for (cut.id = 100; cut.id < 140; cut.id++)
		part(rig, 0, 8, true);
	assert_outcomes(rig, CONTROL_fragment_full, 40);
	assert_int_equal(rig->c->counts.held, 5);
	/* of which one is missing, it cannot become whole: its others make room, and those to come are refused */
	cut.id = 7;
	part(rig, 40, 48, true);
	assert_outcomes(rig, CONTROL_fragment_full, 46);
	assert_int_equal(rig->c->counts.held, 0);
	part(rig, 48, 56, true);
	assert_outcomes(rig, CONTROL_fragment_full, 47);
	for (cut.id = 200; cut.id < 203; cut.id++)
		part(rig, 0, 304, true);
	assert_int_equal(rig->c->counts.held, 3);
	cut.id = 202;
	part(rig, 304, 600, false);
	assert_outcomes(rig, CONTROL_echo_reply, 1);
	rig_close(rig);
}

/* ---- shortages ---- */

/* The last of three, with so many buffers left, while somebody else sees all of them: whatever fails, all have their outcomes. */
static bool
join_with(struct rig *rig, const struct family *family, unsigned int n_bufs)
{
	const uint64_t n = rig_outcome(rig, CONTROL_echo_reply);
	struct skb *clones[3], *back;
	bool done;

	ping(family, 900);
	for (unsigned int i = 0; i < 3; i++) {
		struct skb *skb;

		frame_cut(&cut, i * 304, i < 2 ? (i + 1) * 304 : 900, i < 2, &f);
		skb = frame_skb(rig, &f, 0);
		assert_int_equal(skb_clone(&rig->c->cpu, skb, &clones[i]), 0);
		if (i == 2)
			shortage_begin(rig, n_bufs, RIG_HEADS);
		local_input(rig->c, skb);
	}
	shortage_end(rig);
	assert_int_equal(rig->c->counts.held, 0);
	done = rig_outcome(rig, CONTROL_echo_reply) == n + 1;
	/* who sees the bytes too sees what came in */
	frame_cut(&cut, 0, 304, true, &f);
	assert_int_equal(rig_bytes(clones[0], got, sizeof(got)), f.len);
	assert_memory_equal(got + ETH_HLEN, f.bytes + ETH_HLEN, f.len - ETH_HLEN);
	for (unsigned int i = 0; i < 3; i++)
		rig_free(rig, clones[i]);
	while ((back = rig_back(rig, PUNT_WALK)) != NULL)
		rig_free(rig, back);
	return done;
}

static void
few_buffers(void **state)
{
	for (unsigned int i = 0; i < 2 * RTE_DIM(families); i++) {
		struct rig *rig = rig_open(rooms[i / 2], NULL);
		unsigned int n_bufs = 0;

		while (!join_with(rig, &families[i % 2], n_bufs))
			n_bufs++;
		assert_true(n_bufs >= 3);
		assert_true(rig_outcome(rig, CONTROL_no_memory) >= n_bufs);
		rig_close(rig);
	}
}

/* What still waits at the end: rig_close() asks where it is. */
static void
stopped(void **state)
{
	struct rig *rig = rig_open(128, NULL);

	ping(&families[0], 600);
	part(rig, 0, 304, true);
	part(rig, 400, 600, false);
	reassembly_destroy(rig->c);
	assert_outcomes(rig, CONTROL_stopped, 2);
	assert_int_equal(rig->c->counts.held, 0);
	rig_close(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timeout),
		cmocka_unit_test(timeout_without_first),
		cmocka_unit_test(too_many_datagrams),
		cmocka_unit_test(too_many_fragments),
		cmocka_unit_test(few_buffers),
		cmocka_unit_test(stopped),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests_name("control/reassemble_limits", tests, NULL, NULL);
}
