/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a head can be initialised, with a ring of 1024 posted buffers. The frames are fetched ahead in all arms.
 *
 *   place    rx: all heads of the burst as soon as it is there, which ships. eth-type: each when its frame's ether type has just
 *            been read, with head and frame fetched ahead together. punt: only for the one packet in 64 that leaves the fast path
 *   remote   two lcores; the second one forwards. here: heads are built by the first, there: by the second, which is handed
 *            raw buffers
 */
#include "buffers.h"
#include "skb_priv.h"
#include "skbbench.h"

#define TURN_BURSTS 32u
#define PUNT_EVERY  64u /* packets */

static inline void
frames_prefetch(struct rte_mbuf **mbufs)
{
	for (uint32_t i = 0; i < BURST; i++)
		rte_prefetch0(rte_pktmbuf_mtod(mbufs[i], void *));
}

static inline void
burst_walk(struct rte_mbuf **mbufs, struct skb **skbs)
{
	for (uint32_t i = 0; i < BURST; i++)
		head_touch(skbs[i], frame_touch(mbufs[i]));
}

static inline int
at_rx(struct bed *bed, struct rte_mbuf **mbufs)
{
	struct skb *skbs[BURST];
	const int ret = skb_build_bulk(&bed->cpu, mbufs, skbs, BURST, NULL);

	if (unlikely(ret < 0))
		return ret;
	burst_walk(mbufs, skbs);
	skb_release_bulk(&bed->cpu, skbs, BURST);
	return 0;
}

static inline int
after_eth_type(struct bed *bed, struct rte_mbuf **mbufs)
{
	struct skb *skbs[BURST];
	const int ret = skb_heads_alloc_bulk(&bed->cpu, skbs, BURST);

	if (unlikely(ret < 0))
		return ret;
	for (uint32_t i = 0; i < BURST; i++)
		rte_prefetch0_write(skbs[i]);
	for (uint32_t i = 0; i < BURST; i++) {
		const uint16_t protocol = frame_touch(mbufs[i]);

		skb_write_hot(skbs[i], mbufs[i], bed->cpu.lcore, NULL);
		head_touch(skbs[i], protocol);
	}
	skb_release_bulk(&bed->cpu, skbs, BURST);
	return 0;
}

/* The head alone is put again: the buffer goes with the others. */
static inline int
at_punt(struct bed *bed, struct rte_mbuf **mbufs, uint32_t n)
{
	struct skb *skb;

	for (uint32_t i = 0; i < BURST; i++) {
		const uint16_t protocol = frame_touch(mbufs[i]);

		if (likely((n * BURST + i) % PUNT_EVERY != 0))
			continue;
		if (unlikely(skb_build(&bed->cpu, mbufs[i], &skb) < 0))
			return -ENOMEM;
		head_touch(skb, protocol);
		skb_release_bulk(&bed->cpu, &skb, 1);
	}
	return 0;
}

static int
place_turn(struct bed *bed, const struct arm *arm)
{
	struct rte_mbuf *mbufs[BURST];

	for (uint32_t n = 0; n < TURN_BURSTS; n++) {
		int ret = burst_receive(bed, arm, mbufs);

		if (unlikely(ret < 0))
			return ret;
		frames_prefetch(mbufs);
		switch (arm->place) {
		case AT_RX: ret = at_rx(bed, mbufs); break;
		case AFTER_ETH_TYPE: ret = after_eth_type(bed, mbufs); break;
		case AT_PUNT: ret = at_punt(bed, mbufs, n); break;
		}
		rte_mempool_put_bulk(bed->mp, (void **)mbufs, BURST);
		if (unlikely(ret < 0))
			return ret;
	}
	return 0;
}

static int
here_send(struct bed *bed, const struct arm *arm, void **objs)
{
	struct rte_mbuf *mbufs[BURST];
	int ret = burst_receive(bed, arm, mbufs);

	if (unlikely(ret < 0))
		return ret;
	if (likely(skb_build_bulk(&bed->cpu, mbufs, (struct skb **)objs, BURST, NULL) == 0))
		return 0;
	/* the other side has the heads just now */
	rte_mempool_put_bulk(bed->mp, (void **)mbufs, BURST);
	return -EAGAIN;
}

static void
here_receive(struct bed *bed, const struct arm *arm, void **objs)
{
	struct skb **const skbs = (struct skb **)objs;
	struct rte_mbuf *mbufs[BURST];

	for (uint32_t i = 0; i < BURST; i++)
		rte_prefetch0(skbs[i]);
	for (uint32_t i = 0; i < BURST; i++)
		mbufs[i] = skbs[i]->mbuf;
	frames_prefetch(mbufs);
	burst_walk(mbufs, skbs);
	skb_release_bulk(&bed->far_cpu, skbs, BURST);
	rte_mempool_put_bulk(bed->mp, (void **)mbufs, BURST);
}

static int
there_send(struct bed *bed, const struct arm *arm, void **objs)
{
	return burst_receive(bed, arm, (struct rte_mbuf **)objs);
}

static void
there_receive(struct bed *bed, const struct arm *arm, void **objs)
{
	struct rte_mbuf **const mbufs = (struct rte_mbuf **)objs;
	struct skb *skbs[BURST];

	for (uint32_t i = 0; i < BURST; i++)
		rte_prefetch0(mbufs[i]);
	if (likely(skb_build_bulk(&bed->far_cpu, mbufs, skbs, BURST, NULL) == 0)) {
		frames_prefetch(mbufs);
		burst_walk(mbufs, skbs);
		skb_release_bulk(&bed->far_cpu, skbs, BURST);
	}
	rte_mempool_put_bulk(bed->mp, objs, BURST);
}

#define PLACE(NAME, PLACE)                                                                           \
	{                                                                                            \
		.group = "place", .name = NAME, .is_reference = (PLACE) == AT_RX, .n_lcores = 1,     \
		.run = turns_run, .turn = place_turn, .n_pkts = TURN_BURSTS * BURST, .place = PLACE, \
		.ring = 1024                                                                         \
	}
#define REMOTE(NAME, SEND, RECEIVE)                                                                  \
	{                                                                                            \
		.group = "remote", .name = NAME, .is_reference = (SEND) == here_send, .n_lcores = 2, \
		.run = sides_run, .send = SEND, .receive = RECEIVE                                   \
	}

static const struct arm arms[] = {
	PLACE("rx", AT_RX),
	PLACE("eth-type", AFTER_ETH_TYPE),
	PLACE("punt", AT_PUNT),
	REMOTE("here", here_send, here_receive),
	REMOTE("there", there_send, there_receive),
};

const struct arm_table place_arms = {arms, RTE_DIM(arms)};
