/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this directory share: the pool, how a hot line is written, single segments, and the
 * charge that a data buffer takes along to TX completion.
 */
#ifndef SKB_PRIV_H
#define SKB_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

#include "magazine.h"
#include "skb.h"

/* A debug build's checks; see skb_panic(). */
#ifdef NDEBUG
#define SKB_CHECK(skb, condition) ((void)0)
#else
#define SKB_CHECK(skb, condition) ((condition) ? (void)0 : skb_panic(skb, #condition, __func__))
#endif

struct skb_pool {
	struct magazine_pool *heads;
	struct skb *mem; /* [n], one block */
	uint32_t n;
	bool numa; /* the block came from libnuma */
};

/* ---- heads ---- */

/* Half a hot line as the 16-bit fields it ends in: one 32-byte store, or two of 16. */
typedef uint16_t skb_half __attribute__((vector_size(32), may_alias));

static_assert(sizeof(skb_half) == offsetof(struct skb, len), "first half: pointers and time");
static_assert(2 * sizeof(skb_half) == offsetof(struct skb, next), "second half: numbers");

static inline uint32_t
skb_mbuf_hash(const struct rte_mbuf *mbuf)
{
	return mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH ? mbuf->hash.rss : 0;
}

/* What a packet in mbuf, whose segments are all of one pool, takes of memory. */
static inline uint32_t
skb_mbuf_truesize(const struct rte_mbuf *mbuf)
{
	return (uint32_t)(mbuf->nb_segs * (mbuf->buf_len + sizeof(*mbuf)) + sizeof(struct skb));
}

/* What only the arrival tells. data_len is 0 already. */
static inline void
skb_write_arrival(struct skb *skb, const struct rte_mbuf *mbuf, struct skb_owner *owner)
{
	skb->data = rte_pktmbuf_mtod(mbuf, uint8_t *);
	skb->owner = owner;
	skb->len = mbuf->pkt_len;
	skb->truesize = (uint32_t)(mbuf->buf_len + sizeof(*mbuf) + sizeof(*skb));
	if (unlikely(mbuf->nb_segs > 1)) {
		skb->data_len = mbuf->pkt_len - mbuf->data_len;
		skb->truesize = skb_mbuf_truesize(mbuf);
	}
	skb->hash = skb_mbuf_hash(mbuf);
	skb->port = mbuf->port;
}

/*
 * Writes the hot line of a head that lcore builds: first the whole of it, in as few stores as the
 * processor has, then over that the fields that are not the same in every head. Assigning all sixteen
 * fields instead costs a cycle more, copying an initialised struct skb twenty: gcc makes `rep stos` of it.
 */
static inline void
skb_write_hot(struct skb *skb, struct rte_mbuf *mbuf, unsigned int lcore, struct skb_owner *owner)
{
	skb_half *const half = (skb_half *)skb;

	half[0] = (skb_half){0};
	half[1] = (skb_half){
		0, 0, 0, 0, 0, 0, 0, 0,          /* len, data_len, truesize, hash */
		SKB_UNSET, SKB_UNSET, SKB_UNSET, /* mac, network and transport header */
		0, (uint16_t)lcore, 1, 0, 0,     /* port, lcore, users, flags and reason, protocol */
	};
	skb->mbuf = mbuf;
	skb_write_arrival(skb, mbuf, owner);
}

/* Takes n heads of pool, all or none, on the calling thread. Returns 0 or -ENOENT. */
static inline int
skb_heads_get(struct magazine_pool *heads, unsigned int lcore, struct skb **skbs, uint32_t n)
{
	return magazine_get_bulk(heads, lcore, (void **)skbs, n);
}

static inline void
skb_heads_put(struct magazine_pool *heads, unsigned int lcore, struct skb *const *skbs, uint32_t n)
{
	magazine_put_bulk(heads, lcore, (void *const *)skbs, n);
}

/* ---- segments (segment.c) ---- */

/* A data buffer without content, with headroom bytes before it, from cpu->data. NULL if there is none; headroom must fit. */
struct rte_mbuf *skb_segment_alloc(struct skb_cpu *cpu, uint32_t headroom);

/*
 * An indirect mbuf for all of mbuf's segment, alone; it takes a reference of its own to the data. others: the head has
 * other users, who may do the same at this moment. NULL if there is no mbuf.
 */
struct rte_mbuf *skb_segment_indirect(struct skb_cpu *cpu, struct rte_mbuf *mbuf, bool others);

/* Bytes for head- and tailroom and data in one buffer of cpu->data; 0 without a pool. */
uint32_t skb_segment_room(const struct skb_cpu *cpu);

/*
 * Replaces every shared mbuf of the chain that *at points to by an indirect one, so that next, nb_segs, data_off and data_len
 * of all of them may be changed. The bytes stay where they are. Returns 0, or -ENOMEM: nothing is changed.
 */
int skb_own_chain(struct skb_cpu *cpu, struct rte_mbuf **at);

/* A copy of skb's first segment with at least these rooms, the geometry and offload fields of skb's in it. NULL without a
 * buffer; what must fit does fit (skb_head_fits). */
struct rte_mbuf *skb_head_copy(
	struct skb_cpu *cpu, const struct skb *skb, uint32_t headroom, uint32_t tailroom);
bool skb_head_fits(const struct skb_cpu *cpu, const struct skb *skb, uint32_t headroom, uint32_t tailroom);

/* Bytes of memory that a chain's mbufs and buffers take. */
uint32_t skb_chain_truesize(const struct rte_mbuf *mbuf);

/* The packet takes so many bytes more, or less, and its owner is charged for that. */
void skb_truesize_add(struct skb_cpu *cpu, struct skb *skb, int bytes);

/* Lets skb begin in the data buffer head, whose data_off is set, instead of its own; keeps the header offsets right. */
void skb_move_head(struct skb *skb, struct rte_mbuf *head);

/* ---- charges (defer.c) ---- */

/* What a data buffer takes along to TX completion, in a dynamic field of the mbuf. */
struct skb_charge {
	struct skb_owner *owner; /* NULL = nothing */
	uint32_t bytes;
	uint32_t
		of; /* skb_charge_tag() of its mbuf: DPDK copies dynamic fields too, and a copy charges nobody */
};

extern __attribute__((visibility("hidden"))) int skb_charge_offset; /* -1: nobody ever defers a release */

static inline struct skb_charge *
skb_charge_of(struct rte_mbuf *mbuf)
{
	return RTE_MBUF_DYNFIELD(mbuf, skb_charge_offset, struct skb_charge *);
}

static inline uint32_t
skb_charge_tag(const struct rte_mbuf *mbuf)
{
	return (uint32_t)((uintptr_t)mbuf / RTE_CACHE_LINE_SIZE);
}

/* Takes the charge off mbuf. Returns whose it was, NULL = there was none, and *bytes. */
static inline struct skb_owner *
skb_charge_take(struct rte_mbuf *mbuf, uint32_t *bytes)
{
	struct skb_charge *const charge = skb_charge_of(mbuf);
	struct skb_owner *const owner = charge->owner;

	if (owner == NULL)
		return NULL;
	charge->owner = NULL;
	*bytes = charge->bytes;
	return likely(charge->of == skb_charge_tag(mbuf)) ? owner : NULL;
}

#endif
