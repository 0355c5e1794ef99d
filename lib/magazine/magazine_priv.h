/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The depots: the shared half of a pool, behind the caches in magazine.h.
 *
 * Every magazine is at any time in exactly one place: a depot's full list, its empty
 * list, its inbox, its loose magazine, or a cache (loaded, previous and one for each foreign
 * node). A magazine is full from size_min rounds on, so at most population / size_min are
 * full. So with
 *
 *   n_magazines = population / size_min, rounded up + RTE_MAX_LCORE * (2 + n_nodes - 1) + n_nodes
 *
 * there is an empty one in some depot whenever a cache opens, a full one is handed in or
 * an object is put to a loose one: nothing is allocated after magazine_pool_create(), and no
 * caller needs to handle a lack. Each has room for size_max rounds, so that M may change
 * under way. With several nodes, the one that sends home more than it receives runs out
 * of empty ones; it then borrows from the others, a few at a time (magazine_depot_lock_stocked()).
 *
 * Everything here but depot_lock() and depot_unlock() is called with the lock held,
 * except while a pool is made or checked.
 */
#ifndef MAGAZINE_PRIV_H
#define MAGAZINE_PRIV_H

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_spinlock.h>

#include "magazine.h"

struct magazine_depot {
	/* every exchange */
	rte_spinlock_t lock;
	uint32_t size; /* M: what magazines are filled to from now on */
	uint32_t n_full;
	uint32_t n_empty;
	uint32_t n_rounds;      /* in the full ones */
	struct magazine *full;  /* LIFO: the hottest first */
	struct magazine *empty; /* LIFO */
	struct magazine *loose; /* not full: loose->n < size, unless M has just shrunk */
	uint64_t exchanges;
	uint64_t contended;
	/* magazines sent home by lcores of other nodes: pushed by anybody, taken as a whole under the lock */
	alignas(RTE_CACHE_LINE_SIZE) struct magazine *inbox;
	uint32_t inbox_rounds;
	/* by threads that are no lcore */
	alignas(RTE_CACHE_LINE_SIZE) uint64_t gets;
	uint64_t puts;
	/* by the controller, adapt.c */
	uint64_t looked_at; /* ns */
	uint64_t calm_since;
	uint64_t last_exchanges, last_contended;
	uint32_t n_busy;     /* looks in a row */
	uint32_t size_limit; /* M may grow to: size_max, or less when many caches are open */
	uint32_t starved;    /* since the last look; by anybody */
	uint64_t grown, shrunk;
	/* constant */
	uint32_t size_min, size_max;
};

/* Bytes from one magazine to the next. */
static inline size_t
magazine_stride(uint32_t size)
{
	return sizeof(struct magazine) + size * sizeof(void *);
}

/* The lock is tried before it is waited for, so that contention can be counted. */
static inline void
depot_lock(struct magazine_depot *depot, uint64_t *contended)
{
	if (rte_spinlock_trylock(&depot->lock))
		return;
	rte_spinlock_lock(&depot->lock);
	depot->contended++;
	if (contended)
		(*contended)++;
}

static inline void
depot_unlock(struct magazine_depot *depot)
{
	rte_spinlock_unlock(&depot->lock);
}

static inline uint32_t
depot_avail(const struct magazine_depot *depot)
{
	return depot->n_rounds + depot->loose->n;
}

/* n: its rounds, at least size_min. */
static inline void
depot_push_full(struct magazine_depot *depot, struct magazine *mag, uint32_t n, unsigned int lcore)
{
	mag->n = n;
	mag->last_lcore = lcore;
	mag->next = depot->full;
	depot->full = mag;
	depot->n_full++;
	depot->n_rounds += n;
}

static inline struct magazine *
depot_pop_full(struct magazine_depot *depot)
{
	struct magazine *mag = depot->full;

	assert(mag);
	depot->full = mag->next;
	depot->n_full--;
	depot->n_rounds -= mag->n;
	return mag;
}

static inline void
depot_push_empty(struct magazine_depot *depot, struct magazine *mag)
{
	mag->n = 0;
	mag->next = depot->empty;
	depot->empty = mag;
	depot->n_empty++;
}

static inline struct magazine *
depot_pop_empty(struct magazine_depot *depot)
{
	struct magazine *mag = depot->empty;

	assert(mag); /* the equation above */
	depot->empty = mag->next;
	depot->n_empty--;
	return mag;
}

/* depot.c */

/* An empty depot with n magazines of at most size_max rounds at mem. */
void magazine_depot_init(struct magazine_depot *depot, void *mem, uint32_t n, uint32_t size,
	uint32_t size_min, uint32_t size_max);

/*
 * Adds objs[n] to the loose magazine, which joins the full ones when it is full.
 * Returns how many it took: fewer than n when it became full. There is an empty magazine.
 */
uint32_t magazine_depot_put_loose(struct magazine_depot *depot, void *const *objs, uint32_t n);

/* Takes objs[n], loose ones first, then by breaking up full magazines. n <= depot_avail(). */
void magazine_depot_get_loose(struct magazine_depot *depot, void **objs, uint32_t n);

/* Whether both lists are as long as they say and hold only what they should. */
bool magazine_depot_check(const struct magazine_depot *depot);

/* node.c */

/* Takes the lock of a node's depot when that has an empty magazine, borrowing if it must. */
struct magazine_depot *magazine_depot_lock_stocked(
	struct magazine_pool *pool, uint32_t node, uint64_t *contended);

/* Gives objs[n], all at home on node, to its depot; one lock for each magazine's worth. Takes the lock. */
void magazine_node_put(struct magazine_pool *pool, uint32_t node, void *const *objs, uint32_t n);

/* Takes objs[n], all or none, from wherever they are, nearest to node first. Takes the locks. 0 or -ENOENT. */
int magazine_nodes_get(struct magazine_pool *pool, uint32_t node, void **objs, uint32_t n);

/* The node that an object is at home on. */
uint32_t magazine_object_node(const struct magazine_pool *pool, const void *object);

/* Gives objs[n] to the depots of their nodes. Takes the locks. */
void magazine_nodes_put(struct magazine_pool *pool, void *const *objs, uint32_t n);

/* Sorts objs[n] out: foreign ones go into cache's magazines for their nodes, home[] gets the rest. Returns its number. */
uint32_t magazine_node_put_foreign(
	struct magazine_pool *pool, unsigned int lcore, void *const *objs, uint32_t n, void **home);

/* Moves what other nodes' lcores have sent into the full list. */
void magazine_depot_collect(struct magazine_depot *depot);

/* adapt.c */

#define ADAPT_EVERY 16u /* exchanges, between two looks at the clock */

uint64_t magazine_adapt_now(void); /* ns; a system call on no platform of interest */
void magazine_depot_adapt(struct magazine_depot *depot, uint64_t now);

/* The largest M that leaves half of the objects outside of caches; any number, 0 too. */
uint32_t magazine_adapt_bound(uint32_t population, uint32_t n_lcores, uint32_t n_nodes);

/* n_open caches are open now: M keeps within what that allows. Takes the locks. */
void magazine_adapt_limit(struct magazine_pool *pool, uint32_t n_open);

static inline void
depot_count_exchange(struct magazine_depot *depot)
{
	if (++depot->exchanges % ADAPT_EVERY == 0 && depot->size_min < depot->size_max)
		magazine_depot_adapt(depot, magazine_adapt_now());
}

/* reclaim.c */

/* An lcore has found nothing: ask the others. */
void magazine_starve(struct magazine_pool *pool, struct magazine_cache *cache);

/* Gives what an lcore's foreign magazines hold to the depots of its nodes, full or not. Takes the locks. Returns how many. */
uint32_t magazine_cache_send_home(struct magazine_pool *pool, unsigned int lcore);

/* A closed cache: no magazines, nothing to get and no room. Its counters stay. */
static inline void
cache_init(struct magazine_cache *cache, struct magazine *nil)
{
	cache->loaded = cache->previous = nil;
	cache->rounds = nil->rounds;
	cache->n_loaded = cache->n_previous = cache->hidden = 0;
	cache->size = cache->capacity = 0;
	cache->cold = 0;
	cache->is_open = 0;
}

/* Whether an lcore's puts must be told apart by node. */
static inline bool
cache_sorts(const struct magazine_pool *pool, const struct magazine_cache *cache)
{
	return pool->n_nodes > 1 && pool->only_home != pool->node_of[cache - pool->cache];
}

/* veil.c: both by the owner of the cache, around everything that is not the inline halves */

/* Shows all of loaded. */
void magazine_cache_unveil(struct magazine_cache *cache);

/* Shows what the inline halves may see of it. */
void magazine_cache_veil(const struct magazine_pool *pool, struct magazine_cache *cache);

/* magazine.c */

/* Gives the first call of an lcore its magazines. Nothing is unveiled yet. */
void magazine_cache_open(struct magazine_pool *pool, unsigned int lcore);

#endif
