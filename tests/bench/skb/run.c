/* SPDX-License-Identifier: BSD-3-Clause */
/* Which arms, and the rounds. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "patterns.h"
#include "lcores.h"
#include "skbbench.h"

static int
cell_add(struct plan *plan, const struct arm *arm)
{
	struct cell *cell = &plan->cells[plan->n++];

	cell->arm = arm;
	cell->samples = calloc((size_t)plan->n_rounds * N_METRICS_MAX, sizeof(*cell->samples));
	cell->latency = calloc((size_t)plan->n_rounds * 2, sizeof(*cell->latency));
	return cell->samples && cell->latency ? 0 : -ENOMEM;
}

int
plan_create(struct plan *plan, const struct options *options, uint32_t n_lcores)
{
	bool left_out = false;
	char name[64];
	int ret = 0;

	*plan = (struct plan){
		.n_rounds = options->n_rounds, .cells = calloc(arms_count(), sizeof(*plan->cells))};
	if (!plan->cells)
		return -ENOMEM;
	for (size_t i = 0; i < arms_count() && ret == 0; i++) {
		const struct arm *arm = arm_get(i);

		arm_name(arm, name);
		if (!patterns_match(options->only, name))
			continue;
		if (arm->n_lcores <= n_lcores)
			ret = cell_add(plan, arm);
		else
			left_out = true;
	}
	if (left_out)
		printf("arms on two lcores are left out; EAL option -l 0,1\n");
	return ret < 0 ? ret : plan->n > 0 ? 0 : -EINVAL;
}

void
plan_destroy(struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		free(plan->cells[i].samples);
		free(plan->cells[i].latency);
	}
	free(plan->cells);
}

static void
latency_note(struct cell *cell, uint32_t at)
{
	if (cell->arm->n_lcores > 1)
		cell->latency[at] = core_latency_ns();
}

static int
measure(struct cell *cell, const struct options *options, uint32_t round)
{
	double values[N_METRICS_MAX] = {0};
	struct bed bed;
	int ret = bed_init(&bed, cell->arm, options->window_us), ended;

	if (ret < 0)
		return ret;
	latency_note(cell, 2 * round);
	ret = cell->arm->run(&bed, cell->arm, values);
	latency_note(cell, 2 * round + 1);
	for (uint32_t m = 0; m < N_METRICS_MAX; m++)
		cell->samples[m * options->n_rounds + round] = values[m];
	ended = bed_fini(&bed, cell->arm);
	return ret < 0 ? ret : ended;
}

static void
progress(const struct cell *cell, uint32_t round)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\rround %u: %s/%s\x1b[K", round + 1, cell->arm->group, cell->arm->name);
}

int
run_all(struct plan *plan, const struct options *options)
{
	int ret = 0;

	for (uint32_t round = 0; round < plan->n_rounds && ret == 0; round++) {
		for (size_t i = 0; i < plan->n && ret == 0; i++) {
			struct cell *cell = &plan->cells[(i + round) % plan->n];

			progress(cell, round);
			ret = measure(cell, options, round);
			if (ret < 0)
				fprintf(stderr, "%s/%s: %s%s\n", cell->arm->group, cell->arm->name,
					strerror(-ret),
					ret == -ENOMEM ? "; EAL options -m 256, or --no-huge -m 256" : "");
		}
	}
	if (isatty(STDERR_FILENO))
		fputs("\r\x1b[K", stderr);
	return ret;
}
