/* SPDX-License-Identifier: BSD-3-Clause */
/* The options behind "--". */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "patterns.h"
#include "skbbench.h"

void
options_print(const char *program)
{
	printf("usage: %s [EAL options] -- [options]\n"
	       "What lib/skb costs per packet, and what the ideas cost that did not make it.\n"
	       "  --help            this text\n"
	       "  --list            the names of the arms; those with * the others of the group are compared "
	       "with\n"
	       "  --only PATTERNS   e.g. 'release/*,clear/*'; default all\n"
	       "  --rounds N        interleaved rounds; default 15\n"
	       "  --window US       microseconds measured, after half as many; default 10000\n"
	       "  --json FILE       write every sample to FILE\n",
		program);
}

void
options_list(void)
{
	char name[64];

	for (size_t i = 0; i < arms_count(); i++) {
		const struct arm *arm = arm_get(i);

		arm_name(arm, name);
		printf("%s %-32s%s\n", arm->is_reference ? "*" : " ", name,
			arm->n_lcores > 1 ? " two lcores" : "");
	}
}

static bool
matches_something(const char *pattern)
{
	char name[64];

	for (size_t i = 0; i < arms_count(); i++) {
		arm_name(arm_get(i), name);
		if (fnmatch(pattern, name, 0) == 0)
			return true;
	}
	return false;
}

/* A name that is misspelt must not be left out silently. */
static int
patterns_check(const char *patterns)
{
	const char *list = patterns;
	char pattern[PATTERN_LEN];

	while (list) {
		if (pattern_next(&list, pattern) && matches_something(pattern))
			continue;
		fprintf(stderr, "--only: found '%s', expected patterns of names, see --list\n", patterns);
		return -EINVAL;
	}
	return 0;
}

static int
number_parse(const char *option, const char *text, uint32_t max, uint32_t *value)
{
	unsigned long long n = 0;
	char *end = NULL;

	if (isdigit((unsigned char)*text)) {
		errno = 0;
		n = strtoull(text, &end, 10);
	}
	if (!end || *end || errno || n < 1 || n > max) {
		fprintf(stderr, "%s: found '%s', expected a number from 1 to %u\n", option, text, max);
		return -EINVAL;
	}
	*value = (uint32_t)n;
	return 0;
}

static int
value_parse(const char *option, const char *text, struct options *options)
{
	if (!strcmp(option, "--rounds"))
		return number_parse(option, text, ROUNDS_MAX, &options->n_rounds);
	if (!strcmp(option, "--window"))
		return number_parse(option, text, 10000000, &options->window_us);
	if (!strcmp(option, "--only"))
		options->only = text;
	else if (!strcmp(option, "--json"))
		options->json = text;
	else
		return fprintf(stderr, "%s: unknown option, see --help\n", option), -EINVAL;
	return 0;
}

int
options_parse(int argc, char **argv, struct options *options)
{
	*options = (struct options){.n_rounds = 15, .window_us = 10000};
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--help"))
			options->help = true;
		else if (!strcmp(argv[i], "--list"))
			options->list = true;
		else if (value_parse(argv[i], i + 1 < argc ? argv[i + 1] : "", options) < 0)
			return -EINVAL;
		else
			i++;
	}
	return patterns_check(options->only);
}
