/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ideas of the 2016 discussion about heads in bulk (Brouer and Starovoitov, netdev), one group each. 64 buffers stay, heads
 * come and go: what is timed is the head alone. It is got, initialised, touched as by a walk, and put.
 *
 *   bulk       how many are got and put at once
 *   loops      one call, two calls (get all, then initialise all), or packet by packet
 *   prefetch   how many heads ahead the next is fetched for writing
 *   clear      how it is cleared: vectors is skb_write_hot(), which ships
 *   reuse      lifo: the heads that were put last, which ships; depot: only by way of whole magazines, as if another lcore
 *              had put them; fifo: the ones that were put longest ago, of 16384
 *
 * prefetch/cold and clear/cold are with heads of the fifo.
 */
#include <stdlib.h>

#include "buffers.h"
#include "clear.h"
#include "skb_priv.h"
#include "skbbench.h"

#define N_KEPT  64u
#define REPEATS 16u /* per turn, of N_KEPT packets */
#define N_FIFO  16384u

struct heads {
	struct rte_mbuf *mbufs[N_KEPT];
	struct skb *skbs[N_KEPT];
	struct skb *fifo[N_FIFO];
	uint32_t at; /* in fifo: next to be got, and where it is put again */
};

static int
heads_setup(struct bed *bed, const struct arm *arm)
{
	struct heads *h = calloc(1, sizeof(*h));
	int ret = 0;

	bed->state = h;
	if (!h)
		return -ENOMEM;
	ret = rte_mempool_get_bulk(bed->mp, (void **)h->mbufs, N_KEPT);
	for (uint32_t i = 0; i < N_KEPT && ret == 0; i++)
		buffer_arrive(h->mbufs[i], FRAME_BYTES);
	for (uint32_t i = 0; arm->reuse == FIFO && i < N_FIFO && ret == 0; i += BURST)
		ret = skb_heads_alloc_bulk(&bed->cpu, &h->fifo[i], BURST);
	return ret;
}

static int
heads_fini(struct bed *bed, const struct arm *arm)
{
	struct heads *h = bed->state;

	if (!h)
		return 0;
	if (h->mbufs[0])
		rte_mempool_put_bulk(bed->mp, (void **)h->mbufs, N_KEPT);
	for (uint32_t i = 0; i < N_FIFO && h->fifo[i]; i += BURST)
		skb_heads_free_bulk(&bed->cpu, &h->fifo[i], BURST);
	free(h);
	return 0;
}

static inline void
skbs_touch(struct skb **skbs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		head_touch(skbs[i], RTE_ETHER_TYPE_IPV4);
}

/* By lib/skb's own calls. */
static inline int
shipped_build(struct bed *bed, const struct arm *arm, struct rte_mbuf **mbufs, struct skb **skbs)
{
	int ret;

	if (arm->build == LATE)
		return skb_build_bulk(&bed->cpu, mbufs, skbs, arm->bulk, NULL);
	ret = skb_heads_alloc_bulk(&bed->cpu, skbs, arm->bulk);
	if (likely(ret == 0))
		skb_init_bulk(&bed->cpu, mbufs, skbs, arm->bulk, NULL);
	return ret;
}

static int
bulk_turn(struct bed *bed, const struct arm *arm)
{
	struct heads *const h = bed->state;

	for (uint32_t n = 0; n < REPEATS; n++) {
		for (uint32_t i = 0; i < N_KEPT; i += arm->bulk) {
			const int ret = shipped_build(bed, arm, &h->mbufs[i], &h->skbs[i]);

			if (unlikely(ret < 0))
				return ret;
		}
		skbs_touch(h->skbs, N_KEPT);
		for (uint32_t i = 0; i < N_KEPT; i += arm->bulk)
			skb_release_bulk(&bed->cpu, &h->skbs[i], arm->bulk);
	}
	return 0;
}

static inline int
heads_get(struct bed *bed, const struct arm *arm, struct skb **skbs)
{
	struct heads *const h = bed->state;

	if (arm->reuse != FIFO)
		return skb_heads_get(bed->cpu.heads, bed->cpu.lcore, skbs, BURST);
	memcpy(skbs, &h->fifo[h->at], BURST * sizeof(*skbs));
	return 0;
}

/* Another lcore's magazines are free to use: there is none of that number. */
static inline void
heads_put(struct bed *bed, const struct arm *arm, struct skb **skbs)
{
	struct heads *const h = bed->state;

	if (arm->reuse == FIFO)
		h->at = (h->at + BURST) % N_FIFO;
	else
		skb_heads_put(bed->cpu.heads, arm->reuse == DEPOT ? RTE_MAX_LCORE - 1 : bed->cpu.lcore, skbs,
			BURST);
}

static inline void
heads_init(struct bed *bed, const struct arm *arm, struct rte_mbuf **mbufs, struct skb **skbs)
{
	if (arm->distance > 0)
		heads_init_ahead(skbs, mbufs, bed->cpu.lcore, arm->distance);
	else
		heads_init_cleared(skbs, mbufs, bed->cpu.lcore, arm->clear);
}

static int
idea_turn(struct bed *bed, const struct arm *arm)
{
	struct heads *const h = bed->state;

	for (uint32_t n = 0; n < REPEATS * N_KEPT / BURST; n++) {
		struct rte_mbuf **const mbufs = &h->mbufs[n % 2 * BURST];
		const int ret = heads_get(bed, arm, h->skbs);

		if (unlikely(ret < 0))
			return ret;
		heads_init(bed, arm, mbufs, h->skbs);
		skbs_touch(h->skbs, BURST);
		heads_put(bed, arm, h->skbs);
	}
	return 0;
}

#define BULK(GROUP, NAME, BUILD, N, REFERENCE)                                                 \
	{                                                                                      \
		.group = GROUP, .name = NAME, .is_reference = REFERENCE, .n_lcores = 1,        \
		.setup = heads_setup, .run = turns_run, .fini = heads_fini, .turn = bulk_turn, \
		.n_pkts = REPEATS * N_KEPT, .build = BUILD, .bulk = N                          \
	}
#define IDEA(GROUP, NAME, REFERENCE, REUSE, ...)                                               \
	{                                                                                      \
		.group = GROUP, .name = NAME, .is_reference = REFERENCE, .n_lcores = 1,        \
		.setup = heads_setup, .run = turns_run, .fini = heads_fini, .turn = idea_turn, \
		.n_pkts = REPEATS * N_KEPT, .reuse = REUSE, .n_heads = 2 * N_FIFO, __VA_ARGS__ \
	}
#define PREFETCHES(GROUP, REUSE)                                                                     \
	IDEA(GROUP, "0", true, REUSE, .distance = 0), IDEA(GROUP, "1", false, REUSE, .distance = 1), \
		IDEA(GROUP, "2", false, REUSE, .distance = 2),                                       \
		IDEA(GROUP, "4", false, REUSE, .distance = 4), IDEA(GROUP, "8", false, REUSE, .distance = 8)
#define CLEARS(GROUP, REUSE)                                                      \
	IDEA(GROUP, "vectors", true, REUSE, .clear = VECTORS),                    \
		IDEA(GROUP, "fields", false, REUSE, .clear = FIELDS),             \
		IDEA(GROUP, "words", false, REUSE, .clear = WORDS),               \
		IDEA(GROUP, "pairs", false, REUSE, .clear = PAIRS),               \
		IDEA(GROUP, "memset-hot", false, REUSE, .clear = MEMSET_HOT),     \
		IDEA(GROUP, "memset-both", false, REUSE, .clear = MEMSET_BOTH),   \
		IDEA(GROUP, "rep-stosb-hot", false, REUSE, .clear = STOSB_HOT),   \
		IDEA(GROUP, "rep-stosb-both", false, REUSE, .clear = STOSB_BOTH), \
		IDEA(GROUP, "adjacent-memset", false, REUSE, .clear = ADJACENT),  \
		IDEA(GROUP, "adjacent-rep-stosb", false, REUSE, .clear = ADJACENT_STOSB)

static const struct arm arms[] = {
	BULK("bulk", "1", LATE, 1, false),
	BULK("bulk", "8", LATE, 8, false),
	BULK("bulk", "16", LATE, 16, false),
	BULK("bulk", "32", LATE, 32, true),
	BULK("bulk", "64", LATE, 64, false),
	BULK("loops", "one-call", LATE, 32, true),
	BULK("loops", "two-calls", TWO_LOOPS, 32, false),
	BULK("loops", "packet-by-packet", LATE, 1, false),
	PREFETCHES("prefetch", LIFO),
	PREFETCHES("prefetch/cold", FIFO),
	CLEARS("clear", LIFO),
	CLEARS("clear/cold", FIFO),
	IDEA("reuse", "lifo", true, LIFO),
	IDEA("reuse", "depot", false, DEPOT),
	IDEA("reuse", "fifo", false, FIFO),
};

const struct arm_table head_arms = {arms, RTE_DIM(arms)};
