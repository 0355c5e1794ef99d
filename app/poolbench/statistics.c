/* SPDX-License-Identifier: BSD-3-Clause */
/* Quartiles and percentiles; statistics.h says how they are defined. */
#include <math.h>
#include <stdlib.h>

#include "statistics.h"

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
quantile(const double *sorted, uint32_t n, double share)
{
	const double position = share * (n - 1);
	const uint32_t below = (uint32_t)position;

	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (position - below) * (sorted[below + 1] - sorted[below]);
}

void
summary_make(double *values, uint32_t n, struct summary *summary)
{
	qsort(values, n, sizeof(*values), compare);
	*summary = (struct summary){
		.min = values[0],
		.q1 = quantile(values, n, 0.25),
		.median = quantile(values, n, 0.5),
		.q3 = quantile(values, n, 0.75),
		.max = values[n - 1],
	};
}

static uint64_t
bucket_floor(uint32_t bucket)
{
	const uint32_t octave = bucket >> HISTOGRAM_SUB_BITS;
	const uint32_t shift = octave > 1 ? octave - 1 : 0;

	return (uint64_t)(bucket - (shift << HISTOGRAM_SUB_BITS)) << shift;
}

uint64_t
histogram_percentile(const struct histogram *h, double share)
{
	const uint64_t wanted = (uint64_t)ceil(share * (double)h->n);
	uint64_t n = 0;

	for (uint32_t bucket = 0; bucket < HISTOGRAM_N_BUCKETS && h->n > 0; bucket++) {
		n += h->counts[bucket];
		if (n >= wanted)
			return bucket_floor(bucket);
	}
	return 0;
}
