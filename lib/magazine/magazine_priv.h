/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The depot: the shared half of a pool, behind the caches in magazine.h.
 *
 * Every magazine is at any time in exactly one place: the full list, the empty
 * list, the depot's loose magazine, or a cache (two each). At most population / M
 * are full ones in the depot, one is loose, 2 * RTE_MAX_LCORE are in caches. So with
 *
 *   n_magazines = population / M + 2 * RTE_MAX_LCORE + 1
 *
 * there is an empty one whenever a cache opens, a full one is handed in or the loose
 * one has become full: nothing is allocated after magazine_pool_create(), and no
 * caller needs to handle a lack.
 *
 * Everything here but depot_lock() is called with the lock held, except while a
 * pool is made or checked.
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
	uint32_t size; /* M */
	uint32_t n_full;
	uint32_t n_empty;
	struct magazine *full;  /* LIFO: the hottest first */
	struct magazine *empty; /* LIFO */
	struct magazine *loose; /* the only one that is partly filled: loose->n < M */
	uint64_t contended;     /* by threads that are no lcore; an lcore counts its own */
	/* by threads that are no lcore */
	alignas(RTE_CACHE_LINE_SIZE) uint64_t gets;
	uint64_t puts;
	/* constant once the pool is filled */
	uint32_t n_seeded;
	uint32_t n_magazines;
	size_t bytes;         /* of the block that holds pool, depot and magazines */
	bool numa;            /* the block came from libnuma */
	struct magazine *nil; /* what a cache without magazines points to; has no rounds */
};

/* Bytes from one magazine to the next. */
static inline size_t
magazine_stride(uint32_t size)
{
	return sizeof(struct magazine) + size * sizeof(void *);
}

/* Returns whether somebody else held the lock. */
static inline bool
depot_lock(struct magazine_depot *depot)
{
	if (rte_spinlock_trylock(&depot->lock))
		return false;
	rte_spinlock_lock(&depot->lock);
	return true;
}

static inline void
depot_unlock(struct magazine_depot *depot)
{
	rte_spinlock_unlock(&depot->lock);
}

static inline uint32_t
depot_avail(const struct magazine_depot *depot)
{
	return depot->n_full * depot->size + depot->loose->n;
}

static inline void
depot_push_full(struct magazine_depot *depot, struct magazine *mag, unsigned int lcore)
{
	mag->n = depot->size;
	mag->last_lcore = lcore;
	mag->next = depot->full;
	depot->full = mag;
	depot->n_full++;
}

static inline struct magazine *
depot_pop_full(struct magazine_depot *depot)
{
	struct magazine *mag = depot->full;

	assert(mag);
	depot->full = mag->next;
	depot->n_full--;
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

/* Lays n magazines of size rounds out at mem and makes them the depot's. */
void depot_init(struct magazine_depot *depot, void *mem, uint32_t n, uint32_t size);

/* Adds objs[n] to the loose magazine; whenever it is full it joins the full ones. */
void depot_put_loose(struct magazine_depot *depot, void *const *objs, uint32_t n);

/* Takes objs[n], loose ones first, then by breaking up full magazines. n <= depot_avail(). */
void depot_get_loose(struct magazine_depot *depot, void **objs, uint32_t n);

/* Whether both lists are as long as they say and hold only what they should. */
bool depot_check(const struct magazine_depot *depot);

#endif
