/* SPDX-License-Identifier: BSD-3-Clause */
/* skbbench [EAL options] -- [options]; scripts/bench skb starts it and makes tables of what it says. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>

#include "mempool_magazine.h"
#include "lcores.h"
#include "skbbench.h"
#include "timing.h"

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

static int
run(const struct options *options, FILE *json)
{
	struct surroundings surroundings = {.timer_cycles = timer_cycles()};
	struct plan plan;
	int ret = plan_create(&plan, options, rte_lcore_count());

	if (ret < 0)
		fprintf(stderr, "nothing to measure: %s\n", strerror(-ret));
	load_read(surroundings.load[0]);
	surroundings.core_latency_ns[0] = core_latency_ns();
	if (ret == 0)
		ret = run_all(&plan, options);
	surroundings.core_latency_ns[1] = core_latency_ns();
	load_read(surroundings.load[1]);
	if (ret == 0)
		report_print(&plan, &surroundings);
	if (ret == 0 && json && report_json(json, &plan, options, &surroundings) < 0) {
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
	if (ret == 0)
		ret = skb_owner_defer_init();
	if (ret < 0)
		fprintf(stderr, "cannot register what is needed: %s\n", strerror(-ret));
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

	while (n_eal < argc && strcmp(argv[n_eal], "--") != 0)
		n_eal++;
	if (options_parse(RTE_MAX(argc - n_eal - 1, 0), argv + n_eal + 1, &options) < 0)
		return 2;
	options.help |= argc == 2 && !strcmp(argv[1], "--help");
	options.list |= argc == 2 && !strcmp(argv[1], "--list");
	if (options.help) {
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
