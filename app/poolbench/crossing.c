/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects that one lcore gets and another puts back. The lcores are sides, joined by
 * rings with one producer and one consumer each:
 *
 *   pipeline   1 -> 0                n to 1   1, 2, .. -> 0
 *   crossing   0 <-> 1               1 to n   0 -> 1, 2, ..
 *
 * Side 0 is the main lcore. The sender writes two lines of each object and the
 * receiver reads both, as they would a packet's headers. A side that swings first gets
 * and sends so many objects, then receives and puts as many; others do a burst
 * of each in turn.
 *
 * Every side has its own stopwatch, so no side waits for another; the
 * result is the sum of their rates.
 */
#include <sched.h>
#include <stdalign.h>
#include <string.h>

#include <rte_launch.h>
#include <rte_ring.h>

#include "lcores.h"
#include "subject.h"

#define RING_SLOTS   1024
#define HEADER_LINES 2u
#define CHUNK        16u /* turns between two looks at the clock */

struct side {
	alignas(RTE_CACHE_LINE_SIZE) struct crossing *crossing;
	struct rte_ring *out[RTE_MAX_LCORE], *in[RTE_MAX_LCORE];
	uint32_t n_out, n_in;
	uint32_t next_out, next_in;
	uint32_t to_send, to_receive; /* of this swing */
	struct stopwatch watch;
	uint64_t n_measured; /* objects received while the stopwatch ran */
	alignas(RTE_CACHE_LINE_SIZE) char guard[RTE_CACHE_LINE_SIZE]; /* from a neighbour's prefetches */
};

struct crossing {
	const struct subject *s;
	uint32_t swing; /* 0 = a burst each in turn */
	uint32_t n_sides;
	uint32_t n_ready; /* sides that have begun */
	uint32_t n_over;  /* sides that have measured enough */
	bool cpus_shared;
	struct rte_ring *rings[RTE_MAX_LCORE];
	uint32_t n_rings;
	struct side sides[];
};

static __rte_always_inline uint32_t
side_send(struct side *side, enum arm_kind kind)
{
	struct rte_ring *ring = side->out[side->next_out];
	void *objs[BURST];

	if (++side->next_out == side->n_out)
		side->next_out = 0;
	if (rte_ring_free_count(ring) < BURST || subject_get(side->crossing->s, kind, objs, BURST) < 0)
		return 0;
	objects_write(objs, BURST, HEADER_LINES);
	/* The only producer has seen the room. */
	return rte_ring_sp_enqueue_bulk(ring, objs, BURST, NULL);
}

static __rte_always_inline uint32_t
side_receive(struct side *side, enum arm_kind kind)
{
	struct rte_ring *ring = side->in[side->next_in];
	void *objs[BURST];

	if (++side->next_in == side->n_in)
		side->next_in = 0;
	if (rte_ring_sc_dequeue_bulk(ring, objs, BURST, NULL) == 0)
		return 0;
	objects_read(objs, BURST, HEADER_LINES);
	subject_put(side->crossing->s, kind, objs, BURST);
	side->watch.n += BURST;
	return BURST;
}

static __rte_always_inline uint32_t
side_turn(struct side *side, enum arm_kind kind)
{
	uint32_t n = 0;

	if (side->n_out > 0)
		n += side_send(side, kind);
	if (side->n_in > 0)
		n += side_receive(side, kind);
	return n;
}

static __rte_always_inline uint32_t
side_swing(struct side *side, enum arm_kind kind)
{
	uint32_t n;

	if (side->to_send > 0) {
		n = side_send(side, kind);
		side->to_send -= n;
		return n;
	}
	n = side_receive(side, kind);
	side->to_receive -= n;
	if (side->to_receive == 0)
		side->to_send = side->to_receive = side->crossing->swing;
	return n;
}

/* A spinning thread that has no CPU of its own must let the others run. */
static void
side_rest(const struct side *side)
{
	if (side->crossing->cpus_shared)
		sched_yield();
	else
		rte_pause();
}

/* A side that has measured enough goes on until all have: the others' traffic depends on it. */
static bool
side_runs(struct side *side)
{
	struct crossing *c = side->crossing;

	if (side->watch.to == 0 && !stopwatch_runs(&side->watch)) {
		side->n_measured = side->watch.n;
		__atomic_fetch_add(&c->n_over, 1, __ATOMIC_RELAXED);
	}
	return __atomic_load_n(&c->n_over, __ATOMIC_RELAXED) < c->n_sides;
}

static __rte_always_inline void
side_work(struct side *side, enum arm_kind kind)
{
	struct crossing *c = side->crossing;

	__atomic_fetch_add(&c->n_ready, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&c->n_ready, __ATOMIC_ACQUIRE) < c->n_sides)
		side_rest(side);
	side->watch = stopwatch_start(c->s);
	while (side_runs(side)) {
		for (uint32_t i = 0; i < CHUNK; i++) {
			const uint32_t n = c->swing > 0 ? side_swing(side, kind) : side_turn(side, kind);

			if (n == 0)
				side_rest(side);
		}
	}
}

static int
side_main(void *arg)
{
	struct side *side = arg;

	switch (side->crossing->s->kind) {
	case ARM_MEMPOOL: side_work(side, ARM_MEMPOOL); break;
	case ARM_INLINE: side_work(side, ARM_INLINE); break;
	case ARM_MALLOC: side_work(side, ARM_MALLOC); break;
	}
	return 0;
}

static int
ring_add(struct crossing *c, struct side *from, struct side *to)
{
	char name[RTE_RING_NAMESIZE];
	struct rte_ring *ring;

	snprintf(name, sizeof(name), "poolbench_%u", c->n_rings);
	ring = rte_ring_create(name, RING_SLOTS, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	if (!ring)
		return -ENOMEM;
	c->rings[c->n_rings++] = ring;
	from->out[from->n_out++] = ring;
	to->in[to->n_in++] = ring;
	return 0;
}

static int
rings_create(struct crossing *c, enum topology topology)
{
	int ret = 0;

	for (uint32_t i = 1; i < c->n_sides && ret == 0; i++) {
		if (topology != TOPOLOGY_1_TO_N)
			ret = ring_add(c, &c->sides[i], &c->sides[0]);
		if (ret == 0 && (topology == TOPOLOGY_CROSSING || topology == TOPOLOGY_1_TO_N))
			ret = ring_add(c, &c->sides[0], &c->sides[i]);
	}
	return ret;
}

/* What is still in the rings goes home, for the arms whose objects outlive their pool. */
static void
rings_destroy(struct crossing *c)
{
	void *obj;

	for (uint32_t i = 0; i < c->n_rings; i++) {
		while (rte_ring_sc_dequeue(c->rings[i], &obj) == 0)
			subject_put(c->s, c->s->kind, &obj, 1);
		rte_ring_free(c->rings[i]);
	}
}

static int
sides_run(struct crossing *c)
{
	unsigned int lcore = rte_get_main_lcore();
	uint32_t n = 1;

	while (n < c->n_sides) {
		lcore = rte_get_next_lcore(lcore, 1, 1);
		if (rte_eal_remote_launch(side_main, &c->sides[n], lcore) < 0)
			break;
		n++;
	}
	if (n < c->n_sides) {
		/* Those that have been started end at once. */
		__atomic_store_n(&c->n_over, c->n_sides, __ATOMIC_RELAXED);
		__atomic_fetch_add(&c->n_ready, c->n_sides, __ATOMIC_ACQ_REL);
	} else {
		side_main(&c->sides[0]);
	}
	rte_eal_mp_wait_lcore();
	return n < c->n_sides ? -EBUSY : 0;
}

/* Millions of objects a second. */
static double
sides_rate(const struct crossing *c)
{
	double rate = 0;

	for (uint32_t i = 0; i < c->n_sides; i++) {
		const struct side *side = &c->sides[i];

		if (side->n_in > 0)
			rate += (double)side->n_measured / (double)(side->watch.to - side->watch.from);
	}
	return rate * (double)rte_get_tsc_hz() / 1e6;
}

int
crossing_run(const struct subject *s, const struct shape *shape, double *values)
{
	const bool all = shape->topology == TOPOLOGY_N_TO_1 || shape->topology == TOPOLOGY_1_TO_N;
	const uint32_t n_sides = all ? rte_lcore_count() : 2;
	const size_t n_bytes = sizeof(struct crossing) + n_sides * sizeof(struct side);
	struct crossing *c = aligned_alloc(alignof(struct side), n_bytes);
	int ret;

	if (!c)
		return -ENOMEM;
	memset(c, 0, n_bytes);
	c->s = s;
	c->swing = shape->swing;
	c->n_sides = n_sides;
	c->cpus_shared = lcores_share_cpus();
	for (uint32_t i = 0; i < n_sides; i++) {
		c->sides[i].crossing = c;
		c->sides[i].to_send = c->sides[i].to_receive = shape->swing;
	}
	ret = rings_create(c, shape->topology);
	if (ret == 0)
		ret = sides_run(c);
	if (ret == 0)
		*values = sides_rate(c);
	rings_destroy(c);
	free(c);
	return ret;
}
