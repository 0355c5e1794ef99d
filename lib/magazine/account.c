/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The accounts of a pool: where its objects are, and whether the two ledgers
 * agree. One counts rounds (caches and depots), the other what went in and out
 * (gets - puts, by lcore and for other threads in the depot); together they must
 * give the number of objects the pool was seeded with, as in the kernel's
 * page_pool (hold_cnt - release_cnt).
 *
 * The owners of the counters write them without atomics. Readers load each one
 * whole, but at different moments: sums are exact only when all lcores rest.
 */
#include "account.h"

#include <errno.h>

#include "debug.h"
#include "magazine.h"
#include "magazine_priv.h"

/* The plain store of another thread is what these are for: not a race to report. */
static __rte_noinline __attribute__((no_sanitize("thread"))) uint32_t
load32(const uint32_t *value)
{
	return __atomic_load_n(value, __ATOMIC_RELAXED);
}

static __rte_noinline __attribute__((no_sanitize("thread"))) uint64_t
load64(const uint64_t *value)
{
	return __atomic_load_n(value, __ATOMIC_RELAXED);
}

static __rte_noinline __attribute__((no_sanitize("thread"))) uint32_t
load_rounds(struct magazine *const *mag)
{
	const struct magazine *at = __atomic_load_n(mag, __ATOMIC_RELAXED);

	/* it may be replaced meanwhile, but stays a magazine */
	return at ? __atomic_load_n(&at->n, __ATOMIC_RELAXED) : 0;
}

static uint32_t
depot_rounds(const struct magazine_depot *depot)
{
	return load32(&depot->n_rounds) + load_rounds(&depot->loose) + load32(&depot->inbox_rounds);
}

static uint32_t
foreign_rounds(const struct magazine_pool *pool, const struct magazine_cache *cache)
{
	uint32_t n = 0;

	for (uint32_t node = 0; node < pool->n_nodes; node++)
		n += load_rounds(&cache->foreign[node]);
	return n;
}

/* While a call is on its way it may see the hidden ones twice. */
static uint32_t
loaded_rounds(const struct magazine_cache *cache)
{
	return load32(&cache->n_loaded) + load32(&cache->hidden);
}

static uint32_t
depots_rounds(const struct magazine_pool *pool)
{
	uint32_t n = 0;

	for (uint32_t node = 0; node < pool->n_nodes; node++)
		n += depot_rounds(pool->depot[node]);
	return n;
}

static uint32_t
cached_rounds(const struct magazine_pool *pool)
{
	uint32_t n = 0;

	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++)
		n += loaded_rounds(&pool->cache[lcore]) + load32(&pool->cache[lcore].n_previous) +
		     foreign_rounds(pool, &pool->cache[lcore]);
	return n;
}

uint32_t
magazine_pool_avail(const struct magazine_pool *pool)
{
	const uint32_t n = depots_rounds(pool) + cached_rounds(pool);

	/* A magazine on its way may be seen at both ends. */
	return RTE_MIN(n, load32(&pool->n_seeded));
}

static struct magazine_counts
cache_counts(const struct magazine_cache *cache)
{
	return (struct magazine_counts){
		.gets = load64(&cache->gets),
		.puts = load64(&cache->puts),
		.swaps = load64(&cache->swaps),
		.exchanges = load64(&cache->exchanges),
		.exchange_fails = load64(&cache->exchange_fails),
		.contended = load64(&cache->contended),
		.cross_core = load64(&cache->cross_core),
		.reclaimed = load64(&cache->reclaimed),
		.sent_home = load64(&cache->sent_home),
	};
}

static void
counts_add(struct magazine_counts *sum, const struct magazine_counts *add)
{
	sum->gets += add->gets;
	sum->puts += add->puts;
	sum->swaps += add->swaps;
	sum->exchanges += add->exchanges;
	sum->exchange_fails += add->exchange_fails;
	sum->cross_core += add->cross_core;
	sum->reclaimed += add->reclaimed;
	sum->sent_home += add->sent_home;
}

void
magazine_pool_stats(const struct magazine_pool *pool, struct magazine_stats *stats)
{
	*stats = (struct magazine_stats){
		.cached = cached_rounds(pool),
		.depot = depots_rounds(pool),
		.population = load32(&pool->n_seeded),
		.epoch = load32(&pool->epoch),
		.errors = pool->debugger ? magazine_debug_errors(pool->debugger) : 0,
	};
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
		const struct magazine_counts counts = cache_counts(&pool->cache[lcore]);

		counts_add(&stats->counts, &counts);
	}
	for (uint32_t node = 0; node < pool->n_nodes; node++) {
		const struct magazine_depot *depot = pool->depot[node];

		stats->counts.gets += load64(&depot->gets);
		stats->counts.puts += load64(&depot->puts);
		/* here also that of threads that are no lcore */
		stats->counts.contended += load64(&depot->contended);
		stats->size = RTE_MAX(stats->size, load32(&depot->size));
	}
	stats->out = (uint32_t)(stats->counts.gets - stats->counts.puts);
}

int
magazine_pool_lcore_stats(
	const struct magazine_pool *pool, unsigned int lcore, struct magazine_lcore_stats *stats)
{
	const struct magazine_cache *cache;

	if (lcore >= RTE_MAX_LCORE)
		return -ENOENT;
	cache = &pool->cache[lcore];
	*stats = (struct magazine_lcore_stats){
		.counts = cache_counts(cache),
		.loaded = loaded_rounds(cache),
		.previous = load32(&cache->n_previous),
		.foreign = foreign_rounds(pool, cache),
		.size = load32(&cache->capacity),
	};
	return stats->size > 0 || stats->counts.gets + stats->counts.puts > 0 ? 0 : -ENOENT;
}

int
magazine_pool_depot_stats(const struct magazine_pool *pool, uint32_t node, struct magazine_depot_stats *stats)
{
	const struct magazine_depot *depot;

	if (node >= pool->n_nodes)
		return -ENOENT;
	depot = pool->depot[node];
	*stats = (struct magazine_depot_stats){
		.full = load32(&depot->n_full),
		.empty = load32(&depot->n_empty),
		.rounds = load32(&depot->n_rounds),
		.loose = load_rounds(&depot->loose),
		.inbox = load32(&depot->inbox_rounds),
		.size = load32(&depot->size),
		.grown = load64(&depot->grown),
		.shrunk = load64(&depot->shrunk),
		.exchanges = load64(&depot->exchanges),
		.contended = load64(&depot->contended),
		.other_gets = load64(&depot->gets),
		.other_puts = load64(&depot->puts),
	};
	return 0;
}

static bool
cache_check(const struct magazine_pool *pool, const struct magazine_cache *cache)
{
	const uint32_t size = cache->capacity;
	const uint32_t n_loaded = loaded_rounds(cache);

	if (!cache->is_open)
		return n_loaded == 0 && cache->n_previous == 0 && size == 0;
	return size >= pool->size_min && size <= pool->size_max && n_loaded <= size &&
	       (cache->n_previous == 0 || cache->n_previous >= pool->size_min) &&
	       cache->n_previous <= pool->size_max;
}

static uint32_t
inbox_length(const struct magazine_depot *depot, uint32_t limit)
{
	uint32_t n = 0;

	for (const struct magazine *mag = depot->inbox; mag && n <= limit; mag = mag->next)
		n++;
	return n;
}

int
magazine_pool_check(const struct magazine_pool *pool)
{
	struct magazine_stats stats;
	uint32_t n_magazines = 0;

	for (uint32_t node = 0; node < pool->n_nodes; node++) {
		const struct magazine_depot *depot = pool->depot[node];

		if (!magazine_depot_check(depot))
			return -EFAULT;
		n_magazines += depot->n_full + depot->n_empty + 1 /* loose */ +
			       inbox_length(depot, pool->n_magazines);
	}
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
		if (!cache_check(pool, &pool->cache[lcore]))
			return -EFAULT;
		n_magazines += pool->cache[lcore].is_open ? 1 + pool->n_nodes : 0;
	}
	if (n_magazines != pool->n_magazines)
		return -EFAULT;
	magazine_pool_stats(pool, &stats);
	return stats.cached + stats.depot + stats.counts.gets - stats.counts.puts == stats.population
		       ? 0
		       : -EFAULT;
}
