/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bucket of bucket.h in whole numbers. full <= 2^32 / 10 * 5e9 < 2^61, and what is added is at most full, so nothing overflows; no
 * fraction of a token is lost, whatever rate and hz.
 */
#include "bucket.h"

#include <rte_common.h>

void
bucket_init(struct bucket *bucket, uint32_t rate, uint64_t hz, uint64_t now)
{
	const uint64_t depth = RTE_MAX(BUCKET_DEPTH_MIN, rate / 10);

	*bucket = (struct bucket){
		.credit = depth * hz, .last = now, .hz = hz, .full = depth * hz, .rate = rate};
}

static void
fill(struct bucket *bucket, uint64_t elapsed)
{
	if (elapsed > (bucket->full - bucket->credit) / bucket->rate)
		bucket->credit = bucket->full;
	else
		bucket->credit += elapsed * bucket->rate;
}

bool
bucket_take(struct bucket *bucket, uint64_t now)
{
	if (bucket->rate == 0)
		return false;
	if (bucket->rate == BUCKET_UNLIMITED)
		return true;
	fill(bucket, now - bucket->last);
	bucket->last = now;
	if (bucket->credit < bucket->hz)
		return false;
	bucket->credit -= bucket->hz;
	return true;
}
