/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that ends at a page nobody may touch: a function that reads one byte beyond
 * what it was given dies here, with or without a sanitizer.
 */
#ifndef GUARD_H
#define GUARD_H

#include <stdint.h>

#define GUARD_MAX 4096u

/* Returns where len (<= GUARD_MAX) bytes begin that end at the forbidden page. One block per process, rewritten by every
 * call: it holds a copy of bytes[len]. */
uint8_t *guard_copy(const uint8_t *bytes, uint32_t len);

#endif
