/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mempool ops in a running EAL: every trap of the ops interface is one test.
 * A mempool may be asked for anything at any time by any thread, and what
 * rte_mempool_avail_count() says must be the truth.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_memzone.h>

#include "magazine.h"
#include "mempool_magazine.h"

#define POPULATION 8191

static struct rte_mempool *
pool_create(const char *name, uint32_t n, uint32_t cache)
{
	struct rte_mempool *mp =
		rte_pktmbuf_pool_create_by_ops(name, n, cache, 0, 256, SOCKET_ID_ANY, "magazine");

	assert_non_null(mp);
	assert_non_null(mempool_magazine_pool(mp));
	assert_int_equal(magazine_pool_check(mempool_magazine_pool(mp)), 0);
	assert_int_equal(rte_mempool_avail_count(mp), n);
	return mp;
}

/* The teardown of every test: all buffers are home, the books balance. */
static void
pool_free(struct rte_mempool *mp)
{
	assert_int_equal(rte_mempool_avail_count(mp), mp->size);
	assert_int_equal(rte_mempool_in_use_count(mp), 0);
	assert_int_equal(magazine_pool_check(mempool_magazine_pool(mp)), 0);
	rte_mempool_free(mp);
}

static void
registering_twice_does_nothing(void **state)
{
	const uint32_t n_ops = rte_mempool_ops_table.num_ops;
	uint32_t n_ours = 0;

	assert_int_equal(mempool_magazine_register(), 0);
	assert_int_equal(rte_mempool_ops_table.num_ops, n_ops);
	for (uint32_t i = 0; i < n_ops; i++)
		n_ours += !strcmp(rte_mempool_ops_table.ops[i].name, "magazine");
	assert_int_equal(n_ours, 1);
	/* the stock ones, registered by constructors, stand before */
	assert_string_equal(rte_mempool_ops_table.ops[n_ops - 1].name, "magazine");
}

/* t1: objects that come from populate lie in the depot, not in the main lcore's magazines. */
static void
populate_fills_the_depot(void **state)
{
	struct rte_mempool *mp = pool_create("populate", POPULATION, 0);
	struct magazine_stats stats;

	magazine_pool_stats(mempool_magazine_pool(mp), &stats);
	assert_int_equal(stats.depot, POPULATION);
	assert_int_equal(stats.cached, 0);
	assert_int_equal(stats.population, POPULATION);
	assert_int_equal(stats.counts.puts, 0);
	/* The main lcore's first burst comes out of the depot with one exchange. */
	assert_int_equal(mempool_magazine_pool(mp)->cache[rte_lcore_id()].size, 0);
	pool_free(mp);
}

/* t2: an RX ring in one call. */
static void
a_whole_ring_in_one_call(void **state)
{
	struct rte_mempool *mp = pool_create("ring", POPULATION, 0);
	static struct rte_mbuf *mbufs[POPULATION];

	for (uint32_t n = 512; n <= 4096; n *= 2) {
		assert_int_equal(rte_pktmbuf_alloc_bulk(mp, mbufs, n), 0);
		assert_int_equal(rte_mempool_avail_count(mp), POPULATION - n);
		assert_int_equal(rte_mempool_in_use_count(mp), n);
		rte_pktmbuf_free_bulk(mbufs, n);
		assert_int_equal(rte_mempool_avail_count(mp), POPULATION);
	}
	assert_int_equal(rte_pktmbuf_alloc_bulk(mp, mbufs, POPULATION), 0);
	assert_true(rte_mempool_empty(mp));
	rte_mempool_put_bulk(mp, (void **)mbufs, POPULATION);
	assert_true(rte_mempool_full(mp));
	pool_free(mp);
}

/* t3: one more than there are is none. */
static void
dequeue_is_all_or_nothing(void **state)
{
	struct rte_mempool *mp = pool_create("all", 1000, 0);
	void *objs[1001];

	assert_int_equal(rte_mempool_get_bulk(mp, objs, 1001), -ENOENT);
	assert_int_equal(rte_mempool_avail_count(mp), 1000);
	assert_int_equal(rte_mempool_get_bulk(mp, objs, 700), 0);
	assert_int_equal(rte_mempool_get_bulk(mp, objs + 700, 301), -ENOENT);
	assert_int_equal(rte_mempool_avail_count(mp), 300);
	assert_int_equal(rte_mempool_get_bulk(mp, objs + 700, 300), 0);
	assert_int_equal(rte_mempool_get(mp, &objs[1000]), -ENOENT);
	rte_mempool_put_bulk(mp, objs, 1000);
	pool_free(mp);
}

struct visit {
	struct rte_mempool *mp;
	bool registered;
	unsigned int lcore;
	void *objs[1000];
	uint32_t n; /* to put, and then to get */
	int ret;
};

/* Puts what the main lcore got, gets and puts on its own, and leaves with n objects. */
static void *
visitor(void *arg)
{
	struct visit *v = arg;

	if (v->registered && rte_thread_register() < 0) {
		v->ret = -rte_errno;
		return NULL;
	}
	v->lcore = rte_lcore_id();
	rte_mempool_put_bulk(v->mp, v->objs, v->n);
	v->ret = 0;
	for (uint32_t n = 1; n <= 1000 && v->ret == 0; n += 37) {
		v->ret = rte_mempool_get_bulk(v->mp, v->objs, n);
		if (v->ret == 0)
			rte_mempool_put_bulk(v->mp, v->objs, n);
	}
	if (v->ret == 0)
		v->ret = rte_mempool_get_bulk(v->mp, v->objs, v->n);
	if (v->registered)
		rte_thread_unregister();
	return NULL;
}

/* t4: a thread that is no lcore, and one that became one. */
static void
visit(bool registered)
{
	struct rte_mempool *mp = pool_create("visit", 1000, 0);
	struct visit v = {.mp = mp, .registered = registered, .n = 333};
	pthread_t thread;

	assert_int_equal(rte_mempool_get_bulk(mp, v.objs, v.n), 0);
	/* what lies in the main lcore's magazines the visitor could not get */
	magazine_pool_flush(mempool_magazine_pool(mp), rte_lcore_id());
	assert_int_equal(pthread_create(&thread, NULL, visitor, &v), 0);
	pthread_join(thread, NULL);
	assert_int_equal(v.ret, 0);
	if (registered)
		assert_in_range(v.lcore, 1, RTE_MAX_LCORE - 1);
	else
		assert_int_equal(v.lcore, LCORE_ID_ANY);
	assert_int_equal(rte_mempool_avail_count(mp), 1000 - v.n);
	/* nothing stays behind in the magazines of an lcore that is none any more: the others can get it all */
	assert_int_equal(rte_mempool_get_bulk(mp, v.objs + v.n, 1000 - v.n), 0);
	rte_mempool_put_bulk(mp, v.objs, 1000);
	pool_free(mp);
}

static void
an_unregistered_thread(void **state)
{
	visit(false);
}

static void
a_registered_thread(void **state)
{
	visit(true);
}

/* t5, t6: what many lcores got one returns alone, one by one; enqueue has no way to fail. */
static void
one_lcore_returns_everything(void **state)
{
	struct rte_mempool *mp = pool_create("return", POPULATION, 0);
	struct magazine_pool *pool = mempool_magazine_pool(mp);
	static void *objs[POPULATION];

	for (uint32_t i = 0; i < POPULATION; i++)
		assert_int_equal(magazine_get_bulk(pool, i % 64, &objs[i], 1), 0);
	for (uint32_t i = 0; i < POPULATION; i++) {
		rte_mempool_put(mp, objs[i]);
		assert_int_equal(rte_mempool_avail_count(mp), i + 1);
	}
	pool_free(mp);
}

/* t7: objects in private magazines are available, though only to their lcore. */
static void
count_includes_private_magazines(void **state)
{
	struct rte_mempool *mp = pool_create("count", 1000, 0);
	struct magazine_pool *pool = mempool_magazine_pool(mp);
	struct magazine_stats stats;
	void *objs[500];

	assert_int_equal(magazine_get_bulk(pool, 90, objs, 500), 0);
	assert_int_equal(rte_mempool_avail_count(mp), 500);
	magazine_put_bulk(pool, 90, objs, 200);
	magazine_pool_stats(pool, &stats);
	assert_in_range(stats.cached, 200, 500);
	assert_int_equal(stats.out, 300);
	assert_int_equal(rte_mempool_avail_count(mp), 700);
	assert_int_equal(rte_mempool_in_use_count(mp), 300);
	magazine_put_bulk(pool, 90, objs + 200, 300);
	pool_free(mp);
}

/* A mempool's own cache in front: what lies in it is out of our pool, yet available. */
static void
a_mempool_cache_in_front(void **state)
{
	struct rte_mempool *mp = pool_create("front", 1000, 32);
	static struct rte_mbuf *mbufs[1000];

	for (int round = 0; round < 100; round++) {
		assert_int_equal(rte_pktmbuf_alloc_bulk(mp, mbufs, 64), 0);
		assert_int_equal(rte_mempool_avail_count(mp), 1000 - 64);
		for (int i = 0; i < 64; i++)
			rte_pktmbuf_free(mbufs[i]);
		assert_int_equal(rte_mempool_avail_count(mp), 1000);
	}
	assert_int_equal(rte_pktmbuf_alloc_bulk(mp, mbufs, 1000), 0);
	assert_int_equal(rte_mempool_avail_count(mp), 0);
	rte_pktmbuf_free_bulk(mbufs, 1000);
	pool_free(mp);
}

static void
two_pools_side_by_side(void **state)
{
	struct rte_mempool *a = pool_create("side_a", 1000, 0);
	struct rte_mempool *b = pool_create("side_b", 500, 0);
	struct rte_mbuf *of_a[1000], *of_b[500];

	assert_ptr_not_equal(mempool_magazine_pool(a), mempool_magazine_pool(b));
	assert_int_equal(rte_pktmbuf_alloc_bulk(a, of_a, 1000), 0);
	assert_int_equal(rte_pktmbuf_alloc_bulk(b, of_b, 500), 0);
	for (int i = 0; i < 1000; i++)
		assert_ptr_equal(of_a[i]->pool, a);
	for (int i = 0; i < 500; i++)
		assert_ptr_equal(of_b[i]->pool, b);
	rte_pktmbuf_free_bulk(of_a, 1000);
	assert_int_equal(rte_mempool_avail_count(b), 0);
	rte_pktmbuf_free_bulk(of_b, 500);
	pool_free(a);
	pool_free(b);
}

static void
count_memzone(const struct rte_memzone *mz, void *arg)
{
	(*(uint32_t *)arg)++;
}

static uint32_t
n_memzones(void)
{
	uint32_t n = 0;

	rte_memzone_walk(count_memzone, &n);
	return n;
}

/* Of the EAL and of the C library. */
static size_t
heap_bytes(void)
{
	const struct mallinfo2 info = mallinfo2();
	struct rte_malloc_socket_stats eal;
	size_t bytes = info.uordblks + info.hblkhd;

	for (int node = 0; node < RTE_MAX_NUMA_NODES; node++)
		if (rte_malloc_get_socket_stats(node, &eal) == 0)
			bytes += eal.heap_allocsz_bytes;
	return bytes;
}

static void
made_and_freed_a_thousand_times(void **state)
{
	const uint32_t before = n_memzones();
	const size_t bytes = heap_bytes();

	for (int i = 0; i < 1000; i++) {
		struct rte_mempool *mp = pool_create("again", 1 + i, 0);
		struct rte_mbuf *mbuf = rte_pktmbuf_alloc(mp);

		assert_non_null(mbuf);
		rte_pktmbuf_free(mbuf);
		pool_free(mp);
	}
	assert_int_equal(n_memzones(), before);
	assert_true(heap_bytes() < bytes + 50 * 1024); /* one pool has more than that */
}

static void
size_is(struct rte_mempool *mp, uint32_t min, uint32_t max)
{
	assert_int_equal(mempool_magazine_pool(mp)->size_min, min);
	assert_int_equal(mempool_magazine_pool(mp)->size_max, max);
	pool_free(mp);
}

static void
the_size_is_for_new_pools(void **state)
{
	const uint32_t bad[] = {1, 16, 100, 1024, UINT32_MAX};
	struct rte_mempool *mp = pool_create("old", 4000, 0);

	assert_int_equal(mempool_magazine_set_size(256), 0);
	size_is(mp, MAGAZINE_ROUNDS_MIN, MAGAZINE_ROUNDS_MAX);
	size_is(pool_create("pinned", 1000, 0), 256, 256);

	for (uint32_t i = 0; i < RTE_DIM(bad); i++) {
		assert_int_equal(mempool_magazine_set_size(bad[i]), -EINVAL);
		assert_int_equal(mempool_magazine_set_size_max(bad[i]), -EINVAL);
	}
	size_is(pool_create("pinned", 1000, 0), 256, 256);
	assert_int_equal(mempool_magazine_set_size(0), 0);
	assert_int_equal(mempool_magazine_set_size_max(64), 0);
	size_is(pool_create("bounded", 4000, 0), MAGAZINE_ROUNDS_MIN, 64);
	assert_int_equal(mempool_magazine_set_size_max(0), 0);
	size_is(pool_create("small", 600, 0), MAGAZINE_ROUNDS_MIN, 128);
}

struct counts {
	uint64_t n_get, n_put;
	void *last;
};

static void
count_get(void *arg, void *const *objs, unsigned int n)
{
	struct counts *counts = arg;

	counts->n_get += n;
	counts->last = objs[n - 1];
}

static void
count_put(void *arg, void *const *objs, unsigned int n)
{
	struct counts *counts = arg;

	counts->n_put += n;
	counts->last = objs[n - 1];
}

static void
hooks_see_every_object(void **state)
{
	const struct mempool_magazine_hooks none = {0};
	struct counts counts = {0};
	struct mempool_magazine_hooks hooks = {.on_get = count_get, .on_put = count_put, .arg = &counts};
	struct rte_mempool *mp = pool_create("hooks", 1000, 0);
	void *objs[1001];

	assert_int_equal(mempool_magazine_set_hooks(mp, &hooks), 0);
	assert_int_equal(rte_mempool_get_bulk(mp, objs, 300), 0);
	assert_int_equal(counts.n_get, 300);
	assert_ptr_equal(counts.last, objs[299]);
	assert_int_equal(rte_mempool_get_bulk(mp, objs + 300, 701), -ENOENT);
	assert_int_equal(counts.n_get, 300);
	rte_mempool_put_bulk(mp, objs, 200);
	assert_int_equal(counts.n_put, 200);
	assert_ptr_equal(counts.last, objs[199]);

	/* either may be missing */
	hooks.on_put = NULL;
	assert_int_equal(mempool_magazine_set_hooks(mp, &hooks), 0);
	rte_mempool_put_bulk(mp, objs + 200, 50);
	assert_int_equal(counts.n_put, 200);
	hooks.on_get = NULL;
	hooks.on_put = count_put;
	assert_int_equal(mempool_magazine_set_hooks(mp, &hooks), 0);
	assert_int_equal(rte_mempool_get_bulk(mp, objs, 200), 0);
	assert_int_equal(counts.n_get, 300);
	rte_mempool_put_bulk(mp, objs, 250);
	assert_int_equal(counts.n_put, 450);
	assert_int_equal(mempool_magazine_set_hooks(mp, &none), 0);
	pool_free(mp);
	assert_int_equal(counts.n_get, 300);
}

static void
a_foreign_pool_is_not_ours(void **state)
{
	const struct mempool_magazine_hooks hooks = {0};
	struct rte_mempool *mp =
		rte_pktmbuf_pool_create_by_ops("foreign", 255, 0, 0, 256, SOCKET_ID_ANY, "ring_mp_mc");

	assert_non_null(mp);
	assert_null(mempool_magazine_pool(mp));
	assert_int_equal(mempool_magazine_set_hooks(mp, &hooks), -EINVAL);
	rte_mempool_free(mp);
}

/* No memory for the objects: the pool is freed half populated, and the name is free again. */
static void
a_pool_too_large_leaves_nothing(void **state)
{
	const uint32_t before = n_memzones();

	assert_null(rte_pktmbuf_pool_create_by_ops("huge", 1000000, 0, 0, 2048, SOCKET_ID_ANY, "magazine"));
	assert_int_equal(rte_errno, ENOMEM);
	assert_int_equal(n_memzones(), before);
	pool_free(pool_create("huge", 1000, 0));
}

/* Memory that comes in several pieces, with use in between: only populate seeds. */
static void
populated_in_pieces(void **state)
{
	static alignas(RTE_CACHE_LINE_SIZE) char memory[2][64 * 1024];
	struct rte_mempool *mp = rte_mempool_create_empty("pieces", 400, 64, 0, 0, SOCKET_ID_ANY, 0);
	struct magazine_stats stats;
	void *objs[400];

	assert_non_null(mp);
	assert_int_equal(rte_mempool_set_ops_byname(mp, "magazine", NULL), 0);
	for (int i = 0; i < 2; i++) {
		const int n =
			rte_mempool_populate_iova(mp, memory[i], RTE_BAD_IOVA, sizeof(memory[i]), NULL, NULL);

		assert_in_range(n, 10, 400);
		assert_int_equal(rte_mempool_get_bulk(mp, objs, 10), 0);
		rte_mempool_put_bulk(mp, objs, 10);
	}
	magazine_pool_stats(mempool_magazine_pool(mp), &stats);
	assert_int_equal(stats.population, mp->populated_size);
	assert_int_equal(stats.counts.puts, 20);
	assert_int_equal(stats.out, 0);
	assert_int_equal(rte_mempool_avail_count(mp), mp->populated_size);
	assert_int_equal(magazine_pool_check(mempool_magazine_pool(mp)), 0);
	rte_mempool_free(mp);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registering_twice_does_nothing),
		cmocka_unit_test(populate_fills_the_depot),
		cmocka_unit_test(a_whole_ring_in_one_call),
		cmocka_unit_test(dequeue_is_all_or_nothing),
		cmocka_unit_test(an_unregistered_thread),
		cmocka_unit_test(a_registered_thread),
		cmocka_unit_test(one_lcore_returns_everything),
		cmocka_unit_test(count_includes_private_magazines),
		cmocka_unit_test(a_mempool_cache_in_front),
		cmocka_unit_test(two_pools_side_by_side),
		cmocka_unit_test(made_and_freed_a_thousand_times),
		cmocka_unit_test(the_size_is_for_new_pools),
		cmocka_unit_test(hooks_see_every_object),
		cmocka_unit_test(a_foreign_pool_is_not_ours),
		cmocka_unit_test(a_pool_too_large_leaves_nothing),
		cmocka_unit_test(populated_in_pieces),
	};

	if (rte_eal_init(argc, argv) < 0 || mempool_magazine_register() < 0)
		return 1;

	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	rte_eal_cleanup();
	return failed;
}
