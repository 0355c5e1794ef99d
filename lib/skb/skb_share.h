/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clones and copies. What is shared and what is private afterwards:
 *
 *                     head      first segment   fragments' bytes   fragments' mbufs
 *   skb_clone()       private   shared          shared             shared
 *   pskb_copy()       private   private         shared             private
 *   skb_copy()        private   private         private            private
 *   skb_cow()         (same)    private         shared             private
 *
 * "Shared" means: readable, never written, and the mbuf itself (its geometry, its next) is as unchangeable as the bytes.
 * Whoever wants to write headers calls skb_cow() first, which does nothing when nothing is shared. The kernel's words are
 * the same; what it calls shared info is, here, the mbufs behind the first one.
 *
 * All of it takes heads and data buffers from the calling thread's struct skb_cpu. -ENOMEM: there was none, and nothing has
 * changed. -EMSGSIZE: the first segment would not fit a data buffer, and nothing has changed. A function that replaces the
 * first segment makes all pointers into it invalid; header offsets are kept right.
 */
#ifndef SKB_SHARE_H
#define SKB_SHARE_H

#include "skb.h"

#ifdef __cplusplus
extern "C" {
#endif

/* References to mbuf. A count of 1 is seen after all that those who let go have done, so that writing may follow. */
static inline uint16_t
skb_mbuf_refs(const struct rte_mbuf *mbuf)
{
	return __atomic_load_n(&mbuf->refcnt, __ATOMIC_ACQUIRE);
}

/* Whether the bytes of mbuf's buffer may be seen through another mbuf or head too. */
static inline bool
skb_mbuf_is_shared(struct rte_mbuf *mbuf)
{
	if (skb_mbuf_refs(mbuf) > 1)
		return true;
	if (RTE_MBUF_CLONED(mbuf))
		return skb_mbuf_refs(rte_mbuf_from_indirect(mbuf)) > 1;
	return RTE_MBUF_HAS_EXTBUF(mbuf) && rte_mbuf_ext_refcnt_read(mbuf->shinfo) > 1;
}

/* Whether the first segment, where headers are written, is shared. Linux: skb_cloned(). */
static inline bool
skb_cloned(const struct skb *skb)
{
	return skb_mbuf_is_shared(skb->mbuf);
}

/* Whether any segment is. */
bool skb_has_shared_data(const struct skb *skb);

/*
 * Another head for the same data, with one user, without an owner; the packets of a segment list are cloned too. The caller
 * owns *clone, and may give it to another thread. Returns 0 or -ENOMEM. Linux: skb_clone().
 */
int skb_clone(struct skb_cpu *cpu, struct skb *skb, struct skb **clone);

/*
 * A packet of its own with the same bytes in segments of the same lengths and the same header offsets; no owner, no
 * segment list. The caller owns *copy. Returns 0, -ENOMEM or -EMSGSIZE. Linux: skb_copy().
 */
int skb_copy(struct skb_cpu *cpu, const struct skb *skb, struct skb **copy);

/* The same with a private first segment only. Linux: pskb_copy(). */
int pskb_copy(struct skb_cpu *cpu, struct skb *skb, struct skb **copy);

/*
 * Makes *skb a packet whose data is not shared at all: itself if so, else a copy (with clones of a segment list, without an
 * owner), and gives its use of the original up. On failure *skb is as before. Returns 0, -ENOMEM or -EMSGSIZE. Linux:
 * skb_unshare().
 */
int skb_unshare(struct skb_cpu *cpu, struct skb **skb);

/*
 * Makes *skb a head that nobody else uses: itself if so, else a clone, and gives its use of the original up. On failure *skb is
 * as before. Returns 0 or -ENOMEM. Linux: skb_share_check().
 */
int skb_share_check(struct skb_cpu *cpu, struct skb **skb);

/*
 * Puts the first segment into a new, private data buffer, with at least headroom bytes before it and tailroom bytes behind it
 * (data buffers are of one size: more on one side is less on the other; what headroom it has now is kept if there is space).
 * Fragments stay, their mbufs made private. The head must have one user. Returns 0, -ENOMEM or -EMSGSIZE. Linux:
 * pskb_expand_head(), which is told the difference.
 */
int skb_expand_head(struct skb_cpu *cpu, struct skb *skb, uint32_t headroom, uint32_t tailroom);

/*
 * Makes the headers writable: afterwards the first segment is private with at least headroom bytes before it, and so are the
 * mbufs of the fragments. Does nothing if that is so already. The head must have one user. Returns as skb_expand_head(). Linux:
 * skb_cow().
 */
int skb_cow(struct skb_cpu *cpu, struct skb *skb, uint32_t headroom);

#ifdef __cplusplus
}
#endif

#endif
