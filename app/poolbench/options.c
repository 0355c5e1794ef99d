/* SPDX-License-Identifier: BSD-3-Clause */
/* The options behind "--". One table makes the parser and the help. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "magazine.h"
#include "poolbench.h"

struct option_number {
	const char *name;
	size_t offset; /* of a uint32_t in struct options */
	uint32_t min, max;
	const char *help;
};

static const struct option_number numbers[] = {
	{"--rounds", offsetof(struct options, n_rounds), 1, 1001, "interleaved rounds; default 9"},
	{"--objects", offsetof(struct options, n_objects), 1, 1000000,
		"thousands of objects per measurement; default 4000"},
	{"--population", offsetof(struct options, population), 4096, 1 << 22,
		"objects in the pool; default 16384"},
	{"--object-bytes", offsetof(struct options, object_bytes), 64, 16384, "default 2304"},
	{"--magazine", offsetof(struct options, magazine), MAGAZINE_ROUNDS_MIN, MAGAZINE_ROUNDS_MAX,
		"rounds in a magazine, a power of two; default 128"},
};

void
options_print(const char *program)
{
	printf("usage: %s [EAL options] -- [options]\n"
	       "Compares mempool ops and magazines. The last two shapes need two lcores (-l 0,1).\n"
	       "  %-18s %s\n  %-18s %s\n",
		program, "--help", "this text", "--quick", "3 rounds of 200 thousand objects");
	for (size_t i = 0; i < RTE_DIM(numbers); i++)
		printf("  %-15s N  %s\n", numbers[i].name, numbers[i].help);
}

static int
number_parse(const struct option_number *number, const char *text, struct options *options)
{
	unsigned long long value = 0;
	char *end = NULL;

	if (text && isdigit((unsigned char)*text)) {
		errno = 0;
		value = strtoull(text, &end, 10);
	}
	if (!end || *end || errno || value < number->min || value > number->max) {
		fprintf(stderr, "%s: found '%s', expected a number from %u to %u\n", number->name,
			text ? text : "", number->min, number->max);
		return -EINVAL;
	}
	*(uint32_t *)((char *)options + number->offset) = (uint32_t)value;
	return 0;
}

static const struct option_number *
number_find(const char *name)
{
	for (size_t i = 0; i < RTE_DIM(numbers); i++)
		if (!strcmp(numbers[i].name, name))
			return &numbers[i];
	return NULL;
}

int
options_parse(int argc, char **argv, struct options *options)
{
	*options =
		(struct options){.n_rounds = 9, .population = 16384, .object_bytes = 2304, .n_objects = 4000};
	for (int i = 0; i < argc; i++) {
		const struct option_number *number = number_find(argv[i]);

		if (!strcmp(argv[i], "--help")) {
			options->help = true;
		} else if (!strcmp(argv[i], "--quick")) {
			options->n_rounds = 3;
			options->n_objects = 200;
		} else if (!number) {
			fprintf(stderr, "%s: unknown option, see --help\n", argv[i]);
			return -EINVAL;
		} else if (number_parse(number, ++i < argc ? argv[i] : NULL, options) < 0) {
			return -EINVAL;
		}
	}
	if (options->magazine && !rte_is_power_of_2(options->magazine)) {
		fprintf(stderr, "--magazine: found '%u', expected a power of two\n", options->magazine);
		return -EINVAL;
	}
	return 0;
}
