/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cells there are: the selected arms and shapes, at each population that has room for the shape. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "patterns.h"
#include "poolbench.h"
#include "statistics.h"

static bool
shape_fits(const struct shape *shape, uint32_t population, uint32_t n_lcores)
{
	const uint32_t held = shape_held(shape, n_lcores);

	if (held <= population)
		return true;
	printf("%s: left out at population %u, it holds %u objects\n", shape->name, population, held);
	return false;
}

static void
group_create(struct plan *plan, const struct options *options, const struct shape *shape, uint32_t population)
{
	struct cell *cell = &plan->cells[plan->n_groups * plan->n_arms];

	for (size_t a = 0; a < n_arms; a++)
		if (patterns_match(options->arms, arms[a].name))
			*cell++ = (struct cell){.arm = &arms[a], .shape = shape, .population = population};
	plan->n_groups++;
}

static void
groups_create(struct plan *plan, const struct options *options, uint32_t n_lcores)
{
	for (size_t s = 0; s < n_shapes; s++) {
		const struct shape *shape = &shapes[s];

		if (!patterns_match(options->shapes, shape->name))
			continue;
		if (shape->n_lcores > n_lcores) {
			printf("%s: left out, it needs %u lcores\n", shape->name, shape->n_lcores);
			continue;
		}
		for (uint32_t p = 0; p < options->n_populations; p++)
			if (shape_fits(shape, options->populations[p], n_lcores))
				group_create(plan, options, shape, options->populations[p]);
	}
}

static int
samples_create(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_groups * plan->n_arms; i++) {
		struct cell *cell = &plan->cells[i];

		cell->samples =
			calloc((size_t)shape_n_metrics(cell->shape) * plan->n_rounds, sizeof(*cell->samples));
		cell->sizes = calloc(plan->n_rounds, sizeof(*cell->sizes));
		cell->latency = calloc(2 * (size_t)plan->n_rounds, sizeof(*cell->latency));
		if (!cell->samples || !cell->sizes || !cell->latency)
			return -ENOMEM;
	}
	return 0;
}

int
plan_create(struct plan *plan, const struct options *options, uint32_t n_lcores)
{
	*plan = (struct plan){.n_rounds = options->n_rounds};
	for (size_t a = 0; a < n_arms; a++)
		plan->n_arms += patterns_match(options->arms, arms[a].name);
	plan->cells = calloc(plan->n_arms * n_shapes * options->n_populations, sizeof(*plan->cells));
	if (!plan->cells)
		return -ENOMEM;
	groups_create(plan, options, n_lcores);
	if (plan->n_groups == 0)
		return -EINVAL;
	return samples_create(plan);
}

void
plan_destroy(struct plan *plan)
{
	for (size_t i = 0; plan->cells && i < plan->n_groups * plan->n_arms; i++) {
		free(plan->cells[i].samples);
		free(plan->cells[i].sizes);
		free(plan->cells[i].latency);
	}
	free(plan->cells);
}

void
cell_summarise(const struct cell *cell, uint32_t metric, uint32_t n_rounds, struct summary *summary)
{
	double values[ROUNDS_MAX];

	memcpy(values, &cell->samples[(size_t)metric * n_rounds], n_rounds * sizeof(values[0]));
	summary_make(values, n_rounds, summary);
}
