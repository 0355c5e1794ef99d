/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The forwarding information base of one family: up to two copies of an rte_fib
 * or rte_fib6, of which workers read one.
 *
 *   fib_side_touch()   notes a prefix that may show another id than before (choice.h)
 *   fib_side_prepare() brings the standby copy to what prefixes show now, or builds one
 *   (the caller swaps the view and waits for the workers)
 *   fib_side_settle()  brings the copy that was live to the same state; it is the standby now
 *
 * What a prefix should yield is never queued, only that it changed: applying a note compares what it shows
 * with the copy, so notes may be applied twice and in any order. Control thread only.
 */
#ifndef FIB_H
#define FIB_H

#include <stdbool.h>
#include <stdint.h>

#include "choice.h"
#include "route.h"

/* No adjacency or group has this id. */
#define FIB_ID_NONE 0x7fffu

/* Beyond so many changes a build costs about as much as they would. */
#define FIB_NOTES_MAX 65536u

/* How many things a copy can hold. */
struct fib_size {
	uint32_t n_routes;
	uint32_t n_tbl8;
	bool wide; /* 4-byte entries: for more than FIB_TBL8_MAX_NARROW tbl8 groups */
};

/* The index of a tbl8 group shares an entry with a flag, as a next-hop id does. */
#define FIB_TBL8_MAX_NARROW 0x7fffu
#define FIB_TBL8_MAX_WIDE   0xffffffu

/* What differs between rte_fib and rte_fib6; table is one or the other. */
struct fib_ops {
	/* How many tbl8 groups routes[n], sorted as by choice_sort(), make the library reserve when added in
	 * this order. */
	uint32_t (*count_tbl8)(const struct rib_route *routes, uint32_t n);
	uint32_t slack_tbl8; /* to add to that */
	void *(*create)(int node, const struct fib_size *size);
	void (*free)(void *table);
	/* The id that table has for exactly this prefix, 0 if none. */
	uint16_t (*find)(void *table, const struct ip_prefix *prefix);
	/* prefix is not in the table. Returns 0, or -errno: then the table is no longer right. */
	int (*add)(void *table, const struct ip_prefix *prefix, uint16_t id);
	/* prefix is in the table. Same returns. */
	int (*del)(void *table, const struct ip_prefix *prefix);
};

extern const struct fib_ops fib4_ops;
extern const struct fib_ops fib6_ops;

/* One copy. table NULL: no entry, everything yields 0. */
struct fib {
	void *table;
	struct fib_size size;
};

struct fib_side {
	const struct fib_ops *ops;
	const struct choice *choice;
	struct fib live;    /* workers read it */
	struct fib standby; /* table NULL: there is none */
	struct ip_prefix *notes;
	uint32_t n_notes;
	bool rebuild; /* more changes than notes: build anew, whatever they are */
	uint32_t n_builds;
};

/* Empty side that shows what choice says. Returns 0, -ENOMEM. */
int fib_side_init(struct fib_side *side, const struct choice *choice);
void fib_side_fini(struct fib_side *side);

void fib_side_touch(struct fib_side *side, const struct ip_prefix *prefix);
/* Any prefix may: both copies are to be built anew. */
void fib_side_touch_all(struct fib_side *side);
/* The id that the live copy has for exactly this prefix, 0 if none. */
uint16_t fib_side_live(const struct fib_side *side, const struct ip_prefix *prefix);
bool fib_side_changed(const struct fib_side *side);

/* Returns 0 and standby as it should be, or -ENOMEM: live and the notes are as before, so it can be tried
 * again. */
int fib_side_prepare(struct fib_side *side);

/* Exchanges live and standby, if there was a change. The caller publishes live.table. */
void fib_side_swap(struct fib_side *side);

/* After the grace period: nobody reads standby. Cannot fail: a standby that cannot be brought up to date is
 * freed. */
void fib_side_settle(struct fib_side *side);

/* Bytes of both copies. */
uint64_t fib_side_bytes(const struct fib_side *side);

#endif
