/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * struct skb: the packet descriptor, after Linux's sk_buff.
 *
 *     struct skb (head)              rte_mbuf + data room (data buffer)
 *   +------------------+           +------+----------+-----------+----------+
 *   | mbuf  ------------------->   | mbuf | headroom | len bytes | tailroom |
 *   | data  ------------------------------------------^          |          |
 *   | len, headers ... |           +------+----------+-----------+----------+
 *   +------------------+
 *
 * A head is separate from its data buffer: it comes from a per-lcore LIFO, is
 * built when the packet has arrived (skb_build_bulk) and goes back to the LIFO
 * at transmit, so a handful of heads stay in the L1 cache however long the RX
 * ring is (Dumazet and Miroslaw, netdev, July 2011). It never lives in the
 * mbuf's private area: there, building late gains nothing.
 *
 * Ownership: build takes the mbuf and gives a head that owns it; consume and
 * drop take the head and free both; skb_release_bulk gives the heads back and the
 * mbufs to the caller. A head has one user in this version.
 *
 * Geometry: head <= data, data + len <= end, as in the kernel. The head's
 * geometry is the truth while a packet has one; skb_sync() writes it to the mbuf.
 * Right after build and skb_sync both agree.
 */
#ifndef SKB_H
#define SKB_H

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "magazine.h"

#define SKB_UNSET       ((uint16_t)~0u) /* a header offset that is not known, as in the kernel */
#define SKB_REASONS_MAX 64              /* reasons that skb_drop() can count */

struct skb_owner; /* who is charged for the memory; NULL in every skb of this version */

struct skb {
	/* hot line: written as a whole at build */
	struct rte_mbuf *mbuf; /* the data buffer it owns */
	uint8_t *data;         /* first byte of the packet */
	struct skb_owner *owner;
	uint64_t tstamp;   /* TSC cycles, 0 = not taken */
	uint32_t len;      /* bytes from data on, over all segments */
	uint32_t truesize; /* bytes of memory charged */
	uint32_t hash;     /* the NIC's RSS hash, 0 = none */
	uint32_t nexthop;  /* the walk's lookup result */
	/* offsets from mbuf->buf_addr, or SKB_UNSET */
	uint16_t mac_header, network_header, transport_header;
	uint16_t port;  /* it came in by */
	uint16_t lcore; /* that built it */
	uint8_t users;  /* references to this head */
	uint8_t flags;
	uint16_t protocol; /* ether type, host order, 0 = not parsed */
	uint16_t reason;   /* the verdict that sent it off the fast path */
	/* cold line: written only when the packet leaves the fast path */
	alignas(RTE_CACHE_LINE_SIZE) struct skb *frag_list;
	uint32_t dataref;
	uint16_t n_frags;
};

static_assert(offsetof(struct skb, frag_list) == 64, "one hot line");
static_assert(sizeof(struct skb) == 128, "one hot line, one cold line");

/* The heads: one LIFO per lcore over magazines. */
struct skb_pool;

/* What one thread brings along to every call: its caches and its drop counters. Single writer. */
struct skb_cpu {
	struct magazine_pool *heads;
	unsigned int lcore;              /* rte_lcore_id(), or LCORE_ID_ANY: slower, but allowed */
	uint64_t drops[SKB_REASONS_MAX]; /* packets by the reason given to skb_drop() */
};

/*
 * Makes a pool of n heads on NUMA node, in magazines of size rounds (0 = default).
 * Returns 0 and *pool, or -EINVAL (n 0, size not allowed), -ENOMEM. Main thread.
 */
int skb_pool_create(const char *name, uint32_t n, uint32_t size, int node, struct skb_pool **pool);

/* Ends it. Every head must be back, no thread may use it any more. NULL is allowed. */
void skb_pool_destroy(struct skb_pool *pool);

/* The magazines that hold the heads, for statistics and checks. The pool owns them. */
struct magazine_pool *skb_pool_heads(struct skb_pool *pool);

/* Prepares *cpu for the thread that runs as lcore, with all counters 0. */
void skb_cpu_init(struct skb_cpu *cpu, struct skb_pool *pool, unsigned int lcore);

/*
 * Builds skbs[n] around raw mbufs[n] just received: all or none. Writes the hot
 * line only. Afterwards each head owns its mbuf. Returns 0, or -ENOMEM when there are fewer
 * than n heads: the mbufs stay with the caller. Linux: build_skb().
 */
int skb_build_bulk(struct skb_cpu *cpu, struct rte_mbuf *const *mbufs, struct skb **skbs, uint32_t n);

/* Gives the heads skbs[n] back; their mbufs, whose geometry is up to date (skb_sync), belong to the caller. */
void skb_release_bulk(struct skb_cpu *cpu, struct skb *const *skbs, uint32_t n);

/* Frees a packet that has served its purpose: head and data. Linux: consume_skb(). */
void skb_consume(struct skb_cpu *cpu, struct skb *skb);

/* Frees a packet that was thrown away, and counts it under reason (< SKB_REASONS_MAX). Linux: kfree_skb_reason(). */
void skb_drop(struct skb_cpu *cpu, struct skb *skb, unsigned int reason);

/* The same for mbufs[n] that have no heads. */
void skb_drop_raw_bulk(struct skb_cpu *cpu, struct rte_mbuf **mbufs, uint32_t n, unsigned int reason);

/*
 * Early building, the way drivers did before 2011: a head is bound to each data
 * buffer when the PMD takes it from the pool. The pool's private area holds the
 * pointer (SKB_EARLY_PRIV_SIZE bytes), not the head. skb_early_get and _put are
 * the hooks for the mempool ops, arg is the struct skb_pool.
 */
#define SKB_EARLY_PRIV_SIZE 8
void skb_early_get(void *arg, void *const *mbufs, unsigned int n);
void skb_early_put(void *arg, void *const *mbufs, unsigned int n);

/* As skb_build_bulk(), with the heads that were bound early; builds those that have none. */
int skb_claim_bulk(struct skb_cpu *cpu, struct rte_mbuf *const *mbufs, struct skb **skbs, uint32_t n);

/*
 * Geometry is that of a packet in one data buffer. Of a chain of mbufs only skb_headroom() and len
 * mean something; the walk drops chains as oversize.
 */

/* Bytes before the packet / behind it, in its data buffer. */
static inline uint32_t
skb_headroom(const struct skb *skb)
{
	return (uint32_t)(skb->data - (uint8_t *)skb->mbuf->buf_addr);
}

static inline uint32_t
skb_tailroom(const struct skb *skb)
{
	return skb->mbuf->buf_len - skb_headroom(skb) - skb->len;
}

/* Moves an empty packet's start len bytes on, to make headroom. Linux: skb_reserve(). */
void skb_reserve(struct skb *skb, uint32_t len);

/* Appends len bytes and returns where they start. len <= tailroom is the caller's duty (asserted). */
void *skb_put(struct skb *skb, uint32_t len);

/* Prepends len bytes and returns the new start. len <= headroom is the caller's duty (asserted). */
void *skb_push(struct skb *skb, uint32_t len);

/* Takes len bytes off the front and returns the new start, or NULL if the packet is shorter: then nothing changed. */
void *skb_pull(struct skb *skb, uint32_t len);

/* Cuts the packet to len bytes; does nothing when it is not longer. */
void skb_trim(struct skb *skb, uint32_t len);

/* Writes the head's geometry to its mbuf (one segment), before the mbuf goes to a PMD alone. */
void skb_sync(struct skb *skb);

#endif
