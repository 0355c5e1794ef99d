/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * struct skb: the packet descriptor, after Linux's sk_buff. doc/skb.md has a drawing of both.
 *
 *     struct skb (head)              rte_mbuf + data room (data buffer)
 *   +------------------+           +------+----------+-----------+----------+
 *   | mbuf  ------------------->   | mbuf | headroom | head len  | tailroom |
 *   | data  ------------------------------------------^          |          |
 *   | len, headers ... |           +--|---+----------+-----------+----------+
 *   +------------------+              next: fragments, whole mbufs
 *
 * A head is separate from its data buffer: it comes from a per-lcore LIFO, is
 * built when the packet has arrived (skb_build_bulk) and goes back to the LIFO
 * at transmit, so a handful of heads stay in the L1 cache however long the RX
 * ring is (Dumazet and Miroslaw, netdev, July 2011). It never lives in the
 * mbuf's private area: there, building late gains nothing.
 *
 * Ownership: build takes the mbuf and gives a head that owns it; consume and
 * drop take the head and free both; release gives the head back and the mbufs to the caller.
 *
 * Two counts, as in the kernel. `users` counts who holds the head (skb_get); the last one frees it. The data
 * is counted by the mbufs' own reference counts, which are the kernel's dataref: a clone (skb_share.h) is another head
 * with references to the same mbufs, and whoever frees an mbuf last frees its data. Neither is touched by an atomic
 * operation while it is 1. Nobody writes shared bytes: who wants to goes through skb_cow().
 *
 * Geometry: head <= data, data + headlen <= end, as in the kernel. The head's geometry is the truth
 * while a packet has one; skb_sync() writes it to the first mbuf. What is behind the first segment
 * (data_len bytes), the mbufs describe. Right after build and skb_sync both agree.
 *
 * Threads: a packet belongs to one thread at a time. Clones may belong to different ones.
 */
#ifndef SKB_H
#define SKB_H

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_mbuf.h>

#include "magazine.h"
#include "skb_owner.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SKB_UNSET       ((uint16_t)~0u) /* a header offset that is not known, as in the kernel */
#define SKB_CB_SIZE     40              /* bytes of a packet's control buffer. Linux: skb->cb */
#define SKB_REASONS_MAX 64              /* reasons that skb_drop() can count */

/* skb.flags */
#define SKB_COLD 0x01u /* the cold line is valid */

struct skb {
	/* hot line: written as a whole at build */
	struct rte_mbuf *mbuf; /* the first segment; the head has a reference to it and to all that follow */
	uint8_t *data;         /* first byte of the packet */
	struct skb_owner *owner; /* charged with truesize; NULL = nobody */
	uint64_t tstamp;         /* TSC cycles, 0 = not taken */
	uint32_t len;            /* bytes from data on, over all segments */
	uint32_t data_len;       /* of these, the ones behind the first segment */
	uint32_t truesize; /* bytes of memory: head, mbufs, buffers; not less when segments are cut off */
	uint32_t hash;     /* the NIC's RSS hash, 0 = none */
	/* offsets from mbuf->buf_addr, or SKB_UNSET */
	uint16_t mac_header, network_header, transport_header;
	uint16_t port;  /* it came in by */
	uint16_t lcore; /* that built it */
	uint16_t users; /* references to this head; atomic once it is more than 1 */
	uint8_t flags;
	uint8_t reason;    /* the verdict that sent it off the fast path */
	uint16_t protocol; /* ether type, host order, 0 = not parsed */
	/* cold line: nothing of it is valid before the packet leaves the fast path */
	alignas(RTE_CACHE_LINE_SIZE) struct skb *next; /* in a list; valid while it is in one */
	struct skb *frag_list, *frag_tail;             /* see skb_frags.h; valid if SKB_COLD */
	uint8_t cb[SKB_CB_SIZE]; /* control buffer: for whoever has the packet; copies do not have it */
};

static_assert(offsetof(struct skb, next) == 64, "one hot line");
static_assert(sizeof(struct skb) == 128, "one hot line, one cold line");

/* The heads: one LIFO per lcore over magazines. */
struct skb_pool;

/* What one thread brings along to every call: its caches and its drop counters. Single writer. */
struct skb_cpu {
	struct magazine_pool *heads;
	struct rte_mempool *data;        /* where the verbs that need a data buffer take it; may be NULL */
	unsigned int lcore;              /* rte_lcore_id(), or LCORE_ID_ANY: slower, but allowed */
	uint64_t drops[SKB_REASONS_MAX]; /* packets by the reason given to skb_drop() */
};

/* ---- heads ---- */

/*
 * Makes a pool of n heads on NUMA node, in magazines of size rounds (0 = default).
 * Returns 0 and *pool, or -EINVAL (n 0, size not allowed), -ENOMEM. Main thread.
 */
int skb_pool_create(const char *name, uint32_t n, uint32_t size, int node, struct skb_pool **pool);

/* Ends it. Every head must be back, no thread may use it any more. NULL is allowed. */
void skb_pool_destroy(struct skb_pool *pool);

/* The magazines that hold the heads, for statistics and checks. The pool owns them. */
struct magazine_pool *skb_pool_heads(struct skb_pool *pool);

/*
 * Prepares *cpu for the thread that runs as lcore, with all counters 0. data: an rte_pktmbuf pool without external buffers;
 * NULL: what needs a data buffer fails with -ENOMEM.
 */
void skb_cpu_init(struct skb_cpu *cpu, struct skb_pool *pool, struct rte_mempool *data, unsigned int lcore);

/* ---- a packet's beginning ---- */

/*
 * Makes an empty packet with size bytes of tailroom and no headroom (skb_reserve() makes some), with all of the first mbuf
 * as after rte_pktmbuf_alloc(). The caller owns it. Returns 0 and *skb, or -EMSGSIZE (size is more than a data buffer has),
 * -ENOMEM (no head or no data buffer). Linux: alloc_skb().
 */
int skb_alloc(struct skb_cpu *cpu, uint32_t size, struct skb **skb);

/*
 * Builds skbs[n] around raw mbufs[n] just received, chains too: all or none. Writes the hot line only, and charges
 * owner (NULL = nobody) once, over its limit or not: see skb_owner_admit(). Afterwards each head owns its mbuf. Returns
 * 0, or -ENOMEM when there are fewer than n heads: the mbufs stay with the caller. Linux: build_skb().
 */
int skb_build_bulk(struct skb_cpu *cpu, struct rte_mbuf *const *mbufs, struct skb **skbs, uint32_t n,
	struct skb_owner *owner);

/* The same for one. */
int skb_build(struct skb_cpu *cpu, struct rte_mbuf *mbuf, struct skb **skb);

/*
 * The two halves of skb_build_bulk(), for whoever wants to do something between them: heads without content, all or
 * none, 0 or -ENOMEM; and their content. skb_heads_free_bulk() gives back heads that own nothing.
 */
int skb_heads_alloc_bulk(struct skb_cpu *cpu, struct skb **skbs, uint32_t n);
void skb_init_bulk(struct skb_cpu *cpu, struct rte_mbuf *const *mbufs, struct skb *const *skbs, uint32_t n,
	struct skb_owner *owner);
void skb_heads_free_bulk(struct skb_cpu *cpu, struct skb *const *skbs, uint32_t n);

/* ---- its end ---- */

/*
 * Gives the heads skbs[n] back; their mbufs belong to the caller. For packets with one user and no owner whose mbufs are
 * not shared and up to date (skb_sync), as they are on the walk; others go through skb_release().
 */
void skb_release_bulk(struct skb_cpu *cpu, struct skb *const *skbs, uint32_t n);

/*
 * Gives the head of a packet with one user and no segment list back and its data to the caller as mbufs that a PMD may take. The packet is orphaned,
 * its geometry written to the first mbuf; if that is shared, an indirect mbuf takes its place, from cpu->data. With a
 * shared mbuf anywhere in the chain the TX queue must not do FAST_FREE. Returns 0 and *mbuf, or -ENOMEM: nothing is changed.
 */
int skb_release(struct skb_cpu *cpu, struct skb *skb, struct rte_mbuf **mbuf);

/* One more user of the head, who must not change the packet while there is another. Returns skb. Linux: skb_get(). */
struct skb *skb_get(struct skb *skb);

/* Whether the head has more users than the caller. Linux: skb_shared(). */
static inline bool
skb_shared(const struct skb *skb)
{
	return __atomic_load_n(&skb->users, __ATOMIC_ACQUIRE) != 1;
}

/*
 * Gives a packet up that has served its purpose; the last user frees head and data and orphans it. Linux:
 * consume_skb(). skb_consume_list() does so with all that next links, NULL allowed.
 */
void skb_consume(struct skb_cpu *cpu, struct skb *skb);
void skb_consume_list(struct skb_cpu *cpu, struct skb *list);

/* The same for packets that are thrown away: each is counted under reason (< SKB_REASONS_MAX). Linux: kfree_skb_reason(). */
void skb_drop(struct skb_cpu *cpu, struct skb *skb, unsigned int reason);
void skb_drop_list(struct skb_cpu *cpu, struct skb *list, unsigned int reason);

/* The same for mbufs[n] that have no heads. */
void skb_drop_raw_bulk(struct skb_cpu *cpu, struct rte_mbuf **mbufs, uint32_t n, unsigned int reason);

/* ---- early building, for comparison ---- */

/*
 * The way drivers did before 2011: a head is bound to each data
 * buffer when the PMD takes it from the pool. The pool's private area holds the
 * pointer (SKB_EARLY_PRIV_SIZE bytes), not the head. skb_early_get and _put are
 * the hooks for the mempool ops, arg is the struct skb_pool.
 */
#define SKB_EARLY_PRIV_SIZE 8
void skb_early_get(void *arg, void *const *mbufs, unsigned int n);
void skb_early_put(void *arg, void *const *mbufs, unsigned int n);

/* As skb_build_bulk(), with the heads that were bound early; builds those that have none. */
int skb_claim_bulk(struct skb_cpu *cpu, struct rte_mbuf *const *mbufs, struct skb **skbs, uint32_t n,
	struct skb_owner *owner);

/* ---- geometry ---- */

/* Bytes in the first segment. Linux: skb_headlen(). */
static inline uint32_t
skb_headlen(const struct skb *skb)
{
	return skb->len - skb->data_len;
}

/* Whether some are behind it. Linux: skb_is_nonlinear(). */
static inline bool
skb_is_nonlinear(const struct skb *skb)
{
	return skb->data_len != 0;
}

/* Bytes before the packet in its first data buffer. */
static inline uint32_t
skb_headroom(const struct skb *skb)
{
	return (uint32_t)(skb->data - (uint8_t *)skb->mbuf->buf_addr);
}

/* Bytes behind it there; 0 if it goes on in another one. */
static inline uint32_t
skb_tailroom(const struct skb *skb)
{
	return skb_is_nonlinear(skb) ? 0 : skb->mbuf->buf_len - skb_headroom(skb) - skb->len;
}

/*
 * The verbs without "try" leave it to the caller to know that there is room: a debug build dumps the packet and stops if
 * there is none. Those with "try" are for lengths that come from outside: they return 0, or -EINVAL, then nothing is changed.
 * All work in the first segment. What put appends will be written, so the data must not be shared (skb_cow); push may just
 * take back what was pulled, so there it is the writer's affair. start may be NULL.
 */

/* Moves an empty packet's start len bytes on, to make headroom. Linux: skb_reserve(). */
void skb_reserve(struct skb *skb, uint32_t len);
int skb_try_reserve(struct skb *skb, uint32_t len);

/* Appends len bytes to a packet of one segment: len <= tailroom. Returns where they start. Linux: skb_put(). */
void *skb_put(struct skb *skb, uint32_t len);
int skb_try_put(struct skb *skb, uint32_t len, void **start);

/* Prepends len bytes: len <= headroom. Returns the new start. Linux: skb_push(). */
void *skb_push(struct skb *skb, uint32_t len);
int skb_try_push(struct skb *skb, uint32_t len, void **start);

/* Takes len bytes off the front: len <= headlen, see skb_pull_head(). Returns the new start. Linux: skb_pull(). */
void *skb_pull(struct skb *skb, uint32_t len);
int skb_try_pull(struct skb *skb, uint32_t len, void **start);

/* Cuts a packet of one segment to len bytes; does nothing when it is not longer. pskb_trim() takes any. Linux: skb_trim(). */
void skb_trim(struct skb *skb, uint32_t len);
int skb_try_trim(struct skb *skb, uint32_t len);

/* Writes the head's geometry to its first mbuf, which must not be shared, before the mbuf goes to a PMD alone. */
void skb_sync(struct skb *skb);

/* Dumps the packet to stderr and aborts: what a debug build's checks end in. */
void skb_panic(const struct skb *skb, const char *what, const char *where) __attribute__((noreturn, cold));

/* ---- where the headers start: pointers, valid until the first segment is replaced or the offset unset ---- */

static inline bool
skb_mac_header_was_set(const struct skb *skb)
{
	return skb->mac_header != SKB_UNSET;
}

static inline bool
skb_network_header_was_set(const struct skb *skb)
{
	return skb->network_header != SKB_UNSET;
}

static inline bool
skb_transport_header_was_set(const struct skb *skb)
{
	return skb->transport_header != SKB_UNSET;
}

static inline uint8_t *
skb_mac_header(const struct skb *skb)
{
	return (uint8_t *)skb->mbuf->buf_addr + skb->mac_header;
}

static inline uint8_t *
skb_network_header(const struct skb *skb)
{
	return (uint8_t *)skb->mbuf->buf_addr + skb->network_header;
}

static inline uint8_t *
skb_transport_header(const struct skb *skb)
{
	return (uint8_t *)skb->mbuf->buf_addr + skb->transport_header;
}

/* A header's place, which must be inside of the first data buffer: a debug build looks. */
static inline uint16_t
skb_header_at(const struct skb *skb, int offset)
{
	const int at = (int)skb_headroom(skb) + offset;

#ifndef NDEBUG
	if (at < 0 || at > skb->mbuf->buf_len || at == SKB_UNSET)
		skb_panic(skb, "it is inside of the first data buffer", __func__);
#endif
	return (uint16_t)at;
}

/* offset: from data on, may be negative as far as there is headroom. */
static inline void
skb_set_mac_header(struct skb *skb, int offset)
{
	skb->mac_header = skb_header_at(skb, offset);
}

static inline void
skb_set_network_header(struct skb *skb, int offset)
{
	skb->network_header = skb_header_at(skb, offset);
}

static inline void
skb_set_transport_header(struct skb *skb, int offset)
{
	skb->transport_header = skb_header_at(skb, offset);
}

/* ---- for people ---- */

/* Writes what the head and its segments say and the first bytes of the packet, some ten lines. Linux: skb_dump(). */
void skb_dump(const struct skb *skb, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
