/* SPDX-License-Identifier: BSD-3-Clause */
/* A frame for every verdict that one frame can bring about, a line each: a good one, then bytes of it overwritten. */
#ifndef PATCHES_H
#define PATCHES_H

#include "frame.h"
#include "verdict.h"

struct patch {
	enum verdict verdict;
	const char *dst;
	uint32_t at,
		n; /* offset in the frame and number of bytes written over it; bytes that are left when at is PATCH_CUT */
	uint8_t bytes[16];
	bool seal;
};

#define PATCH_CUT 0xffffu

extern const struct patch patches[];
extern const uint32_t n_patches;

void patch_frame(const struct patch *patch, struct frame *frame);

#endif
