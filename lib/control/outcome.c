/* SPDX-License-Identifier: BSD-3-Clause */
#include "control.h"

const struct control_info control_info[CONTROL_N_OUTCOMES] = {
#define X(name, kind, text, source) {#name, CONTROL_KIND_##kind, text, source},
	CONTROL_OUTCOMES(X)
#undef X
};
