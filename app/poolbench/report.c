/* SPDX-License-Identifier: BSD-3-Clause */
/* The table: a row per arm, a column per shape, median (smallest - largest). */
#include <stdio.h>
#include <stdlib.h>

#include "poolbench.h"

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
cell_print(double *samples, uint32_t n)
{
	char text[64];

	qsort(samples, n, sizeof(*samples), compare);
	if (samples[0] < 0)
		snprintf(text, sizeof(text), "failed");
	else
		snprintf(
			text, sizeof(text), "%.2f (%.2f - %.2f)", samples[n / 2], samples[0], samples[n - 1]);
	printf("  %-24s", text);
}

void
report_print(double *samples, uint32_t n_rounds, uint32_t n_lcores)
{
	printf("%-16s", "");
	for (size_t s = 0; s < n_shapes; s++)
		if (shapes[s].n_lcores <= n_lcores)
			printf("  %-24s", shapes[s].name);
	printf("\n%-16s", "");
	for (size_t s = 0; s < n_shapes; s++)
		if (shapes[s].n_lcores <= n_lcores)
			printf("  %-24s", shapes[s].unit);
	printf("\n");
	for (size_t a = 0; a < n_arms; a++) {
		printf("%-16s", arms[a].name);
		for (size_t s = 0; s < n_shapes; s++)
			if (shapes[s].n_lcores <= n_lcores)
				cell_print(&samples[(a * n_shapes + s) * n_rounds], n_rounds);
		printf("\n");
	}
}
