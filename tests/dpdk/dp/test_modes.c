/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When heads are built must not show: the same stream through late, early and lazy gives the same bytes in the same
 * order at each port and at the punt ring, and the same counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "corpus.h"
#include "rig.h"

#define N_FRAMES  30000u
#define SEED      0x30de5u
#define LOG_BYTES (32u << 20)

/* Everything that came out, one after the other: where, how long, what. */
struct record {
	uint64_t counts[N_VERDICTS];
	struct worker_port port[RIG_PORTS];
	uint32_t len, n_out;
	uint8_t *log; /* [LOG_BYTES] */
};

static void
log_frame(struct record *r, uint32_t where, const uint8_t *bytes, uint32_t len)
{
	assert_true(r->len + 8 + len <= LOG_BYTES);
	memcpy(r->log + r->len, &where, 4);
	memcpy(r->log + r->len + 4, &len, 4);
	memcpy(r->log + r->len + 8, bytes, len);
	r->len += 8 + len;
	r->n_out++;
}

static void
log_output(struct rig *rig, struct record *r)
{
	struct rte_mbuf *m;
	struct skb *skb;

	for (uint16_t p = 0; p < RIG_PORTS; p++)
		while ((m = rig_collect(rig, p)) != NULL) {
			log_frame(r, p, rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len);
			rig_return(m);
		}
	while ((skb = rig_punted(rig)) != NULL) {
		log_frame(r, 100u + skb->reason, skb->data, skb->len);
		rig_consume(rig, skb);
	}
}

static void
run(enum build_mode build, struct record *r)
{
	const struct rig_conf conf = {.build = build};
	struct rig *rig = rig_create(&conf);
	uint64_t seed = SEED;
	struct frame f;

	r->log = malloc(LOG_BYTES);
	assert_non_null(r->log);
	for (uint32_t done = 0; done < N_FRAMES;) {
		const uint32_t n = 1 + frame_random(&seed, BURST_MAX);

		for (uint32_t i = 0; i < n; i++) {
			corpus_random(&seed, &f);
			rig_inject(rig, &f);
		}
		assert_int_equal(rig_turn(rig), n);
		log_output(rig, r);
		done += n;
	}
	rig_counts(rig, r->counts);
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		r->port[p] = *worker_port_stats(rig_worker(rig, 0), p);
	rig_destroy(rig);
}

static void
compare(const struct record *a, const struct record *b)
{
	for (uint32_t v = 0; v < N_VERDICTS; v++)
		if (a->counts[v] != b->counts[v])
			fail_msg("seed %#x: %s: %lu and %lu", SEED, verdict_info[v].name,
				(unsigned long)a->counts[v], (unsigned long)b->counts[v]);
	for (uint16_t p = 0; p < RIG_PORTS; p++) {
		assert_int_equal(a->port[p].rx_pkts, b->port[p].rx_pkts);
		assert_int_equal(a->port[p].rx_bytes, b->port[p].rx_bytes);
		assert_int_equal(a->port[p].tx_pkts, b->port[p].tx_pkts);
		assert_int_equal(a->port[p].tx_bytes, b->port[p].tx_bytes);
	}
	assert_int_equal(a->n_out, b->n_out);
	assert_int_equal(a->len, b->len);
	assert_int_equal(memcmp(a->log, b->log, a->len), 0);
}

static void
modes_do_not_show(void **state)
{
	struct record late = {{0}}, early = {{0}}, lazy = {{0}};

	run(BUILD_LATE, &late);
	run(BUILD_EARLY, &early);
	run(BUILD_LAZY, &lazy);
	assert_in_range(late.n_out, N_FRAMES / 5, N_FRAMES);
	compare(&late, &early);
	compare(&late, &lazy);
	free(late.log);
	free(early.log);
	free(lazy.log);
}

/* A head that was bound early goes with its buffer wherever that goes: dropped raw, refused by the port, never received. */
static void
early_heads_come_home(void **state)
{
	const struct rig_conf conf = {.build = BUILD_EARLY, .n_data = 256, .n_heads = 128};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	frame_udp(&f, "10.0.1.2", 18);
	for (uint32_t round = 0; round < 50; round++) {
		/* more than there are heads: the later ones come without */
		for (uint32_t i = 0; i < 200; i++)
			rig_inject(rig, &f);
		for (uint32_t left = 200; left > 0;)
			left -= rig_turn(rig);
		rig_discard(rig, 1);
		rig_check_home(rig);
	}
	rig_destroy(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modes_do_not_show),
		cmocka_unit_test(early_heads_come_home),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
