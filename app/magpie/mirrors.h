/* SPDX-License-Identifier: BSD-3-Clause */
/* The value of --mirror: which port's packets are copied to which. */
#ifndef MIRRORS_H
#define MIRRORS_H

#include "options.h"

/* Adds the mirror that text (which it takes apart) says: PORT=PORT[,rx|tx|both]. Returns 0, -EINVAL (*why filled) or -ENOMEM. */
int mirror_spec_parse(struct options *options, char *text, struct complaint *why);

#endif
