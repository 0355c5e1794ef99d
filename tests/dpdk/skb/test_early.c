/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Early building over the mempool's hooks: a head is bound while its buffer waits
 * for a packet, and is never lost nor freed twice, whichever way the buffer goes.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_eal.h>
#include <rte_mbuf.h>

#include "mempool_magazine.h"
#include "skb.h"

#define N_BUFS  1024u
#define N_HEADS 256u
#define RING    256u

static struct rte_mempool *bufs;
static struct skb_pool *heads;
static struct skb_cpu cpu;
static struct rte_mbuf *mbufs[N_BUFS];
static struct skb *skbs[N_BUFS];

static uint32_t
heads_out(void)
{
	struct magazine_stats stats;

	magazine_pool_stats(skb_pool_heads(heads), &stats);
	return stats.out;
}

static int
setup(void **state)
{
	struct mempool_magazine_hooks hooks = {.on_get = skb_early_get, .on_put = skb_early_put};

	bufs = rte_pktmbuf_pool_create_by_ops(
		"bufs", N_BUFS, 0, SKB_EARLY_PRIV_SIZE, 2176, SOCKET_ID_ANY, "magazine");
	assert_non_null(bufs);
	assert_int_equal(skb_pool_create("heads", N_HEADS, 32, SOCKET_ID_ANY, &heads), 0);
	hooks.arg = heads;
	assert_int_equal(mempool_magazine_set_hooks(bufs, &hooks), 0);
	skb_cpu_init(&cpu, heads, bufs, rte_lcore_id());
	return 0;
}

static int
teardown(void **state)
{
	assert_int_equal(rte_mempool_avail_count(bufs), N_BUFS);
	assert_int_equal(magazine_pool_check(skb_pool_heads(heads)), 0);
	assert_int_equal(heads_out(), 0);
	rte_mempool_free(bufs);
	skb_pool_destroy(heads);
	return 0;
}

/* What a PMD does to a buffer of its ring when a packet has arrived in it. */
static void
arrive(struct rte_mbuf *mbuf, uint32_t i)
{
	mbuf->data_off = RTE_PKTMBUF_HEADROOM + i % 8;
	mbuf->data_len = mbuf->pkt_len = 60 + i;
	mbuf->port = i;
	mbuf->hash.rss = 77 * i;
	mbuf->ol_flags = RTE_MBUF_F_RX_RSS_HASH;
}

/* Buffers got and put that no packet ever came into. */
static void
test_without_packets(void **state)
{
	for (uint32_t n = 1; n <= RING; n++) {
		assert_int_equal(rte_mempool_get_bulk(bufs, (void **)mbufs, n), 0);
		assert_int_equal(heads_out(), n);
		rte_mempool_put_bulk(bufs, (void **)mbufs, n);
		assert_int_equal(heads_out(), 0);
	}
}

static void
test_claim_equals_build(void **state)
{
	struct skb *late;
	struct rte_mbuf *mbuf;

	assert_int_equal(rte_pktmbuf_alloc_bulk(bufs, mbufs, RING - 1), 0);
	assert_int_equal(heads_out(), RING - 1);
	for (uint32_t i = 0; i < RING - 1; i++)
		arrive(mbufs[i], i);
	assert_int_equal(skb_claim_bulk(&cpu, mbufs, skbs, RING - 1, NULL), 0);
	assert_int_equal(heads_out(), RING - 1);
	for (uint32_t i = 0; i < RING - 1; i++) {
		mbuf = mbufs[i];
		assert_int_equal(skb_build_bulk(&cpu, &mbuf, &late, 1, NULL), 0);
		assert_memory_equal(skbs[i], late, offsetof(struct skb, frag_list));
		skb_release_bulk(&cpu, &late, 1);
		skb_consume(&cpu, skbs[i]);
	}
}

/* The claimed head no longer hangs on its buffer: the buffer goes its way alone. */
static void
test_claim_then_transmit(void **state)
{
	assert_int_equal(rte_pktmbuf_alloc_bulk(bufs, mbufs, 32), 0);
	assert_int_equal(skb_claim_bulk(&cpu, mbufs, skbs, 32, NULL), 0);
	skb_release_bulk(&cpu, skbs, 32);
	assert_int_equal(heads_out(), 0);
	rte_pktmbuf_free_bulk(mbufs, 32);
	assert_int_equal(heads_out(), 0);
}

static void
test_drop_before_claim(void **state)
{
	assert_int_equal(rte_pktmbuf_alloc_bulk(bufs, mbufs, 100), 0);
	skb_drop_raw_bulk(&cpu, mbufs, 100, 3);
	assert_int_equal(cpu.drops[3], 100);
	assert_int_equal(heads_out(), 0);
}

/* More buffers than heads: those that went without get theirs when they are claimed, if there are some by then. */
static void
test_heads_run_out(void **state)
{
	struct rte_mbuf *mixed[64];

	assert_int_equal(rte_pktmbuf_alloc_bulk(bufs, mbufs, N_BUFS), 0);
	assert_int_equal(heads_out(), N_HEADS);

	/* bound ones and others by turns */
	for (uint32_t i = 0; i < 64; i++)
		mixed[i] = i % 3 ? mbufs[i] : mbufs[N_BUFS - 1 - i];
	assert_int_equal(skb_claim_bulk(&cpu, mixed, skbs, 64, NULL), -ENOMEM);
	assert_int_equal(heads_out(), N_HEADS);

	/* 22 of the mixed ones need a head: 21 are not enough, and the failed claim takes none */
	rte_pktmbuf_free_bulk(mbufs + 100, 21);
	assert_int_equal(heads_out(), N_HEADS - 21);
	assert_int_equal(skb_claim_bulk(&cpu, mixed, skbs, 64, NULL), -ENOMEM);
	assert_int_equal(heads_out(), N_HEADS - 21);
	rte_pktmbuf_free(mbufs[121]);
	assert_int_equal(skb_claim_bulk(&cpu, mixed, skbs, 64, NULL), 0);
	assert_int_equal(heads_out(), N_HEADS);
	for (uint32_t i = 0; i < 64; i++) {
		assert_ptr_equal(skbs[i]->mbuf, mixed[i]);
		assert_int_equal(skbs[i]->users, 1);
	}
	skb_release_bulk(&cpu, skbs, 64);
	assert_int_equal(heads_out(), N_HEADS - 64);
	rte_pktmbuf_free_bulk(mbufs, 100);
	rte_pktmbuf_free_bulk(mbufs + 122, N_BUFS - 122);
}

/* A buffer that had a head once and gets none the next time does not still have the old one. */
static void
test_no_stale_head(void **state)
{
	static struct rte_mbuf fake;
	struct rte_mbuf *fakes[N_HEADS];

	assert_int_equal(rte_pktmbuf_alloc_bulk(bufs, mbufs, 8), 0);
	rte_pktmbuf_free_bulk(mbufs, 8);
	for (uint32_t i = 0; i < N_HEADS; i++)
		fakes[i] = &fake;
	assert_int_equal(skb_build_bulk(&cpu, fakes, skbs, N_HEADS, NULL), 0);
	assert_int_equal(rte_pktmbuf_alloc_bulk(bufs, mbufs, 8), 0);
	assert_int_equal(skb_claim_bulk(&cpu, mbufs, skbs + N_HEADS, 8, NULL), -ENOMEM);
	skb_release_bulk(&cpu, skbs, N_HEADS);
	assert_int_equal(skb_claim_bulk(&cpu, mbufs, skbs, 8, NULL), 0);
	skb_release_bulk(&cpu, skbs, 8);
	rte_pktmbuf_free_bulk(mbufs, 8);
}

/* Random lives: got, claimed or not, sent, dropped or consumed. Fixed seed. */
static void
test_random_lives(void **state)
{
	uint32_t n_held = 0;

	srandom(42);
	for (int step = 0; step < 20000; step++) {
		const uint32_t n = 1 + random() % 32;

		if (n_held + n <= N_BUFS && random() % 2) {
			assert_int_equal(rte_pktmbuf_alloc_bulk(bufs, mbufs + n_held, n), 0);
			n_held += n;
			continue;
		}
		if (n > n_held)
			continue;
		n_held -= n;
		if (random() % 2 || skb_claim_bulk(&cpu, mbufs + n_held, skbs, n, NULL) != 0) {
			skb_drop_raw_bulk(&cpu, mbufs + n_held, n, 0);
			continue;
		}
		skb_release_bulk(&cpu, skbs, n - 1);
		rte_pktmbuf_free_bulk(mbufs + n_held, n - 1);
		skb_consume(&cpu, skbs[n - 1]);
	}
	rte_pktmbuf_free_bulk(mbufs, n_held);
}

static void *
get_and_put(void *arg)
{
	assert(rte_lcore_id() == LCORE_ID_ANY);
	rte_pktmbuf_free_bulk(mbufs, 40);
	return (void *)(intptr_t)rte_pktmbuf_alloc_bulk(bufs, mbufs, 40);
}

static void
test_thread_that_is_no_lcore(void **state)
{
	pthread_t thread;
	void *ret;

	assert_int_equal(rte_pktmbuf_alloc_bulk(bufs, mbufs, 40), 0);
	assert_int_equal(pthread_create(&thread, NULL, get_and_put, NULL), 0);
	assert_int_equal(pthread_join(thread, &ret), 0);
	assert_null(ret);
	assert_int_equal(heads_out(), 40);
	rte_pktmbuf_free_bulk(mbufs, 40);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_without_packets, setup, teardown),
		cmocka_unit_test_setup_teardown(test_claim_equals_build, setup, teardown),
		cmocka_unit_test_setup_teardown(test_claim_then_transmit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_drop_before_claim, setup, teardown),
		cmocka_unit_test_setup_teardown(test_heads_run_out, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_stale_head, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random_lives, setup, teardown),
		cmocka_unit_test_setup_teardown(test_thread_that_is_no_lcore, setup, teardown),
	};

	if (rte_eal_init(argc, argv) < 0 || mempool_magazine_register() < 0)
		return 1;

	const int failed = cmocka_run_group_tests_name("skb/early", tests, NULL, NULL);

	rte_eal_cleanup();
	return failed;
}
