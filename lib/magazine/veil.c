/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the inline halves of get and put see of the loaded magazine: rounds[size], of which n_loaded
 * are filled. What loaded holds below is hidden; a get that wants more comes to
 * the slow half, which first shows everything and at its end hides again:
 *
 *   loaded->rounds  |  hidden  |  n_loaded  |  room  |
 *                              ^ rounds     ^ n_loaded  ^ size
 *                              <------ capacity - hidden ------>
 *
 * Veiled pools, where every call must be looked at (debugging, faults), hide all of it and show a size of 0, so that no call
 * is served inline. So do caches of lcores to whom objects of another node may be put, for these must be told
 * apart: every lcore of a pool that lies on several nodes, and those on a node that the pool is not on. The others pay
 * nothing for it.
 *
 * Cold magazines came from another core, and so did the first lines of their objects: whoever gets them waits for each in
 * turn when he writes to it. Only a burst of such a magazine is shown, so that gets come by, and have the lines of the
 * objects after next fetched while the caller is busy with these. A pool whose conf says that
 * nothing is touched does not.
 */
#include <rte_prefetch.h>

#include "magazine_priv.h"

#define WARM_AHEAD 96u /* objects whose lines are fetched before they are got */
#define WARM_SHOWN 32u /* of these the inline get may take so many before it comes by again */

void
magazine_cache_unveil(struct magazine_cache *cache)
{
	cache->n_loaded += cache->hidden;
	cache->hidden = 0;
	cache->size = cache->capacity;
}

/* The lowest n rounds. */
static void
hide(struct magazine_cache *cache, uint32_t n)
{
	cache->rounds = cache->loaded->rounds + n;
	cache->hidden = n;
	cache->n_loaded -= n;
	cache->size = cache->capacity - n;
}

static void
warm(struct magazine_cache *cache, uint32_t touched)
{
	const uint32_t keep = cache->n_loaded > WARM_AHEAD ? cache->n_loaded - WARM_AHEAD : 0;

	if (cache->cold > cache->n_loaded)
		cache->cold = (uint16_t)cache->n_loaded;
	for (; cache->cold > keep; cache->cold--)
		for (uint32_t at = 0; at < touched; at += RTE_CACHE_LINE_SIZE)
			rte_prefetch0_write(RTE_PTR_ADD(cache->loaded->rounds[cache->cold - 1], at));
}

void
magazine_cache_veil(const struct magazine_pool *pool, struct magazine_cache *cache)
{
	if (unlikely(pool->is_veiled || cache_sorts(pool, cache))) {
		hide(cache, cache->n_loaded);
		cache->size = 0;
		return;
	}
	if (cache->cold > 0)
		warm(cache, pool->touched);
	hide(cache, cache->cold > 0 && cache->n_loaded > WARM_SHOWN ? cache->n_loaded - WARM_SHOWN : 0);
}
