/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line: "magpie [EAL options] -- [options]". What stands before the "--" is the EAL's; we look at it only to
 * answer --help and --version, and to say it when one of our options went there.
 *
 * Not getopt_long(): that takes any unambiguous beginning of a name, so a script breaks on the day
 * a second option begins alike.
 */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_version.h>

#include "magazine.h"
#include "option_text.h"
#include "routes.h"

/* Most drivers without a NIC free one buffer at a time: doc/adr/0002-mempool-cache.md. */
#define POOL_CACHE_DEFAULT 128u
#define POOL_CACHE_UNSET   UINT32_MAX

static void
options_default(struct options *options)
{
	*options = (struct options){
		.rxd = 1024,
		.txd = 1024,
		.burst = 32,
		.neigh_reachable_s = 30, /* RFC 4861 10: REACHABLE_TIME */
		.icmp_rate = 1000,
		.data_room = 2048,
		.pool_ops = "magazine",
		.pool_cache = POOL_CACHE_UNSET,
		.build = BUILD_LATE,
	};
	for (unsigned int i = 0; i < N_OPTIONS; i++)
		options->from[i].option = option_rows[i].name;
}

static bool
argv_has(char *const *argv, int n, const char *text)
{
	for (int i = 1; i < n; i++)
		if (strcmp(argv[i], text) == 0)
			return true;
	return false;
}

/* One option of argv: its name at *at, its value there or at the next place. Moves *at past both. */
static int
argument_parse(struct options *options, char **argv, int argc, int *at, struct complaint *why)
{
	char *text = argv[(*at)++];
	const size_t n = strcspn(text, "=");
	const struct option_row *row = strncmp(text, "--", 2) == 0 ? option_find(text + 2, n - 2) : NULL;
	char *value = text[n] == '=' ? text + n + 1 : NULL;

	why->from = (struct origin){0};
	if (row == NULL && strncmp(text, "--", 2) != 0)
		return refuse(why, text, "an option, which begins with --; magpie --help lists them");
	if (row == NULL)
		return option_refuse(why, text + 2, "--");
	why->from.option = row->name;
	if (row->value == NULL && value != NULL)
		return refuse(why, value, "no value");
	if (row->value != NULL && value == NULL) {
		if (*at == argc || strncmp(argv[*at], "--", 2) == 0)
			return refuse(why, "", "%s", row->value);
		value = argv[(*at)++];
	}
	options->from[row - option_rows] = why->from;
	if (value == NULL)
		return row->parse(options, NULL, why);

	/* Parsers take their text apart; argv is what ps shows. */
	char *copy = strdup(value);
	const int ret = copy == NULL ? -ENOMEM : row->parse(options, copy, why);

	free(copy);
	return ret;
}

/* An option of ours among the EAL's, which would take it for one of its own or its beginning. */
static int
misplaced_check(const struct options *options, struct complaint *why)
{
	for (int i = 1; i < options->n_eal; i++) {
		const char *text = options->eal_argv[i];

		if (strncmp(text, "--", 2) == 0 && option_find(text + 2, strcspn(text + 2, "=")) != NULL)
			return refuse(why, text, "it behind the '--': magpie [EAL options] -- [options]");
	}
	return 0;
}

/* What passes through a mempool cache is not seen by MAGAZINE_DEBUG. */
static bool
watched(void)
{
	const enum magazine_debug level = magazine_debug_default();

	return level == MAGAZINE_DEBUG_STATE || level == MAGAZINE_DEBUG_POISON;
}

/* Who is charged, and until when. */
static int
complete_check(struct options *options, struct complaint *why)
{
	if (!options->complete_given && options->build == BUILD_LAZY)
		options->complete = COMPLETE_NONE;
	if (options->complete == COMPLETE_NONE) {
		for (uint32_t i = 0; i < options->n_limits; i++) {
			if (options->limits[i].bytes == 0)
				continue;
			why->from = options->limits[i].from;
			return refuse(why, "a limit", "none with --complete none%s: nobody is charged",
				options->complete_given ? "" : ", which is --build lazy's");
		}
		return 0;
	}
	if (options->build != BUILD_LAZY)
		return 0;
	why->from = options->from[OPTION_COMPLETE];
	return refuse(why, complete_words[options->complete],
		"none with --build lazy: without heads there is nobody to charge");
}

/* What two options need of the buffers' pools: that they hear of each buffer when it leaves or comes home. */
static int
hooks_check(struct options *options, struct complaint *why)
{
	const bool early = options->build == BUILD_EARLY,
		   hooks = early || options->complete == COMPLETE_COMPLETION;
	const char *const what = early ? "--build early" : "--complete completion";

	if (hooks && strcmp(options->pool_ops, "magazine") != 0) {
		why->from = options->from[OPTION_POOL_OPS];
		return refuse(why, options->pool_ops, "magazine, whose hooks %s needs to %s", what,
			early ? "bind heads" : "see buffers come back");
	}
	if (options->pool_cache == POOL_CACHE_UNSET)
		options->pool_cache = hooks || watched() ? 0 : POOL_CACHE_DEFAULT;
	if (hooks && options->pool_cache != 0) {
		why->from = options->from[OPTION_POOL_CACHE];
		return refuse(
			why, "a cache", "0: buffers in a mempool cache would pass by the hooks of %s", what);
	}
	return 0;
}

/* What one option means for another. */
static int
options_check(struct options *options, struct complaint *why)
{
	if (complete_check(options, why) != 0 || hooks_check(options, why) != 0)
		return -EINVAL;
	return route_specs_merge(options, why);
}

enum outcome
options_init(struct options *options, int argc, char **argv)
{
	struct complaint why = {0};
	int at = 1, ret;

	options_default(options);
	while (at < argc && strcmp(argv[at], "--") != 0)
		at++;
	options->n_eal = at;
	options->eal_argv = argv;
	if (argv_has(argv, argc, "--help") || argv_has(argv, at, "-h")) {
		option_help();
		return DONE;
	}
	if (argv_has(argv, argc, "--version")) {
		printf("magpie " MAGPIE_VERSION ", %s\n", rte_version());
		return DONE;
	}
	ret = misplaced_check(options, &why);
	for (at++; ret == 0 && at < argc;)
		ret = argument_parse(options, argv, argc, &at, &why);
	if (ret == 0)
		ret = options_check(options, &why);
	if (ret == -EINVAL)
		return complain(&why);
	return ret == 0 ? GO_ON : fault("out of memory while reading the options: use fewer routes");
}

void
options_fini(struct options *options)
{
	for (unsigned int i = 0; i < options->n_port_names; i++)
		free(options->port_names[i]);
	for (unsigned int i = 0; i < options->n_files; i++)
		free(options->files[i]);
	free(options->addrs);
	free(options->neighs);
	free(options->routes);
	free(options->paths);
	free(options->rxqs);
	free(options->mtus);
	free(options->limits);
	free(options->mirrors);
}
