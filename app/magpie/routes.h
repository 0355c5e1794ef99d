/* SPDX-License-Identifier: BSD-3-Clause */
/* The value of --route: a prefix and what shall become of packets to it. */
#ifndef ROUTES_H
#define ROUTES_H

#include "options.h"

/*
 * Adds the route that text (which it takes apart) says: PREFIX,via=ADDR[,weight=N]..., PREFIX,port=PORT or
 * PREFIX,blackhole|unreachable|prohibit. Returns 0, -EINVAL (*why filled) or -ENOMEM.
 */
int route_spec_parse(struct options *options, char *text, struct complaint *why);

/*
 * Takes out routes that say the same twice. -EINVAL (*why filled, from is the later of the two) when
 * a prefix has two that differ. The routes are in order of prefix afterwards. Returns 0, -EINVAL.
 */
int route_specs_merge(struct options *options, struct complaint *why);

#endif
