/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slow halves of get and put.
 *
 * A cache works on its loaded magazine until that is empty (get) or full (put).
 * Then it swaps loaded and previous if that helps, so that a caller who goes to
 * and fro across the boundary stays at home; and only if both are empty (or
 * both full) it exchanges one of them for its opposite at the depot. After an
 * exchange as many gets as that magazine has rounds and M puts are possible without another one,
 * whatever the order. The exchange is two list operations in one critical section; objects are
 * copied outside.
 *
 * Get is all or nothing without a way back: objects are first copied and
 * the counters lowered only when the rest is known to be there.
 */
#include <errno.h>

#include <rte_prefetch.h>

#include "debug.h"
#include "fault.h"
#include "magazine.h"
#include "magazine_priv.h"

/* How many of the rounds that come next are fetched after an exchange: another core wrote them. */
#define EXCHANGE_PREFETCH_LINES 6

/* Frees that must be looked at one by one are, in lots of this many. */
#define SORT_BATCH 64u

void
magazine_cache_open(struct magazine_pool *pool, unsigned int lcore)
{
	struct magazine_cache *cache = &pool->cache[lcore];
	const uint32_t own = pool->node_of[lcore];
	struct magazine *mags[2 + MAGAZINE_NODES_MAX] = {NULL};
	const uint32_t n = 2 + pool->n_nodes - 1;

	if (likely(cache->is_open))
		return;
	for (uint32_t i = 0; i < n; i++) {
		struct magazine_depot *depot = magazine_depot_lock_stocked(pool, own, &cache->contended);

		mags[i] = depot_pop_empty(depot);
		cache->next_size = depot->size;
		depot_unlock(depot);
	}
	cache->loaded = mags[0];
	cache->previous = mags[1];
	for (uint32_t node = 0, i = 2; node < pool->n_nodes; node++)
		if (node != own)
			cache->foreign[node] = mags[i++];
	cache->epoch = __atomic_load_n(&pool->epoch, __ATOMIC_RELAXED);
	cache->capacity = cache->next_size;
	cache->is_open = 1;
	magazine_adapt_limit(pool, __atomic_add_fetch(&pool->n_open, 1, __ATOMIC_RELAXED));
	magazine_cache_veil(pool, cache);
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
	/* what was filled when M was larger is full all the same */
	cache->capacity = cache->size = RTE_MAX(cache->next_size, cache->n_loaded);
	cache->cold = 0;
	cache->swaps++;
}

/* Loaded is exhausted and becomes previous; mag is what the depot gave, with n rounds. */
static void
cache_load(struct magazine_cache *cache, struct magazine *mag, uint32_t n)
{
	cache->previous = cache->loaded;
	cache->n_previous = cache->n_loaded;
	cache->loaded = mag;
	cache->n_loaded = n;
	cache->capacity = cache->size = RTE_MAX(cache->next_size, n);
	cache->cold = 0;
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
 * Takes n objects out of one depot; *full is a magazine that holds them and more, for
 * cache's empty previous, or NULL when they had to be picked up one by one.
 */
static int
depot_exchange(struct magazine_depot *depot, struct magazine_cache *cache, void **objs, uint32_t n,
	struct magazine **full)
{
	int ret = 0;

	depot_lock(depot, &cache->contended);
	magazine_depot_collect(depot);
	*full = NULL;
	if (n > depot_avail(depot)) {
		ret = -ENOENT;
	} else if (depot->full && n <= depot->full->n) {
		*full = depot_pop_full(depot);
		depot_push_empty(depot, cache->previous);
	} else {
		magazine_depot_get_loose(depot, objs, n);
	}
	cache->next_size = depot->size;
	/* only what served: a larger M is no help to those who starve */
	if (ret == 0)
		depot_count_exchange(depot);
	depot_unlock(depot);
	return ret;
}

/*
 * Takes n objects that cache does not hold from the depots. Both magazines of
 * the cache count as empty from here on, if this returns 0.
 */
static int
cache_refill(struct magazine_pool *pool, unsigned int lcore, void **objs, uint32_t n)
{
	struct magazine_cache *cache = &pool->cache[lcore];
	const uint32_t node = pool->node_of[lcore];
	struct magazine *full = NULL;
	int ret = -ENOENT;

	if (likely(!magazine_fault_fires_exchange(pool->fault))) {
		for (uint32_t i = 0; i < pool->n_nodes && ret < 0; i++)
			ret = depot_exchange(pool->depot[pool->near[node][i]], cache, objs, n, &full);
		if (ret < 0 && pool->n_nodes > 1)
			ret = magazine_nodes_get(pool, node, objs, n);
		/* what it has of other nodes' is its own too, but out of its reach until it is at home */
		if (ret < 0 && pool->n_nodes > 1 && magazine_cache_send_home(pool, lcore) > 0)
			ret = magazine_nodes_get(pool, node, objs, n);
	}
	if (ret < 0) {
		cache->exchange_fails++;
		magazine_starve(pool, cache);
		return ret;
	}
	cache->n_loaded = 0;
	cache->n_previous = 0;
	if (!full)
		return 0;
	cache_load(cache, full, full->n);
	if (full->last_lcore != lcore && full->last_lcore != LCORE_ID_ANY) {
		cache->cross_core++;
		cache->cold = pool->touched > 0 ? (uint16_t)full->n : 0;
	}
	cache->n_loaded -= n;
	memcpy(objs, &full->rounds[cache->n_loaded], n * sizeof(*objs));
	magazine_prefetch(full, cache->n_loaded);
	return 0;
}

static int
cache_get(struct magazine_pool *pool, unsigned int lcore, void **objs, uint32_t n)
{
	struct magazine_cache *cache = &pool->cache[lcore];
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

static int
other_get(struct magazine_pool *pool, void **objs, uint32_t n)
{
	struct magazine_depot *home = pool->depot[pool->home];

	if (unlikely(magazine_fault_fires_exchange(pool->fault)))
		return -ENOENT;
	if (magazine_nodes_get(pool, pool->home, objs, n) < 0) {
		magazine_starve(pool, NULL);
		return -ENOENT;
	}
	__atomic_add_fetch(&home->gets, n, __ATOMIC_RELAXED);
	return 0;
}

int
magazine_get_slow(struct magazine_pool *pool, unsigned int lcore, void **objs, uint32_t n)
{
	int ret;

	if (unlikely(magazine_fault_fires(pool->fault)))
		return -ENOENT;
	if (lcore >= RTE_MAX_LCORE || pool->is_uncached) {
		ret = other_get(pool, objs, n);
	} else {
		magazine_cache_open(pool, lcore);
		magazine_cache_unveil(&pool->cache[lcore]);
		ret = cache_get(pool, lcore, objs, n);
		magazine_cache_veil(pool, &pool->cache[lcore]);
	}
	if (pool->debugger && ret == 0)
		magazine_debug_get(pool->debugger, lcore, objs, n);
	return ret;
}

/* Both magazines are full: previous goes, an empty one comes. */
static void
cache_drain(struct magazine_pool *pool, unsigned int lcore)
{
	struct magazine_cache *cache = &pool->cache[lcore];
	struct magazine_depot *depot =
		magazine_depot_lock_stocked(pool, pool->node_of[lcore], &cache->contended);
	struct magazine *empty;

	depot_push_full(depot, cache->previous, cache->n_previous, lcore);
	empty = depot_pop_empty(depot);
	cache->next_size = depot->size;
	depot_count_exchange(depot);
	depot_unlock(depot);
	cache_load(cache, empty, 0);
}

static void
cache_put(struct magazine_pool *pool, unsigned int lcore, void *const *objs, uint32_t n)
{
	struct magazine_cache *cache = &pool->cache[lcore];

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

static void
other_put(struct magazine_pool *pool, void *const *objs, uint32_t n)
{
	magazine_nodes_put(pool, objs, n);
	__atomic_add_fetch(&pool->depot[pool->home]->puts, n, __ATOMIC_RELAXED);
}

/* objs[n] have been found good. */
static void
sorted_put(struct magazine_pool *pool, unsigned int lcore, void *const *objs, uint32_t n)
{
	struct magazine_cache *cache;
	void *home[SORT_BATCH];

	if (lcore >= RTE_MAX_LCORE || pool->is_uncached) {
		other_put(pool, objs, n);
		return;
	}
	magazine_cache_open(pool, lcore);
	cache = &pool->cache[lcore];
	magazine_cache_unveil(cache);
	cache->puts += n;
	if (cache_sorts(pool, cache))
		cache_put(pool, lcore, home, magazine_node_put_foreign(pool, lcore, objs, n, home));
	else
		cache_put(pool, lcore, objs, n);
	magazine_cache_veil(pool, cache);
}

/* A put that is looked at. n <= SORT_BATCH */
static void
veiled_put(struct magazine_pool *pool, unsigned int lcore, void *const *objs, uint32_t n)
{
	void *good[SORT_BATCH];

	if (pool->debugger) {
		n = magazine_debug_put(pool->debugger, lcore, objs, n, good);
		objs = good;
	}
	sorted_put(pool, lcore, objs, n);
}

void
magazine_put_slow(struct magazine_pool *pool, unsigned int lcore, void *const *objs, uint32_t n)
{
	if (likely(!pool->is_veiled && (lcore >= RTE_MAX_LCORE || !cache_sorts(pool, &pool->cache[lcore])))) {
		sorted_put(pool, lcore, objs, n);
		return;
	}
	for (uint32_t done = 0; done < n; done += SORT_BATCH)
		veiled_put(pool, lcore, objs + done, RTE_MIN(n - done, SORT_BATCH));
}
