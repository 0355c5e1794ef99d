/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways in which one lcore uses a pool alone. Each is written once, as an inline
 * function of the kind of arm, and compiled for each kind.
 */
#include "subject.h"

#define BURST_MAX 64u
#define SWING_MAX 512u
#define CHUNK     1024u /* bursts between two looks at the clock */

/* n objects are got and put back. */
static __rte_always_inline int
same_core(const struct subject *s, enum arm_kind kind, uint32_t n, double *value)
{
	struct stopwatch watch = stopwatch_start(s);
	void *objs[BURST_MAX];

	while (stopwatch_runs(&watch)) {
		for (uint32_t i = 0; i < CHUNK; i++) {
			if (subject_get(s, kind, objs, n) < 0)
				return -ENOENT;
			objects_escape(objs);
			subject_put(s, kind, objs, n);
			objects_escape(objs);
		}
		watch.n += (uint64_t)CHUNK * n;
	}
	*value = stopwatch_cycles_each(&watch);
	return 0;
}

static __rte_always_inline int
same_core_of(const struct subject *s, uint32_t n, double *value)
{
	switch (s->kind) {
	case ARM_MEMPOOL: return same_core(s, ARM_MEMPOOL, n, value);
	case ARM_INLINE: return same_core(s, ARM_INLINE, n, value);
	case ARM_MALLOC: return same_core(s, ARM_MALLOC, n, value);
	}
	return -EINVAL;
}

/* A burst of 0 stands for one of 32 that the compiler does not know, as in a walk. */
int
same_core_run(const struct subject *s, const struct shape *shape, double *values)
{
	uint32_t n = BURST;

	switch (shape->burst) {
	case 1: return same_core_of(s, 1, values);
	case 8: return same_core_of(s, 8, values);
	case 32: return same_core_of(s, 32, values);
	case 64: return same_core_of(s, 64, values);
	}
	asm volatile("" : "+r"(n));
	return same_core_of(s, n, values);
}

/* A FIFO of objects that are out of the pool: each burst that is got pushes out the oldest. */
struct window {
	void **objs; /* n */
	uint32_t n, position;
};

static __rte_always_inline int
hold(const struct subject *s, enum arm_kind kind, const struct shape *shape, struct window *w, double *value)
{
	struct stopwatch watch = stopwatch_start(s);
	void *objs[BURST];

	for (; w->position < w->n; w->position += BURST)
		if (subject_get(s, kind, &w->objs[w->position], BURST) < 0)
			return -ENOENT;
	while (stopwatch_runs(&watch)) {
		for (uint32_t i = 0; i < CHUNK; i++) {
			if (subject_get(s, kind, objs, BURST) < 0)
				return -ENOENT;
			objects_escape(objs);
			objects_write(objs, BURST, shape->lines);
			if (w->n == 0) {
				subject_put(s, kind, objs, BURST);
				objects_escape(objs);
				continue;
			}
			w->position = w->position + BURST < w->n ? w->position + BURST : 0;
			subject_put(s, kind, &w->objs[w->position], BURST);
			memcpy(&w->objs[w->position], objs, sizeof(objs));
		}
		watch.n += (uint64_t)CHUNK * BURST;
	}
	for (uint32_t i = 0; i < w->n; i += BURST)
		subject_put(s, kind, &w->objs[i], BURST);
	*value = stopwatch_cycles_each(&watch);
	return 0;
}

int
hold_run(const struct subject *s, const struct shape *shape, double *values)
{
	struct window w = {.objs = calloc(shape->window + 1, sizeof(void *)), .n = shape->window};
	int ret = -EINVAL;

	if (!w.objs)
		return -ENOMEM;
	switch (s->kind) {
	case ARM_MEMPOOL: ret = hold(s, ARM_MEMPOOL, shape, &w, values); break;
	case ARM_INLINE: ret = hold(s, ARM_INLINE, shape, &w, values); break;
	case ARM_MALLOC: ret = hold(s, ARM_MALLOC, shape, &w, values); break;
	}
	free(w.objs);
	return ret;
}

/* As if a NIC completed many packets at once: so many are got in bursts, then all are put. */
static __rte_always_inline int
swing(const struct subject *s, enum arm_kind kind, uint32_t n, double *value)
{
	struct stopwatch watch = stopwatch_start(s);
	void *objs[SWING_MAX];

	while (stopwatch_runs(&watch)) {
		for (uint32_t i = 0; i < CHUNK * BURST; i += n) {
			for (uint32_t k = 0; k < n; k += BURST)
				if (subject_get(s, kind, &objs[k], BURST) < 0)
					return -ENOENT;
			objects_escape(objs);
			for (uint32_t k = 0; k < n; k += BURST)
				subject_put(s, kind, &objs[k], BURST);
			objects_escape(objs);
		}
		watch.n += (uint64_t)CHUNK * BURST;
	}
	*value = stopwatch_cycles_each(&watch);
	return 0;
}

int
swing_run(const struct subject *s, const struct shape *shape, double *values)
{
	switch (s->kind) {
	case ARM_MEMPOOL: return swing(s, ARM_MEMPOOL, shape->swing, values);
	case ARM_INLINE: return swing(s, ARM_INLINE, shape->swing, values);
	case ARM_MALLOC: return swing(s, ARM_MALLOC, shape->swing, values);
	}
	return -EINVAL;
}
