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
 * takes. The pool is private memory: a secondary process may use pools that it made
 * itself, but not the primary's.
 */
#include <errno.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <rte_lcore.h>

#include "magazine.h"
#include "mempool_magazine.h"

#define OPS_NAME "magazine"

struct mempool_magazine {
	alignas(RTE_CACHE_LINE_SIZE) struct magazine_pool *pool;
	bool populating;
	bool watched; /* populating, or one of the hooks is set */
	struct mempool_magazine_hooks hooks;
};

static uint32_t default_size; /* of magazines; 0 = lib/magazine's */

static int
ops_alloc(struct rte_mempool *mp)
{
	const struct magazine_conf conf = {
		.name = mp->name,
		.population = mp->size,
		.size = default_size,
		.node = mp->socket_id,
	};
	struct mempool_magazine *m = aligned_alloc(alignof(struct mempool_magazine), sizeof(*m));
	int ret;

	if (!m)
		return -ENOMEM;
	*m = (struct mempool_magazine){0};
	ret = magazine_pool_create(&conf, &m->pool);
	if (ret < 0) {
		free(m);
		return ret;
	}
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
	free(m);
}

static void
watch(struct mempool_magazine *m)
{
	m->watched = m->populating || m->hooks.on_get || m->hooks.on_put;
}

static int
ops_populate(struct rte_mempool *mp, unsigned int max_objs, void *vaddr, rte_iova_t iova, size_t len,
	rte_mempool_populate_obj_cb_t *obj_cb, void *obj_cb_arg)
{
	struct mempool_magazine *m = mp->pool_data;
	int ret;

	m->populating = true;
	watch(m);
	ret = rte_mempool_op_populate_default(mp, max_objs, vaddr, iova, len, obj_cb, obj_cb_arg);
	m->populating = false;
	watch(m);
	return ret;
}

/* Out of line, so that the usual case below has nothing to keep across a call. */
static __rte_noinline int
watched_enqueue(struct mempool_magazine *m, void *const *objs, unsigned int n)
{
	if (m->populating)
		return magazine_pool_seed(m->pool, objs, n);
	if (m->hooks.on_put)
		m->hooks.on_put(m->hooks.arg, objs, n);
	magazine_put_bulk(m->pool, rte_lcore_id(), objs, n);
	return 0;
}

static __rte_noinline int
watched_dequeue(struct mempool_magazine *m, void **objs, unsigned int n)
{
	const int ret = magazine_get_bulk(m->pool, rte_lcore_id(), objs, n);

	if (m->hooks.on_get && ret == 0)
		m->hooks.on_get(m->hooks.arg, objs, n);
	return ret;
}

static int
ops_enqueue(struct rte_mempool *mp, void *const *objs, unsigned int n)
{
	struct mempool_magazine *m = mp->pool_data;

	if (unlikely(m->watched))
		return watched_enqueue(m, objs, n);
	magazine_put_bulk(m->pool, rte_lcore_id(), objs, n);
	return 0;
}

static int
ops_dequeue(struct rte_mempool *mp, void **objs, unsigned int n)
{
	struct mempool_magazine *m = mp->pool_data;

	if (unlikely(m->watched))
		return watched_dequeue(m, objs, n);
	return magazine_get_bulk(m->pool, rte_lcore_id(), objs, n);
}

static unsigned int
ops_get_count(const struct rte_mempool *mp)
{
	const struct mempool_magazine *m = mp->pool_data;

	return magazine_pool_avail(m->pool);
}

static const struct rte_mempool_ops ops = {
	.name = OPS_NAME,
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

	/* The table also knows whether the plugin has been here: it has its own copy of this file. */
	for (uint32_t i = 0; i < rte_mempool_ops_table.num_ops; i++)
		if (!strcmp(rte_mempool_ops_table.ops[i].name, OPS_NAME))
			return 0;
	ret = rte_mempool_register_ops(&ops);
	return ret < 0 ? ret : 0;
}

void
mempool_magazine_set_size(uint32_t size)
{
	default_size = size;
}

/* By name, not by address, so that it also knows pools that the plugin's copy made. */
static struct mempool_magazine *
mempool_magazine_of(const struct rte_mempool *mp)
{
	if (strcmp(rte_mempool_get_ops(mp->ops_index)->name, OPS_NAME) != 0)
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
