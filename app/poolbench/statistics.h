/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is said about many numbers: quartiles of the rounds of one measurement, and
 * percentiles of millions of calls, which are counted in buckets as they happen.
 *
 *   value   0 .. 255      one bucket each: exact
 *           256 .. 2^40   128 buckets for each power of two: below by less than 0.8 %
 */
#ifndef POOLBENCH_STATISTICS_H
#define POOLBENCH_STATISTICS_H

#include <stdint.h>

#include <rte_common.h>

#define HISTOGRAM_SUB_BITS  7
#define HISTOGRAM_MAX_BITS  40
#define HISTOGRAM_N_BUCKETS ((HISTOGRAM_MAX_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

struct summary {
	double min, q1, median, q3, max;
};

/* Of cycles, or whatever else is counted; begins as zero. One writer. */
struct histogram {
	uint64_t n;
	uint64_t counts[HISTOGRAM_N_BUCKETS];
};

/*
 * Sorts values[n], n >= 1, and fills *summary. Quartiles between two values are
 * interpolated linearly, as spreadsheets and numpy do.
 */
void summary_make(double *values, uint32_t n, struct summary *summary);

static inline uint32_t
histogram_bucket(uint64_t value)
{
	value = RTE_MIN(value, (UINT64_C(1) << HISTOGRAM_MAX_BITS) - 1);

	const uint32_t n_bits = 64u - (uint32_t)__builtin_clzll(value | 1);
	const uint32_t shift = n_bits > HISTOGRAM_SUB_BITS + 1 ? n_bits - HISTOGRAM_SUB_BITS - 1 : 0;

	return (shift << HISTOGRAM_SUB_BITS) + (uint32_t)(value >> shift);
}

static inline void
histogram_add(struct histogram *h, uint64_t value)
{
	h->n++;
	h->counts[histogram_bucket(value)]++;
}

/*
 * The smallest value that at least the given share (0 < share <= 1) of all values do
 * not exceed, rounded down to its bucket; 0 when there are none.
 */
uint64_t histogram_percentile(const struct histogram *h, double share);

#endif
