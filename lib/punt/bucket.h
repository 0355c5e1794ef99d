/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A token bucket (RFC 1812 4.3.2.8, RFC 4443 2.4 (f)): so many a second on average, and a tenth of that, or BUCKET_DEPTH_MIN, at once. Nothing
 * happens while nobody asks: what has come in since the last time is added when the next one is taken.
 */
#ifndef BUCKET_H
#define BUCKET_H

#include <stdbool.h>
#include <stdint.h>

#define BUCKET_UNLIMITED UINT32_MAX
#define BUCKET_DEPTH_MIN 32u

struct bucket {
	uint64_t credit; /* in cycles * rate: a token is hz of it */
	uint64_t last;   /* when it was added to, TSC cycles */
	uint64_t hz, full;
	uint32_t rate; /* tokens a second; 0 = none ever, or BUCKET_UNLIMITED */
};

/* Makes a full one. hz: cycles a second, at most 5e9; now: TSC cycles. */
void bucket_init(struct bucket *bucket, uint32_t rate, uint64_t hz, uint64_t now);

/* Takes a token, if there is one. One thread. */
bool bucket_take(struct bucket *bucket, uint64_t now);

#endif
