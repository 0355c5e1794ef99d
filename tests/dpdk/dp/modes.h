/* SPDX-License-Identifier: BSD-3-Clause */
/* When heads are built and when charges are released: all that can be asked for together. */
#ifndef MODES_H
#define MODES_H

#include "worker.h"

struct modes {
	enum build_mode build;
	enum complete_mode complete;
};

#define N_MODES 9u

/* A lazily built packet has no head to charge anybody with. */
static const struct modes all_modes[N_MODES] = {
	{BUILD_LATE, COMPLETE_ORPHAN},
	{BUILD_LATE, COMPLETE_ORPHAN_PACKET},
	{BUILD_LATE, COMPLETE_COMPLETION},
	{BUILD_LATE, COMPLETE_NONE},
	{BUILD_EARLY, COMPLETE_ORPHAN},
	{BUILD_EARLY, COMPLETE_ORPHAN_PACKET},
	{BUILD_EARLY, COMPLETE_COMPLETION},
	{BUILD_EARLY, COMPLETE_NONE},
	{BUILD_LAZY, COMPLETE_NONE},
};

#endif
