/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building and releasing heads around mbufs that belong to no pool: nothing here
 * frees an mbuf, so none is needed.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "skb.h"

#define N_HEADS  600u
#define BURST    64u
#define BUF_LEN  2176u
#define POISON   0x5a
#define COLD_LEN (sizeof(struct skb) - offsetof(struct skb, next))

struct world {
	struct skb_pool *pool;
	struct skb_cpu cpu;
	struct rte_mbuf mbufs[N_HEADS + 1];
	struct rte_mbuf *raw[N_HEADS + 1];
	struct skb *skbs[N_HEADS + 1];
	uint8_t buf[BUF_LEN];
};

static void
mbuf_init(struct world *w, uint32_t i)
{
	struct rte_mbuf *const mbuf = &w->mbufs[i];

	mbuf->buf_addr = w->buf;
	mbuf->buf_len = BUF_LEN - i;
	mbuf->data_off = 100 + i;
	mbuf->nb_segs = 1;
	mbuf->pkt_len = 60 + 3 * i;
	mbuf->data_len = 60 + 3 * i;
	mbuf->port = 1000 + i;
	mbuf->hash.rss = 0xdead0000 + i;
	mbuf->ol_flags = i % 2 ? RTE_MBUF_F_RX_RSS_HASH : RTE_MBUF_F_RX_VLAN;
	w->raw[i] = mbuf;
}

static int
setup(void **state)
{
	struct world *const w = calloc(1, sizeof(*w));

	assert_non_null(w);
	assert_int_equal(skb_pool_create("test", N_HEADS, 32, SOCKET_ID_ANY, &w->pool), 0);
	skb_cpu_init(&w->cpu, w->pool, NULL, 3);
	for (uint32_t i = 0; i <= N_HEADS; i++)
		mbuf_init(w, i);
	*state = w;
	return 0;
}

/* population = cached + depot + out, and nothing is out */
static int
teardown(void **state)
{
	struct world *const w = *state;

	assert_int_equal(magazine_pool_check(skb_pool_heads(w->pool)), 0);
	assert_int_equal(magazine_pool_avail(skb_pool_heads(w->pool)), N_HEADS);
	skb_pool_destroy(w->pool);
	free(w);
	return 0;
}

static void
check_hot(const struct skb *skb, const struct rte_mbuf *mbuf, uint16_t lcore)
{
	assert_ptr_equal(skb->mbuf, mbuf);
	assert_ptr_equal(skb->data, (uint8_t *)mbuf->buf_addr + mbuf->data_off);
	assert_null(skb->owner);
	assert_int_equal(skb->tstamp, 0);
	assert_int_equal(skb->len, mbuf->pkt_len);
	assert_int_equal(skb->truesize, mbuf->buf_len + 128 + 128);
	assert_int_equal(skb->hash, mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH ? mbuf->hash.rss : 0);
	assert_int_equal(skb->data_len, 0);
	assert_int_equal(skb->mac_header, SKB_UNSET);
	assert_int_equal(skb->network_header, SKB_UNSET);
	assert_int_equal(skb->transport_header, SKB_UNSET);
	assert_int_equal(skb->port, mbuf->port);
	assert_int_equal(skb->lcore, lcore);
	assert_int_equal(skb->users, 1);
	assert_int_equal(skb->flags, 0);
	assert_int_equal(skb->protocol, 0);
	assert_int_equal(skb->reason, 0);
}

static void
check_cold(const struct skb *skb)
{
	const uint8_t *const cold = (const uint8_t *)&skb->next;

	for (unsigned int i = 0; i < COLD_LEN; i++)
		assert_int_equal(cold[i], POISON);
}

/* Every head is taken once and poisoned as a whole, so that the next build has something to get wrong. */
static void
poison_all(struct world *w)
{
	assert_int_equal(skb_build_bulk(&w->cpu, w->raw, w->skbs, N_HEADS, NULL), 0);
	for (uint32_t i = 0; i < N_HEADS; i++)
		memset(w->skbs[i], POISON, sizeof(struct skb));
	skb_release_bulk(&w->cpu, w->skbs, N_HEADS);
}

static void
test_hot_line_written_cold_line_not(void **state)
{
	struct world *const w = *state;

	for (uint32_t n = 1; n <= BURST; n++) {
		poison_all(w);
		assert_int_equal(skb_build_bulk(&w->cpu, w->raw, w->skbs, n, NULL), 0);
		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal((uintptr_t)w->skbs[i] % 64, 0);
			check_hot(w->skbs[i], w->raw[i], 3);
			check_cold(w->skbs[i]);
		}
		assert_int_equal(magazine_pool_avail(skb_pool_heads(w->pool)), N_HEADS - n);
		skb_release_bulk(&w->cpu, w->skbs, n);
	}
}

static int
by_address(const void *a, const void *b)
{
	const struct skb *const x = *(struct skb *const *)a;
	const struct skb *const y = *(struct skb *const *)b;

	return x < y ? -1 : x > y;
}

static void
test_heads_are_distinct(void **state)
{
	struct world *const w = *state;

	assert_int_equal(skb_build_bulk(&w->cpu, w->raw, w->skbs, N_HEADS, NULL), 0);
	qsort(w->skbs, N_HEADS, sizeof(w->skbs[0]), by_address);
	for (uint32_t i = 1; i < N_HEADS; i++)
		assert_true(w->skbs[i - 1] + 1 <= w->skbs[i]);
	skb_release_bulk(&w->cpu, w->skbs, N_HEADS);
}

static void
test_all_or_nothing(void **state)
{
	struct world *const w = *state;

	assert_int_equal(skb_build_bulk(&w->cpu, w->raw, w->skbs, N_HEADS + 1, NULL), -ENOMEM);
	assert_int_equal(magazine_pool_avail(skb_pool_heads(w->pool)), N_HEADS);
	for (uint32_t left = 0; left < BURST; left++) {
		const uint32_t n = N_HEADS - left;

		assert_int_equal(skb_build_bulk(&w->cpu, w->raw, w->skbs, n, NULL), 0);
		assert_int_equal(skb_build_bulk(&w->cpu, w->raw, w->skbs + n, left + 1, NULL), -ENOMEM);
		assert_int_equal(magazine_pool_avail(skb_pool_heads(w->pool)), left);
		assert_int_equal(magazine_pool_check(skb_pool_heads(w->pool)), 0);
		assert_int_equal(skb_build_bulk(&w->cpu, w->raw + n, w->skbs + n, left, NULL), 0);
		skb_release_bulk(&w->cpu, w->skbs, N_HEADS);
	}
}

/* The head that was released last is the one that is built next: it is the one in the L1 cache. */
static void
test_lifo(void **state)
{
	struct world *const w = *state;
	struct skb *again[BURST];

	assert_int_equal(skb_build_bulk(&w->cpu, w->raw, w->skbs, BURST, NULL), 0);
	skb_release_bulk(&w->cpu, w->skbs, 8);
	assert_int_equal(skb_build_bulk(&w->cpu, w->raw, again, 8, NULL), 0);
	qsort(w->skbs, 8, sizeof(again[0]), by_address);
	qsort(again, 8, sizeof(again[0]), by_address);
	assert_memory_equal(again, w->skbs, 8 * sizeof(again[0]));
	skb_release_bulk(&w->cpu, w->skbs, BURST);
}

static void
test_thread_that_is_no_lcore(void **state)
{
	struct world *const w = *state;

	skb_cpu_init(&w->cpu, w->pool, NULL, LCORE_ID_ANY);
	assert_int_equal(skb_build_bulk(&w->cpu, w->raw, w->skbs, 5, NULL), 0);
	for (uint32_t i = 0; i < 5; i++)
		check_hot(w->skbs[i], w->raw[i], UINT16_MAX);
	skb_release_bulk(&w->cpu, w->skbs, 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hot_line_written_cold_line_not, setup, teardown),
		cmocka_unit_test_setup_teardown(test_heads_are_distinct, setup, teardown),
		cmocka_unit_test_setup_teardown(test_all_or_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lifo, setup, teardown),
		cmocka_unit_test_setup_teardown(test_thread_that_is_no_lcore, setup, teardown),
	};

	return cmocka_run_group_tests_name("skb/build", tests, NULL, NULL);
}
