/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * magpie-poolbench [EAL options] -- [options]: what a get and a put cost in each
 * kind of pool, by shape of use.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_version.h>

#include "mempool_magazine.h"
#include "lcores.h"
#include "poolbench.h"

static void
load_read(char text[64])
{
	FILE *file = fopen("/proc/loadavg", "r");

	if (!file || !fgets(text, 64, file))
		snprintf(text, 64, "not visible");
	text[strcspn(text, "\n")] = '\0';
	if (file)
		fclose(file);
}

static void
head_print(const struct options *options, const struct surroundings *s)
{
	printf("%s, gcc %s, TSC %.0f MHz, %u lcore%s, objects of %u bytes, load average %s\n", rte_version(),
		__VERSION__, (double)rte_get_tsc_hz() / 1e6, rte_lcore_count(),
		rte_lcore_count() > 1 ? "s" : "", options->object_bytes, s->load[0]);
	if (s->cpus_shared)
		printf("more lcores than CPUs: they take turns, figures between lcores say nothing of "
		       "speed\n");
	printf("%u rounds, the order of the arms turns; %u ms measured after %u ms (a tenth of both where "
	       "no\n"
	       "magazine changes hands); median (quartiles)\n"
	       "an empty pair of timer reads takes %.0f cycles, which are taken off each call of the shape "
	       "'tail'\n",
		options->n_rounds, options->window_ms, options->warmup_ms, s->timer_cycles);
}

static void
foot_print(const struct surroundings *s)
{
	printf("\nload average at the end %s\n", s->load[1]);
	if (s->core_latency_ns[0] >= 0)
		printf("a cache line from lcore to lcore, one way: %.0f ns before, %.0f ns after\n",
			s->core_latency_ns[0], s->core_latency_ns[1]);
}

static int
run(const struct options *options, FILE *json)
{
	struct surroundings surroundings = {
		.timer_cycles = tail_timer_cycles(), .cpus_shared = lcores_share_cpus()};
	struct plan plan;
	int ret;

	load_read(surroundings.load[0]);
	head_print(options, &surroundings);
	ret = plan_create(&plan, options, rte_lcore_count());
	if (ret < 0)
		fprintf(stderr, "nothing to measure: %s\n",
			ret == -ENOMEM ? "no memory" : "give more lcores (-l 0,1) or a larger --population");
	fflush(stdout);
	surroundings.core_latency_ns[0] = core_latency_ns();
	if (ret == 0)
		ret = run_all(&plan, options);
	surroundings.core_latency_ns[1] = core_latency_ns();
	load_read(surroundings.load[1]);
	if (ret == 0) {
		report_print(&plan);
		foot_print(&surroundings);
	}
	if (ret == 0 && json && json_write(json, &plan, options, &surroundings) < 0) {
		fprintf(stderr, "--json: '%s' could not be written; is there room?\n", options->json);
		ret = -EIO;
	}
	plan_destroy(&plan);
	return ret < 0 ? 1 : 0;
}

static int
start(int argc, char **argv, const struct options *options, FILE *json)
{
	int ret;

	if (rte_eal_init(argc, argv) < 0) {
		fprintf(stderr, "the EAL did not start: %s; without hugepages try --no-huge -m 256\n",
			rte_strerror(rte_errno));
		return 1;
	}
	ret = mempool_magazine_register();
	if (ret < 0)
		fprintf(stderr, "cannot register the magazine ops: %s\n", strerror(-ret));
	ret = ret < 0 ? 1 : run(options, json);
	rte_eal_cleanup();
	return ret;
}

/* Ours are read first: what is wrong there is said before the EAL starts. */
int
main(int argc, char **argv)
{
	struct options options;
	FILE *json = NULL;
	int n_eal = 0;

	arms_init();
	while (n_eal < argc && strcmp(argv[n_eal], "--") != 0)
		n_eal++;
	if (options_parse(RTE_MAX(argc - n_eal - 1, 0), argv + n_eal + 1, &options) < 0)
		return 2;
	if (options.help || (argc == 2 && !strcmp(argv[1], "--help"))) {
		options_print(argv[0]);
		return 0;
	}
	if (options.list) {
		options_list();
		return 0;
	}
	if (options.json)
		json = fopen(options.json, "w");
	if (options.json && !json) {
		fprintf(stderr, "--json: found '%s', expected a file that can be written: %s\n", options.json,
			strerror(errno));
		return 2;
	}
	argv[n_eal] = NULL;
	return start(n_eal, argv, &options, json);
}
