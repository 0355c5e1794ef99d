/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets in more than one piece.
 *
 * Fragments are the mbufs behind the first one: data of the same packet, counted in len and data_len. A jumbo frame arrives that
 * way. Headers are only ever read and written in the first segment, and skb_pull_head() sees to it that they are there.
 *
 * The segment list (frag_list, linked by next) holds whole packets of their own that go with this one: the pieces of a datagram, the
 * segments of a large packet. Their bytes are not in len, their memory not in truesize, and they are freed with it. The kernel's
 * frag_list has a second use, as continuation of the data: that is what fragments are for here.
 *
 * On failure (-ENOMEM: no data buffer in cpu->data; -EMSGSIZE: more than a data buffer holds) nothing has changed.
 */
#ifndef SKB_FRAGS_H
#define SKB_FRAGS_H

#include "skb.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Segments behind the first one. Linux: skb_shinfo(skb)->nr_frags. */
static inline uint32_t
skb_n_frags(const struct skb *skb)
{
	return skb->mbuf->nb_segs - 1u;
}

/*
 * Appends the chain frag, whose bytes become the packet's last; empty mbufs in it are kept. frag belongs to the packet
 * then. Returns 0, -ENOMEM, or -EOVERFLOW (more than RTE_MBUF_MAX_NB_SEGS segments); then frag stays the caller's. Linux:
 * skb_add_rx_frag().
 */
int skb_add_frag(struct skb_cpu *cpu, struct skb *skb, struct rte_mbuf *frag);

/*
 * Sees to it that the first len bytes are in the first segment, where data points to: moves them there from the fragments if
 * there is room behind, in a private buffer, else into a new buffer. Pointers become invalid. Returns 0, -EINVAL (the packet
 * is shorter), -ENOMEM or -EMSGSIZE. Linux: pskb_may_pull().
 */
int skb_pull_head(struct skb_cpu *cpu, struct skb *skb, uint32_t len);

/* The same for all of it: afterwards there are no fragments. Returns 0, -ENOMEM or -EMSGSIZE. Linux: skb_linearize(). */
int skb_linearize(struct skb_cpu *cpu, struct skb *skb);

/*
 * Cuts the packet to len bytes and frees segments that are left empty; does nothing when it is not longer. Returns 0, or
 * -ENOMEM: only if one of its mbufs is shared (skb_cow() would have made them private). Linux: pskb_trim().
 */
int pskb_trim(struct skb_cpu *cpu, struct skb *skb, uint32_t len);

/* Copies len bytes from offset on, wherever they are, to to[len]. Returns 0, or -EINVAL: the packet is shorter. Linux: skb_copy_bits(). */
int skb_copy_bits(const struct skb *skb, uint32_t offset, void *to, uint32_t len);

/* Appends seg, which has no other user and is in no list, to the segment list; it belongs to skb then. */
void skb_frag_list_add(struct skb *skb, struct skb *seg);

/* The first of the segment list, NULL if it is empty. The others follow by next. */
static inline struct skb *
skb_frag_list(const struct skb *skb)
{
	return skb->flags & SKB_COLD ? skb->frag_list : NULL;
}

/* Takes the whole segment list off and returns it: the caller's now. */
struct skb *skb_frag_list_take(struct skb *skb);

#ifdef __cplusplus
}
#endif

#endif
