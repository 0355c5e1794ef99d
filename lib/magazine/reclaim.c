/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No lcore starves while another one hoards. Who finds caches and depots empty raises
 * the pool's epoch; every lcore compares it with the one it has answered at each turn
 * of its loop (magazine_poll()) and gives previous to the depot, or loaded if previous is
 * empty. So one request takes half of what is hoarded, and a second one the rest. The
 * epoch's line is written only then, and not again for a while, which doubles as long as asking does not help: lcores
 * that starve together would otherwise pull it from each other, and rob each other of what
 * little they have.
 *
 * Lcores that stop or park do not answer: they give everything up first (magazine_pool_flush()).
 */
#include <rte_cycles.h>

#include "magazine_priv.h"

/* Of the time stamp counter: 8 us at 2.6 GHz, a few turns of a poll loop; up to 0.8 ms where it is slower (arm64). */
#define STARVE_WAIT_MIN 20000u
#define STARVE_WAIT_MAX (STARVE_WAIT_MIN << 8)

/* A wait after which one may ask again: it doubles as long as asking does not help. */
static uint64_t
starve_wait(uint64_t last_wait, uint64_t waited)
{
	if (waited >= 4 * last_wait)
		return STARVE_WAIT_MIN;
	return RTE_MIN(2 * last_wait, STARVE_WAIT_MAX);
}

/* Two lcores may raise it at once: both mean the same. */
void
magazine_starve(struct magazine_pool *pool, struct magazine_cache *cache)
{
	const uint64_t now = rte_rdtsc();
	const uint64_t last = __atomic_load_n(&pool->starved_at, __ATOMIC_RELAXED);
	const uint64_t wait = __atomic_load_n(&pool->starve_wait, __ATOMIC_RELAXED);

	if (last != 0 && now - last < wait)
		return;
	__atomic_store_n(&pool->starved_at, now, __ATOMIC_RELAXED);
	__atomic_store_n(&pool->starve_wait, last == 0 ? STARVE_WAIT_MIN : starve_wait(wait, now - last),
		__ATOMIC_RELAXED);
	for (uint32_t node = 0; node < pool->n_nodes; node++)
		__atomic_store_n(&pool->depot[node]->starved, 1, __ATOMIC_RELAXED);

	const uint32_t epoch = __atomic_add_fetch(&pool->epoch, 1, __ATOMIC_RELAXED);

	if (cache)
		cache->epoch = epoch;
}

/* A magazine of n rounds, of which its owner has no more need, for an empty one. */
static struct magazine *
magazine_hand_in(struct magazine_pool *pool, unsigned int lcore, struct magazine *mag, uint32_t n)
{
	struct magazine_cache *cache = &pool->cache[lcore];
	const uint32_t node = pool->node_of[lcore];
	struct magazine_depot *depot;

	if (n < pool->size_min) {
		magazine_node_put(pool, node, mag->rounds, n);
		return mag;
	}
	depot = magazine_depot_lock_stocked(pool, node, &cache->contended);
	depot_push_full(depot, mag, n, lcore);
	mag = depot_pop_empty(depot);
	depot_unlock(depot);
	return mag;
}

static void
previous_hand_in(struct magazine_pool *pool, unsigned int lcore)
{
	struct magazine_cache *cache = &pool->cache[lcore];

	cache->previous = magazine_hand_in(pool, lcore, cache->previous, cache->n_previous);
	cache->n_previous = 0;
}

static void
loaded_hand_in(struct magazine_pool *pool, unsigned int lcore)
{
	struct magazine_cache *cache = &pool->cache[lcore];

	cache->loaded = magazine_hand_in(pool, lcore, cache->loaded, cache->n_loaded);
	cache->n_loaded = 0;
	cache->cold = 0;
}

uint32_t
magazine_cache_send_home(struct magazine_pool *pool, unsigned int lcore)
{
	struct magazine_cache *cache = &pool->cache[lcore];
	uint32_t n = 0;

	for (uint32_t node = 0; node < pool->n_nodes; node++) {
		struct magazine *mag = cache->foreign[node];

		if (!mag || mag->n == 0)
			continue;
		n += mag->n;
		magazine_node_put(pool, node, mag->rounds, mag->n);
		__atomic_store_n(&mag->n, 0, __ATOMIC_RELAXED);
	}
	cache->sent_home += n;
	return n;
}

void
magazine_give_up(struct magazine_pool *pool, unsigned int lcore)
{
	struct magazine_cache *cache = &pool->cache[lcore];

	cache->epoch = __atomic_load_n(&pool->epoch, __ATOMIC_RELAXED);
	if (!cache->is_open)
		return;
	magazine_cache_unveil(cache);
	if (cache->n_previous > 0) {
		cache->reclaimed += cache->n_previous;
		previous_hand_in(pool, lcore);
	} else {
		cache->reclaimed += cache->n_loaded + magazine_cache_send_home(pool, lcore);
		loaded_hand_in(pool, lcore);
	}
	magazine_cache_veil(pool, cache);
}

static void
cache_close(struct magazine_pool *pool, unsigned int lcore)
{
	struct magazine_cache *cache = &pool->cache[lcore];
	struct magazine_depot *depot = pool->depot[pool->node_of[lcore]];

	depot_lock(depot, &cache->contended);
	depot_push_empty(depot, cache->previous);
	depot_push_empty(depot, cache->loaded);
	for (uint32_t node = 0; node < MAGAZINE_NODES_MAX; node++) {
		if (cache->foreign[node])
			depot_push_empty(depot, cache->foreign[node]);
		cache->foreign[node] = NULL;
	}
	depot_unlock(depot);
	cache_init(cache, pool->nil);
	magazine_adapt_limit(pool, __atomic_sub_fetch(&pool->n_open, 1, __ATOMIC_RELAXED));
}

void
magazine_pool_flush(struct magazine_pool *pool, unsigned int lcore)
{
	struct magazine_cache *cache = &pool->cache[lcore];

	if (lcore >= RTE_MAX_LCORE || !cache->is_open)
		return;
	magazine_cache_unveil(cache);
	previous_hand_in(pool, lcore);
	loaded_hand_in(pool, lcore);
	magazine_cache_send_home(pool, lcore);
	cache_close(pool, lcore);
}
