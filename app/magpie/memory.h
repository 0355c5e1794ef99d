/* SPDX-License-Identifier: BSD-3-Clause */
/* When the EAL's memory is too small. */
#ifndef MEMORY_H
#define MEMORY_H

#include "complaint.h"

/* Says that there is not enough for what, how much there is and how to get more. Returns MACHINE_FAULT. */
enum outcome memory_fault(const char *what);

#endif
