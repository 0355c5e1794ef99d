/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A benchmark of lib/skb: what its verbs, the ways to build, the ways to account and ideas that did not make it cost per
 * packet. A table of arms, in groups: arms of a group differ in one thing and are compared with each other. Every
 * arm gives one sample per round, with pools of its own; rounds are interleaved, and each begins with another arm.
 *
 *   options.c   the command line        bed.c      pools for one sample
 *   arms.c      all tables of arms      turns.c    how one is timed on one lcore, sides.c on two sides
 *   run.c       the rounds              report.c   the table and the JSON
 *
 *   life.c      building and its two ends, by build point and ring
 *   verbs.c     clones, copies, chains
 *   owners.c    accounting; socks.c is how a kernel does it
 *   heads.c     what a head can be got and cleared by; places.c where that can be done
 *
 * What does not ship lives here and nowhere else.
 */
#ifndef SKBBENCH_H
#define SKBBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "skb.h"

#define BURST         32u
#define ROUNDS_MAX    1001u
#define N_METRICS_MAX 2

struct options {
	uint32_t n_rounds;
	uint32_t window_us;
	const char *only; /* patterns with commas between them; NULL = all */
	const char *json; /* a file's name, or NULL */
	bool help, list;
};

/* ---- what the parameters of arms can be ---- */

enum build { LATE, TWO_LOOPS, EARLY, LAZY };
enum ending { RELEASE, CONSUME };
enum owner_mode { NONE, ORPHAN_BURST, ORPHAN, ORPHAN_PACKET, COMPLETION, LOCKED_ORPHAN, THREE_LINES };
enum clear {
	VECTORS,
	FIELDS,
	WORDS,
	PAIRS,
	MEMSET_HOT,
	MEMSET_BOTH,
	STOSB_HOT,
	STOSB_BOTH,
	ADJACENT,
	ADJACENT_STOSB
};
enum reuse { LIFO, DEPOT, FIFO };
enum place { AT_RX, AFTER_ETH_TYPE, AT_PUNT };

struct arm;

/* What one sample works with. Made anew for each, so that no arm profits from the order that another left behind. */
struct bed {
	struct rte_mempool *mp;
	struct skb_pool *heads;
	struct skb_cpu cpu;     /* of the lcore that builds, or sends */
	struct skb_cpu far_cpu; /* of the one that completes; another with two lcores */
	struct rte_mbuf **ring; /* arm->ring posted buffers, or NULL */
	uint32_t ring_at;       /* the next to be received */
	void *state;            /* setup()'s, for the turns */
	uint64_t window;        /* TSC cycles */
};

struct arm {
	const char *group, *name;
	bool is_reference; /* of its group: what ships, wherever something does */
	uint32_t n_lcores;
	/* All return 0 or -errno. NULL: nothing to do. */
	int (*setup)(struct bed *bed, const struct arm *arm);
	int (*run)(struct bed *bed, const struct arm *arm, double *values);
	int (*fini)(struct bed *bed, const struct arm *arm); /* also says when something did not come back */
	/* For turns_run(): n_pkts packets on one lcore. */
	int (*turn)(struct bed *bed, const struct arm *arm);
	uint32_t n_pkts;
	/* For sides_run(): a burst on its way from one side to the other. send() may say -EAGAIN. */
	int (*send)(struct bed *bed, const struct arm *arm, void **objs);
	void (*receive)(struct bed *bed, const struct arm *arm, void **objs);
	/* For verb_turn(): does something to a packet and undoes it. */
	int (*verb)(struct skb_cpu *cpu, struct skb *skb);
	/* Parameters; only those that the functions read are set. */
	enum build build;
	enum ending ending;
	enum owner_mode mode;
	enum clear clear;
	enum reuse reuse;
	enum place place;
	uint32_t ring;     /* descriptors: buffers between the mempool and the packet's arrival; 0 = none */
	uint32_t bulk;     /* heads got and put at once */
	uint32_t distance; /* heads that are prefetched ahead */
	uint32_t n_heads;  /* in the pool; 0 = as many as there are buffers */
	uint32_t n_owners;
	uint32_t run_len; /* packets in a row with the same owner: 1 or BURST */
	uint32_t size;    /* bytes of a packet */
};

struct arm_table {
	const struct arm *arms;
	size_t n;
};

extern const struct arm_table life_arms, verb_arms, owner_arms, head_arms, place_arms;

/* Every arm, by number; NULL behind the last. */
const struct arm *arm_get(size_t i);
size_t arms_count(void);

/* "group/name", into text. */
void arm_name(const struct arm *arm, char text[64]);
/* The names of what run() gives; an arm on one lcore that is not split in sides has one number, named "". */
const char *arm_metric(const struct arm *arm, uint32_t metric);
uint32_t arm_n_metrics(const struct arm *arm);

/* ---- one sample ---- */

/* The caller ends it with bed_fini() if 0 is returned, else -errno. */
int bed_init(struct bed *bed, const struct arm *arm, uint32_t window_us);
/* Returns 0, or -EFAULT when a head or a buffer did not come back. */
int bed_fini(struct bed *bed, const struct arm *arm);

/* Cycles per packet of arm->turn(); of arm->send() and arm->receive(), each on its side. See turns.c and sides.c. */
int turns_run(struct bed *bed, const struct arm *arm, double *values);
int sides_run(struct bed *bed, const struct arm *arm, double *values);

/* ---- the program ---- */

struct cell {
	const struct arm *arm;
	double *samples; /* [metric * n_rounds + round] */
	double *latency; /* [2 * round]: core_latency_ns() before and after, of arms on two lcores */
};

struct plan {
	struct cell *cells;
	size_t n;
	uint32_t n_rounds;
};

struct surroundings {
	double timer_cycles;
	double core_latency_ns[2]; /* before and after; below zero = one lcore */
	char load[2][64];
};

/* Reads what is behind "--". Returns 0, or -EINVAL after one line on stderr. */
int options_parse(int argc, char **argv, struct options *options);
void options_print(const char *program);
void options_list(void);

/* Selects the arms that n_lcores can run. Returns 0, -ENOMEM, or -EINVAL: none is left. */
int plan_create(struct plan *plan, const struct options *options, uint32_t n_lcores);
void plan_destroy(struct plan *plan);

/* All rounds. Returns 0, or -errno after a line on stderr. */
int run_all(struct plan *plan, const struct options *options);

void report_print(const struct plan *plan, const struct surroundings *surroundings);
/* Returns 0, or -errno of a write that failed. Closes the file. */
int report_json(FILE *file, const struct plan *plan, const struct options *options,
	const struct surroundings *surroundings);

#endif
