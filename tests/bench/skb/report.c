/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was measured: a plain list for people, and for programs
 *
 *   {"dpdk": .., (the surroundings), "results": [{"group", "arm", "reference": bool, "lcores", "metric", "samples": [one
 *    per round], "median", "q1", "q3", "latency_ns": [[before, after] per round] (on two lcores)}]}
 *
 * in TSC cycles per packet. Names hold nothing that JSON would escape.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_version.h>

#include "lcores.h"
#include "skbbench.h"
#include "statistics.h"

static void
summarise(const struct cell *cell, uint32_t metric, uint32_t n_rounds, struct summary *summary)
{
	static double values[ROUNDS_MAX];

	memcpy(values, &cell->samples[(size_t)metric * n_rounds], n_rounds * sizeof(*values));
	summary_make(values, n_rounds, summary);
}

void
report_print(const struct plan *plan, const struct surroundings *s)
{
	struct summary summary;
	char name[64];

	printf("%-34s %-9s cycles/packet: median (quartiles)\n", "arm", "");
	for (size_t i = 0; i < plan->n; i++) {
		const struct cell *cell = &plan->cells[i];

		arm_name(cell->arm, name);
		for (uint32_t m = 0; m < arm_n_metrics(cell->arm); m++) {
			summarise(cell, m, plan->n_rounds, &summary);
			printf("%-34s %-9s %.2f (%.2f - %.2f)\n", name, arm_metric(cell->arm, m),
				summary.median, summary.q1, summary.q3);
		}
	}
	if (s->core_latency_ns[0] >= 0)
		printf("a cache line from lcore to lcore, one way: %.0f ns before, %.0f ns after\n",
			s->core_latency_ns[0], s->core_latency_ns[1]);
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
	const struct arm *arm = cell->arm;
	struct summary summary;

	summarise(cell, metric, n_rounds, &summary);
	fprintf(file,
		"{\"group\": \"%s\", \"arm\": \"%s\", \"reference\": %s, \"lcores\": %u, \"metric\": \"%s\", "
		"\"median\": %.4f, \"q1\": %.4f, \"q3\": %.4f",
		arm->group, arm->name, arm->is_reference ? "true" : "false", arm->n_lcores,
		arm_metric(arm, metric), summary.median, summary.q1, summary.q3);
	if (arm->n_lcores > 1)
		latency_write(file, cell, n_rounds);
	fprintf(file, ", \"samples\": [");
	for (uint32_t round = 0; round < n_rounds; round++)
		fprintf(file, "%s%.4f", round > 0 ? ", " : "",
			cell->samples[(size_t)metric * n_rounds + round]);
	fprintf(file, "]}");
}

static void
head_write(FILE *file, const struct options *options, const struct surroundings *s)
{
	fprintf(file,
		"{\n\"dpdk\": \"%s\", \"compiler\": \"%s\", \"tsc_mhz\": %.1f, \"lcores\": %u, "
		"\"cpus_shared\": %s,\n"
		"\"rounds\": %u, \"window_us\": %u, \"timer_cycles\": %.0f, \"timer_subtracted\": true,\n"
		"\"load_average\": [\"%s\", \"%s\"],\n",
		rte_version(),
#ifdef __clang__
		"clang " __clang_version__,
#else
		"gcc " __VERSION__,
#endif
		(double)rte_get_tsc_hz() / 1e6, rte_lcore_count(), lcores_share_cpus() ? "true" : "false",
		options->n_rounds, options->window_us, s->timer_cycles, s->load[0], s->load[1]);
	if (s->core_latency_ns[0] >= 0)
		fprintf(file, "\"core_latency_ns\": [%.1f, %.1f],\n", s->core_latency_ns[0],
			s->core_latency_ns[1]);
}

int
report_json(FILE *file, const struct plan *plan, const struct options *options, const struct surroundings *s)
{
	const char *separator = "";
	bool failed;

	head_write(file, options, s);
	fprintf(file, "\"results\": [");
	for (size_t i = 0; i < plan->n; i++) {
		for (uint32_t metric = 0; metric < arm_n_metrics(plan->cells[i].arm); metric++) {
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
