/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of neighbours whose clock the test turns, and a protocol of what it wanted done. Neighbours are 10.0.0.N (or fe80::N), their MAC
 * addresses end in one byte, packets are numbers.
 */
#ifndef TABLE_H
#define TABLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "neigh.h"

#define PACKETS 8192u

struct table {
	struct neigh_table *t;
	uint64_t now_ns;
	char log[4096]; /* see log_is() */
	unsigned int n_log;
	bool quiet; /* nothing is logged, only counted */
	uint64_t n_asked, n_released;
	uint64_t fates[5];
	bool inside[PACKETS]; /* held by the table */
};

/* Opens one with these limits. The clock is at 1000 s. */
struct table *table_open(uint32_t n_fixed, uint32_t hold_max, uint32_t reachable_ms);

/* Every packet must come out. */
void table_close(struct table *w);

struct ip_addr addr4(uint32_t n);
struct ip_addr addr6(uint32_t n);

/* neigh_hold() and neigh_learn() for 10.0.0.n on port 0. */
enum neigh_held hold(struct table *w, uint32_t n, unsigned int packet);

/* mac < 0: none is told. say: any of the letters c(reate), s(olicited), o(verride). */
bool learn(struct table *w, uint32_t n, int mac, const char *say);

/* The state of 10.0.0.n on port 0, -1: there is no such neighbour. */
int state_of(const struct table *w, uint32_t n);
int mac_of(const struct table *w, uint32_t n);

/* So much later, in steps of at most 10 ms. */
void later(struct table *w, uint64_t ms);

/*
 * What was done since the last call is exactly this, separated by "; ":
 *   "ask 2" everybody is asked for 10.0.0.2     "ask 2 itself"     "known 2 0a" with its MAC     "unknown 2 0a"
 *   "ready 7", "failed 7", "replaced 7", "down 7", "stopped 7" packet 7
 */
void log_is(struct table *w, const char *expected);

/* The table agrees with itself: sums, limits, packets. */
void table_check(const struct table *w);

#endif
