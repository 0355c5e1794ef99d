/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pool: making and ending it, the slow halves of get and put, and the
 * accounts.
 *
 * A cache works on its loaded magazine until that is empty (get) or full (put).
 * Then it swaps loaded and previous if that helps, so that a caller who goes to
 * and fro across the boundary stays at home; and only if both are empty (or
 * both full) it exchanges one of them for its opposite at the depot. After an
 * exchange M gets and M puts are possible without another one, whatever the
 * order. The exchange is two list operations in one critical section; objects are
 * copied outside. The lock is tried before it is waited for, so that contention
 * can be counted.
 *
 * Get is all or nothing without a way back: objects are first copied and
 * the counters lowered only when the depot is known to hold the rest.
 *
 * Pool, depot and magazines are one block of memory on one node, touched
 * when it is made, so that there is one thing to fail and no page fault later.
 * It comes from libnuma where there is more than one node and from the C library
 * otherwise: no EAL is needed, and its memory is of no use to a second process.
 */
#include <errno.h>
#include <numa.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_prefetch.h>

#include "magazine.h"
#include "magazine_priv.h"

/* How many of the rounds that come next are fetched after an exchange: another core wrote them. */
#define EXCHANGE_PREFETCH_LINES 6

static bool
numa_matters(void)
{
	return numa_available() >= 0 && numa_max_node() > 0;
}

static void *
block_alloc(size_t bytes, int node)
{
	void *block;

	if (!numa_matters())
		block = aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);
	else if (node < 0 || node > numa_max_node())
		block = numa_alloc_local(bytes);
	else
		block = numa_alloc_onnode(bytes, node);
	if (block)
		memset(block, 0, bytes);
	return block;
}

static void
block_free(void *block, size_t bytes, bool numa)
{
	if (numa)
		numa_free(block, bytes);
	else
		free(block);
}

static void
cache_close(struct magazine_cache *cache, struct magazine *nil)
{
	cache->loaded = nil;
	cache->previous = nil;
	cache->n_loaded = 0;
	cache->n_previous = 0;
	cache->size = 0;
}

int
magazine_pool_create(const struct magazine_conf *conf, struct magazine_pool **pool)
{
	const uint32_t size = conf->size ? conf->size : MAGAZINE_ROUNDS_DEFAULT;

	if (!conf->name || conf->population == 0 || size < MAGAZINE_ROUNDS_MIN ||
		size > MAGAZINE_ROUNDS_MAX || !rte_is_power_of_2(size))
		return -EINVAL;

	const uint32_t n_magazines = conf->population / size + 2 * RTE_MAX_LCORE + 1;
	const size_t fixed = sizeof(struct magazine_pool) + sizeof(struct magazine_depot);
	const size_t bytes = fixed + sizeof(struct magazine) + n_magazines * magazine_stride(size);
	char *block = block_alloc(bytes, conf->node);

	if (!block)
		return -ENOMEM;

	struct magazine_pool *p = (struct magazine_pool *)block;

	p->depot = (struct magazine_depot *)(p + 1);
	p->depot->bytes = bytes;
	p->depot->numa = numa_matters();
	p->depot->nil = (struct magazine *)(block + fixed);
	depot_init(p->depot, block + fixed + sizeof(struct magazine), n_magazines, size);
	p->size = size;
	p->population = conf->population;
	snprintf(p->name, sizeof(p->name), "%s", conf->name);
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++)
		cache_close(&p->cache[lcore], p->depot->nil);
	*pool = p;
	return 0;
}

void
magazine_pool_destroy(struct magazine_pool *pool)
{
	if (pool)
		block_free(pool, pool->depot->bytes, pool->depot->numa);
}

int
magazine_pool_seed(struct magazine_pool *pool, void *const *objs, uint32_t n)
{
	struct magazine_depot *depot = pool->depot;
	int ret = -ENOSPC;

	depot->contended += depot_lock(depot);
	if (n <= pool->population - depot->n_seeded) {
		depot_put_loose(depot, objs, n);
		depot->n_seeded += n;
		ret = 0;
	}
	depot_unlock(depot);
	return ret;
}

/* The first call on an lcore gives it its two magazines. */
static struct magazine_cache *
cache_open(struct magazine_pool *pool, unsigned int lcore)
{
	struct magazine_cache *cache = &pool->cache[lcore];

	if (likely(cache->size > 0))
		return cache;
	cache->contended += depot_lock(pool->depot);
	cache->loaded = depot_pop_empty(pool->depot);
	cache->previous = depot_pop_empty(pool->depot);
	depot_unlock(pool->depot);
	cache->size = pool->size;
	return cache;
}

static void
cache_swap(struct magazine_cache *cache)
{
	struct magazine *const mag = cache->loaded;
	const uint32_t n = cache->n_loaded;

	cache->loaded = cache->previous;
	cache->n_loaded = cache->n_previous;
	cache->previous = mag;
	cache->n_previous = n;
	cache->swaps++;
}

/* Previous becomes loaded's successor: what was loaded is exhausted, mag is what the depot gave. */
static void
cache_load(struct magazine_cache *cache, struct magazine *mag, uint32_t n)
{
	cache->previous = cache->loaded;
	cache->n_previous = cache->n_loaded;
	cache->loaded = mag;
	cache->n_loaded = n;
	cache->exchanges++;
}

static void
magazine_prefetch(const struct magazine *mag, uint32_t n)
{
	const char *top = (const char *)&mag->rounds[n];

	for (size_t line = 1; line <= EXCHANGE_PREFETCH_LINES; line++)
		rte_prefetch0(top - line * RTE_CACHE_LINE_SIZE);
}

/*
 * Takes n objects that cache does not hold from the depot. Both magazines of
 * the cache count as empty from here on, if this returns 0.
 */
static int
cache_refill(struct magazine_pool *pool, unsigned int lcore, void **objs, uint32_t n)
{
	struct magazine_depot *depot = pool->depot;
	struct magazine_cache *cache = &pool->cache[lcore];
	struct magazine *full = NULL;

	cache->contended += depot_lock(depot);
	if (n > depot_avail(depot)) {
		depot_unlock(depot);
		cache->exchange_fails++;
		return -ENOENT;
	}
	if (n <= depot->size && depot->n_full > 0) {
		full = depot_pop_full(depot);
		depot_push_empty(depot, cache->previous);
	} else {
		depot_get_loose(depot, objs, n);
	}
	depot_unlock(depot);

	cache->n_loaded = 0;
	cache->n_previous = 0;
	if (!full)
		return 0;
	if (full->last_lcore != lcore && full->last_lcore != LCORE_ID_ANY)
		cache->cross_core++;
	cache_load(cache, full, depot->size - n);
	memcpy(objs, &full->rounds[cache->n_loaded], n * sizeof(*objs));
	magazine_prefetch(full, cache->n_loaded);
	return 0;
}

static int
other_get(struct magazine_depot *depot, void **objs, uint32_t n)
{
	int ret = -ENOENT;

	depot->contended += depot_lock(depot);
	if (n <= depot_avail(depot)) {
		depot_get_loose(depot, objs, n);
		depot->gets += n;
		ret = 0;
	}
	depot_unlock(depot);
	return ret;
}

int
magazine_get_slow(struct magazine_pool *pool, unsigned int lcore, void **objs, uint32_t n)
{
	if (lcore >= RTE_MAX_LCORE)
		return other_get(pool->depot, objs, n);

	struct magazine_cache *cache = cache_open(pool, lcore);
	const uint32_t own = cache->n_loaded + cache->n_previous;
	const uint32_t from_loaded = RTE_MIN(n, cache->n_loaded);
	const uint32_t from_previous = RTE_MIN(n - from_loaded, cache->n_previous);

	/* Copied but not yet taken: should the depot fail us, the counters are still true. */
	memcpy(objs, &cache->loaded->rounds[cache->n_loaded - from_loaded], from_loaded * sizeof(*objs));
	memcpy(objs + from_loaded, &cache->previous->rounds[cache->n_previous - from_previous],
		from_previous * sizeof(*objs));
	if (n > own) {
		const int ret = cache_refill(pool, lcore, objs + own, n - own);

		if (ret < 0)
			return ret;
	} else {
		cache->n_loaded -= from_loaded;
		cache->n_previous -= from_previous;
		if (from_previous > 0)
			cache_swap(cache);
	}
	cache->gets += n;
	return 0;
}

/* Both magazines are full: previous goes, an empty one comes. */
static void
cache_drain(struct magazine_pool *pool, unsigned int lcore)
{
	struct magazine_depot *depot = pool->depot;
	struct magazine_cache *cache = &pool->cache[lcore];
	struct magazine *empty;

	cache->contended += depot_lock(depot);
	depot_push_full(depot, cache->previous, lcore);
	empty = depot_pop_empty(depot);
	depot_unlock(depot);
	cache_load(cache, empty, 0);
}

static void
other_put(struct magazine_depot *depot, void *const *objs, uint32_t n)
{
	depot->contended += depot_lock(depot);
	depot_put_loose(depot, objs, n);
	depot->puts += n;
	depot_unlock(depot);
}

void
magazine_put_slow(struct magazine_pool *pool, unsigned int lcore, void *const *objs, uint32_t n)
{
	if (lcore >= RTE_MAX_LCORE) {
		other_put(pool->depot, objs, n);
		return;
	}

	struct magazine_cache *cache = cache_open(pool, lcore);

	cache->puts += n;
	while (n > 0) {
		if (cache->n_loaded == cache->size && cache->n_previous == 0)
			cache_swap(cache);
		else if (cache->n_loaded == cache->size)
			cache_drain(pool, lcore);

		const uint32_t k = RTE_MIN(n, cache->size - cache->n_loaded);

		memcpy(&cache->loaded->rounds[cache->n_loaded], objs, k * sizeof(*objs));
		cache->n_loaded += k;
		objs += k;
		n -= k;
	}
}

void
magazine_pool_flush(struct magazine_pool *pool, unsigned int lcore)
{
	struct magazine_depot *depot = pool->depot;
	struct magazine_cache *cache = &pool->cache[lcore];

	if (cache->size == 0)
		return;
	cache->contended += depot_lock(depot);
	depot_put_loose(depot, cache->previous->rounds, cache->n_previous);
	depot_put_loose(depot, cache->loaded->rounds, cache->n_loaded);
	depot_push_empty(depot, cache->previous);
	depot_push_empty(depot, cache->loaded);
	depot_unlock(depot);
	cache_close(cache, depot->nil);
}
