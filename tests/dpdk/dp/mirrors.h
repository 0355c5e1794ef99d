/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be mirrored, always by port 2. */
#ifndef MIRRORS_H
#define MIRRORS_H

#include "rig.h"

#define MIRROR_PORT 2u
#define N_MIRRORS   3u

/* What port 0 receives, what port 1 sends, both. */
static const struct port_policy mirrors[N_MIRRORS][RIG_PORTS] = {
	{{0, MIRROR_PORT, MIRROR_NONE}, {0, MIRROR_NONE, MIRROR_NONE}, {0, MIRROR_NONE, MIRROR_NONE}},
	{{0, MIRROR_NONE, MIRROR_NONE}, {0, MIRROR_NONE, MIRROR_PORT}, {0, MIRROR_NONE, MIRROR_NONE}},
	{{0, MIRROR_PORT, MIRROR_NONE}, {0, MIRROR_NONE, MIRROR_PORT}, {0, MIRROR_NONE, MIRROR_NONE}},
};

static inline bool
mirrors_rx(uint32_t mirror)
{
	return mirror != 1;
}

static inline bool
mirrors_tx(uint32_t mirror)
{
	return mirror != 0;
}

#endif
