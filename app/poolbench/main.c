/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * magpie-poolbench [EAL options] -- [options]: what a get and a put cost in each
 * kind of pool, by shape of use. Every measurement starts with a pool of its own,
 * freshly filled, so that no arm profits from the order that another left behind.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_version.h>

#include "magazine.h"
#include "mempool_magazine.h"
#include "poolbench.h"

static int
measure(const struct arm *arm, const struct shape *shape, const struct options *options, double *sample)
{
	struct subject subject;
	const int ret = subject_init(&subject, arm, options);

	if (ret < 0) {
		fprintf(stderr,
			"%s: no pool of %u objects of %u bytes: %s; try EAL option -m 256 or --population\n",
			arm->name, options->population, options->object_bytes, strerror(-ret));
		return ret;
	}
	*sample = shape->run(&subject);
	subject_fini(&subject);
	return 0;
}

static int
measure_all(const struct options *options, double *samples)
{
	for (uint32_t round = 0; round < options->n_rounds; round++)
		for (size_t s = 0; s < n_shapes; s++)
			for (size_t a = 0; shapes[s].n_lcores <= rte_lcore_count() && a < n_arms; a++) {
				double *sample = &samples[(a * n_shapes + s) * options->n_rounds + round];

				if (measure(&arms[a], &shapes[s], options, sample) < 0)
					return -1;
			}
	return 0;
}

static int
run(const struct options *options)
{
	double *samples = calloc(n_arms * n_shapes * options->n_rounds, sizeof(*samples));

	if (!samples) {
		fprintf(stderr, "no memory for %u rounds, see --rounds\n", options->n_rounds);
		return 1;
	}
	printf("%s, TSC %.0f MHz, %u lcores, population %u, M %u, %u rounds: median (smallest - largest)\n",
		rte_version(), (double)rte_get_tsc_hz() / 1e6, rte_lcore_count(), options->population,
		options->magazine ? options->magazine : MAGAZINE_ROUNDS_DEFAULT, options->n_rounds);

	const int ret = measure_all(options, samples);

	if (ret == 0)
		report_print(samples, options->n_rounds, rte_lcore_count());
	free(samples);
	return ret < 0 ? 1 : 0;
}

/* Ours are read first: what is wrong there is said before the EAL starts. */
int
main(int argc, char **argv)
{
	struct options options;
	int n_eal = 0;
	int ret;

	while (n_eal < argc && strcmp(argv[n_eal], "--") != 0)
		n_eal++;
	if (options_parse(RTE_MAX(argc - n_eal - 1, 0), argv + n_eal + 1, &options) < 0)
		return 2;
	if (options.help || (argc == 2 && !strcmp(argv[1], "--help"))) {
		options_print(argv[0]);
		return 0;
	}
	argv[n_eal] = NULL;
	if (rte_eal_init(n_eal, argv) < 0) {
		fprintf(stderr, "the EAL did not start: %s; without hugepages try --no-huge -m 256\n",
			rte_strerror(rte_errno));
		return 1;
	}
	ret = mempool_magazine_register();
	if (ret < 0)
		fprintf(stderr, "cannot register the magazine ops: %s\n", strerror(-ret));
	ret = ret < 0 ? 1 : run(&options);
	rte_eal_cleanup();
	return ret;
}
