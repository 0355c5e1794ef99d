/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The accounts of a pool: where its objects are, and whether the two ledgers
 * agree. One counts rounds (caches and depot), the other what went in and out
 * (gets - puts, by lcore and for other threads in the depot); together they must
 * give the number of objects the pool was seeded with, as in the kernel's
 * page_pool (hold_cnt - release_cnt).
 *
 * The owners of the counters write them without atomics. Readers load each one
 * whole, but at different moments: sums are exact only when all lcores rest.
 */
#include <errno.h>

#include "magazine.h"
#include "magazine_priv.h"

static uint32_t
load32(const uint32_t *value)
{
	return __atomic_load_n(value, __ATOMIC_RELAXED);
}

static uint64_t
load64(const uint64_t *value)
{
	return __atomic_load_n(value, __ATOMIC_RELAXED);
}

/* The loose magazine may be replaced meanwhile, but stays a magazine. */
static uint32_t
depot_rounds(const struct magazine_depot *depot)
{
	const struct magazine *loose = __atomic_load_n(&depot->loose, __ATOMIC_RELAXED);

	return load32(&depot->n_full) * depot->size + load32(&loose->n);
}

static uint32_t
cached_rounds(const struct magazine_pool *pool)
{
	uint32_t n = 0;

	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++)
		n += load32(&pool->cache[lcore].n_loaded) + load32(&pool->cache[lcore].n_previous);
	return n;
}

uint32_t
magazine_pool_avail(const struct magazine_pool *pool)
{
	const uint32_t n = depot_rounds(pool->depot) + cached_rounds(pool);

	/* A magazine on its way may be seen at both ends. */
	return RTE_MIN(n, load32(&pool->depot->n_seeded));
}

void
magazine_pool_stats(const struct magazine_pool *pool, struct magazine_stats *stats)
{
	const struct magazine_depot *depot = pool->depot;

	*stats = (struct magazine_stats){
		.gets = load64(&depot->gets),
		.puts = load64(&depot->puts),
		.contended = load64(&depot->contended),
		.cached = cached_rounds(pool),
		.depot = depot_rounds(depot),
		.population = load32(&depot->n_seeded),
	};
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
		const struct magazine_cache *cache = &pool->cache[lcore];

		stats->gets += load64(&cache->gets);
		stats->puts += load64(&cache->puts);
		stats->swaps += load64(&cache->swaps);
		stats->exchanges += load64(&cache->exchanges);
		stats->exchange_fails += load64(&cache->exchange_fails);
		stats->contended += load64(&cache->contended);
		stats->cross_core += load64(&cache->cross_core);
	}
	stats->out = (uint32_t)(stats->gets - stats->puts);
}

static bool
cache_check(const struct magazine_cache *cache, const struct magazine_pool *pool)
{
	if (cache->size == 0)
		return cache->n_loaded == 0 && cache->n_previous == 0;
	return cache->size == pool->size && cache->n_loaded <= cache->size &&
	       (cache->n_previous == 0 || cache->n_previous == cache->size);
}

int
magazine_pool_check(const struct magazine_pool *pool)
{
	const struct magazine_depot *depot = pool->depot;
	uint32_t n_magazines = depot->n_full + depot->n_empty + 1; /* 1 = loose */
	struct magazine_stats stats;

	if (!depot_check(depot))
		return -EFAULT;
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
		if (!cache_check(&pool->cache[lcore], pool))
			return -EFAULT;
		n_magazines += pool->cache[lcore].size > 0 ? 2 : 0;
	}
	magazine_pool_stats(pool, &stats);
	if (n_magazines != depot->n_magazines)
		return -EFAULT;
	return stats.cached + stats.depot + stats.gets - stats.puts == stats.population ? 0 : -EFAULT;
}
