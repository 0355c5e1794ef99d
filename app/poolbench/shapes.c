/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways a pool is used. What a shape does with a pool is written once, as an
 * inline function of whether the pool is used through the mempool or past it and
 * (where known) of the burst; so every arm is compiled as a program would call it.
 *
 * Objects that cross lcores have their first line written by the one who got them
 * and read by the one who puts them, as a packet header is.
 */
#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_ring.h>

#include "magazine.h"
#include "poolbench.h"

#define BURST      32u
#define DEPTH      8u
#define RING_SLOTS 1024

static __rte_always_inline int
subject_get(const struct subject *s, bool is_inline, void **objs, uint32_t n)
{
	if (is_inline)
		return magazine_get_bulk(s->pool, rte_lcore_id(), objs, n);
	return rte_mempool_get_bulk(s->mp, objs, n);
}

static __rte_always_inline void
subject_put(const struct subject *s, bool is_inline, void *const *objs, uint32_t n)
{
	if (is_inline)
		magazine_put_bulk(s->pool, rte_lcore_id(), objs, n);
	else
		rte_mempool_put_bulk(s->mp, objs, n);
}

/* n objects are got and put back by one lcore. The barriers keep them from staying in registers. */
static __rte_always_inline double
same_core(const struct subject *s, bool is_inline, uint32_t n)
{
	const uint64_t n_rounds = s->n_objects / n;
	void *objs[BURST];
	uint64_t start = 0;

	/* the first tenth is for warming up */
	for (uint64_t i = 0; i < n_rounds + n_rounds / 10; i++) {
		if (i == n_rounds / 10)
			start = rte_rdtsc_precise();
		if (subject_get(s, is_inline, objs, n) < 0)
			return -1;
		rte_compiler_barrier();
		subject_put(s, is_inline, objs, n);
		rte_compiler_barrier();
	}
	return (double)(rte_rdtsc_precise() - start) / (double)(n_rounds * n);
}

static double
same_core_1(const struct subject *s)
{
	return s->pool ? same_core(s, true, 1) : same_core(s, false, 1);
}

static double
same_core_32(const struct subject *s)
{
	return s->pool ? same_core(s, true, BURST) : same_core(s, false, BURST);
}

/* The same, but as in a walk: the compiler does not know how many there are. */
static double
same_core_n(const struct subject *s)
{
	uint32_t n = BURST;

	asm volatile("" : "+r"(n));
	return s->pool ? same_core(s, true, n) : same_core(s, false, n);
}

/* Eight bursts are got, then all put: as if a NIC completed 256 packets at once. */
static __rte_always_inline double
same_core_deep(const struct subject *s, bool is_inline)
{
	const uint64_t n_rounds = s->n_objects / ((uint64_t)DEPTH * BURST);
	void *objs[DEPTH][BURST];
	uint64_t start = 0;

	for (uint64_t i = 0; i < n_rounds + n_rounds / 10; i++) {
		if (i == n_rounds / 10)
			start = rte_rdtsc_precise();
		for (uint32_t k = 0; k < DEPTH; k++)
			if (subject_get(s, is_inline, objs[k], BURST) < 0)
				return -1;
		rte_compiler_barrier();
		for (uint32_t k = 0; k < DEPTH; k++)
			subject_put(s, is_inline, objs[k], BURST);
		rte_compiler_barrier();
	}
	return (double)(rte_rdtsc_precise() - start) / (double)(n_rounds * DEPTH * BURST);
}

static double
same_core_256(const struct subject *s)
{
	return s->pool ? same_core_deep(s, true) : same_core_deep(s, false);
}

/* Two lcores; ring[i] goes to side i. */
struct crossing {
	const struct subject *s;
	struct rte_ring *ring[2];
	uint64_t n_objects; /* each side sends, if it does */
	uint32_t n_ready;   /* sides that have begun */
};

struct side {
	struct crossing *crossing;
	uint32_t number;
	bool sends, receives;
	uint64_t cycles;
};

static __rte_always_inline uint32_t
side_send(struct side *side, bool is_inline)
{
	struct crossing *c = side->crossing;
	struct rte_ring *ring = c->ring[1 - side->number];
	void *objs[BURST];

	if (rte_ring_free_count(ring) < BURST || subject_get(c->s, is_inline, objs, BURST) < 0)
		return 0;
	for (uint32_t i = 0; i < BURST; i++)
		*(volatile uint64_t *)objs[i] = i;
	/* The only producer has seen the room. */
	return rte_ring_sp_enqueue_bulk(ring, objs, BURST, NULL);
}

static __rte_always_inline uint32_t
side_receive(struct side *side, bool is_inline)
{
	struct crossing *c = side->crossing;
	void *objs[BURST];
	const uint32_t n = rte_ring_sc_dequeue_bulk(c->ring[side->number], objs, BURST, NULL);

	if (n == 0)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		(void)*(volatile uint64_t *)objs[i];
	subject_put(c->s, is_inline, objs, n);
	return n;
}

static __rte_always_inline void
side_run(struct side *side, bool is_inline)
{
	struct crossing *c = side->crossing;
	uint64_t to_send = side->sends ? c->n_objects : 0;
	uint64_t to_receive = side->receives ? c->n_objects : 0;
	uint64_t start;

	__atomic_fetch_add(&c->n_ready, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&c->n_ready, __ATOMIC_ACQUIRE) < 2)
		rte_pause();
	start = rte_rdtsc_precise();
	while (to_send > 0 || to_receive > 0) {
		uint32_t n_moved = 0;

		if (to_send > 0) {
			const uint32_t n = side_send(side, is_inline);

			to_send -= n;
			n_moved += n;
		}
		if (to_receive > 0) {
			const uint32_t n = side_receive(side, is_inline);

			to_receive -= n;
			n_moved += n;
		}
		if (n_moved == 0)
			rte_pause();
	}
	side->cycles = rte_rdtsc_precise() - start;
}

static int
side_main(void *arg)
{
	struct side *side = arg;

	if (side->crossing->s->pool)
		side_run(side, true);
	else
		side_run(side, false);
	return 0;
}

/* Runs side 0 here and side 1 on the first worker. Returns millions of objects a second. */
static double
crossing_run(const struct subject *s, bool both_ways)
{
	const unsigned int worker = rte_get_next_lcore(-1, 1, 0);
	struct crossing c = {.s = s};
	struct side sides[2] = {
		{.crossing = &c, .number = 0, .sends = both_ways, .receives = true},
		{.crossing = &c, .number = 1, .sends = true, .receives = both_ways},
	};
	double result = -1;

	c.n_objects = RTE_ALIGN_FLOOR(s->n_objects / (both_ways ? 2 : 1), BURST);
	c.ring[0] = rte_ring_create("poolbench_0", RING_SLOTS, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	c.ring[1] = rte_ring_create("poolbench_1", RING_SLOTS, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	if (c.ring[0] && c.ring[1] && rte_eal_remote_launch(side_main, &sides[1], worker) == 0) {
		side_main(&sides[0]);
		rte_eal_wait_lcore(worker);
		result = (double)(c.n_objects * (both_ways ? 2 : 1)) * (double)rte_get_tsc_hz() /
			 (double)RTE_MAX(sides[0].cycles, sides[1].cycles) / 1e6;
	}
	rte_ring_free(c.ring[0]);
	rte_ring_free(c.ring[1]);
	return result;
}

static double
pipeline(const struct subject *s)
{
	return crossing_run(s, false);
}

static double
both_ways(const struct subject *s)
{
	return crossing_run(s, true);
}

const struct shape shapes[] = {
	{"same core, 1", "cycles/object", 1, same_core_1},
	{"same core, 32", "cycles/object", 1, same_core_32},
	{"same core, n=32", "cycles/object", 1, same_core_n},
	{"same core, 8 x 32", "cycles/object", 1, same_core_256},
	{"pipeline 1:1", "Mobj/s", 2, pipeline},
	{"crossing", "Mobj/s", 2, both_ways},
};
const size_t n_shapes = RTE_DIM(shapes);
