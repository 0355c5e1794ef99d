/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What it costs to charge packets to owners and to release them: the sender builds a burst, charges it, and releases
 * its heads; the other side is TX completion, which puts the buffers back. Arms differ in who releases the charge, when and how:
 *
 *   none            nobody is charged
 *   orphan-burst    the sender, once for a burst of which it knows the owner and the sum: what the walk does
 *   orphan          the sender, once for each run of packets with the same owner: what ships for bursts of many owners
 *   orphan-packet   the sender, packet by packet
 *   completion      the other side, in the mempool's put hook
 *   locked-orphan   the sender, by an atomic operation per packet for the charge and one for the release, as in the kernel
 *   three-lines     the other side, by all that the kernel of 2009 did: socks.h
 *
 * Groups are owner/N-bursts (a burst has one owner, as packets of an RX queue have) and owner/N-packets (each packet has
 * another, as on a host with N sockets); N owners in random order. owner2 is the same on two lcores: the sender is the
 * owners' home.
 */
#include <stdlib.h>

#include "buffers.h"
#include "mempool_magazine.h"
#include "skb_priv.h"
#include "skbbench.h"
#include "socks.h"

#define N_ORDER 65536u

struct owners {
	struct skb_owner *owners;
	struct sock *socks;
	struct skb_owner *owner; /* of the burst that was built last, and */
	int64_t bytes;           /* what it was charged with for that */
	uint32_t order[N_ORDER]; /* whose turn it is */
	uint32_t at;
};

static int
owners_make(struct owners *o, const struct arm *arm, unsigned int home)
{
	o->owners = aligned_alloc(RTE_CACHE_LINE_SIZE, arm->n_owners * sizeof(*o->owners));
	o->socks = aligned_alloc(RTE_CACHE_LINE_SIZE, arm->n_owners * sizeof(*o->socks));
	if (!o->owners || !o->socks)
		return -ENOMEM;
	for (uint32_t i = 0; i < arm->n_owners; i++) {
		skb_owner_init(&o->owners[i], "skbbench", 0, home);
		sock_init(&o->socks[i]);
	}
	for (uint32_t i = 0, random = 1; i < N_ORDER; i++) {
		random ^= random << 13;
		random ^= random >> 17;
		random ^= random << 5;
		o->order[i] = random % arm->n_owners;
	}
	return 0;
}

static int
owners_setup(struct bed *bed, const struct arm *arm)
{
	struct mempool_magazine_hooks hooks = {0};

	bed->state = calloc(1, sizeof(struct owners));
	if (!bed->state)
		return -ENOMEM;
	if (arm->mode == COMPLETION)
		hooks.on_put = skb_owner_put_hook;
	if (arm->mode == THREE_LINES) {
		const int ret = socks_init();

		if (ret < 0)
			return ret;
		hooks.on_put = sock_put_hook;
	}
	if (mempool_magazine_set_hooks(bed->mp, &hooks) < 0)
		return -EINVAL;
	return owners_make(bed->state, arm, bed->cpu.lcore);
}

/* Nothing may be left charged. */
static int
owners_fini(struct bed *bed, const struct arm *arm)
{
	struct owners *o = bed->state;
	int ret = 0;

	for (uint32_t i = 0; o && o->socks && i < arm->n_owners; i++)
		if (skb_owner_used(&o->owners[i]) != 0 || !sock_is_idle(&o->socks[i]))
			ret = -EFAULT;
	if (ret < 0)
		fprintf(stderr, "charges were not released\n");
	if (o) {
		free(o->owners);
		free(o->socks);
	}
	free(o);
	return ret;
}

static inline uint32_t
next_owner(struct owners *o)
{
	return o->order[o->at++ % N_ORDER];
}

/* All of a burst to one owner; what it is charged with is remembered, as the walk does. */
static inline int
build_one_owner(struct bed *bed, struct owners *o, struct rte_mbuf **mbufs, struct skb **skbs)
{
	int64_t before;
	int ret;

	o->owner = &o->owners[next_owner(o)];
	before = o->owner->home;
	ret = skb_build_bulk(&bed->cpu, mbufs, skbs, BURST, o->owner);
	o->bytes = o->owner->home - before;
	return ret;
}

/* Heads with owners, in the way that lib/skb offers. */
static inline int
build_charged(struct bed *bed, const struct arm *arm, struct rte_mbuf **mbufs, struct skb **skbs)
{
	struct owners *const o = bed->state;
	int ret;

	if (arm->mode == NONE)
		return skb_build_bulk(&bed->cpu, mbufs, skbs, BURST, NULL);
	if (arm->run_len > 1)
		return build_one_owner(bed, o, mbufs, skbs);
	ret = skb_build_bulk(&bed->cpu, mbufs, skbs, BURST, NULL);
	for (uint32_t i = 0; i < BURST && ret == 0; i++)
		skb_set_owner(&bed->cpu, skbs[i], &o->owners[next_owner(o)]);
	return ret;
}

static inline void
release_charges(struct bed *bed, const struct arm *arm, struct skb **skbs)
{
	if (arm->mode == ORPHAN)
		skb_orphan_bulk(&bed->cpu, skbs, BURST);
	if (arm->mode == COMPLETION)
		skb_owner_defer_bulk(&bed->cpu, skbs, BURST);
	for (uint32_t i = 0; arm->mode == ORPHAN_PACKET && i < BURST; i++)
		skb_orphan(&bed->cpu, skbs[i]);
}

static int
owner_send(struct bed *bed, const struct arm *arm, void **objs)
{
	struct rte_mbuf **const mbufs = (struct rte_mbuf **)objs;
	struct skb *skbs[BURST];
	int ret = burst_receive(bed, arm, mbufs);

	if (unlikely(ret < 0))
		return ret;
	ret = build_charged(bed, arm, mbufs, skbs);
	if (unlikely(ret < 0)) {
		rte_mempool_put_bulk(bed->mp, objs, BURST);
		return ret;
	}
	if (arm->mode == ORPHAN_BURST) {
		const struct owners *const o = bed->state;

		skb_orphan_release_bulk(&bed->cpu, skbs, BURST, o->owner, o->bytes);
		return 0;
	}
	release_charges(bed, arm, skbs);
	skb_release_bulk(&bed->cpu, skbs, BURST);
	return 0;
}

/* The same with the kernel's owners, packet by packet. */
static int
sock_send(struct bed *bed, const struct arm *arm, void **objs)
{
	struct rte_mbuf **const mbufs = (struct rte_mbuf **)objs;
	struct owners *const o = bed->state;
	struct sock *socks[BURST];
	struct skb *skbs[BURST];
	int ret = burst_receive(bed, arm, mbufs);

	if (unlikely(ret < 0))
		return ret;
	ret = skb_build_bulk(&bed->cpu, mbufs, skbs, BURST, NULL);
	if (unlikely(ret < 0)) {
		rte_mempool_put_bulk(bed->mp, objs, BURST);
		return ret;
	}
	for (uint32_t i = 0; i < BURST; i++) {
		socks[i] = &o->socks[i == 0 || arm->run_len == 1 ? next_owner(o)
								 : o->order[(o->at - 1) % N_ORDER]];
		sock_charge(socks[i], skbs[i]->truesize);
	}
	for (uint32_t i = 0; i < BURST; i++) {
		if (arm->mode == LOCKED_ORPHAN)
			sock_orphan(socks[i], skbs[i]->truesize);
		else
			sock_defer(socks[i], mbufs[i]);
	}
	skb_release_bulk(&bed->cpu, skbs, BURST);
	return 0;
}

static void
owner_receive(struct bed *bed, const struct arm *arm, void **objs)
{
	rte_mempool_put_bulk(bed->mp, objs, BURST);
}

#define OWNER(GROUP, NAME, MODE, LCORES, OWNERS, RUN)                                                        \
	{                                                                                                    \
		.group = GROUP, .name = NAME, .is_reference = (MODE) == ((RUN) > 1 ? ORPHAN_BURST : ORPHAN), \
		.n_lcores = LCORES, .setup = owners_setup, .run = sides_run, .fini = owners_fini,            \
		.send = (MODE) == LOCKED_ORPHAN || (MODE) == THREE_LINES ? sock_send : owner_send,           \
		.receive = owner_receive, .mode = MODE, .n_owners = OWNERS, .run_len = RUN                   \
	}
#define OWNERS(GROUP, LCORES, N, RUN)                                                               \
	OWNER(GROUP, "none", NONE, LCORES, N, RUN), OWNER(GROUP, "orphan", ORPHAN, LCORES, N, RUN), \
		OWNER(GROUP, "orphan-packet", ORPHAN_PACKET, LCORES, N, RUN),                       \
		OWNER(GROUP, "completion", COMPLETION, LCORES, N, RUN),                             \
		OWNER(GROUP, "locked-orphan", LOCKED_ORPHAN, LCORES, N, RUN),                       \
		OWNER(GROUP, "three-lines", THREE_LINES, LCORES, N, RUN)

static const struct arm arms[] = {
	OWNER("owner/1-bursts", "orphan-burst", ORPHAN_BURST, 1, 1, BURST),
	OWNERS("owner/1-bursts", 1, 1, BURST),
	OWNER("owner/64-bursts", "orphan-burst", ORPHAN_BURST, 1, 64, BURST),
	OWNERS("owner/64-bursts", 1, 64, BURST),
	OWNER("owner/65536-bursts", "orphan-burst", ORPHAN_BURST, 1, 65536, BURST),
	OWNERS("owner/65536-bursts", 1, 65536, BURST),
	OWNERS("owner/64-packets", 1, 64, 1),
	OWNERS("owner/65536-packets", 1, 65536, 1),
	OWNER("owner2/1-bursts", "orphan-burst", ORPHAN_BURST, 2, 1, BURST),
	OWNERS("owner2/1-bursts", 2, 1, BURST),
	OWNER("owner2/64-bursts", "orphan-burst", ORPHAN_BURST, 2, 64, BURST),
	OWNERS("owner2/64-bursts", 2, 64, BURST),
	OWNER("owner2/65536-bursts", "orphan-burst", ORPHAN_BURST, 2, 65536, BURST),
	OWNERS("owner2/65536-bursts", 2, 65536, BURST),
	OWNERS("owner2/64-packets", 2, 64, 1),
	OWNERS("owner2/65536-packets", 2, 65536, 1),
};

const struct arm_table owner_arms = {arms, RTE_DIM(arms)};
