/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Owners: who is charged for a packet's memory (the struct sock of the kernel's sk_buff, as far as
 * accounting goes). An owner has a balance in bytes of truesize, perhaps a limit, perhaps a function to
 * be called when there is room again.
 *
 *   charged                         released
 *   skb_build_bulk()   at RX        skb_orphan_release_bulk()   before transmit: the early orphan, one subtraction per burst
 *                                   skb_orphan_bulk()   the same, one for every run of packets with one owner
 *   skb_set_owner()                 skb_orphan()        the same for one packet
 *                                   skb_owner_defer_bulk() + skb_owner_put_hook()   in TX completion
 *                                   skb_consume(), skb_drop()
 *
 * The balance is the sum of two words. `home` is written by one lcore only, without atomic operations; `away`
 * by every other thread, atomically. An owner that is charged and released on its home lcore, as an RX queue is with
 * the early orphan, never costs an atomic operation nor a line that another core has written. One that is released in
 * TX completion on another core costs both, for every packet: this is what Dumazet measured (netdev, May 2009), and
 * why the early orphan is the default.
 *
 * Limits are soft: two threads that charge one owner at a time may each see the room that is left.
 */
#ifndef SKB_OWNER_H
#define SKB_OWNER_H

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rte_mbuf;
struct skb;
struct skb_cpu;

#define SKB_OWNER_NAME_LEN 40

struct skb_owner {
	/* the home lcore's line */
	alignas(RTE_CACHE_LINE_SIZE) int64_t home; /* bytes charged less bytes released, by the home lcore */
	int64_t limit;                             /* bytes, 0 = none; constant */
	unsigned int lcore; /* home; LCORE_ID_ANY: nobody's, all goes by away; constant */
	bool notifies;      /* write_space is not NULL; constant */
	/* everybody else's line */
	alignas(RTE_CACHE_LINE_SIZE) int64_t away; /* the same by all other threads, atomic */
	uint64_t n_refused;                        /* packets that found no room, atomic */
	uint32_t blocked; /* something was refused and write_space not called since */
	/* constant */
	alignas(RTE_CACHE_LINE_SIZE) void (*write_space)(struct skb_owner *owner);
	void *arg;
	unsigned int lcore_too; /* lcore, for those who should not read the line that it is in */
	char name[SKB_OWNER_NAME_LEN];
};

static_assert(
	sizeof(struct skb_owner) == 192, "three lines: one to write at home, one elsewhere, one to read");

/*
 * Makes *owner, with nothing charged. name is for people, cut to SKB_OWNER_NAME_LEN - 1 bytes. limit in bytes of truesize,
 * 0 = none. lcore is the home. Before any other thread uses it.
 */
void skb_owner_init(struct skb_owner *owner, const char *name, int64_t limit, unsigned int lcore);

/*
 * Has write_space(owner) called, with arg to be found in owner->arg, when packets have been refused and then the balance
 * has fallen to half of the limit: once, by whoever released last, on that thread, so it must not block.
 * Linux: sk_write_space. Before any other thread uses the owner.
 */
void skb_owner_notify(struct skb_owner *owner, void (*write_space)(struct skb_owner *owner), void *arg);

/* Bytes charged to it now: exact when nobody charges or releases meanwhile. Any thread. */
static inline int64_t
skb_owner_used(const struct skb_owner *owner)
{
	return __atomic_load_n(&owner->home, __ATOMIC_RELAXED) +
	       __atomic_load_n(&owner->away, __ATOMIC_RELAXED);
}

/* Packets it was too full for so far. Any thread. */
static inline uint64_t
skb_owner_refused(const struct skb_owner *owner)
{
	return __atomic_load_n(&owner->n_refused, __ATOMIC_RELAXED);
}

/* The slow half of skb_owner_release(), for owners that have a write_space: calls it if it is time. */
void skb_owner_wake(struct skb_owner *owner);

/* Adds bytes (negative: subtracts) to the balance, on the thread that runs as lcore. Never fails: no limit is looked at. */
static inline void
skb_owner_charge(struct skb_owner *owner, unsigned int lcore, int64_t bytes)
{
	/* LCORE_ID_ANY as home is no thread's: many run as that */
	if (likely(owner->lcore == lcore && lcore < RTE_MAX_LCORE))
		__atomic_store_n(&owner->home, owner->home + bytes, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&owner->away, bytes, __ATOMIC_RELAXED);
}

/* Takes bytes off the balance, on the thread that runs as lcore. */
static inline void
skb_owner_release(struct skb_owner *owner, unsigned int lcore, int64_t bytes)
{
	skb_owner_charge(owner, lcore, -bytes);
	if (unlikely(owner->notifies))
		skb_owner_wake(owner);
}

/* The same on a thread that is probably not at home: it does not read the line that the home lcore writes. */
static inline void
skb_owner_release_far(struct skb_owner *owner, unsigned int lcore, int64_t bytes)
{
	if (owner->lcore_too == lcore && lcore < RTE_MAX_LCORE)
		__atomic_store_n(&owner->home, owner->home - bytes, __ATOMIC_RELAXED);
	else
		__atomic_fetch_sub(&owner->away, bytes, __ATOMIC_RELAXED);
	if (unlikely(owner->write_space != NULL))
		skb_owner_wake(owner);
}

/* How many of mbufs[n], from the first on, could be charged without going over the limit; those that could not are counted
 * as refused. Nothing is charged: skb_build_bulk() does that. Any thread. */
uint32_t skb_owner_admit(struct skb_owner *owner, struct rte_mbuf *const *mbufs, uint32_t n);

/*
 * Makes owner the packet's, in place of the one it has: releases there, charges here, over the limit or not. Linux:
 * skb_set_owner_w(). Whose packet it is.
 */
void skb_set_owner(struct skb_cpu *cpu, struct skb *skb, struct skb_owner *owner);

/* The same within the limit. Returns 0, or -ENOBUFS: no room, it is counted as refused and the packet keeps its owner. */
int skb_try_set_owner(struct skb_cpu *cpu, struct skb *skb, struct skb_owner *owner);

/* Releases the packet's charge; it then has no owner. One without an owner stays as it is. Linux: skb_orphan(). */
void skb_orphan(struct skb_cpu *cpu, struct skb *skb);

/* The same for skbs[n], with one release for every run of packets that have the same owner. */
void skb_orphan_bulk(struct skb_cpu *cpu, struct skb *const *skbs, uint32_t n);

/*
 * The same for a burst of which is known that all have this owner and that their truesizes sum up to bytes, and gives the heads
 * back as skb_release_bulk() does: the heads are not read. A debug build reads them, and stops if it is not so.
 */
void skb_orphan_release_bulk(
	struct skb_cpu *cpu, struct skb *const *skbs, uint32_t n, struct skb_owner *owner, int64_t bytes);

/*
 * Release in TX completion, the way the kernel does without skb_orphan(): moves the charges of skbs[n] into their data
 * buffers, just before those go to a port; each packet must begin in an mbuf of its own, which has place for one charge. The hook releases a charge when its buffer comes back to its mempool, on the thread
 * that puts it there: hang it into the mempool's ops (arg is not used). skb_owner_defer_init() registers the mbuf field for
 * both. Returns 0, or the negative errno of rte_mbuf_dynfield_register(): no field is free. Main thread, once or more often.
 */
int skb_owner_defer_init(void);
void skb_owner_defer_bulk(struct skb_cpu *cpu, struct skb *const *skbs, uint32_t n);
void skb_owner_put_hook(void *arg, void *const *mbufs, unsigned int n);

#ifdef __cplusplus
}
#endif

#endif
