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
 *
 * What the shared memory holds is data: a function of this process is at another address elsewhere, and
 * another version of the driver may have other structs. A call is the usual case if
 * m->straight is this process, a random number; all else, a struct of another layout included, fails to be
 * that and goes to a special function, which looks closer.
 */
#include <errno.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <rte_lcore.h>
#include <rte_log.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "magazine.h"
#include "mempool_magazine.h"
#include "mempool_magazine_priv.h"

RTE_LOG_REGISTER(mempool_magazine_log, mempool.magazine, NOTICE)

/* struct rte_mbuf, or what other objects begin with: who gets one writes there. */
#define TOUCHED (2 * RTE_CACHE_LINE_SIZE)

static uint32_t default_size, default_size_max;

/* A node may have lcores and no hugepages: far memory is better than no pool. */
static void *
block_alloc(size_t bytes, size_t align, int node)
{
	void *mem = rte_malloc_socket("magazine", bytes, align, node);

	if (!mem && node != SOCKET_ID_ANY)
		mem = rte_malloc_socket("magazine", bytes, align, SOCKET_ID_ANY);
	return mem;
}

static void *
shared_alloc(void *arg, size_t bytes, int node)
{
	return block_alloc(bytes, RTE_CACHE_LINE_SIZE, node);
}

static void
shared_free(void *arg, void *mem, size_t bytes)
{
	rte_free(mem);
}

static const struct magazine_memory shared_memory = {.alloc = shared_alloc, .free = shared_free};

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
pool_make(const struct rte_mempool *mp, const struct mempool_magazine *m, struct magazine_pool **pool)
{
	struct magazine_topology topology;
	struct magazine_conf conf = {
		.name = mp->name,
		.population = mp->size,
		.n_lcores = rte_lcore_count(),
		.size = m->size,
		.size_max = m->size_max,
		.node = mp->socket_id,
		.topology = &topology,
		.memory = &shared_memory,
		.touched = TOUCHED,
	};

	placement_topology(&topology);
	poison_area(mp, &conf);
	return magazine_pool_create(&conf, pool);
}

/* The maker may have been another process. */
static void
pool_end(struct magazine_pool *pool)
{
	pool->memory = shared_memory;
	magazine_pool_destroy(pool);
}

static void
watch(struct mempool_magazine *m)
{
	const bool is_watched = m->populating || m->hooks.on_get || m->hooks.on_put;

	m->straight = is_watched ? 0 : m->maker;
}

/* The bound of struct magazine_conf, solved for the population. */
static void
uncached_log(const struct magazine_pool *pool)
{
	const unsigned int n_lcores = rte_lcore_count();

	rte_log(RTE_LOG_NOTICE, (uint32_t)mempool_magazine_log,
		"mempool %s: %u objects are too few for magazines on %u lcores, every call takes a lock; %u "
		"would do\n",
		pool->name, pool->population, n_lcores,
		2 * (1 + pool->n_nodes) * MAGAZINE_ROUNDS_MIN * n_lcores);
}

static int
ops_alloc(struct rte_mempool *mp)
{
	struct mempool_magazine *m;
	int ret;

	if (mempool_magazine_self == 0)
		return -ENOTSUP;
	/* Without it pools work all the same. */
	(void)mempool_magazine_telemetry();
	m = block_alloc(sizeof(*m), alignof(struct mempool_magazine), mp->socket_id);
	if (!m)
		return -ENOMEM;
	*m = (struct mempool_magazine){.magic = MEMPOOL_MAGAZINE_MAGIC,
		.layout = MEMPOOL_MAGAZINE_LAYOUT,
		.pool_bytes = sizeof(struct magazine_pool),
		.maker = mempool_magazine_self,
		.size = default_size,
		.size_max = default_size_max,
		.use = RTE_SPINLOCK_INITIALIZER};
	ret = pool_make(mp, m, &m->pool);
	if (ret < 0) {
		rte_free(m);
		return ret;
	}
	if (m->pool->is_uncached)
		uncached_log(m->pool);
	watch(m);
	mempool_magazine_enter(m);
	mp->pool_data = m;
	return 0;
}

static void
ops_free(struct rte_mempool *mp)
{
	struct mempool_magazine *m = mp->pool_data;

	if (!m)
		return;
	if (!mempool_magazine_is_known(m)) {
		rte_log(RTE_LOG_ERR, (uint32_t)mempool_magazine_log,
			"mempool %s: made by another version of this driver, its magazines stay allocated\n",
			mp->name);
		return;
	}
	pool_end(mempool_magazine_leave(m));
}

/*
 * A populate that failed has freed its memory again, having got the objects it had seeded: to
 * the pool they are out, and their places are taken. The next try starts with a new pool.
 */
static int
pool_renew(const struct rte_mempool *mp, struct mempool_magazine *m)
{
	struct magazine_pool *pool;
	const int ret = pool_make(mp, m, &pool);

	if (ret == 0)
		pool_end(mempool_magazine_exchange(m, pool));
	return ret;
}

static int
ops_populate(struct rte_mempool *mp, unsigned int max_objs, void *vaddr, rte_iova_t iova, size_t len,
	rte_mempool_populate_obj_cb_t *obj_cb, void *obj_cb_arg)
{
	struct mempool_magazine *m = mp->pool_data;
	int ret = 0;

	if (!mempool_magazine_is_known(m))
		return -ENOTSUP;
	if (mp->populated_size == 0 && m->pool->n_seeded > 0)
		ret = pool_renew(mp, m);
	if (ret < 0)
		return ret;
	mempool_magazine_chunk_add(m->pool, vaddr, len);
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
	return m->straight != mempool_magazine_self;
}

/* Out of line, so that the usual case below has nothing to keep across a call. */
static __rte_noinline int
special_enqueue(struct rte_mempool *mp, void *const *objs, unsigned int n)
{
	struct mempool_magazine *m = mp->pool_data;

	/* The mempool's callers do not look whether a put failed, and lost buffers would show much later. */
	if (!mempool_magazine_is_known(m))
		rte_panic("mempool %s: made by another version of the magazine driver\n", mp->name);
	if (m->populating)
		return magazine_pool_seed(m->pool, objs, n);
	if (m->maker != mempool_magazine_self) {
		magazine_put_bulk(m->pool, LCORE_ID_ANY, objs, n);
		return 0;
	}
	if (m->hooks.on_put)
		m->hooks.on_put(m->hooks.arg, objs, n);
	magazine_put_bulk(m->pool, rte_lcore_id(), objs, n);
	return 0;
}

static __rte_noinline int
special_dequeue(struct rte_mempool *mp, void **objs, unsigned int n)
{
	struct mempool_magazine *m = mp->pool_data;
	bool is_ours;
	int ret;

	if (!mempool_magazine_is_known(m))
		return -ENOTSUP;
	is_ours = m->maker == mempool_magazine_self;
	ret = magazine_get_bulk(m->pool, is_ours ? rte_lcore_id() : LCORE_ID_ANY, objs, n);
	if (is_ours && m->hooks.on_get && ret == 0)
		m->hooks.on_get(m->hooks.arg, objs, n);
	return ret;
}

static int
ops_enqueue(struct rte_mempool *mp, void *const *objs, unsigned int n)
{
	struct mempool_magazine *m = mp->pool_data;

	if (unlikely(is_special(m)))
		return special_enqueue(mp, objs, n);
	magazine_put_bulk(m->pool, rte_lcore_id(), objs, n);
	return 0;
}

static int
ops_dequeue(struct rte_mempool *mp, void **objs, unsigned int n)
{
	struct mempool_magazine *m = mp->pool_data;

	if (unlikely(is_special(m)))
		return special_dequeue(mp, objs, n);
	return magazine_get_bulk(m->pool, rte_lcore_id(), objs, n);
}

static unsigned int
ops_get_count(const struct rte_mempool *mp)
{
	const struct mempool_magazine *m = mp->pool_data;

	return mempool_magazine_is_known(m) ? magazine_pool_avail(m->pool) : 0;
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
mempool_magazine_register_ops(void)
{
	int ret = mempool_magazine_process_init();

	if (ret < 0)
		return ret;
	/* The plugin has been here, with its own copy of this file, perhaps of another version: no pool is made yet. */
	for (uint32_t i = 0; i < rte_mempool_ops_table.num_ops; i++)
		if (!strcmp(rte_mempool_ops_table.ops[i].name, MEMPOOL_MAGAZINE_OPS)) {
			rte_mempool_ops_table.ops[i] = ops;
			return 0;
		}
	ret = rte_mempool_register_ops(&ops);
	return ret < 0 ? ret : 0;
}

int
mempool_magazine_register(void)
{
	const int ret = mempool_magazine_register_ops();

	return ret < 0 ? ret : mempool_magazine_telemetry();
}

static bool
size_allowed(uint32_t size)
{
	return size == 0 ||
	       (size >= MAGAZINE_ROUNDS_MIN && size <= MAGAZINE_ROUNDS_MAX && rte_is_power_of_2(size));
}

int
mempool_magazine_set_size(uint32_t size)
{
	if (!size_allowed(size))
		return -EINVAL;
	default_size = size;
	return 0;
}

int
mempool_magazine_set_size_max(uint32_t size)
{
	if (!size_allowed(size))
		return -EINVAL;
	default_size_max = size;
	return 0;
}

/* By name, not by address, so that it also knows pools that the plugin's copy made. */
static struct mempool_magazine *
mempool_magazine_of(const struct rte_mempool *mp)
{
	if (strcmp(rte_mempool_get_ops(mp->ops_index)->name, MEMPOOL_MAGAZINE_OPS) != 0)
		return NULL;
	return mempool_magazine_is_known(mp->pool_data) ? mp->pool_data : NULL;
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
