/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet's life by the point where its head is built. It ends in one of two ways: its head is released
 * and its buffer put back in a burst, as after a transmit; or it is consumed, packet by packet.
 *
 *   release, consume             the buffer comes straight from the mempool, and is the one that was put last:
 *                                all is in the L1 cache, this is what the instructions cost
 *   release/ringN, consume/ringN the buffer was posted N packets ago; the frame and the head are touched as a forwarder does
 *
 * lazy has no head at all: what the others take more is the price of one.
 */
#include "buffers.h"
#include "skbbench.h"

#define TURN_BURSTS 32u

static inline int
burst_build(struct bed *bed, const struct arm *arm, struct rte_mbuf **mbufs, struct skb **skbs)
{
	int ret = 0;

	switch (arm->build) {
	case LATE: return skb_build_bulk(&bed->cpu, mbufs, skbs, BURST, NULL);
	case TWO_LOOPS:
		ret = skb_heads_alloc_bulk(&bed->cpu, skbs, BURST);
		if (likely(ret == 0))
			skb_init_bulk(&bed->cpu, mbufs, skbs, BURST, NULL);
		return ret;
	case EARLY: return skb_claim_bulk(&bed->cpu, mbufs, skbs, BURST, NULL);
	case LAZY: break;
	}
	return ret;
}

static inline void
burst_touch(const struct arm *arm, struct rte_mbuf **mbufs, struct skb **skbs)
{
	for (uint32_t i = 0; i < BURST; i++) {
		const uint16_t protocol = frame_touch(mbufs[i]);

		if (arm->build != LAZY)
			head_touch(skbs[i], protocol);
	}
}

static inline void
burst_end(struct bed *bed, const struct arm *arm, struct rte_mbuf **mbufs, struct skb **skbs)
{
	if (arm->ending == RELEASE) {
		if (arm->build != LAZY)
			skb_release_bulk(&bed->cpu, skbs, BURST);
		rte_mempool_put_bulk(bed->mp, (void **)mbufs, BURST);
		return;
	}
	for (uint32_t i = 0; i < BURST; i++) {
		if (arm->build == LAZY)
			rte_pktmbuf_free(mbufs[i]);
		else
			skb_consume(&bed->cpu, skbs[i]);
	}
}

static int
life_turn(struct bed *bed, const struct arm *arm)
{
	struct rte_mbuf *mbufs[BURST];
	struct skb *skbs[BURST];

	for (uint32_t n = 0; n < TURN_BURSTS; n++) {
		int ret = burst_receive(bed, arm, mbufs);

		if (likely(ret == 0)) {
			ret = burst_build(bed, arm, mbufs, skbs);
			if (unlikely(ret < 0))
				rte_mempool_put_bulk(bed->mp, (void **)mbufs, BURST);
		}
		if (unlikely(ret < 0))
			return ret;
		if (arm->ring > 0)
			burst_touch(arm, mbufs, skbs);
		burst_end(bed, arm, mbufs, skbs);
	}
	return 0;
}

#define LIFE(GROUP, NAME, BUILD, ENDING, RING)                                                      \
	{                                                                                           \
		.group = GROUP, .name = NAME, .is_reference = (BUILD) == LATE, .n_lcores = 1,       \
		.run = turns_run, .turn = life_turn, .n_pkts = TURN_BURSTS * BURST, .build = BUILD, \
		.ending = ENDING, .ring = RING                                                      \
	}
#define LIVES(GROUP, ENDING, RING)                                                                  \
	LIFE(GROUP, "late", LATE, ENDING, RING), LIFE(GROUP, "two-loops", TWO_LOOPS, ENDING, RING), \
		LIFE(GROUP, "early", EARLY, ENDING, RING), LIFE(GROUP, "lazy", LAZY, ENDING, RING)

static const struct arm arms[] = {
	LIVES("release", RELEASE, 0),
	LIVES("release/ring256", RELEASE, 256),
	LIVES("release/ring1024", RELEASE, 1024),
	LIVES("release/ring4096", RELEASE, 4096),
	LIVES("release/ring8192", RELEASE, 8192),
	LIVES("consume", CONSUME, 0),
	LIVES("consume/ring256", CONSUME, 256),
	LIVES("consume/ring1024", CONSUME, 1024),
	LIVES("consume/ring4096", CONSUME, 4096),
	LIVES("consume/ring8192", CONSUME, 8192),
};

const struct arm_table life_arms = {arms, RTE_DIM(arms)};
