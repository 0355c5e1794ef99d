/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several NUMA nodes. Each has a depot; an lcore uses its own node's. Which node an
 * object is at home on is told by its address alone: reading the object would fetch
 * a line from the very node that should be left in peace.
 *
 * What an lcore puts stays with it if it is at home on the lcore's node. Any other
 * object goes into the lcore's foreign magazine for that node, and when that is full the whole
 * magazine goes home: into the inbox of the node's depot, a list that anybody pushes
 * to and that the node's lcores take at once when they look for more (as the
 * cross bucket of FreeBSD's UMA). So a node's memory is handed back in lots of M, and
 * never object by object, which is what sank the alien caches of Linux' SLAB.
 *
 * A get may take from any depot, the nearest first: an object far away is better
 * than none. With one node all of this is one depot and no comparison.
 */
#include <errno.h>
#include <string.h>

#include <rte_pause.h>

#include "magazine_priv.h"

#define BORROW_MAX 16u

/* Takes up to BORROW_MAX empty magazines out of other nodes' depots; the list, or NULL. */
static struct magazine *
borrow(struct magazine_pool *pool, uint32_t node)
{
	struct magazine *list = NULL;

	for (uint32_t i = 1; i < pool->n_nodes && !list; i++) {
		struct magazine_depot *from = pool->depot[pool->near[node][i]];

		depot_lock(from, NULL);
		for (uint32_t k = 0; k < BORROW_MAX && from->n_empty > 0; k++) {
			struct magazine *mag = depot_pop_empty(from);

			mag->next = list;
			list = mag;
		}
		depot_unlock(from);
	}
	return list;
}

/* Of two locks only one is held at a time, so that two nodes may borrow from each other. */
struct magazine_depot *
magazine_depot_lock_stocked(struct magazine_pool *pool, uint32_t node, uint64_t *contended)
{
	struct magazine_depot *depot = pool->depot[node];

	depot_lock(depot, contended);
	while (unlikely(depot->n_empty == 0)) {
		struct magazine *list;

		assert(pool->n_nodes > 1);
		depot_unlock(depot);
		list = borrow(pool, node);
		if (!list)
			rte_pause(); /* another one holds what it has just borrowed, for a moment */
		depot_lock(depot, contended);
		while (list) {
			struct magazine *mag = list;

			list = mag->next;
			depot_push_empty(depot, mag);
		}
	}
	return depot;
}

void
magazine_depot_collect(struct magazine_depot *depot)
{
	struct magazine *mag;

	if (likely(!__atomic_load_n(&depot->inbox, __ATOMIC_RELAXED)))
		return;
	mag = __atomic_exchange_n(&depot->inbox, NULL, __ATOMIC_ACQUIRE);
	while (mag) {
		struct magazine *next = mag->next;

		__atomic_sub_fetch(&depot->inbox_rounds, mag->n, __ATOMIC_RELAXED);
		depot_push_full(depot, mag, mag->n, mag->last_lcore);
		mag = next;
	}
}

/* Only ever emptied as a whole, so a head that comes back (ABA) does no harm. */
static void
inbox_push(struct magazine_depot *depot, struct magazine *mag)
{
	struct magazine *head = __atomic_load_n(&depot->inbox, __ATOMIC_RELAXED);

	__atomic_add_fetch(&depot->inbox_rounds, mag->n, __ATOMIC_RELAXED);
	do
		mag->next = head;
	while (!__atomic_compare_exchange_n(
		&depot->inbox, &head, mag, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

uint32_t
magazine_object_node(const struct magazine_pool *pool, const void *object)
{
	uint32_t low = 0, high = pool->n_ranges;

	while (low < high) {
		const uint32_t middle = (low + high) / 2;

		if ((uintptr_t)object >= pool->range[middle].end)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == pool->n_ranges || (uintptr_t)object < pool->range[low].begin)
		return pool->home;
	return pool->range[low].node;
}

/* Whether b goes on where a ends. */
static bool
ranges_touch(const struct magazine_range *a, const struct magazine_range *b)
{
	return a->end == b->begin && a->node == b->node;
}

static void
range_remove(struct magazine_pool *pool, uint32_t at)
{
	pool->n_ranges--;
	memmove(&pool->range[at], &pool->range[at + 1], (pool->n_ranges - at) * sizeof(pool->range[0]));
}

int
magazine_pool_range(struct magazine_pool *pool, const void *base, size_t bytes, uint32_t node)
{
	struct magazine_range *const range = pool->range;
	const struct magazine_range add = {(uintptr_t)base, (uintptr_t)base + bytes, node};
	uint32_t at = 0;

	if (node >= pool->n_nodes)
		return -EINVAL;
	while (at < pool->n_ranges && range[at].begin < add.begin)
		at++;
	if (at > 0 && ranges_touch(&range[at - 1], &add)) {
		range[at - 1].end = add.end;
		if (at < pool->n_ranges && ranges_touch(&range[at - 1], &range[at])) {
			range[at - 1].end = range[at].end;
			range_remove(pool, at);
		}
		return 0;
	}
	if (at < pool->n_ranges && ranges_touch(&add, &range[at])) {
		range[at].begin = add.begin;
		return 0;
	}
	if (pool->n_ranges == MAGAZINE_RANGES_MAX)
		return -ENOSPC;
	memmove(&range[at + 1], &range[at], (pool->n_ranges - at) * sizeof(add));
	range[at] = add;
	pool->n_ranges++;
	return 0;
}

void
magazine_node_put(struct magazine_pool *pool, uint32_t node, void *const *objs, uint32_t n)
{
	while (n > 0) {
		struct magazine_depot *depot = magazine_depot_lock_stocked(pool, node, NULL);
		const uint32_t k = magazine_depot_put_loose(depot, objs, n);

		depot_unlock(depot);
		objs += k;
		n -= k;
	}
}

void
magazine_nodes_put(struct magazine_pool *pool, void *const *objs, uint32_t n)
{
	while (n > 0) {
		const uint32_t node = magazine_object_node(pool, *objs);
		uint32_t k = 1;

		while (k < n && (pool->n_nodes == 1 || magazine_object_node(pool, objs[k]) == node))
			k++;
		magazine_node_put(pool, node, objs, k);
		objs += k;
		n -= k;
	}
}

int
magazine_nodes_get(struct magazine_pool *pool, uint32_t node, void **objs, uint32_t n)
{
	uint32_t taken[MAGAZINE_NODES_MAX];
	uint32_t got = 0, i;

	for (i = 0; i < pool->n_nodes && got < n; i++) {
		struct magazine_depot *depot = pool->depot[pool->near[node][i]];

		depot_lock(depot, NULL);
		magazine_depot_collect(depot);
		taken[i] = RTE_MIN(n - got, depot_avail(depot));
		/* with one depot there is no way back to go: take all of it or nothing */
		if (pool->n_nodes == 1 && taken[i] < n)
			taken[i] = 0;
		magazine_depot_get_loose(depot, objs + got, taken[i]);
		depot_unlock(depot);
		got += taken[i];
	}
	if (got == n)
		return 0;
	while (i-- > 0) {
		got -= taken[i];
		magazine_node_put(pool, pool->near[node][i], objs + got, taken[i]);
	}
	return -ENOENT;
}

static void
foreign_add(struct magazine_pool *pool, unsigned int lcore, uint32_t node, void *object)
{
	struct magazine_cache *cache = &pool->cache[lcore];
	struct magazine *mag = cache->foreign[node];
	struct magazine_depot *own;

	mag->rounds[mag->n] = object;
	__atomic_store_n(&mag->n, mag->n + 1, __ATOMIC_RELAXED);
	if (mag->n < cache->next_size)
		return;
	own = magazine_depot_lock_stocked(pool, pool->node_of[lcore], &cache->contended);
	__atomic_store_n(&cache->foreign[node], depot_pop_empty(own), __ATOMIC_RELAXED);
	depot_unlock(own);
	cache->sent_home += mag->n;
	mag->last_lcore = lcore;
	inbox_push(pool->depot[node], mag);
}

uint32_t
magazine_node_put_foreign(
	struct magazine_pool *pool, unsigned int lcore, void *const *objs, uint32_t n, void **home)
{
	const uint32_t own = pool->node_of[lcore];
	uint32_t n_home = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t node = magazine_object_node(pool, objs[i]);

		if (node == own)
			home[n_home++] = objs[i];
		else
			foreign_add(pool, lcore, node, objs[i]);
	}
	return n_home;
}
