/* SPDX-License-Identifier: BSD-3-Clause */
/* The table's row is searched by comparing all names: twenty of them, a few times per start. */
#include "option_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_LEN 32u /* longer texts are near no option */

const struct option_row *
option_find(const char *name, size_t n)
{
	for (unsigned int i = 0; i < N_OPTIONS; i++)
		if (strlen(option_rows[i].name) == n && memcmp(option_rows[i].name, name, n) == 0)
			return &option_rows[i];
	return NULL;
}

static unsigned int
min3(unsigned int a, unsigned int b, unsigned int c)
{
	const unsigned int less = a < b ? a : b;

	return less < c ? less : c;
}

/* Levenshtein's distance: letters to add, leave out or change. Both shorter than NAME_MAX_LEN. */
static unsigned int
edit_distance(const char *a, const char *b)
{
	const size_t n = strlen(b);
	unsigned int row[NAME_MAX_LEN + 1];

	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		unsigned int diagonal = row[0];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= n; j++) {
			const unsigned int above = row[j];

			row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[n];
}

/* The option whose name is nearest, NULL when none is near: more than a third of the letters differ. */
static const struct option_row *
option_nearest(const char *name)
{
	const struct option_row *nearest = NULL;
	unsigned int least = UINT32_MAX;

	if (strlen(name) >= NAME_MAX_LEN)
		return NULL;
	for (unsigned int i = 0; i < N_OPTIONS; i++) {
		const unsigned int distance = edit_distance(name, option_rows[i].name);

		if (distance < least) {
			least = distance;
			nearest = &option_rows[i];
		}
	}
	return least <= RTE_MAX(1u, (unsigned int)strlen(name) / 3) ? nearest : NULL;
}

int
option_refuse(struct complaint *why, const char *name, const char *prefix)
{
	char found[sizeof(why->found)], bare[sizeof(why->found)];

	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(name, "= \t"), name);
	snprintf(found, sizeof(found), "%s%s", prefix, bare);

	const struct option_row *nearest = option_nearest(bare);

	if (nearest != NULL)
		return refuse(why, found, "an option of Magpie; did you mean %s%s?", prefix, nearest->name);
	return refuse(why, found, "an option of Magpie; magpie --help lists them");
}

int
option_line_parse(struct options *options, char *text, struct complaint *why)
{
	const size_t n = strcspn(text, "= \t");
	const struct option_row *row = option_find(text, n);
	char *value = text + n;

	if (row == NULL && text[0] == '-')
		return refuse(why, text, "the option without dashes");
	if (row == NULL)
		return option_refuse(why, text, "");
	while (isblank((unsigned char)*value))
		value++;
	if (*value == '=') {
		value++;
		while (isblank((unsigned char)*value))
			value++;
	}
	why->from.option = row->name;
	if (row->value == NULL && *value != '\0')
		return refuse(why, value, "no value");
	if (row->value != NULL && *value == '\0')
		return refuse(why, "", "%s", row->value);
	options->from[row - option_rows] = why->from;
	return row->parse(options, row->value == NULL ? NULL : value, why);
}

const char *
option_text_keep(struct options *options, const char *text, struct complaint *why)
{
	if (*text == '\0') {
		refuse(why, text, "the name of a file");
		return NULL;
	}
	if (options->n_files == RTE_DIM(options->files)) {
		refuse(why, text, "at most %zu files", RTE_DIM(options->files));
		return NULL;
	}
	options->files[options->n_files] = strdup(text);
	return options->files[options->n_files++];
}

void
option_help(void)
{
	printf("Usage: magpie [EAL options] -- [options]\n"
	       "Routes IPv4 and IPv6 between Ethernet ports, on dedicated cores.\n\n"
	       "PORT is an ethdev name or number. Defaults stand in brackets.\n\n");
	for (const struct option_row *row = option_rows; row < option_rows + N_OPTIONS; row++) {
		const int column = printf("  --%s %s", row->name, row->value == NULL ? "" : row->value);

		printf(column > 32 ? "\n%*s" : "%*s", column > 32 ? 34 : 34 - column, "");
		for (const char *text = row->help; *text != '\0'; text++)
			if (*text == '\n')
				printf("\n%34s", "");
			else
				putchar(*text);
		putchar('\n');
	}
	printf("\nEvery option may also stand in a --file; of two, the later counts. The manual\n"
	       "page magpie(8) says more. An example that needs neither hugepages nor a NIC:\n\n"
	       "  magpie --no-huge -m 512 --no-pci --vdev=net_tap0 --vdev=net_tap1 -- \\\n"
	       "      --addr net_tap0,10.0.0.1/24 --addr net_tap1,10.0.1.1/24 --check\n");
}
