/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A burst: up to BURST_MAX packets on their way through the walk, as columns (a struct of
 * arrays), so that a rule is one loop that the compiler can vectorise.
 *
 *   column   written by            read by                  valid
 *   mbuf     rx..fragment, gate    all                      from rx on
 *   skb      build..fragment, gate punt, gate, tx           from build on, if has_heads
 *   data,len parse, fit, fragment  all after it             from parse on; len until fragment
 *   eth      parse                 check                    until the gate
 *   w        parse                 check, lookup            until the gate; rows 0..4 of an
 *                                                           IPv4 packet, 0..9 of an IPv6 one
 *   l3len    check, fragment       lookup, gate, rewrite, tx  from check on
 *   bad      check                 check                    until the gate
 *   verdict  check..fragment       gate                     until the gate; only if judged
 *   id       lookup                lookup                   until the gate
 *   adj      lookup, gate          rewrite, tx              from lookup on, where forwarded
 *
 * Packets stand in runs: [0, n4) IPv4, [n4, n4 + n6) IPv6, the rest neither.
 * Words (eth, w) are in memory order; row 3 of eth is the type and two bytes that follow
 * it. They are written four packets and four words at a time, so columns are
 * three packets longer and three rows more than is ever valid. The burst lives on the worker's stack.
 */
#ifndef BURST_H
#define BURST_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>

#include "eth.h"
#include "skb_share.h"
#include "worker.h"

#define VLAN_HLEN 4u

/* Of each packet, untagged, the walk reads and writes so many bytes in one piece: Ethernet, the longest IPv4 header, the ports behind
 * it. */
#define HEADERS_MAX (ETH_HLEN + 60u + 4u)

#define BURST_COLUMN (BURST_MAX + 4u) /* room for the last group of four */
#define BURST_WORDS  12u              /* 32-bit words of an IPv6 header, and two */

struct burst {
	uint32_t n, n4, n6;
	uint32_t frame_max;      /* bytes of the largest frame that port may bring */
	int64_t charged;         /* bytes that its packets are charged with, all to owner */
	struct skb_owner *owner; /* NULL: nobody is charged */
	uint16_t port;           /* that it came in by */
	bool has_heads;          /* skb[] is valid */
	bool judged;             /* verdict[] is valid, some may be other than forward */
	bool trim;               /* some frame is longer than its packet */
	bool lists;              /* some packet has fragments on its segment list */
	bool rearranged; /* some packet has more than one segment still, or a buffer that is not its own */

	struct rte_mbuf *mbuf[BURST_MAX];
	struct skb *skb[BURST_MAX];
	uint8_t *data[BURST_COLUMN];
	const struct adjacency *adj[BURST_MAX];
	uint64_t id[BURST_MAX];
	uint32_t len
		[BURST_MAX]; /* bytes of the frame, untagged, over all segments; the first HEADERS_MAX at data */
	uint32_t l3len[BURST_MAX]; /* bytes of the IP packet */
	uint32_t eth[4][BURST_COLUMN];
	uint32_t w[BURST_WORDS][BURST_COLUMN];
	uint32_t bad[BURST_MAX];
	uint8_t verdict[BURST_MAX]; /* enum verdict */
};

/* Whether packet i's headers are in one piece that nobody else sees, and its mbufs are ours to change. If parse.c could not bring
 * that about, there was no buffer. */
static inline bool
burst_is_ready(const struct burst *b, uint32_t i)
{
	struct rte_mbuf *m = b->mbuf[i];

	if (m->data_len < RTE_MIN(b->len[i], HEADERS_MAX) || skb_mbuf_is_shared(m))
		return false;
	if (likely(m->nb_segs == 1))
		return true;
	while ((m = m->next) != NULL)
		if (skb_mbuf_refs(m) > 1)
			return false;
	return true;
}

/* Some packets have got other buffers: what all are charged with is added up again. */
static inline void
burst_recharge(struct burst *b)
{
	int64_t bytes = 0;

	if (b->owner == NULL)
		return;
	for (uint32_t i = 0; i < b->n; i++)
		bytes += b->skb[i]->truesize;
	b->charged = bytes;
}

/* Packet i leaves the burst by another way than transmit, with its charge. */
static inline void
burst_discharge(struct burst *b, uint32_t i)
{
	if (b->owner != NULL)
		b->charged -= b->skb[i]->truesize;
}

/* Packet i's Ethernet type, host order. */
static inline uint32_t
burst_type(const struct burst *b, uint32_t i)
{
	return be32toh(b->eth[3][i]) >> 16;
}

#endif
