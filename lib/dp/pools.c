/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a worker keeps for itself of the pools, and gives up when another one has nothing: first what the mempool's own cache
 * holds, then its magazines (lib/magazine/reclaim.c).
 */
#include <rte_mempool.h>

#include "worker_priv.h"

static void
mempool_cache_leave(struct rte_mempool *pool, unsigned int lcore)
{
	struct rte_mempool_cache *cache = rte_mempool_default_cache(pool, lcore);

	if (cache != NULL)
		rte_mempool_cache_flush(cache, pool);
}

void
worker_poll_pools(struct worker *w)
{
	const struct dp_conf *conf = w->conf;

	for (uint32_t i = 0; i < conf->n_pools; i++) {
		struct magazine_pool *magazines = conf->magazines[i];

		if (likely(magazines == NULL || !magazine_is_wanted(magazines, w->lcore)))
			continue;
		mempool_cache_leave(conf->pools[i], w->lcore);
		magazine_give_up(magazines, w->lcore);
	}
	magazine_poll(w->cpu.heads, w->lcore);
}

void
worker_leave_pools(struct worker *w)
{
	const struct dp_conf *conf = w->conf;

	for (uint32_t i = 0; i < conf->n_pools; i++) {
		mempool_cache_leave(conf->pools[i], w->lcore);
		if (conf->magazines[i] != NULL)
			magazine_pool_flush(conf->magazines[i], w->lcore);
	}
	magazine_pool_flush(w->cpu.heads, w->lcore);
}
