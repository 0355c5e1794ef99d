/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Magazines: a cache of object pointers that every lcore can get from and put
 * to without a lock, after Bonwick & Adams (USENIX 2001).
 *
 *      lcore 0            lcore 1                     its node's depot
 *   +----------+        +----------+         +---------------------------+
 *   | loaded   |        | loaded   |  whole  | full:  [n]->[n]->[n]      |
 *   | previous |        | previous |<------->| empty: [ ]->[ ]           |
 *   +----------+        +----------+ magazine| loose: single objects     |
 *                            |               | inbox: full, from others  |
 *                            +-- foreign --> +---------------------------+ another node's
 *
 * Objects are opaque pointers; without poisoning (debug.h) this library never reads
 * or writes them. It may prefetch their first lines.
 *
 * Invariants (n = rounds in a magazine; M = the size magazines are filled to now)
 *   previous is empty, or was full when it became previous, except inside an exchange
 *   a magazine in the depot's full list has at least MAGAZINE_ROUNDS_MIN rounds, or M if that is pinned
 *   depot (full + loose + inbox) + cached (loaded + previous + foreign) + (gets - puts) == objects seeded
 *
 * Threads: a cache belongs to the lcore whose index it has. A thread that is no
 * lcore (LCORE_ID_ANY) works on the depot's loose objects, under the lock; to
 * have a cache it registers (rte_thread_register()) and becomes an lcore.
 */
#ifndef MAGAZINE_H
#define MAGAZINE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_lcore.h>
#include <rte_memory.h>

#include "account.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MAGAZINE_ROUNDS_MIN     32u
#define MAGAZINE_ROUNDS_MAX     512u
#define MAGAZINE_ROUNDS_DEFAULT 128u
#define MAGAZINE_NAME_LEN       32
#define MAGAZINE_NODES_MAX      8

/* A header line and the rounds: an odd number of lines for every size that is a
 * power of two >= 32, so that magazines spread over the sets of the L1 cache. */
struct magazine {
	struct magazine *next; /* in a depot list; owned by whoever holds the magazine */
	uint32_t n;            /* rounds while parked in a depot or on its way home; stale in a cache */
	uint32_t last_lcore;   /* who filled it */
	alignas(RTE_CACHE_LINE_SIZE) void *rounds[]; /* LIFO: rounds[n - 1] is the hottest */
};

/* One lcore's magazines. The first line is all the fast path touches. */
struct magazine_cache {
	/* by the owning lcore, at every call */
	void **rounds;     /* of loaded, from the first that is not hidden: see veil.c */
	uint32_t n_loaded; /* filled ones of rounds[] */
	uint32_t size;     /* of rounds[]; 0 until the first call opens the cache */
	uint64_t gets;     /* ledger: objects ever handed out */
	uint64_t puts;     /* ledger: objects ever taken back */
	struct magazine *loaded;
	struct magazine *previous;
	uint32_t n_previous;
	uint32_t hidden;   /* rounds of loaded below rounds[] */
	uint32_t capacity; /* rounds that loaded may hold, >= hidden + n_loaded */
	uint32_t epoch;    /* the last call for objects that was answered, see magazine_poll() */
	/* by the owning lcore, on the slow path */
	alignas(RTE_CACHE_LINE_SIZE) uint32_t next_size; /* M, as the depot said at the last exchange */
	uint16_t cold;    /* rounds at the bottom of loaded whose objects another core touched last */
	uint16_t is_open; /* has its magazines */
	uint64_t swaps;
	uint64_t exchanges;      /* magazines exchanged with a depot */
	uint64_t exchange_fails; /* no depot had enough to give */
	uint64_t contended;      /* the depot's lock was not free at the first try */
	uint64_t cross_core;     /* magazines received that another lcore had filled */
	uint64_t reclaimed;      /* objects given up because another lcore starved */
	uint64_t sent_home;      /* objects sent to their own node's depot */
	alignas(RTE_CACHE_LINE_SIZE) struct magazine *foreign[MAGAZINE_NODES_MAX]; /* on their way home */
	alignas(RTE_CACHE_LINE_SIZE) char guard[RTE_CACHE_LINE_SIZE]; /* from a neighbour's prefetches */
};

/* Where lcores are. Nodes are numbered 0 .. n_nodes - 1. */
struct magazine_topology {
	uint32_t n_nodes;                                         /* 1 .. MAGAZINE_NODES_MAX */
	uint8_t node_of[RTE_MAX_LCORE];                           /* by lcore */
	uint8_t distance[MAGAZINE_NODES_MAX][MAGAZINE_NODES_MAX]; /* as numa_distance() */
};

/* Where a pool's own memory comes from. */
struct magazine_memory {
	/* bytes aligned to a cache line, on node or, if that is SOCKET_ID_ANY, anywhere. NULL = there are none */
	void *(*alloc)(void *arg, size_t bytes, int node);
	void (*free)(void *arg, void *mem, size_t bytes);
	void *arg;
};

enum magazine_debug {
	MAGAZINE_DEBUG_DEFAULT, /* the environment's MAGAZINE_DEBUG, else the build's option */
	MAGAZINE_DEBUG_OFF,
	MAGAZINE_DEBUG_STATE,  /* who has each object: double and foreign frees are found and refused */
	MAGAZINE_DEBUG_POISON, /* and freed bytes are watched: writes after free are found at the next get */
};

/*
 * What a pool is made of; every field may be 0 unless it says otherwise.
 *
 * An adaptive M grows no further than lcores * (1 + nodes) * M <= population / 2, so that the caches of
 * lcores that never poll (magazine_poll()) leave at least half of the objects to the others; lcores are n_lcores,
 * or those that have opened a cache if these are more. Where not even MAGAZINE_ROUNDS_MIN fits n_lcores, there are
 * no caches and every call takes a depot's lock. Whoever pins M has done this sum himself (sizing.h).
 */
struct magazine_conf {
	const char *name;    /* required */
	uint32_t population; /* required: most objects it will ever hold */
	uint32_t n_lcores;   /* that will use it; bounds an adaptive M, see below; 0 = 1 */
	uint32_t size;       /* pins M: a power of two from MAGAZINE_ROUNDS_MIN to _MAX; 0 = adaptive */
	uint32_t size_max;   /* bounds an adaptive M, likewise a power of two; 0 = MAGAZINE_ROUNDS_MAX */
	int node;            /* NUMA node of its memory; SOCKET_ID_ANY = the caller's */
	const struct magazine_topology *topology; /* NULL = one node */
	const struct magazine_memory *memory; /* NULL = libnuma, or the C library on a machine of one node */
	enum magazine_debug debug;
	uint32_t
		touched; /* bytes at the start of an object that whoever gets it writes at once: see veil.c */
	uint32_t poison_offset; /* bytes of an object that mean nothing while it is free */
	uint32_t poison_len;    /* 0 = none: then poison is the same as state */
	/* what debugging found; NULL = stderr. Is called under a lock: not for calls to this pool */
	void (*report)(void *arg, const char *line);
	void *report_arg;
};

struct magazine_depot;
struct magazine_debugger;
struct magazine_fault;

/* The objects between begin and end are at home on node. */
struct magazine_range {
	uintptr_t begin, end;
	uint32_t node;
};

#define MAGAZINE_RANGES_MAX 64

struct magazine_pool {
	/* constant once the pool is filled */
	char name[MAGAZINE_NAME_LEN];
	uint32_t population;
	uint32_t size_min, size_max; /* of M; equal if it is pinned */
	uint32_t n_nodes;
	uint32_t home;    /* node of threads that are no lcore, and of objects in no range */
	bool is_uncached; /* too small: all objects stay in the depots */
	bool is_veiled;   /* every call takes the slow path: see veil.c */
	uint32_t touched; /* as in the conf */
	struct magazine_depot *depot[MAGAZINE_NODES_MAX];
	uint8_t near[MAGAZINE_NODES_MAX][MAGAZINE_NODES_MAX]; /* near[i]: all nodes, i first, nearest next */
	uint8_t node_of[RTE_MAX_LCORE];
	struct magazine_range range[MAGAZINE_RANGES_MAX]; /* by address */
	uint32_t n_ranges;
	uint32_t
		only_home; /* the node that every object is at home on; MAGAZINE_NODES_MAX = they are not on one */
	uint32_t n_lcores; /* as in the conf */
	uint32_t n_magazines;
	struct magazine_debugger *debugger; /* NULL = off */
	struct magazine_fault *fault;       /* NULL = none */
	struct magazine_memory memory;
	struct magazine *nil; /* what a closed cache points to; has no rounds */
	void **objects;       /* [population]: what was seeded, for the audit */
	uint32_t n_seeded;
	size_t bytes, depot_bytes;
	/* written when an lcore starves */
	alignas(RTE_CACHE_LINE_SIZE) uint32_t epoch;
	alignas(RTE_CACHE_LINE_SIZE) uint64_t starved_at; /* TSC */
	uint64_t starve_wait;                             /* TSC until the next call for objects */
	uint32_t n_open;                                  /* caches */
	alignas(RTE_CACHE_LINE_SIZE) struct magazine_cache cache[RTE_MAX_LCORE];
};

/*
 * Whether the environment's MAGAZINE_DEBUG and MAGAZINE_FAULT make sense, so that a program can say so before it
 * makes a pool. Returns 0, or -EINVAL or -ENOTSUP (see below) and *name, the variable.
 */
int magazine_environment_check(const char **name);

/* What the environment, or else the build, says about pools whose conf does not: off, state or poison; default if nonsense. */
enum magazine_debug magazine_debug_default(void);

/*
 * Makes an empty pool; objects come in with magazine_pool_seed(). All memory it will
 * ever use is taken and touched here. Needs no EAL. The environment's MAGAZINE_DEBUG and, in
 * builds with asserts, MAGAZINE_FAULT are read (debug.h, fault.h).
 * Returns 0 and *pool, or -EINVAL (population 0 or over 2^31, size, topology, or an environment
 * variable that makes no sense), -ENOTSUP (MAGAZINE_FAULT in a build without it), -ENOMEM.
 * The caller owns *pool and ends it with magazine_pool_destroy().
 */
int magazine_pool_create(const struct magazine_conf *conf, struct magazine_pool **pool);

/* Frees the pool's own memory, not the objects. No thread may use it any more. NULL is allowed. */
void magazine_pool_destroy(struct magazine_pool *pool);

/*
 * Says that objects from base up to base + bytes are at home on node. Before they are
 * seeded; for pools of several nodes. Returns 0, -EINVAL (no such node) or -ENOSPC
 * (MAGAZINE_RANGES_MAX; ranges that touch count as one). One thread.
 */
int magazine_pool_range(struct magazine_pool *pool, const void *base, size_t bytes, uint32_t node);

/*
 * Gives objs[n] to the depots of their nodes, not to the caller's cache: for filling a new pool.
 * Not counted in the ledger. Returns 0, or -ENOSPC (over the population), then
 * nothing was taken. Any thread, one at a time.
 */
int magazine_pool_seed(struct magazine_pool *pool, void *const *objs, uint32_t n);

/* Gives all magazines of a stopped lcore to the depots. Only while that lcore does not use the pool. */
void magazine_pool_flush(struct magazine_pool *pool, unsigned int lcore);

/*
 * Looks how busy the depots were since the last look and changes M accordingly. Exchanges do it by
 * themselves; only so that M also shrinks while nobody comes, a control thread calls it
 * every second or so. Any thread but a worker: it takes the locks.
 */
void magazine_pool_adapt(struct magazine_pool *pool);

/* The slow parts of the calls below. */
int magazine_get_slow(struct magazine_pool *pool, unsigned int lcore, void **objs, uint32_t n);
void magazine_put_slow(struct magazine_pool *pool, unsigned int lcore, void *const *objs, uint32_t n);
void magazine_give_up(struct magazine_pool *pool, unsigned int lcore);

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
 * Returns 0, or -ENOENT when this cache and the depots hold fewer than n
 * together; then the pool is unchanged, what objs holds means nothing, and the other
 * lcores are asked to give up theirs: try again a turn later. With several nodes a
 * get that fails holds some objects while it looks for the rest. The caller owns objs[n].
 */
static inline int
magazine_get_bulk(struct magazine_pool *pool, unsigned int lcore, void **objs, uint32_t n)
{
	if (unlikely(lcore >= RTE_MAX_LCORE || n > pool->cache[lcore].n_loaded))
		return magazine_get_slow(pool, lcore, objs, n);

	struct magazine_cache *c = &pool->cache[lcore];

	c->n_loaded -= n;
	c->gets += n;
	magazine_copy(objs, &c->rounds[c->n_loaded], n);
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
	void **const free_rounds = &c->rounds[c->n_loaded];

	c->n_loaded += n;
	c->puts += n;
	magazine_copy(free_rounds, objs, n);
}

/* Whether an lcore has starved since this one, lcore < RTE_MAX_LCORE, last gave up its magazines. */
static inline bool
magazine_is_wanted(const struct magazine_pool *pool, unsigned int lcore)
{
	return __atomic_load_n(&pool->epoch, __ATOMIC_RELAXED) != pool->cache[lcore].epoch;
}

/*
 * To be called by each lcore once per turn of its loop, lcore < RTE_MAX_LCORE: gives up previous, or
 * if that is empty loaded, when another lcore has starved since the last call. Costs one load of a
 * line that is written only then. An lcore that never calls it keeps what its two magazines hold.
 */
static inline void
magazine_poll(struct magazine_pool *pool, unsigned int lcore)
{
	if (unlikely(magazine_is_wanted(pool, lcore)))
		magazine_give_up(pool, lcore);
}

#ifdef __cplusplus
}
#endif

#endif
