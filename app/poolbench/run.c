/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rounds. Every measurement starts with a pool of its own, freshly filled, so
 * that no arm profits from the order that another left behind. (malloc's heap is the
 * exception: it is what earlier measurements of it made it.)
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_eal.h>

#include "magazine.h"
#include "lcores.h"
#include "poolbench.h"

#define PROGRESS_SECONDS 10

struct progress {
	uint64_t n_all, n_done;
	uint64_t start, shown; /* TSC */
	bool is_terminal;
};

/* On a terminal a line that changes; elsewhere one now and then, and none in a short run. */
static void
progress_show(struct progress *p, const struct cell *cell, uint32_t round)
{
	const uint64_t now = rte_rdtsc();
	const double seconds = (double)(now - p->start) / (double)rte_get_tsc_hz();
	const double left = p->n_done > 0 ? seconds / (double)p->n_done * (double)(p->n_all - p->n_done) : 0;

	if (!p->is_terminal && now - p->shown < PROGRESS_SECONDS * rte_get_tsc_hz())
		return;
	p->shown = now;
	fprintf(stderr, "%s%lu %%, round %u, %s at %u, %s: %.0f s left%s", p->is_terminal ? "\r" : "",
		p->n_done * 100 / p->n_all, round + 1, cell->shape->name, cell->population, cell->arm->name,
		left, p->is_terminal ? "\x1b[K" : "\n");
}

static void
progress_end(const struct progress *p)
{
	if (p->is_terminal)
		fprintf(stderr, "\r\x1b[K");
}

/* What the EAL needs for one pool; a tenth and 32 MiB more for what goes with it. */
static uint64_t
mib_needed(const struct cell *cell, const struct options *options)
{
	const uint64_t object_bytes = rte_mempool_calc_obj_size(options->object_bytes, 0, NULL);

	return (object_bytes * cell->population >> 20) * 11 / 10 + 32;
}

static void
explain(const struct cell *cell, const struct options *options, int error)
{
	const uint64_t mib = mib_needed(cell, options);

	fprintf(stderr, "%s: no pool of %u objects of %u bytes: %s", cell->arm->name, cell->population,
		options->object_bytes, strerror(-error));
	if (error != -ENOMEM && error != -ENOBUFS)
		fprintf(stderr, "; see --list for the arms\n");
	else if (rte_eal_has_hugepages())
		fprintf(stderr,
			"; echo %lu > /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages,"
			" or EAL options --no-huge -m %lu, or a smaller --population\n",
			mib / 2 + 1, mib);
	else
		fprintf(stderr, "; EAL option -m %lu, or a smaller --population\n", mib);
}

static void
stats_note(struct cell *cell, const struct subject *subject, uint32_t round)
{
	struct magazine_stats stats;

	if (!subject->pool)
		return;
	magazine_pool_stats(subject->pool, &stats);
	cell->sizes[round] = stats.size;
	cell->gets += stats.counts.gets;
	cell->exchanges += stats.counts.exchanges;
	cell->contended += stats.counts.contended;
	cell->cross_core += stats.counts.cross_core;
}

/* The host may move a virtual CPU at any time, so it is asked around each sample. */
static void
latency_note(struct cell *cell, uint32_t at)
{
	if (cell->shape->n_lcores > 1)
		cell->latency[at] = core_latency_ns();
}

static int
measure(struct cell *cell, const struct options *options, uint32_t round)
{
	double values[N_METRICS_MAX] = {0};
	struct subject subject;
	int ret = subject_init(&subject, cell, options);

	if (ret < 0) {
		explain(cell, options, ret);
		return ret;
	}
	latency_note(cell, 2 * round);
	ret = cell->shape->run(&subject, cell->shape, values);
	latency_note(cell, 2 * round + 1);
	for (uint32_t m = 0; m < shape_n_metrics(cell->shape); m++)
		cell->samples[m * options->n_rounds + round] = ret < 0 ? -1 : values[m];
	stats_note(cell, &subject, round);
	subject_fini(&subject);
	return 0;
}

/* What is too large for this machine is found before anything is measured. */
static int
largest_try(const struct plan *plan, const struct options *options)
{
	const struct cell *largest = NULL;
	struct subject subject;
	int ret;

	for (size_t i = 0; i < plan->n_groups * plan->n_arms; i++)
		if (plan->cells[i].arm->kind != ARM_MALLOC &&
			(!largest || plan->cells[i].population > largest->population))
			largest = &plan->cells[i];
	if (!largest)
		return 0;
	ret = subject_init(&subject, largest, options);
	if (ret < 0)
		explain(largest, options, ret);
	else
		subject_fini(&subject);
	return ret;
}

int
run_all(struct plan *plan, const struct options *options)
{
	struct progress progress = {
		.n_all = (uint64_t)plan->n_groups * plan->n_arms * plan->n_rounds,
		.start = rte_rdtsc(),
		.is_terminal = isatty(STDERR_FILENO),
	};
	int ret = largest_try(plan, options);

	progress.shown = progress.start;
	for (uint32_t round = 0; round < plan->n_rounds && ret == 0; round++) {
		for (size_t i = 0; i < plan->n_groups * plan->n_arms && ret == 0; i++) {
			/* Every round begins with another arm. */
			const size_t arm = (i + round) % plan->n_arms;
			struct cell *cell = &plan->cells[i - i % plan->n_arms + arm];

			progress_show(&progress, cell, round);
			ret = measure(cell, options, round);
			progress.n_done++;
		}
	}
	progress_end(&progress);
	return ret;
}
