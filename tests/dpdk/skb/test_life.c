/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet's two ends with real mempools: what was consumed or dropped is back in
 * both pools, and only drops are counted.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rte_eal.h>
#include <rte_mbuf.h>

#include "mempool_magazine.h"
#include "skb.h"

#define N_BUFS  512u
#define N_HEADS 128u
#define BURST   64u

static struct rte_mempool *bufs;
static struct skb_pool *heads;
static struct skb_cpu cpu;

static int
setup(void **state)
{
	const char *const ops = *state;

	bufs = rte_pktmbuf_pool_create_by_ops("bufs", N_BUFS, 0, 0, 2176, SOCKET_ID_ANY, ops);
	assert_non_null(bufs);
	assert_int_equal(skb_pool_create("heads", N_HEADS, 32, SOCKET_ID_ANY, &heads), 0);
	skb_cpu_init(&cpu, heads, bufs, rte_lcore_id());
	return 0;
}

static int
teardown(void **state)
{
	assert_int_equal(rte_mempool_avail_count(bufs), N_BUFS);
	assert_int_equal(magazine_pool_check(skb_pool_heads(heads)), 0);
	assert_int_equal(magazine_pool_avail(skb_pool_heads(heads)), N_HEADS);
	skb_pool_destroy(heads);
	rte_mempool_free(bufs);
	return 0;
}

static void
receive(struct rte_mbuf **mbufs, struct skb **skbs, uint32_t n)
{
	assert_int_equal(rte_pktmbuf_alloc_bulk(bufs, mbufs, n), 0);
	for (uint32_t i = 0; i < n; i++)
		rte_pktmbuf_append(mbufs[i], 60 + i);
	assert_int_equal(skb_build_bulk(&cpu, mbufs, skbs, n, NULL), 0);
}

static void
test_consume_and_drop(void **state)
{
	struct rte_mbuf *mbufs[BURST];
	struct skb *skbs[BURST];

	receive(mbufs, skbs, BURST);
	assert_int_equal(rte_mempool_avail_count(bufs), N_BUFS - BURST);
	for (uint32_t i = 0; i < 10; i++)
		skb_consume(&cpu, skbs[i]);
	for (unsigned int reason = 0; reason < SKB_REASONS_MAX; reason++)
		assert_int_equal(cpu.drops[reason], 0);
	for (uint32_t i = 10; i < BURST; i++)
		skb_drop(&cpu, skbs[i], i % 4 ? 5 : SKB_REASONS_MAX - 1);
	assert_int_equal(cpu.drops[5], 41);
	assert_int_equal(cpu.drops[SKB_REASONS_MAX - 1], 13);
	for (unsigned int reason = 0; reason < SKB_REASONS_MAX; reason++)
		if (reason != 5 && reason != SKB_REASONS_MAX - 1)
			assert_int_equal(cpu.drops[reason], 0);
}

static void
test_drop_raw(void **state)
{
	struct rte_mbuf *mbufs[BURST];

	assert_int_equal(rte_pktmbuf_alloc_bulk(bufs, mbufs, BURST), 0);
	skb_drop_raw_bulk(&cpu, mbufs, BURST, 9);
	assert_int_equal(cpu.drops[9], BURST);
	skb_drop_raw_bulk(&cpu, mbufs, 0, 9);
	assert_int_equal(cpu.drops[9], BURST);
}

/* A chain is freed with all its segments. */
static void
test_consume_chain(void **state)
{
	struct rte_mbuf *mbufs[2];
	struct skb *skb;

	assert_int_equal(rte_pktmbuf_alloc_bulk(bufs, mbufs, 2), 0);
	rte_pktmbuf_append(mbufs[0], 100);
	rte_pktmbuf_append(mbufs[1], 50);
	assert_int_equal(rte_pktmbuf_chain(mbufs[0], mbufs[1]), 0);
	assert_int_equal(skb_build_bulk(&cpu, mbufs, &skb, 1, NULL), 0);
	assert_int_equal(skb->len, 150);
	skb_consume(&cpu, skb);
}

/* As the walk does it: geometry moved, synced, head given back, the mbuf goes on alone. */
static void
test_release(void **state)
{
	struct rte_mbuf *mbufs[BURST];
	struct skb *skbs[BURST];

	receive(mbufs, skbs, BURST);
	for (uint32_t i = 0; i < BURST; i++) {
		skb_pull(skbs[i], 14);
		skb_trim(skbs[i], 40);
		skb_sync(skbs[i]);
	}
	skb_release_bulk(&cpu, skbs, BURST);
	for (uint32_t i = 0; i < BURST; i++) {
		assert_int_equal(mbufs[i]->data_off, RTE_PKTMBUF_HEADROOM + 14);
		assert_int_equal(mbufs[i]->pkt_len, 40);
		assert_int_equal(mbufs[i]->data_len, 40);
	}
	rte_pktmbuf_free_bulk(mbufs, BURST);
}

static char magazine_ops[] = "magazine", ring_ops[] = "ring_mp_mc";

int
main(int argc, char **argv)
{
#define WITH_BOTH_OPS(test)                                       \
	{#test "/magazine", test, setup, teardown, magazine_ops}, \
	{                                                         \
#test "/ring", test, setup, teardown, ring_ops    \
	}
	const struct CMUnitTest tests[] = {
		WITH_BOTH_OPS(test_consume_and_drop),
		WITH_BOTH_OPS(test_drop_raw),
		WITH_BOTH_OPS(test_consume_chain),
		WITH_BOTH_OPS(test_release),
	};

	if (rte_eal_init(argc, argv) < 0 || mempool_magazine_register() < 0)
		return 1;

	const int failed = cmocka_run_group_tests_name("skb/life", tests, NULL, NULL);

	rte_eal_cleanup();
	return failed;
}
