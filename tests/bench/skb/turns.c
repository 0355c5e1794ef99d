/* SPDX-License-Identifier: BSD-3-Clause */
/* How an arm on one lcore is timed: turn by turn, for a window after half a window of the same. */
#include <stdlib.h>

#include "skbbench.h"
#include "statistics.h"
#include "timing.h"

#define N_EMPTY 1001u

double
timer_cycles(void)
{
	static double empty[N_EMPTY];
	struct summary summary;

	for (uint32_t i = 0; i < N_EMPTY; i++) {
		const uint64_t start = timer_read();

		empty[i] = (double)(timer_read() - start);
	}
	summary_make(empty, N_EMPTY, &summary);
	return summary.median;
}

double
turns_mean(struct turns *turns)
{
	const uint32_t n_kept = turns->n - turns->n / 10;
	struct summary summary;
	double sum = 0;

	if (turns->n == 0)
		return -1;
	summary_make(turns->cycles, turns->n, &summary);
	for (uint32_t i = 0; i < n_kept; i++)
		sum += turns->cycles[i];
	return sum / n_kept - timer_cycles();
}

int
turns_run(struct bed *bed, const struct arm *arm, double *values)
{
	static struct turns turns;
	const uint64_t begin = rte_rdtsc();
	uint64_t before, after;

	turns.n = 0;
	do {
		int ret;

		before = timer_read();
		ret = arm->turn(bed, arm);
		after = timer_read();
		if (ret < 0)
			return ret;
		if (before - begin >= bed->window / 2)
			turns_add(&turns, after - before);
	} while (after - begin < bed->window + bed->window / 2 || turns.n < TURNS_MIN);
	*values = turns_mean(&turns) / arm->n_pkts;
	return 0;
}
