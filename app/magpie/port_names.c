/* SPDX-License-Identifier: BSD-3-Clause */
/* A handful of spellings, so a linear search will do, also for a million routes over them. */
#include "port_names.h"

#include <errno.h>
#include <string.h>

int
port_name_add(struct options *options, const char *name, uint16_t *index, struct complaint *why)
{
	for (uint16_t i = 0; i < options->n_port_names; i++) {
		if (strcmp(options->port_names[i], name) == 0) {
			*index = i;
			return 0;
		}
	}
	if (*name == '\0')
		return refuse(why, name, "a port: the name or number of an ethdev");
	if (options->n_port_names == PORT_NAMES_MAX)
		return refuse(why, name, "at most %u different ports", PORT_NAMES_MAX);

	char *copy = strdup(name);

	if (copy == NULL)
		return -ENOMEM;
	*index = options->n_port_names++;
	options->port_names[*index] = copy;
	options->port_from[*index] = why->from;
	return 0;
}
