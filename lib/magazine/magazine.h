/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Magazines: a cache of object pointers that every lcore can get from and put
 * to without a lock, after Bonwick & Adams (USENIX 2001).
 *
 *      lcore 0            lcore 1                     node's depot
 *   +----------+        +----------+         +---------------------------+
 *   | loaded   |        | loaded   |  whole  | full:  [M]->[M]->[M]      |
 *   | previous |        | previous |<------->| empty: [ ]->[ ]           |
 *   +----------+        +----------+ magazine| loose: single objects     |
 *                                            +---------------------------+
 *
 * Objects are opaque pointers; this library never reads or writes them.
 *
 * Invariants (n = rounds in a magazine, M = the pool's magazine size)
 *   previous.n == 0 or previous.n == M, except inside an exchange
 *   the depot's full list holds only full magazines, its empty list only empty ones
 *   full * M + loose + sum(loaded.n + previous.n) + sum(gets - puts) == population
 *
 * Threads: a cache belongs to the lcore whose index it has. A thread that is no
 * lcore (LCORE_ID_ANY) works on the depot's loose objects, under the lock.
 */
#ifndef MAGAZINE_H
#define MAGAZINE_H

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_lcore.h>
#include <rte_memory.h>

#define MAGAZINE_ROUNDS_MIN     32u
#define MAGAZINE_ROUNDS_MAX     512u
#define MAGAZINE_ROUNDS_DEFAULT 128u
#define MAGAZINE_NAME_LEN       32

/* A header line and M rounds: an odd number of lines for every M that is a
 * power of two >= 32, so that magazines spread over the sets of the L1 cache. */
struct magazine {
	struct magazine *next; /* in a depot list; owned by whoever holds the magazine */
	uint32_t n;            /* rounds while parked in a depot; stale while in a cache */
	uint32_t last_lcore;   /* who filled it */
	alignas(RTE_CACHE_LINE_SIZE) void *rounds[]; /* LIFO: rounds[n - 1] is the hottest */
};

/* One lcore's two magazines. The first line is all the fast path touches. */
struct magazine_cache {
	/* by the owning lcore, at every call */
	struct magazine *loaded;
	struct magazine *previous;
	uint32_t n_loaded;
	uint32_t n_previous; /* 0 or size */
	uint32_t size;       /* M; 0 until the lcore's first call has given it magazines */
	uint32_t _pad;
	uint64_t gets; /* ledger: objects ever handed out */
	uint64_t puts; /* ledger: objects ever taken back */
	/* by the owning lcore, on the slow path */
	alignas(RTE_CACHE_LINE_SIZE) uint64_t swaps;
	uint64_t exchanges;      /* magazines exchanged with the depot */
	uint64_t exchange_fails; /* the depot had none to give */
	uint64_t contended;      /* the depot's lock was not free at the first try */
	uint64_t cross_core;     /* magazines received that another lcore had filled */
	alignas(RTE_CACHE_LINE_SIZE) char guard[RTE_CACHE_LINE_SIZE]; /* from a neighbour's prefetches */
};

struct magazine_depot; /* magazine.c */

struct magazine_pool {
	struct magazine_depot *depot;
	uint32_t size; /* M */
	uint32_t population;
	char name[MAGAZINE_NAME_LEN];
	alignas(RTE_CACHE_LINE_SIZE) struct magazine_cache cache[RTE_MAX_LCORE];
};

/* What a pool is made of; every field is required unless it says otherwise. */
struct magazine_conf {
	const char *name;
	uint32_t population; /* most objects it will ever hold, >= 1 */
	uint32_t size;       /* M: a power of two from MAGAZINE_ROUNDS_MIN to _MAX; 0 = default */
	int node;            /* NUMA node of its memory; SOCKET_ID_ANY = the caller's */
};

/* A snapshot; exact when every lcore is at rest, otherwise each number is of its own moment. */
struct magazine_stats {
	uint64_t gets, puts, swaps, exchanges, exchange_fails, contended, cross_core;
	uint32_t cached;     /* rounds in the lcores' loaded and previous magazines */
	uint32_t depot;      /* rounds in the depot's full magazines, and loose */
	uint32_t out;        /* gets - puts */
	uint32_t population; /* objects seeded, which may be fewer than the pool has room for */
};

/*
 * Makes an empty pool; objects come in with magazine_pool_seed(). All memory it will
 * ever use is taken and touched here: private memory of this process on conf->node,
 * from libnuma or, where there is but one node, the C library. Needs no EAL.
 * Returns 0 and *pool, or -EINVAL (population 0, size not allowed), -ENOMEM.
 * The caller owns *pool and ends it with magazine_pool_destroy().
 */
int magazine_pool_create(const struct magazine_conf *conf, struct magazine_pool **pool);

/* Frees the pool's own memory, not the objects. No thread may use it any more. NULL is allowed. */
void magazine_pool_destroy(struct magazine_pool *pool);

/*
 * Gives objs[n] to the depot, not to the caller's cache: for filling a new pool.
 * Not counted in the ledger. Returns 0, or -ENOSPC (over the population), then
 * nothing was taken. Any thread.
 */
int magazine_pool_seed(struct magazine_pool *pool, void *const *objs, uint32_t n);

/* Objects that could be got now: depot + every cache. Any thread; a moment's value. */
uint32_t magazine_pool_avail(const struct magazine_pool *pool);

/* Fills *stats. Any thread. */
void magazine_pool_stats(const struct magazine_pool *pool, struct magazine_stats *stats);

/*
 * Whether cached + depot + out == objects seeded and every magazine keeps the
 * invariants above. Only when no other thread uses the pool.
 * Returns 0, or -EFAULT when something is missing or too much.
 */
int magazine_pool_check(const struct magazine_pool *pool);

/* Gives the magazines of a stopped lcore to the depot. Only while that lcore does not use the pool. */
void magazine_pool_flush(struct magazine_pool *pool, unsigned int lcore);

/* The slow halves of the two calls below. */
int magazine_get_slow(struct magazine_pool *pool, unsigned int lcore, void **objs, uint32_t n);
void magazine_put_slow(struct magazine_pool *pool, unsigned int lcore, void *const *objs, uint32_t n);

/* One at a time is how some PMDs free: then a call of memcpy() would be most of the cost. */
static inline void
magazine_copy(void **to, void *const *from, uint32_t n)
{
	if (n == 1)
		*to = *from;
	else
		memcpy(to, from, n * sizeof(*to));
}

/*
 * Gets n objects, most recently put first: all of them or none.
 * lcore: rte_lcore_id() of the caller, LCORE_ID_ANY for other threads. Any n.
 * Returns 0, or -ENOENT when this cache and the depot hold fewer than n
 * together; then the pool is unchanged and what objs holds means nothing. The
 * caller owns objs[n].
 */
static inline int
magazine_get_bulk(struct magazine_pool *pool, unsigned int lcore, void **objs, uint32_t n)
{
	if (unlikely(lcore >= RTE_MAX_LCORE || n > pool->cache[lcore].n_loaded))
		return magazine_get_slow(pool, lcore, objs, n);

	struct magazine_cache *c = &pool->cache[lcore];

	c->n_loaded -= n;
	c->gets += n;
	magazine_copy(objs, &c->loaded->rounds[c->n_loaded], n);
	return 0;
}

/*
 * Takes objs[n] back; cannot fail for objects that came from this pool.
 * lcore as above. The caller must not touch the objects afterwards.
 */
static inline void
magazine_put_bulk(struct magazine_pool *pool, unsigned int lcore, void *const *objs, uint32_t n)
{
	if (unlikely(lcore >= RTE_MAX_LCORE || n > pool->cache[lcore].size - pool->cache[lcore].n_loaded)) {
		magazine_put_slow(pool, lcore, objs, n);
		return;
	}

	struct magazine_cache *c = &pool->cache[lcore];
	void **const free_rounds = &c->loaded->rounds[c->n_loaded];

	c->n_loaded += n;
	c->puts += n;
	magazine_copy(free_rounds, objs, n);
}

#endif
