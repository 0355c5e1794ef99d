/* SPDX-License-Identifier: BSD-3-Clause */
/* The options behind "--". Tables make the parser and the help. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "patterns.h"
#include "poolbench.h"

struct option_number {
	const char *name;
	size_t offset; /* of a uint32_t in struct options */
	uint32_t min, max;
	const char *help;
};

struct option_text {
	const char *name;
	size_t offset; /* of a const char * in struct options */
	const char *help;
};

static const struct option_number numbers[] = {
	{"--rounds", offsetof(struct options, n_rounds), 1, ROUNDS_MAX, "interleaved rounds; default 9"},
	{"--warmup", offsetof(struct options, warmup_ms), 0, 60000, "milliseconds before; default 150"},
	{"--window", offsetof(struct options, window_ms), 1, 60000, "milliseconds measured; default 150"},
	{"--object-bytes", offsetof(struct options, object_bytes), 256, 16384, "default 2304"},
};

static const struct option_text texts[] = {
	{"--arms", offsetof(struct options, arms), "e.g. 'stack/*,magazine/auto'; default all"},
	{"--shapes", offsetof(struct options, shapes), "e.g. 'same-core/*,pipeline'; default all"},
	{"--json", offsetof(struct options, json), "write every sample to this file"},
};

static const struct option_number population = {"--population", 0, 4096, 1 << 22, NULL};

void
options_print(const char *program)
{
	printf("usage: %s [EAL options] -- [options]\n"
	       "Compares mempool ops, magazines and malloc (or what LD_PRELOAD puts in its place). Shapes\n"
	       "with a crossing need two lcores (-l 0,1), n-to-1 and 1-to-n three. Shapes in which no\n"
	       "magazine changes hands take a tenth of --warmup and --window.\n"
	       "  %-24s %s\n  %-24s %s\n  %-24s %s\n",
		program, "--help", "this text", "--list", "the names of arms and shapes", "--quick",
		"3 rounds of 50 ms, a first look");
	for (size_t i = 0; i < RTE_DIM(numbers); i++)
		printf("  %-16s N       %s\n", numbers[i].name, numbers[i].help);
	printf("  %-16s N[,N].. objects in the pool; default 16384\n", population.name);
	for (size_t i = 0; i < RTE_DIM(texts); i++)
		printf("  %-16s TEXT    %s\n", texts[i].name, texts[i].help);
}

void
options_list(void)
{
	for (size_t a = 0; a < n_arms; a++)
		printf("arm    %s\n", arms[a].name);
	for (size_t s = 0; s < n_shapes; s++)
		printf("shape  %-20s %s, %u lcore%s\n", shapes[s].name, shapes[s].unit, shapes[s].n_lcores,
			shapes[s].n_lcores > 1 ? "s or more" : "");
}

/* One number of a list, the rest of which *text is left at. */
static int
number_parse(const struct option_number *number, const char **text, uint32_t *value)
{
	unsigned long long n = 0;
	char *end = NULL;

	if (*text && isdigit((unsigned char)**text)) {
		errno = 0;
		n = strtoull(*text, &end, 10);
	}
	if (!end || errno || n < number->min || n > number->max || (*end && *end != ',')) {
		fprintf(stderr, "%s: found '%s', expected a number from %u to %u\n", number->name,
			*text ? *text : "", number->min, number->max);
		return -EINVAL;
	}
	*value = (uint32_t)n;
	*text = *end ? end + 1 : end;
	return *end ? 1 : 0;
}

static int
one_number_parse(const struct option_number *number, const char *text, struct options *options)
{
	uint32_t *value = (uint32_t *)((char *)options + number->offset);
	const char *rest = text;
	const int ret = number_parse(number, &rest, value);

	if (ret > 0)
		fprintf(stderr, "%s: found '%s', expected one number\n", number->name, text);
	return ret == 0 ? 0 : -EINVAL;
}

static int
populations_parse(const char *text, struct options *options)
{
	const char *rest = text;
	int more = 1;

	options->n_populations = 0;
	while (more > 0) {
		if (options->n_populations == POPULATIONS_MAX) {
			fprintf(stderr, "%s: found '%s', expected at most %u numbers\n", population.name,
				text, POPULATIONS_MAX);
			return -EINVAL;
		}
		more = number_parse(&population, &rest, &options->populations[options->n_populations++]);
	}
	return more;
}

static bool
matches_something(const char *pattern, bool is_arm)
{
	for (size_t i = 0; i < (is_arm ? n_arms : n_shapes); i++)
		if (fnmatch(pattern, is_arm ? arms[i].name : shapes[i].name, 0) == 0)
			return true;
	return false;
}

/* Each pattern of a list has to match something: a name that is misspelt must not be left out silently. */
static int
patterns_check(const char *option, const char *patterns, bool is_arm)
{
	const char *list = patterns;
	char pattern[PATTERN_LEN];

	while (list) {
		if (pattern_next(&list, pattern) && matches_something(pattern, is_arm))
			continue;
		fprintf(stderr, "%s: found '%s', expected patterns of names, see --list\n", option, patterns);
		return -EINVAL;
	}
	return 0;
}

static int
text_parse(const struct option_text *option, const char *text, struct options *options)
{
	if (!text || !*text) {
		fprintf(stderr, "%s: found '', expected %s\n", option->name, option->help);
		return -EINVAL;
	}
	*(const char **)((char *)options + option->offset) = text;
	return 0;
}

static int
value_parse(const char *name, const char *text, struct options *options)
{
	if (!strcmp(name, population.name))
		return populations_parse(text, options);
	for (size_t i = 0; i < RTE_DIM(numbers); i++)
		if (!strcmp(numbers[i].name, name))
			return one_number_parse(&numbers[i], text, options);
	for (size_t i = 0; i < RTE_DIM(texts); i++)
		if (!strcmp(texts[i].name, name))
			return text_parse(&texts[i], text, options);
	fprintf(stderr, "%s: unknown option, see --help\n", name);
	return -EINVAL;
}

int
options_parse(int argc, char **argv, struct options *options)
{
	*options = (struct options){.n_rounds = 9,
		.populations = {16384},
		.n_populations = 1,
		.object_bytes = 2304,
		.warmup_ms = 150,
		.window_ms = 150};
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--help")) {
			options->help = true;
		} else if (!strcmp(argv[i], "--list")) {
			options->list = true;
		} else if (!strcmp(argv[i], "--quick")) {
			options->n_rounds = 3;
			options->window_ms = 50;
		} else {
			const char *text = i + 1 < argc ? argv[i + 1] : NULL;

			if (value_parse(argv[i++], text, options) < 0)
				return -EINVAL;
		}
	}
	if (patterns_check("--arms", options->arms, true) < 0)
		return -EINVAL;
	return patterns_check("--shapes", options->shapes, false);
}
