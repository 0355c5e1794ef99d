/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A benchmark of packet-buffer pools: a table of arms (pools to compare) times a
 * table of shapes (ways to use a pool). Each pair gives one number per round;
 * rounds are interleaved, so that a disturbance hits all arms alike.
 */
#ifndef POOLBENCH_H
#define POOLBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_mempool.h>

struct magazine_pool;

struct options {
	uint32_t n_rounds;
	uint32_t population;
	uint32_t object_bytes;
	uint32_t magazine;  /* M, 0 = the default */
	uint32_t n_objects; /* per measurement, in thousands */
	bool help;
};

/* A pool to compare. */
struct arm {
	const char *name;
	const char *ops;
	uint32_t cache; /* of the mempool, in front of the ops */
	bool is_inline; /* past the mempool, straight into the magazines */
};

extern const struct arm arms[];
extern const size_t n_arms;

/* What a shape works on: one arm's pool, filled and unused. */
struct subject {
	struct rte_mempool *mp;
	struct magazine_pool *pool; /* set if the arm is inline */
	uint64_t n_objects;         /* to get and put */
};

/* A way to use a pool. */
struct shape {
	const char *name;
	const char *unit;
	uint32_t n_lcores;
	double (*run)(const struct subject *subject); /* the main lcore; returns a number of units */
};

extern const struct shape shapes[];
extern const size_t n_shapes;

/*
 * Reads the options behind "--" into *options, which holds defaults afterwards
 * for what was not given. Returns 0, or -EINVAL after one line on stderr.
 */
int options_parse(int argc, char **argv, struct options *options);
void options_print(const char *program);

/* Makes the pool of an arm. Returns 0, or a negative errno (no memory, ops unknown to the EAL). */
int subject_init(struct subject *subject, const struct arm *arm, const struct options *options);
void subject_fini(struct subject *subject);

/* Prints samples[n_rounds] of each arm and shape: the median, and the smallest and largest. Sorts them. */
void report_print(double *samples, uint32_t n_rounds, uint32_t n_lcores);

#endif
