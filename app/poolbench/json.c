/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that was measured, for programs:
 *
 *   {"dpdk": .., (the surroundings), "results": [{"arm", "shape", "population", "metric",
 *    "unit", "samples": [one per round], "median", "q1", "q3", "magazine": (ours),
 *    "latency_ns": [[before, after] per round] (between lcores)}]}
 *
 * A sample of null is a round that failed. Names hold nothing that JSON would escape.
 */
#include <errno.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_version.h>

#include "poolbench.h"
#include "statistics.h"

static void
magazine_write(FILE *file, const struct cell *cell, uint32_t n_rounds)
{
	fprintf(file,
		", \"magazine\": {\"gets\": %lu, \"exchanges\": %lu, \"contended\": %lu, \"cross_core\": "
		"%lu, "
		"\"sizes\": [",
		cell->gets, cell->exchanges, cell->contended, cell->cross_core);
	for (uint32_t round = 0; round < n_rounds; round++)
		fprintf(file, "%s%u", round > 0 ? ", " : "", cell->sizes[round]);
	fprintf(file, "]}");
}

static void
latency_write(FILE *file, const struct cell *cell, uint32_t n_rounds)
{
	fprintf(file, ", \"latency_ns\": [");
	for (size_t round = 0; round < n_rounds; round++)
		fprintf(file, "%s[%.1f, %.1f]", round > 0 ? ", " : "", cell->latency[2 * round],
			cell->latency[2 * round + 1]);
	fprintf(file, "]");
}

static void
result_write(FILE *file, const struct cell *cell, uint32_t metric, uint32_t n_rounds)
{
	const char *name = cell->shape->metrics[metric];
	struct summary summary;

	cell_summarise(cell, metric, n_rounds, &summary);
	fprintf(file,
		"{\"arm\": \"%s\", \"shape\": \"%s\", \"population\": %u, \"metric\": \"%s\", \"unit\": "
		"\"%s\"",
		cell->arm->name, cell->shape->name, cell->population, name ? name : "", cell->shape->unit);
	if (summary.min >= 0)
		fprintf(file, ", \"median\": %.4f, \"q1\": %.4f, \"q3\": %.4f", summary.median, summary.q1,
			summary.q3);
	if (cell->sizes[0] > 0)
		magazine_write(file, cell, n_rounds);
	if (cell->latency[0] > 0)
		latency_write(file, cell, n_rounds);
	fprintf(file, ", \"samples\": [");
	for (uint32_t round = 0; round < n_rounds; round++) {
		const double sample = cell->samples[(size_t)metric * n_rounds + round];

		fprintf(file, "%s", round > 0 ? ", " : "");
		if (sample < 0)
			fprintf(file, "null");
		else
			fprintf(file, "%.4f", sample);
	}
	fprintf(file, "]}");
}

static void
head_write(FILE *file, const struct options *options, const struct surroundings *s)
{
	fprintf(file,
		"{\n\"dpdk\": \"%s\", \"compiler\": \"%s\", \"tsc_mhz\": %.1f,\n"
		"\"lcores\": %u, \"cpus_shared\": %s, \"rounds\": %u, \"object_bytes\": %u,\n"
		"\"warmup_ms\": %u, \"window_ms\": %u, \"timer_cycles\": %.0f, \"timer_subtracted\": true,\n"
		"\"load_average\": [\"%s\", \"%s\"],\n",
		rte_version(), "gcc " __VERSION__, (double)rte_get_tsc_hz() / 1e6, rte_lcore_count(),
		s->cpus_shared ? "true" : "false", options->n_rounds, options->object_bytes,
		options->warmup_ms, options->window_ms, s->timer_cycles, s->load[0], s->load[1]);
	if (s->core_latency_ns[0] >= 0)
		fprintf(file, "\"core_latency_ns\": [%.1f, %.1f],\n", s->core_latency_ns[0],
			s->core_latency_ns[1]);
}

int
json_write(FILE *file, const struct plan *plan, const struct options *options,
	const struct surroundings *surroundings)
{
	const char *separator = "";
	bool failed;

	head_write(file, options, surroundings);
	fprintf(file, "\"results\": [");
	for (size_t i = 0; i < plan->n_groups * plan->n_arms; i++) {
		for (uint32_t metric = 0; metric < shape_n_metrics(plan->cells[i].shape); metric++) {
			fprintf(file, "%s\n", separator);
			result_write(file, &plan->cells[i], metric, plan->n_rounds);
			separator = ",";
		}
	}
	fprintf(file, "\n]\n}\n");
	failed = ferror(file);
	failed |= fclose(file) != 0;
	return failed ? -EIO : 0;
}
