/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ten million packets of every drop reason: each is counted once, and afterwards no buffer and no head is missing.
 *
 * They take the whole way from the RX ring to the drop, with heads and owners. Errors are told as fast as a bucket lets them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "patches.h"
#include "rig.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
#define N_PKTS 20032u
#else
#define N_PKTS 10000000u
#endif

#define N_DATA  1024u
#define B4      "10.0.1.2"
#define L3(n)   (FRAME_L3 + (n))
#define ICMP_HZ 10000u

static uint64_t reached[N_VERDICTS];

/* ---- packets ---- */

static void
offer(struct rig *rig, uint16_t queue, const struct frame *f, uint32_t n)
{
	struct rte_mbuf *mbufs[BURST_MAX];

	assert_int_equal(rte_pktmbuf_alloc_bulk(rig_pool(rig), mbufs, n), 0);
	for (uint32_t i = 0; i < n; i++)
		memcpy(rte_pktmbuf_append(mbufs[i], (uint16_t)f->len), f->bytes, f->len);
	rig_inject_bulk(rig, queue, mbufs, n);
}

/* N_PKTS packets by queue, which worker `queue` polls. */
static void
offer_all(struct rig *rig, uint16_t queue, const struct frame *f)
{
	for (uint32_t left = N_PKTS, n; left > 0; left -= n) {
		n = RTE_MIN(left, BURST_MAX);
		offer(rig, queue, f, n);
		rig_turn_of(rig, queue);
		rig_consume_told(rig);
	}
}

/* All of one verdict, in an otherwise quiet rig. */
static void
expect_all(struct rig *rig, enum verdict verdict, const struct frame *f)
{
	const uint64_t before = rig_count(rig, verdict);
	const clock_t start = clock();

	offer_all(rig, 0, f);
	if (rig_count(rig, verdict) != before + N_PKTS)
		fail_msg("%s: %lu of %u", verdict_info[verdict].name,
			(unsigned long)(rig_count(rig, verdict) - before), N_PKTS);
	print_message("  %-18s %5.1f ns a packet\n", verdict_info[verdict].name,
		(double)(clock() - start) * 1e9 / CLOCKS_PER_SEC / N_PKTS);
}

static void
finish(struct rig *rig)
{
	uint64_t counts[N_VERDICTS];

	rig_counts(rig, counts);
	for (uint32_t v = 0; v < N_VERDICTS; v++)
		reached[v] += counts[v];
	rig_destroy(rig);
}

/* ---- what is in the frame ---- */

static bool
is_drop(enum verdict v)
{
	return verdict_info[v].kind == VERDICT_KIND_DROP || verdict_info[v].kind == VERDICT_KIND_ERROR;
}

static void
frames(void **state)
{
	const struct rig_conf conf = {.n_data = N_DATA, .cache = 256, .icmp_rate = ICMP_HZ};
	struct rig *rig = rig_create(&conf);
	bool seen[N_VERDICTS] = {false};
	struct frame f;

	for (uint32_t i = 0; i < n_patches; i++) {
		const enum verdict v = patches[i].verdict;

		if (!is_drop(v) || seen[v])
			continue;
		seen[v] = true;
		patch_frame(&patches[i], &f);
		expect_all(rig, v, &f);
		rig_check_home(rig);
	}
	finish(rig);
}

static void
options(void **state)
{
	const struct rig_conf conf = {.n_data = N_DATA, .cache = 256};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	for (uint32_t k = 0; k < 2; k++) {
		frame_udp(&f, B4, 18);
		f.bytes[L3(0)] = 0x46;
		memcpy(f.bytes + L3(20), k == 0 ? "\x07\x00\x04\x00" : "\x83\x03\x04\x00", 4);
		frame_seal(&f);
		expect_all(rig, k == 0 ? VERDICT_ip4_options : VERDICT_ip4_source_route, &f);
	}
	finish(rig);
}

static void
too_large(void **state)
{
	const struct rig_conf conf = {.n_data = N_DATA, .cache = 256, .icmp_rate = ICMP_HZ};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	frame_udp(&f, "2001:db8:1::2", 1600);
	expect_all(rig, VERDICT_mtu_exceeded, &f);
	finish(rig);
}

/* In two buffers, larger than the port may bring. */
static void
oversize(void **state)
{
	const struct rig_conf conf = {.n_data = N_DATA, .cache = 256, .mtu = 100};
	struct rig *rig = rig_create(&conf);
	struct rte_mbuf *mbufs[BURST_MAX];

	for (uint32_t n = 0; n < N_PKTS; n += BURST_MAX) {
		for (uint32_t i = 0; i < BURST_MAX; i++) {
			struct rte_mbuf *rest = rte_pktmbuf_alloc(rig_pool(rig));

			mbufs[i] = rte_pktmbuf_alloc(rig_pool(rig));
			mbufs[i]->data_len = rest->data_len = 100;
			mbufs[i]->pkt_len = rest->pkt_len = 100;
			assert_int_equal(rte_pktmbuf_chain(mbufs[i], rest), 0);
		}
		rig_inject_bulk(rig, 0, mbufs, BURST_MAX);
		rig_turn(rig);
	}
	assert_true(rig_count(rig, VERDICT_oversize) >= N_PKTS);
	finish(rig);
}

static void
link_down(void **state)
{
	const struct rig_conf conf = {.n_data = N_DATA, .cache = 256, .icmp_rate = ICMP_HZ};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	frame_udp(&f, B4, 18);
	route_port_link(topology_routes(), 1, false);
	expect_all(rig, VERDICT_port_down, &f);
	route_port_link(topology_routes(), 1, true);
	finish(rig);
}

/* ---- what is used up ---- */

/* *f would be sent, or punted, if there were no shortage. */
static struct rig *
rig_short(const struct rig_conf *conf, const char *dst, struct frame *f)
{
	struct rig *rig = rig_create(conf);

	frame_udp(f, dst, 18);
	return rig;
}

static void
no_head(void **state)
{
	const struct rig_conf conf = {.n_data = N_DATA, .cache = 256, .n_heads = BURST_MAX - 1};
	struct frame f;
	struct rig *rig = rig_short(&conf, B4, &f);

	for (uint32_t n = 0; n < N_PKTS; n += BURST_MAX) {
		offer(rig, 0, &f, BURST_MAX);
		rig_turn(rig);
	}
	assert_true(rig_count(rig, VERDICT_no_head) >= N_PKTS);
	finish(rig);
}

/* Each buffer is somebody else's, too, and there is none for a copy. */
static void
no_buffer(void **state)
{
	const struct rig_conf conf = {.n_data = BURST_MAX};
	struct frame f;
	struct rig *rig = rig_short(&conf, B4, &f);
	struct rte_mbuf *mbufs[BURST_MAX];

	assert_int_equal(rte_pktmbuf_alloc_bulk(rig_pool(rig), mbufs, BURST_MAX), 0);
	for (uint32_t i = 0; i < BURST_MAX; i++) {
		mbufs[i]->data_len = (uint16_t)f.len;
		mbufs[i]->pkt_len = f.len;
	}
	for (uint32_t n = 0; n < N_PKTS; n += BURST_MAX) {
		for (uint32_t i = 0; i < BURST_MAX; i++)
			rte_mbuf_refcnt_update(mbufs[i], 1);
		rig_inject_bulk(rig, 0, mbufs, BURST_MAX);
		rig_turn(rig);
	}
	assert_true(rig_count(rig, VERDICT_no_buffer) >= N_PKTS);
	rte_pktmbuf_free_bulk(mbufs, BURST_MAX);
	finish(rig);
}

static void
owner_limit(void **state)
{
	const struct rig_conf conf = {.n_data = N_DATA, .cache = 256, .owner_limit = RIG_TRUESIZE - 1};
	struct frame f;
	struct rig *rig = rig_short(&conf, B4, &f);

	expect_all(rig, VERDICT_owner_limit, &f);
	finish(rig);
}

static void
punt_full(void **state)
{
	const struct rig_conf conf = {.n_data = N_DATA, .cache = 256};
	struct frame f;
	struct rig *rig = rig_short(&conf, "10.0.0.1", &f);

	offer(rig, 0, &f, 64);
	rig_turn(rig);
	expect_all(rig, VERDICT_punt_full, &f);
	finish(rig);
}

static void
handoff_full(void **state)
{
	const struct rig_conf conf = {.n_data = N_DATA, .cache = 256, .n_workers = 2, .shared = 1u << 1};
	struct frame f;
	struct rig *rig = rig_short(&conf, B4, &f);

	offer(rig, 1, &f, 64);
	rig_turn_of(rig, 1);
	offer_all(rig, 1, &f);
	assert_int_equal(rig_count(rig, VERDICT_handoff_full), N_PKTS);
	finish(rig);
}

/* A port that is full, and a mirror of it that takes smaller frames only. */
static void
tx_and_mirror_full(void **state)
{
	const struct port_policy policy[RIG_PORTS] = {
		{0, MIRROR_NONE, MIRROR_NONE}, {0, MIRROR_NONE, 2}, {0, MIRROR_NONE, MIRROR_NONE}};
	const struct rig_conf conf = {.n_data = N_DATA, .cache = 256, .policy = policy, .mirror_mtu = 20};
	struct frame f;
	struct rig *rig = rig_short(&conf, B4, &f);

	offer(rig, 0, &f, RIG_TX_SLOTS);
	rig_turn(rig);
	expect_all(rig, VERDICT_tx_full, &f);
	assert_int_equal(rig_count(rig, VERDICT_mirror_full), N_PKTS + RIG_TX_SLOTS);
	finish(rig);
}

static void
every_reason(void **state)
{
	for (uint32_t v = 0; v < N_VERDICTS; v++)
		if (is_drop(v) && reached[v] < N_PKTS)
			fail_msg("%s: only %lu", verdict_info[v].name, (unsigned long)reached[v]);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames),
		cmocka_unit_test(options),
		cmocka_unit_test(too_large),
		cmocka_unit_test(oversize),
		cmocka_unit_test(link_down),
		cmocka_unit_test(no_head),
		cmocka_unit_test(no_buffer),
		cmocka_unit_test(owner_limit),
		cmocka_unit_test(punt_full),
		cmocka_unit_test(handoff_full),
		cmocka_unit_test(tx_and_mirror_full),
		cmocka_unit_test(every_reason),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
