/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames in buffers that somebody else sees too. They are forwarded or punted as others are, and not a byte of those buffers nor
 * what their mbufs say of them changes, also where there is no buffer or no head for a copy.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "modes.h"
#include "oracle.h"
#include "outcome.h"
#include "rig.h"

#define A4 "10.0.0.2"
#define B4 "10.0.1.2"

#define SEGS_MAX 8u

/* What the other one sees, with all that is in the buffers. */
struct still {
	struct rte_mbuf *mbuf;
	uint32_t n;
	struct {
		struct rte_mbuf *mbuf, *next;
		uint32_t pkt_len;
		uint16_t data_off, data_len, nb_segs;
		uint8_t *bytes; /* [buf_len] */
	} seg[SEGS_MAX];
};

static void
still_take(struct still *still, struct rte_mbuf *mbuf)
{
	still->mbuf = mbuf;
	still->n = 0;
	for (struct rte_mbuf *m = mbuf; m != NULL; m = m->next) {
		const uint32_t i = still->n++;

		assert_true(i < SEGS_MAX);
		still->seg[i].mbuf = m;
		still->seg[i].next = m->next;
		still->seg[i].pkt_len = m->pkt_len;
		still->seg[i].data_off = m->data_off;
		still->seg[i].data_len = m->data_len;
		still->seg[i].nb_segs = m->nb_segs;
		still->seg[i].bytes = malloc(m->buf_len);
		assert_non_null(still->seg[i].bytes);
		memcpy(still->seg[i].bytes, m->buf_addr, m->buf_len);
	}
}

/* Nothing has changed; then the other one lets go, and it was the last one. */
static void
still_end(struct still *still)
{
	for (uint32_t i = 0; i < still->n; i++) {
		const struct rte_mbuf *m = still->seg[i].mbuf;

		assert_ptr_equal(m->next, still->seg[i].next);
		assert_int_equal(m->pkt_len, still->seg[i].pkt_len);
		assert_int_equal(m->data_off, still->seg[i].data_off);
		assert_int_equal(m->data_len, still->seg[i].data_len);
		assert_int_equal(m->nb_segs, still->seg[i].nb_segs);
		assert_memory_equal(m->buf_addr, still->seg[i].bytes, m->buf_len);
		assert_int_equal(rte_mbuf_refcnt_read(m), 1);
		free(still->seg[i].bytes);
	}
	rig_return(still->mbuf);
}

static const char *const dsts[] = {
	B4, A4, "2001:db8:1::2", "10.70.1.1", "10.0.0.1", "2001:db8:1::1", "10.0.1.99"};

static void
make(struct frame *f, uint32_t kind)
{
	frame_udp(f, dsts[kind % RTE_DIM(dsts)], 140);
	if (kind >= RTE_DIM(dsts))
		frame_tag(f, 0x8100, 0x2000);
	frame_pad(f, kind % 3 * 10, 0xbb);
}

/* One frame, shared and cut at cuts[n], fares as the same frame that is not. */
static void
one_shared(struct rig *rig, const struct frame *f, const uint32_t *cuts, uint32_t n,
	const struct outcome *expected)
{
	static struct outcome outcome;
	struct still still;

	still_take(&still, rig_inject_shared(rig, f, cuts, n));
	outcome_take(rig, &outcome);
	outcome_compare(&outcome, expected, "shared");
	still_end(&still);
}

/* Whole, and cut at every byte of the headers and every step-th behind them. */
static void
shared_everywhere(struct rig *rig, const struct frame *f, uint32_t step)
{
	static struct outcome whole;

	rig_inject(rig, f);
	outcome_take(rig, &whole);
	one_shared(rig, f, NULL, 0, &whole);
	for (uint32_t at = 0; at <= f->len; at += at < 90 ? 1 : step) {
		const uint32_t cuts[] = {at, (at + f->len) / 2};

		one_shared(rig, f, cuts, 1, &whole);
		one_shared(rig, f, cuts, 2, &whole);
	}
	rig_check_home(rig);
}

static void
every_cut(void **state)
{
	static struct frame f;

	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {
			.build = all_modes[m].build, .complete = all_modes[m].complete, .n_data = 128};
		struct rig *rig = rig_create(&conf);

		for (uint32_t kind = 0; kind < 2 * RTE_DIM(dsts); kind++) {
			make(&f, kind);
			shared_everywhere(rig, &f, m == 0 ? 1 : 7);
		}
		rig_destroy(rig);
	}
}

/* ---- a port that must not see them ---- */

static bool
is_alone(const struct rte_mbuf *mbuf)
{
	for (const struct rte_mbuf *m = mbuf; m != NULL; m = m->next)
		if (!RTE_MBUF_DIRECT(m) || rte_mbuf_refcnt_read(m) != 1)
			return false;
	return true;
}

/* Frames to both ports, shared and cut at `at`: port 1 gets its own copy of all of it, port 0 the shared bytes themselves. */
static void
one_to_each(struct rig *rig, uint32_t at)
{
	static const char *const hosts[] = {A4, B4};
	static struct frame f;
	struct rte_mbuf *sent[2];
	struct still still[2];

	for (uint32_t p = 0; p < 2; p++) {
		frame_udp(&f, hosts[p], 140);
		still_take(&still[p], rig_inject_shared(rig, &f, &at, 1));
	}
	assert_int_equal(rig_turn(rig), 2);
	for (uint16_t p = 0; p < 2; p++) {
		sent[p] = rig_collect(rig, p);
		assert_non_null(sent[p]);
		assert_int_equal(sent[p]->pkt_len, f.len);
	}
	for (uint16_t p = 0; p < 2; p++) {
		static struct frame out;
		static struct oracle oracle;

		frame_udp(&f, hosts[p], 140);
		oracle_judge(&f, &oracle);
		rig_bytes(sent[p], &out);
		assert_true(oracle_accepts(&oracle, out.bytes, out.len));
	}
	assert_true(is_alone(sent[1]));
	assert_int_equal(is_alone(sent[0]), sent[0]->nb_segs == 1);
	for (uint32_t p = 0; p < 2; p++) {
		rig_return(sent[p]);
		still_end(&still[p]);
	}
}

static void
buffers_of_its_own(void **state)
{
	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {
			.build = all_modes[m].build, .complete = all_modes[m].complete, .exclusive = 1u << 1};
		struct rig *rig = rig_create(&conf);

		for (uint32_t at = 0; at <= 182; at++)
			one_to_each(rig, at);
		rig_destroy(rig);
	}
}

/* ---- nothing to copy into ---- */

/* A shared frame, with and without a tag, and so many other buffers: dropped for want of one, until there are `need`. */
static void
with_spare(const struct rig_conf *conf, const char *dst, const uint32_t *cuts, uint32_t n_cuts, uint32_t need)
{
	static struct frame f;
	static struct outcome outcome;

	for (uint32_t n_spare = 0; n_spare <= need + 1; n_spare++) {
		struct rig_conf c = *conf;
		struct still still;
		struct rig *rig;

		c.n_data = 1 + n_cuts + n_spare;
		rig = rig_create(&c);
		for (uint32_t tag = 0; tag < 2; tag++) {
			frame_udp(&f, dst, 140);
			if (tag)
				frame_tag(&f, 0x8100, 0);
			still_take(&still, rig_inject_shared(rig, &f, cuts, n_cuts));
			outcome_take(rig, &outcome);
			if ((outcome.verdict == VERDICT_no_buffer) != (n_spare < need))
				fail_msg("%u segments to %s, %u buffers to spare of %u: %s", 1 + n_cuts, dst,
					n_spare, need, verdict_info[outcome.verdict].name);
			still_end(&still);
			rig_check_home(rig);
		}
		rig_destroy(rig);
	}
}

/* One buffer for the first segment and one for every other one's mbuf; for the exclusive port, as many again. */
static void
no_buffer(void **state)
{
	static const enum build_mode modes[] = {BUILD_LATE, BUILD_EARLY, BUILD_LAZY};

	for (uint32_t m = 0; m < RTE_DIM(modes); m++) {
		const struct rig_conf conf = {.build = modes[m], .exclusive = 1u << 1};

		for (uint32_t at = 0; at < 60; at++) {
			const uint32_t cuts[] = {at, 100, 120};

			with_spare(&conf, A4, cuts, 0, 1);
			with_spare(&conf, B4, cuts, 0, 1);
			with_spare(&conf, A4, cuts, 2, 3);
			with_spare(&conf, "10.0.0.1", cuts, 2, 3);
			with_spare(&conf, B4, &cuts[1], 2, 6);
		}
	}
}

static void
outside_free(void *addr, void *arg)
{
}

/* Frames of every length in a buffer that is not from a pool of ours and ends with them: nothing behind it is read. */
static void
buffers_that_end_early(void **state)
{
	static struct rte_mbuf_ext_shared_info info = {.free_cb = outside_free};
	static struct frame f;

	for (uint32_t len = 1; len < 80; len++) {
		const struct rig_conf conf = {.build = len % 3};
		struct rig *rig = rig_create(&conf);
		struct rte_mbuf *m = rte_pktmbuf_alloc(rig_pool(rig));
		uint8_t *outside = malloc(len);

		assert_non_null(outside);
		frame_udp(&f, B4, 60);
		memcpy(outside, f.bytes, len);
		rte_mbuf_ext_refcnt_set(&info, 1);
		rte_pktmbuf_attach_extbuf(m, outside, 0, (uint16_t)len, &info);
		assert_non_null(rte_pktmbuf_append(m, (uint16_t)len));
		rig_inject_mbuf(rig, 0, m);
		assert_int_equal(rig_turn(rig), 1);
		assert_int_equal(rig_discard(rig, 1), 0);
		rig_destroy(rig);
		assert_memory_equal(outside, f.bytes, len);
		free(outside);
	}
}

/* Only what is behind the headers is shared: its mbuf needs a private one, for link padding is to be cut off. */
static void
shared_fragment(void **state)
{
	static struct frame f;
	static struct outcome outcome;
	const uint32_t cut = 100;

	for (uint32_t k = 0; k < 6; k++) {
		const struct rig_conf conf = {.build = k % 3, .n_data = 2 + k / 3};
		struct rig *rig = rig_create(&conf);
		struct rte_mbuf *m;
		struct still still;

		frame_udp(&f, A4, 100);
		frame_pad(&f, 20, 0xcc);
		m = rig_inject_shared(rig, &f, &cut, 1);
		rte_mbuf_refcnt_update(m, -1);
		still_take(&still, m->next);
		outcome_take(rig, &outcome);
		assert_int_equal(outcome.verdict, k < 3 ? VERDICT_no_buffer : VERDICT_forward);
		still_end(&still);
		rig_destroy(rig);
	}
}

/* No head either: a lazy burst that needs one for a shared frame, or one in pieces, has none. */
static void
no_head(void **state)
{
	static struct frame f;

	for (uint32_t at = 0; at < 3; at++)
		for (uint32_t n_heads = 2; n_heads <= 3; n_heads++) {
			const struct rig_conf conf = {.build = BUILD_LAZY, .n_heads = n_heads};
			struct rig *rig = rig_create(&conf);
			const uint32_t cut = 50;
			struct still still;

			frame_udp(&f, B4, 140);
			for (uint32_t i = 0; i < 3; i++)
				if (i == at)
					still_take(&still, rig_inject_shared(rig, &f, &cut, at % 2));
				else
					rig_inject(rig, &f);
			assert_int_equal(rig_turn(rig), 3);
			assert_int_equal(rig_count(rig, VERDICT_no_head), n_heads == 2 ? 3 : 0);
			assert_int_equal(rig_discard(rig, 1), n_heads == 2 ? 0 : 3);
			still_end(&still);
			/* whole ones of one's own need none */
			for (uint32_t i = 0; i < 5; i++)
				rig_inject(rig, &f);
			assert_int_equal(rig_turn(rig), 5);
			assert_int_equal(rig_discard(rig, 1), 5);
			rig_destroy(rig);
		}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cut),
		cmocka_unit_test(buffers_of_its_own),
		cmocka_unit_test(no_buffer),
		cmocka_unit_test(buffers_that_end_early),
		cmocka_unit_test(shared_fragment),
		cmocka_unit_test(no_head),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
