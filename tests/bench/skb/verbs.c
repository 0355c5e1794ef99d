/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the verbs of the slow path cost, all in the L1 cache. Each is done to a packet and undone, packet by packet.
 *
 *   verb    on 32 packets in one segment that stay as they are; build is a packet's whole life in the same manner
 *   chain   on a packet in 3 segments of 64 bytes that is made for it and consumed; nothing is that alone
 */
#include <stdlib.h>

#include "buffers.h"
#include "skb_frags.h"
#include "skb_share.h"
#include "skbbench.h"

#define REPEATS    32u /* per turn, of a burst */
#define SEG_BYTES  64u
#define N_SEGS     3u
#define PULL_BYTES (SEG_BYTES + 16) /* a header that straddles two segments */

struct packets {
	struct skb *skbs[BURST];
};

static int
packets_make(struct bed *bed, const struct arm *arm)
{
	struct packets *p = calloc(1, sizeof(*p));
	int ret = 0;

	bed->state = p;
	if (!p)
		return -ENOMEM;
	for (uint32_t i = 0; i < BURST && ret == 0; i++) {
		ret = skb_alloc(&bed->cpu, RTE_PKTMBUF_HEADROOM + arm->size, &p->skbs[i]);
		if (ret < 0)
			return ret;
		skb_reserve(p->skbs[i], RTE_PKTMBUF_HEADROOM);
		memset(skb_put(p->skbs[i], arm->size), 0x45, arm->size);
	}
	return 0;
}

static int
packets_end(struct bed *bed, const struct arm *arm)
{
	struct packets *p = bed->state;

	for (uint32_t i = 0; p && i < BURST && p->skbs[i]; i++)
		skb_consume(&bed->cpu, p->skbs[i]);
	free(p);
	return 0;
}

static int
verb_turn(struct bed *bed, const struct arm *arm)
{
	const struct packets *p = bed->state;

	for (uint32_t n = 0; n < REPEATS; n++) {
		for (uint32_t i = 0; i < BURST; i++) {
			const int ret = arm->verb(&bed->cpu, p->skbs[i]);

			if (unlikely(ret < 0))
				return ret;
		}
	}
	return 0;
}

/* A burst of received packets, built, given to the verb and consumed one by one. */
static int
build_turn(struct bed *bed, const struct arm *arm)
{
	struct rte_mbuf *mbufs[BURST];
	struct skb *skb;

	for (uint32_t n = 0; n < REPEATS; n++) {
		int ret = burst_receive(bed, arm, mbufs);

		if (unlikely(ret < 0))
			return ret;
		for (uint32_t i = 0; i < BURST && ret == 0; i++) {
			ret = skb_build(&bed->cpu, mbufs[i], &skb);
			if (likely(ret == 0))
				skb_consume(&bed->cpu, skb);
		}
		if (unlikely(ret < 0))
			return ret;
	}
	return 0;
}

static void
chain_arrive(struct rte_mbuf *const segs[N_SEGS])
{
	for (uint32_t i = 0; i < N_SEGS; i++) {
		buffer_arrive(segs[i], SEG_BYTES);
		segs[i]->next = i + 1 < N_SEGS ? segs[i + 1] : NULL;
	}
	segs[0]->nb_segs = N_SEGS;
	segs[0]->pkt_len = N_SEGS * SEG_BYTES;
}

static int
chain_turn(struct bed *bed, const struct arm *arm)
{
	struct rte_mbuf *segs[N_SEGS];
	struct skb *skb;

	for (uint32_t n = 0; n < REPEATS * BURST; n++) {
		int ret = rte_mempool_get_bulk(bed->mp, (void **)segs, N_SEGS);

		if (unlikely(ret < 0))
			return ret;
		chain_arrive(segs);
		ret = skb_build(&bed->cpu, segs[0], &skb);
		if (unlikely(ret < 0)) {
			rte_pktmbuf_free(segs[0]);
			return ret;
		}
		if (arm->verb)
			ret = arm->verb(&bed->cpu, skb);
		skb_consume(&bed->cpu, skb);
		if (unlikely(ret < 0))
			return ret;
	}
	return 0;
}

static int
do_get(struct skb_cpu *cpu, struct skb *skb)
{
	skb_consume(cpu, skb_get(skb));
	return 0;
}

static int
do_clone(struct skb_cpu *cpu, struct skb *skb)
{
	struct skb *clone;
	const int ret = skb_clone(cpu, skb, &clone);

	if (likely(ret == 0))
		skb_consume(cpu, clone);
	return ret;
}

/* As a mirror port's copy goes. */
static int
do_clone_release(struct skb_cpu *cpu, struct skb *skb)
{
	struct rte_mbuf *mbuf;
	struct skb *clone;
	int ret = skb_clone(cpu, skb, &clone);

	if (unlikely(ret < 0))
		return ret;
	ret = skb_release(cpu, clone, &mbuf);
	if (likely(ret == 0))
		rte_pktmbuf_free(mbuf);
	else
		skb_consume(cpu, clone);
	return ret;
}

static int
do_clone_cow(struct skb_cpu *cpu, struct skb *skb)
{
	struct skb *clone;
	int ret = skb_clone(cpu, skb, &clone);

	if (unlikely(ret < 0))
		return ret;
	ret = skb_cow(cpu, clone, 0);
	skb_consume(cpu, clone);
	return ret;
}

/* What a writer pays when nothing is shared. */
static int
do_cow(struct skb_cpu *cpu, struct skb *skb)
{
	return skb_cow(cpu, skb, 0);
}

static int
do_copy(struct skb_cpu *cpu, struct skb *skb)
{
	struct skb *copy;
	const int ret = skb_copy(cpu, skb, &copy);

	if (likely(ret == 0))
		skb_consume(cpu, copy);
	return ret;
}

static int
do_pskb_copy(struct skb_cpu *cpu, struct skb *skb)
{
	struct skb *copy;
	const int ret = pskb_copy(cpu, skb, &copy);

	if (likely(ret == 0))
		skb_consume(cpu, copy);
	return ret;
}

static int
do_pull_head(struct skb_cpu *cpu, struct skb *skb)
{
	return skb_pull_head(cpu, skb, PULL_BYTES);
}

static int
do_linearize(struct skb_cpu *cpu, struct skb *skb)
{
	return skb_linearize(cpu, skb);
}

#define VERB(NAME, DO, SIZE)                                                                                \
	{                                                                                                   \
		.group = "verb", .name = NAME, .n_lcores = 1, .setup = packets_make, .run = turns_run,      \
		.fini = packets_end, .turn = verb_turn, .n_pkts = REPEATS * BURST, .verb = DO, .size = SIZE \
	}
#define CHAIN(NAME, DO)                                                                      \
	{                                                                                    \
		.group = "chain", .name = NAME, .is_reference = (DO) == NULL, .n_lcores = 1, \
		.run = turns_run, .turn = chain_turn, .n_pkts = REPEATS * BURST, .verb = DO  \
	}

static const struct arm arms[] = {
	{.group = "verb",
		.name = "build+consume",
		.is_reference = true,
		.n_lcores = 1,
		.run = turns_run,
		.turn = build_turn,
		.n_pkts = REPEATS * BURST},
	VERB("get+consume", do_get, FRAME_BYTES),
	VERB("clone+consume", do_clone, FRAME_BYTES),
	VERB("clone+release", do_clone_release, FRAME_BYTES),
	VERB("cow-unshared", do_cow, FRAME_BYTES),
	VERB("clone+cow+consume", do_clone_cow, FRAME_BYTES),
	VERB("clone+cow+consume-1500", do_clone_cow, 1500),
	VERB("copy+consume-64", do_copy, 64),
	VERB("copy+consume-1500", do_copy, 1500),
	VERB("pskb_copy+consume-1500", do_pskb_copy, 1500),
	CHAIN("nothing", NULL),
	CHAIN("pull_head", do_pull_head),
	CHAIN("linearize", do_linearize),
	CHAIN("clone", do_clone),
	CHAIN("clone+cow", do_clone_cow),
	CHAIN("pskb_copy", do_pskb_copy),
	CHAIN("copy", do_copy),
};

const struct arm_table verb_arms = {arms, RTE_DIM(arms)};
