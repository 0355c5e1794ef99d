/* SPDX-License-Identifier: BSD-3-Clause */
/* Which lcore polls which RX queue: --config, or the default. */
#ifndef QUEUE_MAP_H
#define QUEUE_MAP_H

#include "options.h"
#include "plan.h"

/* Fills plan->map from options->rxqs (whose ports are ethdev ids by now) or by port_map_default(). GO_ON or BAD_INPUT (said). */
enum outcome queue_map_make(const struct options *options, struct plan *plan);

#endif
