/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rte_mempool ops over a magazine pool. A mempool's pool_data is a struct
 * mempool_magazine; the mempool owns it and with it the pool.
 *
 *   alloc, free      the pool's life
 *   populate         objects go to the depot. The mempool enqueues them one by
 *                    one from one lcore, whose magazines they must not fill
 *   enqueue          cannot fail: see magazine_put_bulk()
 *   dequeue          all or nothing, any n: a PMD fills a whole RX ring with one call
 *   get_count        depot and caches: with a mempool cache of 0 it is all the
 *                    mempool knows of its own objects
 *
 * A thread that is no lcore has rte_lcore_id() == LCORE_ID_ANY, which lib/magazine
 * takes. So has, in effect, any thread of another process: all of the pool is in memory that
 * the EAL shares with secondary processes, but their lcores may have the numbers of ours, so
 * only the process that made a pool uses its caches. The others take the depot's lock.
 */
#include <errno.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "magazine.h"
#include "mempool_magazine.h"
#include "mempool_magazine_priv.h"

struct mempool_magazine {
	alignas(RTE_CACHE_LINE_SIZE) struct magazine_pool *pool;
	int pid; /* of the process that made it */
	bool populating;
	bool watched; /* populating, or one of the hooks is set */
	struct mempool_magazine_hooks hooks;
};

/* struct rte_mbuf, or what other objects begin with: who gets one writes there. */
#define TOUCHED (2 * RTE_CACHE_LINE_SIZE)

static int self; /* this process */
static uint32_t default_size, default_size_max;

static void *
shared_alloc(void *arg, size_t bytes, int node)
{
	return rte_malloc_socket("magazine", bytes, RTE_CACHE_LINE_SIZE, node);
}

static void
shared_free(void *arg, void *mem, size_t bytes)
{
	rte_free(mem);
}

/* While an mbuf is free, its header and private area keep what they hold; what lies behind may be poisoned. */
static void
poison_area(const struct rte_mempool *mp, struct magazine_conf *conf)
{
	const struct rte_pktmbuf_pool_private *priv = rte_mempool_get_priv(RTE_PTR_ADD(mp, 0));

	if (mp->private_data_size < sizeof(*priv) ||
		sizeof(struct rte_mbuf) + priv->mbuf_priv_size + priv->mbuf_data_room_size != mp->elt_size)
		return;
	conf->poison_offset = (uint32_t)sizeof(struct rte_mbuf) + priv->mbuf_priv_size;
	conf->poison_len = priv->mbuf_data_room_size;
}

static int
ops_alloc(struct rte_mempool *mp)
{
	const struct magazine_memory memory = {.alloc = shared_alloc, .free = shared_free};
	struct magazine_topology topology;
	struct magazine_conf conf = {
		.name = mp->name,
		.population = mp->size,
		.n_lcores = rte_lcore_count(),
		.size = default_size,
		.size_max = default_size_max,
		.node = mp->socket_id,
		.topology = &topology,
		.memory = &memory,
		.touched = TOUCHED,
	};
	struct mempool_magazine *m =
		rte_zmalloc_socket("magazine", sizeof(*m), alignof(struct mempool_magazine), mp->socket_id);
	int ret;

	if (!m)
		return -ENOMEM;
	placement_topology(&topology);
	poison_area(mp, &conf);
	ret = magazine_pool_create(&conf, &m->pool);
	if (ret < 0) {
		rte_free(m);
		return ret;
	}
	m->pid = self;
	mp->pool_data = m;
	return 0;
}

static void
ops_free(struct rte_mempool *mp)
{
	struct mempool_magazine *m = mp->pool_data;

	if (!m)
		return;
	magazine_pool_destroy(m->pool);
	rte_free(m);
}

static void
watch(struct mempool_magazine *m)
{
	m->watched = m->populating || m->hooks.on_get || m->hooks.on_put;
}

/* Pages are on the node they were asked for, if the kernel had its way: mempool_magazine_placement() tells. */
static int
range_add(struct magazine_pool *pool, const void *mem, size_t bytes)
{
	const struct rte_memseg *segment = rte_mem_virt2memseg(mem, NULL);

	if (pool->n_nodes == 1 || !segment || segment->socket_id < 0 ||
		(uint32_t)segment->socket_id >= pool->n_nodes)
		return 0;
	return magazine_pool_range(pool, mem, bytes, (uint32_t)segment->socket_id);
}

static int
ops_populate(struct rte_mempool *mp, unsigned int max_objs, void *vaddr, rte_iova_t iova, size_t len,
	rte_mempool_populate_obj_cb_t *obj_cb, void *obj_cb_arg)
{
	struct mempool_magazine *m = mp->pool_data;
	int ret = range_add(m->pool, vaddr, len);

	if (ret < 0)
		return ret;
	m->populating = true;
	watch(m);
	ret = rte_mempool_op_populate_default(mp, max_objs, vaddr, iova, len, obj_cb, obj_cb_arg);
	m->populating = false;
	watch(m);
	return ret;
}

/* Whether a call is not just a put or a get on the caller's own magazines. */
static inline bool
is_special(const struct mempool_magazine *m)
{
	return m->watched || m->pid != self;
}

/* Out of line, so that the usual case below has nothing to keep across a call. */
static __rte_noinline int
special_enqueue(struct mempool_magazine *m, void *const *objs, unsigned int n)
{
	if (m->populating)
		return magazine_pool_seed(m->pool, objs, n);
	if (m->pid != self) {
		magazine_put_bulk(m->pool, LCORE_ID_ANY, objs, n);
		return 0;
	}
	if (m->hooks.on_put)
		m->hooks.on_put(m->hooks.arg, objs, n);
	magazine_put_bulk(m->pool, rte_lcore_id(), objs, n);
	return 0;
}

static __rte_noinline int
special_dequeue(struct mempool_magazine *m, void **objs, unsigned int n)
{
	const bool is_ours = m->pid == self;
	const int ret = magazine_get_bulk(m->pool, is_ours ? rte_lcore_id() : LCORE_ID_ANY, objs, n);

	if (is_ours && m->hooks.on_get && ret == 0)
		m->hooks.on_get(m->hooks.arg, objs, n);
	return ret;
}

static int
ops_enqueue(struct rte_mempool *mp, void *const *objs, unsigned int n)
{
	struct mempool_magazine *m = mp->pool_data;

	if (unlikely(is_special(m)))
		return special_enqueue(m, objs, n);
	magazine_put_bulk(m->pool, rte_lcore_id(), objs, n);
	return 0;
}

static int
ops_dequeue(struct rte_mempool *mp, void **objs, unsigned int n)
{
	struct mempool_magazine *m = mp->pool_data;

	if (unlikely(is_special(m)))
		return special_dequeue(m, objs, n);
	return magazine_get_bulk(m->pool, rte_lcore_id(), objs, n);
}

static unsigned int
ops_get_count(const struct rte_mempool *mp)
{
	const struct mempool_magazine *m = mp->pool_data;

	return magazine_pool_avail(m->pool);
}

static const struct rte_mempool_ops ops = {
	.name = MEMPOOL_MAGAZINE_OPS,
	.alloc = ops_alloc,
	.free = ops_free,
	.enqueue = ops_enqueue,
	.dequeue = ops_dequeue,
	.get_count = ops_get_count,
	.populate = ops_populate,
};

int
mempool_magazine_register(void)
{
	int ret;

	self = getpid();
	/* The plugin has been here, with its own copy of this file, perhaps of another version: no pool is made yet. */
	for (uint32_t i = 0; i < rte_mempool_ops_table.num_ops; i++)
		if (!strcmp(rte_mempool_ops_table.ops[i].name, MEMPOOL_MAGAZINE_OPS)) {
			rte_mempool_ops_table.ops[i] = ops;
			return 0;
		}
	ret = rte_mempool_register_ops(&ops);
	return ret < 0 ? ret : mempool_magazine_telemetry();
}

void
mempool_magazine_set_size(uint32_t size)
{
	default_size = size;
}

void
mempool_magazine_set_size_max(uint32_t size)
{
	default_size_max = size;
}

/* By name, not by address, so that it also knows pools that the plugin's copy made. */
static struct mempool_magazine *
mempool_magazine_of(const struct rte_mempool *mp)
{
	if (strcmp(rte_mempool_get_ops(mp->ops_index)->name, MEMPOOL_MAGAZINE_OPS) != 0)
		return NULL;
	return mp->pool_data;
}

struct magazine_pool *
mempool_magazine_pool(const struct rte_mempool *mp)
{
	const struct mempool_magazine *m = mempool_magazine_of(mp);

	return m ? m->pool : NULL;
}

int
mempool_magazine_set_hooks(struct rte_mempool *mp, const struct mempool_magazine_hooks *hooks)
{
	struct mempool_magazine *m = mempool_magazine_of(mp);

	if (!m)
		return -EINVAL;
	m->hooks = *hooks;
	watch(m);
	return 0;
}

struct placement_walk {
	struct placement *placement;
	int node;
	int ret;
};

static void
chunk_audit(struct rte_mempool *mp, void *arg, struct rte_mempool_memhdr *chunk, unsigned int index)
{
	const struct rte_memseg *segment = rte_mem_virt2memseg(chunk->addr, NULL);
	const size_t page = segment ? (size_t)segment->hugepage_sz : (size_t)sysconf(_SC_PAGESIZE);
	struct placement_walk *walk = arg;

	if (placement_audit(chunk->addr, chunk->len, page, walk->node, walk->placement) < 0)
		walk->ret = -ENOTSUP;
}

int
mempool_magazine_placement(struct rte_mempool *mp, struct placement *placement)
{
	struct placement_walk walk = {.placement = placement, .node = mp->socket_id};

	*placement = (struct placement){.worst = -1};
	rte_mempool_mem_iter(mp, chunk_audit, &walk);
	return walk.ret;
}
