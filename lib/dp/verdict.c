/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of verdict.h as data. */
#include "verdict.h"

const struct verdict_info verdict_info[N_VERDICTS] = {
#define X(name, kind, text, source) {#name, VERDICT_KIND_##kind, text, source},
	VERDICTS(X)
#undef X
};
