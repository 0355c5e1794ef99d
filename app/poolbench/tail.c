/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What single calls cost: 64 gets of a burst, then 64 puts, each between two reads of
 * the time-stamp counter. The read waits for what went before it, so a call pays for
 * its own misses. What an empty pair of reads costs is taken off.
 */
#include <string.h>

#include "statistics.h"
#include "subject.h"

#define N_CALLS       64u
#define N_EMPTY_PAIRS 100000u

static const double shares[N_METRICS_MAX] = {0.5, 0.99, 0.999, 0.9999};

/* One for the time of warming up, one for the time that counts. */
static struct histogram histograms[2];

static __rte_always_inline uint64_t
timer_read(void)
{
#ifdef RTE_ARCH_X86
	uint32_t low, high;

	asm volatile("rdtscp" : "=a"(low), "=d"(high) : : "rcx", "memory");
	return (uint64_t)high << 32 | low;
#else
	return rte_rdtsc_precise();
#endif
}

double
tail_timer_cycles(void)
{
	static double timer_cycles;
	struct histogram *h = &histograms[1];

	/* Once in a run: what is taken off must be what was printed. */
	if (timer_cycles > 0)
		return timer_cycles;
	memset(h, 0, sizeof(*h));
	for (uint32_t i = 0; i < N_EMPTY_PAIRS; i++) {
		const uint64_t start = timer_read();

		histogram_add(h, timer_read() - start);
	}
	timer_cycles = (double)histogram_percentile(h, 0.5);
	return timer_cycles;
}

static __rte_always_inline int
up_and_down(const struct subject *s, enum arm_kind kind, struct histogram *h)
{
	void *objs[N_CALLS][BURST];

	for (uint32_t i = 0; i < N_CALLS; i++) {
		const uint64_t start = timer_read();
		const int ret = subject_get(s, kind, objs[i], BURST);

		histogram_add(h, timer_read() - start);
		if (ret < 0)
			return ret;
	}
	objects_escape(objs[0]);
	for (uint32_t i = 0; i < N_CALLS; i++) {
		const uint64_t start = timer_read();

		subject_put(s, kind, objs[i], BURST);
		histogram_add(h, timer_read() - start);
	}
	return 0;
}

static __rte_always_inline int
tail(const struct subject *s, enum arm_kind kind)
{
	struct stopwatch watch = stopwatch_start(s);

	while (stopwatch_runs(&watch))
		if (up_and_down(s, kind, &histograms[watch.from != 0]) < 0)
			return -ENOENT;
	return 0;
}

int
tail_run(const struct subject *s, const struct shape *shape, double *values)
{
	const double timer = tail_timer_cycles();
	int ret = -EINVAL;

	memset(histograms, 0, sizeof(histograms));
	switch (s->kind) {
	case ARM_MEMPOOL: ret = tail(s, ARM_MEMPOOL); break;
	case ARM_INLINE: ret = tail(s, ARM_INLINE); break;
	case ARM_MALLOC: ret = tail(s, ARM_MALLOC); break;
	}
	for (uint32_t i = 0; i < shape_n_metrics(shape); i++)
		values[i] = RTE_MAX((double)histogram_percentile(&histograms[1], shares[i]) - timer, 0.0);
	return ret;
}
