/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libFuzzer calls, and what its inputs are:
 *
 *   how to receive it (1) | where it is cut (1) | frame
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

#define FUZZ_FRAME 2u /* offset of the frame */

/* Bits of the first byte. */
#define FUZZ_PORT1 1u /* by port 1, else by port 0 */
#define FUZZ_CUT   2u /* in two data buffers, the first with as many bytes as the second byte says */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
