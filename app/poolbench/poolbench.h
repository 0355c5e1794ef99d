/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A benchmark of packet-buffer pools: a table of arms (pools to compare) times a
 * table of shapes (ways to use a pool) times the populations that were asked for.
 * Each of these cells gives one sample per round; rounds are interleaved and the
 * order of the arms turns with them, so that a disturbance hits all arms alike.
 *
 *   options.c   the command line       arms.c      the pools
 *   shapes.c    the ways to use one    same_core.c, crossing.c, tail.c: how that is done
 *   plan.c      which cells            run.c       one after the other
 *   report.c    the tables             json.c      everything, for programs
 */
#ifndef POOLBENCH_H
#define POOLBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_mempool.h>

struct magazine_pool;

#define BURST           32u
#define N_METRICS_MAX   4
#define POPULATIONS_MAX 8
#define ROUNDS_MAX      1001u

struct options {
	uint32_t n_rounds;
	uint32_t populations[POPULATIONS_MAX];
	uint32_t n_populations;
	uint32_t object_bytes;
	uint32_t warmup_ms, window_ms;
	const char *arms, *shapes; /* patterns with commas between them; NULL = all */
	const char *json;          /* a file's name, or NULL */
	bool help, list;
};

enum arm_kind {
	ARM_MEMPOOL,
	ARM_INLINE, /* past the mempool, straight into its magazines */
	ARM_MALLOC,
};

/* A pool to compare. */
struct arm {
	const char *name;
	enum arm_kind kind;
	const char *ops;
	uint32_t cache;    /* of the mempool, in front of the ops */
	uint32_t magazine; /* M of ours, 0 = adaptive */
};

extern struct arm arms[]; /* their names are there after arms_init() */
extern const size_t n_arms;

/* What a shape works on: one arm's pool, filled and unused. */
struct subject {
	struct rte_mempool *mp;
	struct magazine_pool *pool; /* set if it is ours */
	enum arm_kind kind;
	uint32_t object_bytes;
	uint64_t warmup_cycles, window_cycles;
};

enum topology { TOPOLOGY_PIPELINE, TOPOLOGY_CROSSING, TOPOLOGY_N_TO_1, TOPOLOGY_1_TO_N };

/* A way to use a pool. Only the fields that a run() reads are set. */
struct shape {
	const char *name;
	const char *family; /* shapes that share a table */
	const char *unit;
	const char *metrics[N_METRICS_MAX]; /* names of what run() gives; none = one number */
	uint32_t n_lcores;                  /* fewest */
	bool settles;                       /* magazines change hands, so the adaptive size needs time */
	uint32_t burst;
	uint32_t window; /* objects held */
	uint32_t lines;  /* of an object, touched when it is got */
	uint32_t swing;  /* objects got in a row, then as many put in a row */
	enum topology topology;
	/* On the main lcore. Fills values[] and returns 0, or -errno when the pool could not do it. */
	int (*run)(const struct subject *subject, const struct shape *shape, double *values);
};

extern const struct shape shapes[];
extern const size_t n_shapes;

/* One arm in one shape at one population. */
struct cell {
	const struct arm *arm;
	const struct shape *shape;
	uint32_t population;
	double *samples; /* [metric * n_rounds + round]; below zero = failed */
	double *latency; /* [2 * round]: core_latency_ns() before and after, of shapes with several lcores */
	/* Of ours only. */
	uint32_t *sizes;                                 /* M at the end of each round */
	uint64_t gets, exchanges, contended, cross_core; /* sums over the rounds, warming up included */
};

/* Groups of cells, [group * n_arms + arm]: what is in a group is compared with each other. */
struct plan {
	uint32_t n_rounds;
	size_t n_arms, n_groups;
	struct cell *cells;
};

/* What has to be known beside the samples. */
struct surroundings {
	double timer_cycles;       /* of an empty pair of timer reads */
	double core_latency_ns[2]; /* one way, before and after; below zero = one lcore */
	char load[2][64];          /* /proc/loadavg at the start and at the end */
	bool cpus_shared;          /* more lcores than CPUs */
};

/*
 * Reads the options behind "--" into *options, which holds defaults afterwards
 * for what was not given. Returns 0, or -EINVAL after one line on stderr.
 * After arms_init(), because it refuses patterns that match nothing.
 */
int options_parse(int argc, char **argv, struct options *options);
void options_print(const char *program);
void options_list(void);
/* Names the malloc arm after the library that malloc() comes from: LD_PRELOAD decides. */
void arms_init(void);

/*
 * Makes the pool of an arm. Returns 0 or a negative errno (no memory, ops unknown to
 * the EAL). The caller ends it with subject_fini().
 */
int subject_init(struct subject *subject, const struct cell *cell, const struct options *options);
void subject_fini(struct subject *subject);

/* The bodies of the shapes; see struct shape. */
int same_core_run(const struct subject *subject, const struct shape *shape, double *values);
int hold_run(const struct subject *subject, const struct shape *shape, double *values);
int swing_run(const struct subject *subject, const struct shape *shape, double *values);
int crossing_run(const struct subject *subject, const struct shape *shape, double *values);
int tail_run(const struct subject *subject, const struct shape *shape, double *values);

/* Cycles that tail_run() takes off each call: the median of empty pairs of timer reads. */
double tail_timer_cycles(void);

/* How many numbers a shape gives. */
uint32_t shape_n_metrics(const struct shape *shape);
/* The most objects that the shape itself has out of the pool at once. */
uint32_t shape_held(const struct shape *shape, uint32_t n_lcores);

/*
 * Selects the cells. What the lcores or a population cannot do is left out after a
 * line on stdout. Returns 0, -ENOMEM, or -EINVAL when nothing is left.
 */
int plan_create(struct plan *plan, const struct options *options, uint32_t n_lcores);
void plan_destroy(struct plan *plan);

/* Median and quartiles of one metric. */
struct summary;
void cell_summarise(const struct cell *cell, uint32_t metric, uint32_t n_rounds, struct summary *summary);

/* All rounds, into the samples of the cells. Returns 0, or a negative errno after a line on stderr. */
int run_all(struct plan *plan, const struct options *options);

void report_print(const struct plan *plan);
/* Returns 0, or -errno of a write that failed. Closes the file. */
int json_write(FILE *file, const struct plan *plan, const struct options *options,
	const struct surroundings *surroundings);

#endif
