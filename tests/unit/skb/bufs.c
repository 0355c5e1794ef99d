/* SPDX-License-Identifier: BSD-3-Clause */
/* The little of a mempool that is used once it has been made. */
#include "bufs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_lcore.h>

#include "magazine.h"

#define OPS "bufs"

/* One block: the mempool and what follows it in one of DPDK's. */
struct bufs {
	struct rte_mempool mp;
	struct rte_pktmbuf_pool_private priv;
	uint32_t n_errors; /* that the magazines found */
	alignas(RTE_CACHE_LINE_SIZE) uint8_t objects[];
};

static_assert(
	offsetof(struct bufs, priv) == sizeof(struct rte_mempool), "where rte_mempool_get_priv() looks");

static int
ops_alloc(struct rte_mempool *mp)
{
	return 0;
}

static void
ops_free(struct rte_mempool *mp)
{
}

static int
ops_enqueue(struct rte_mempool *mp, void *const *objs, unsigned int n)
{
	/* Who sees a count of 1 frees without an atomic operation. That this comes after what those did who let go before is clear
	 * to a processor, since the stores depend on the load, but not to ThreadSanitizer. */
	for (unsigned int i = 0; i < n; i++)
		(void)__atomic_load_n(&((struct rte_mbuf *)objs[i])->refcnt, __ATOMIC_ACQUIRE);
	magazine_put_bulk(mp->pool_data, rte_lcore_id(), objs, n);
	return 0;
}

static int
ops_dequeue(struct rte_mempool *mp, void **objs, unsigned int n)
{
	return magazine_get_bulk(mp->pool_data, rte_lcore_id(), objs, n);
}

static unsigned int
ops_get_count(const struct rte_mempool *mp)
{
	return magazine_pool_avail(mp->pool_data);
}

static int
ops_index(void)
{
	static const struct rte_mempool_ops ops = {
		.name = OPS,
		.alloc = ops_alloc,
		.free = ops_free,
		.enqueue = ops_enqueue,
		.dequeue = ops_dequeue,
		.get_count = ops_get_count,
	};
	static int index = -1;

	if (index < 0)
		index = rte_mempool_register_ops(&ops);
	assert_true(index >= 0);
	return index;
}

static void
complain(void *arg, const char *line)
{
	uint32_t *const n_errors = arg;

	print_message("%s\n", line);
	__atomic_fetch_add(n_errors, 1, __ATOMIC_RELAXED);
}

static void
seed(struct bufs *b, uint32_t n, size_t stride)
{
	for (uint32_t i = 0; i < n; i++) {
		void *const obj = b->objects + i * stride + RTE_CACHE_LINE_SIZE;

		rte_mempool_get_header(obj)->mp = &b->mp;
		rte_mempool_get_header(obj)->iova = RTE_BAD_IOVA;
		rte_pktmbuf_init(&b->mp, NULL, obj, i);
		assert_int_equal(magazine_pool_seed(b->mp.pool_data, &obj, 1), 0);
	}
}

struct rte_mempool *
bufs_open(uint32_t n, uint16_t room)
{
	const size_t stride = RTE_CACHE_LINE_ROUNDUP(RTE_CACHE_LINE_SIZE + sizeof(struct rte_mbuf) + room);
	struct bufs *const b = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*b) + n * stride);
	struct magazine_conf conf = {
		.name = OPS, .population = n, .size = 32, .node = SOCKET_ID_ANY, .report = complain};
	struct magazine_pool *pool;

	assert_non_null(b);
	memset(b, 0, sizeof(*b) + n * stride);
	conf.report_arg = &b->n_errors;
	assert_int_equal(magazine_pool_create(&conf, &pool), 0);
	b->mp.pool_data = pool;
	b->mp.size = b->mp.populated_size = n;
	b->mp.elt_size = (uint32_t)sizeof(struct rte_mbuf) + room;
	b->mp.private_data_size = sizeof(b->priv);
	b->mp.ops_index = ops_index();
	b->priv.mbuf_data_room_size = room;
	seed(b, n, stride);
	return &b->mp;
}

void
bufs_assert_whole(struct rte_mempool *mp)
{
	const struct bufs *const b = (const struct bufs *)mp;

	assert_int_equal(b->n_errors, 0);
	assert_int_equal(rte_mempool_avail_count(mp), mp->size);
	assert_int_equal(magazine_pool_check(mp->pool_data), 0);
	assert_int_equal(magazine_pool_audit(mp->pool_data, NULL, NULL), 0);
}

void
bufs_close(struct rte_mempool *mp)
{
	bufs_assert_whole(mp);
	magazine_pool_destroy(mp->pool_data);
	free(mp);
}

struct rte_mbuf *
bufs_chain(struct rte_mempool *mp, uint16_t headroom, uint32_t n, uint16_t len, uint8_t first)
{
	struct rte_mbuf *chain = NULL;

	for (uint32_t i = 0; i < n; i++) {
		struct rte_mbuf *const mbuf = rte_pktmbuf_alloc(mp);
		uint8_t *at;

		assert_non_null(mbuf);
		mbuf->data_off = i == 0 ? headroom : 0;
		at = (uint8_t *)rte_pktmbuf_append(mbuf, len);
		assert_non_null(at);
		for (uint32_t k = 0; k < len; k++)
			at[k] = first++;
		if (chain == NULL)
			chain = mbuf;
		else
			assert_int_equal(rte_pktmbuf_chain(chain, mbuf), 0);
	}
	return chain;
}

void
bufs_be_lcore(unsigned int lcore)
{
	RTE_PER_LCORE(_lcore_id) = lcore;
}
