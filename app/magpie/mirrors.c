/* SPDX-License-Identifier: BSD-3-Clause */
/* No name of a port holds a '=' or a ','. */
#include "mirrors.h"

#include <errno.h>
#include <string.h>

#include "array.h"
#include "port_names.h"

/* Takes ",rx", ",tx" or ",both" off the end of text, if there is a comma. */
static int
directions_parse(struct mirror_spec *mirror, char *text, struct complaint *why)
{
	char *comma = strchr(text, ',');
	const char *word = comma == NULL ? "both" : comma + 1;
	const bool both = strcmp(word, "both") == 0;

	mirror->rx = both || strcmp(word, "rx") == 0;
	mirror->tx = both || strcmp(word, "tx") == 0;
	if (!mirror->rx && !mirror->tx)
		return refuse(why, word, "rx, tx or both behind the ','");
	if (comma != NULL)
		*comma = '\0';
	return 0;
}

int
mirror_spec_parse(struct options *options, char *text, struct complaint *why)
{
	struct mirror_spec *mirrors = array_room(options->mirrors, options->n_mirrors, sizeof(*mirrors));
	struct mirror_spec mirror = {.from = why->from};
	char *to = strchr(text, '=');

	if (mirrors == NULL)
		return -ENOMEM;
	options->mirrors = mirrors;
	if (to == NULL)
		return refuse(why, text, "PORT=PORT[,rx|tx|both] such as 0=2,rx");
	*to++ = '\0';
	if (directions_parse(&mirror, to, why) != 0)
		return -EINVAL;

	int ret = port_name_add(options, text, &mirror.port, why);

	if (ret == 0)
		ret = port_name_add(options, to, &mirror.to, why);
	if (ret == 0)
		mirrors[options->n_mirrors++] = mirror;
	return ret;
}
