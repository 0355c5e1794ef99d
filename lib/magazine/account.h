/* SPDX-License-Identifier: BSD-3-Clause */
/* The accounts of a pool: where its objects are, what it did, and whether all is there. */
#ifndef MAGAZINE_ACCOUNT_H
#define MAGAZINE_ACCOUNT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct magazine_pool;

/* What an lcore did, or all of them. Counters only grow. */
struct magazine_counts {
	uint64_t gets, puts;     /* objects */
	uint64_t swaps;          /* of loaded and previous */
	uint64_t exchanges;      /* magazines exchanged with a depot */
	uint64_t exchange_fails; /* no depot had enough to give */
	uint64_t contended;      /* the depot's lock was not free at the first try */
	uint64_t cross_core;     /* magazines received that another lcore had filled */
	uint64_t reclaimed;      /* objects given up because another lcore starved */
	uint64_t sent_home;      /* objects sent to their own node's depot */
};

/* A snapshot; exact when every lcore is at rest, otherwise each number is of its own moment. */
struct magazine_stats {
	struct magazine_counts counts; /* of every lcore and of threads that are none */
	uint32_t cached;               /* objects in the lcores' magazines */
	uint32_t depot;                /* objects in the depots: full magazines, loose, inbox */
	uint32_t out;                  /* gets - puts */
	uint32_t population;           /* objects seeded, which may be fewer than the pool has room for */
	uint32_t size;                 /* M; the largest if nodes differ */
	uint32_t epoch;                /* how often lcores were asked to give up their magazines */
	uint64_t errors;               /* found by debugging: frees refused, writes after free */
};

/* One lcore's. */
struct magazine_lcore_stats {
	struct magazine_counts counts;
	uint32_t loaded, previous, foreign; /* objects */
	uint32_t size;                      /* rounds its loaded magazine may hold */
};

/* One node's depot. */
struct magazine_depot_stats {
	uint32_t full, empty;            /* magazines */
	uint32_t rounds;                 /* objects in the full ones */
	uint32_t loose, inbox;           /* objects */
	uint32_t size;                   /* M */
	uint64_t grown, shrunk;          /* how often M changed */
	uint64_t exchanges;              /* magazines exchanged here, by anybody */
	uint64_t contended;              /* its lock was not free at the first try */
	uint64_t other_gets, other_puts; /* objects, by threads that are no lcore */
};

/* What is wrong with an object. */
enum magazine_flaw {
	MAGAZINE_MISSING, /* seeded, and nowhere in the pool */
	MAGAZINE_DOUBLE,  /* in more than one place */
	MAGAZINE_FOREIGN, /* in the pool, but never seeded */
};

struct magazine_finding {
	enum magazine_flaw flaw;
	void *object;
	unsigned int last_lcore; /* who got it last (missing) or put it (others); LCORE_ID_ANY = not known */
	char history[160];       /* its last gets and puts, if debugging keeps them; else "" */
};

/* Objects that could be got now: depots + every cache. Any thread; a moment's value. */
uint32_t magazine_pool_avail(const struct magazine_pool *pool);

/* Fills *stats. Any thread. */
void magazine_pool_stats(const struct magazine_pool *pool, struct magazine_stats *stats);

/* Fills *stats. Any thread. Returns 0, or -ENOENT if the lcore holds no magazines and never did anything. */
int magazine_pool_lcore_stats(
	const struct magazine_pool *pool, unsigned int lcore, struct magazine_lcore_stats *stats);

/* Fills *stats. Any thread. Returns 0, or -ENOENT if the pool has no such node. */
int magazine_pool_depot_stats(
	const struct magazine_pool *pool, uint32_t node, struct magazine_depot_stats *stats);

/*
 * Whether cached + depot + out == objects seeded and every magazine keeps the
 * invariants of magazine.h. Only when no other thread uses the pool.
 * Returns 0, or -EFAULT when something is missing or too much.
 */
int magazine_pool_check(const struct magazine_pool *pool);

/*
 * Looks for every object by its address and calls found() for each that is missing, doubly
 * present or foreign: what check finds, by name. An object somebody still holds is "missing":
 * call it when all should be home. Only when no other thread uses the pool; takes
 * memory. found may be NULL. Returns the number of findings, or -ENOMEM.
 */
int magazine_pool_audit(const struct magazine_pool *pool,
	void (*found)(void *arg, const struct magazine_finding *finding), void *arg);

/* "missing", "doubly present", "foreign". */
const char *magazine_flaw_name(enum magazine_flaw flaw);

#ifdef __cplusplus
}
#endif

#endif
