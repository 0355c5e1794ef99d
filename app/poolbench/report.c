/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables: one for each family of shapes and population; a row per arm, a column per shape and metric. */
#include <string.h>

#include "poolbench.h"
#include "statistics.h"

#define WIDTH_MIN 24

struct column {
	size_t group;
	uint32_t metric;
};

struct table {
	const struct plan *plan;
	struct column columns[32];
	int widths[32];
	uint32_t n_columns;
};

static const struct cell *
table_cell(const struct table *t, size_t arm, uint32_t column)
{
	return &t->plan->cells[t->columns[column].group * t->plan->n_arms + arm];
}

static void
cell_format(const struct cell *cell, uint32_t metric, uint32_t n_rounds, char text[64])
{
	struct summary summary;

	cell_summarise(cell, metric, n_rounds, &summary);
	if (summary.min < 0)
		snprintf(text, 64, "failed");
	else
		snprintf(text, 64, "%.2f (%.2f - %.2f)", summary.median, summary.q1, summary.q3);
}

static void
columns_add(struct table *t, size_t group)
{
	const struct shape *shape = t->plan->cells[group * t->plan->n_arms].shape;

	for (uint32_t m = 0; m < shape_n_metrics(shape) && t->n_columns < RTE_DIM(t->columns); m++)
		t->columns[t->n_columns++] = (struct column){.group = group, .metric = m};
}

static void
widths_measure(struct table *t)
{
	char text[64];

	for (uint32_t c = 0; c < t->n_columns; c++) {
		t->widths[c] = WIDTH_MIN;
		for (size_t a = 0; a < t->plan->n_arms; a++) {
			cell_format(table_cell(t, a, c), t->columns[c].metric, t->plan->n_rounds, text);
			t->widths[c] = RTE_MAX(t->widths[c], (int)strlen(text));
		}
	}
}

static void
table_print(struct table *t)
{
	const struct cell *first = table_cell(t, 0, 0);
	char text[64];

	widths_measure(t);
	printf("\n%s, population %u, %s\n%-20s", first->shape->family, first->population, first->shape->unit,
		"");
	for (uint32_t c = 0; c < t->n_columns; c++) {
		const struct shape *shape = table_cell(t, 0, c)->shape;
		const char *metric = shape->metrics[t->columns[c].metric];

		printf("  %-*s", t->widths[c], metric ? metric : shape->name);
	}
	for (size_t a = 0; a < t->plan->n_arms; a++) {
		printf("\n%-20s", table_cell(t, a, 0)->arm->name);
		for (uint32_t c = 0; c < t->n_columns; c++) {
			cell_format(table_cell(t, a, c), t->columns[c].metric, t->plan->n_rounds, text);
			printf("  %-*s", t->widths[c], text);
		}
	}
	printf("\n");
}

static bool
same_table(const struct cell *a, const struct cell *b)
{
	return !strcmp(a->shape->family, b->shape->family) && a->population == b->population;
}

void
report_print(const struct plan *plan)
{
	for (size_t g = 0; g < plan->n_groups; g++) {
		struct table t = {.plan = plan};
		bool is_first = true;

		for (size_t other = 0; other < plan->n_groups; other++) {
			if (!same_table(&plan->cells[g * plan->n_arms], &plan->cells[other * plan->n_arms]))
				continue;
			is_first = is_first && other >= g;
			columns_add(&t, other);
		}
		if (is_first)
			table_print(&t);
	}
}
