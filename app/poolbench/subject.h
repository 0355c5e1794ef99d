/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the shapes use a pool. The kind of arm is a constant wherever these are called,
 * so that each arm is compiled as a program would call it, and so is the burst where
 * the shape has a constant one.
 */
#ifndef POOLBENCH_SUBJECT_H
#define POOLBENCH_SUBJECT_H

#include <errno.h>
#include <stdlib.h>

#include <rte_cycles.h>
#include <rte_lcore.h>

#include "magazine.h"
#include "poolbench.h"

/* Runs for a while that is not measured, then for a while that is. */
struct stopwatch {
	uint64_t warm_at, window;
	uint64_t from, to; /* of what was measured, in cycles; from is 0 until then */
	uint64_t n;        /* whatever the user counts, since from */
};

static __rte_always_inline struct stopwatch
stopwatch_start(const struct subject *s)
{
	return (struct stopwatch){.warm_at = rte_rdtsc() + s->warmup_cycles, .window = s->window_cycles};
}

/* Whether to go on. Costs about 20 cycles, so call it once in some thousand. */
static __rte_always_inline bool
stopwatch_runs(struct stopwatch *w)
{
	const uint64_t now = rte_rdtsc();

	if (unlikely(w->from == 0 && now >= w->warm_at)) {
		w->from = now;
		w->n = 0;
	} else if (unlikely(w->from != 0 && now >= w->from + w->window)) {
		w->to = now;
		return false;
	}
	return true;
}

static inline double
stopwatch_cycles_each(const struct stopwatch *w)
{
	return (double)(w->to - w->from) / (double)w->n;
}

static __rte_always_inline int
malloc_get(uint32_t object_bytes, void **objs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		objs[i] = malloc(object_bytes);
		if (likely(objs[i] != NULL))
			continue;
		while (i-- > 0)
			free(objs[i]);
		return -ENOMEM;
	}
	return 0;
}

/* All n or none; 0 or -errno. */
static __rte_always_inline int
subject_get(const struct subject *s, enum arm_kind kind, void **objs, uint32_t n)
{
	switch (kind) {
	case ARM_MEMPOOL: return rte_mempool_get_bulk(s->mp, objs, n);
	case ARM_INLINE: return magazine_get_bulk(s->pool, rte_lcore_id(), objs, n);
	case ARM_MALLOC: return malloc_get(s->object_bytes, objs, n);
	}
	return -EINVAL;
}

static __rte_always_inline void
subject_put(const struct subject *s, enum arm_kind kind, void *const *objs, uint32_t n)
{
	switch (kind) {
	case ARM_MEMPOOL: rte_mempool_put_bulk(s->mp, objs, n); break;
	case ARM_INLINE: magazine_put_bulk(s->pool, rte_lcore_id(), objs, n); break;
	case ARM_MALLOC:
		for (uint32_t i = 0; i < n; i++)
			free(objs[i]);
	}
}

/* The compiler must believe that others read and write objs[], or they stay in registers. */
static __rte_always_inline void
objects_escape(void **objs)
{
	asm volatile("" : : "r"(objs) : "memory");
}

/* Writes the first lines of each object, as the one does who makes a packet's headers. */
static __rte_always_inline void
objects_write(void *const *objs, uint32_t n, uint32_t lines)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t line = 0; line < lines; line++)
			*(volatile uint64_t *)((char *)objs[i] + (size_t)line * RTE_CACHE_LINE_SIZE) = i;
}

static __rte_always_inline void
objects_read(void *const *objs, uint32_t n, uint32_t lines)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t line = 0; line < lines; line++)
			(void)*(volatile uint64_t *)((char *)objs[i] + (size_t)line * RTE_CACHE_LINE_SIZE);
}

#endif
