/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Third stage: header words into columns, packets into runs by family.
 *
 * Whole IP headers are loaded without asking how long the frame is: behind the start
 * of a frame a data buffer always has the 62 bytes that are read, and the check stage drops what was
 * too short. Nearly every burst is IPv4 only, so sorting is the exception; it keeps the order of
 * packets within a family.
 */
#include <rte_mbuf.h>

#include "ip4.h"
#include "ip6.h"
#include "skb_frags.h"
#include "worker_priv.h"

#define VLAN_ID 0x0fffu

/* Four words, of one packet (a row) or of four (a piece of a column). */
typedef uint32_t word4 __attribute__((vector_size(16)));

static inline word4
load_row(const uint8_t *p)
{
	word4 row;

	memcpy(&row, p, sizeof(row));
	return row;
}

static inline void
store_column(uint32_t *to, word4 words)
{
	memcpy(to, &words, sizeof(words));
}

/* The 16 bytes at offset at of packets first to end - 1 become entries of four columns: a 4 x 4 transpose at a time. */
static void
load_columns(
	const struct burst *b, uint32_t first, uint32_t end, uint32_t at, uint32_t (*column)[BURST_COLUMN])
{
	for (uint32_t i = first; i < end; i += 4) {
		word4 p = load_row(b->data[i] + at), q = load_row(b->data[i + 1] + at);
		word4 r = load_row(b->data[i + 2] + at), s = load_row(b->data[i + 3] + at);
		word4 pq01 = __builtin_shufflevector(p, q, 0, 4, 1, 5);
		word4 pq23 = __builtin_shufflevector(p, q, 2, 6, 3, 7);
		word4 rs01 = __builtin_shufflevector(r, s, 0, 4, 1, 5);
		word4 rs23 = __builtin_shufflevector(r, s, 2, 6, 3, 7);

		store_column(&column[0][i], __builtin_shufflevector(pq01, rs01, 0, 1, 4, 5));
		store_column(&column[1][i], __builtin_shufflevector(pq01, rs01, 2, 3, 6, 7));
		store_column(&column[2][i], __builtin_shufflevector(pq23, rs23, 0, 1, 4, 5));
		store_column(&column[3][i], __builtin_shufflevector(pq23, rs23, 2, 3, 6, 7));
	}
}

static uint32_t
frame_type(const uint8_t *d)
{
	return load16_be(d + ETH_TYPE);
}

/* In pieces, or in a buffer that somebody else sees too: what hardly any packet is. */
static bool
is_odd(const struct rte_mbuf *m)
{
	return m->nb_segs > 1 || rte_mbuf_refcnt_read(m) > 1 || !RTE_MBUF_DIRECT(m);
}

/* The same of a whole burst, from the words of all its mbufs or-ed: neither count is ever 0, so both are 1 if none has more. */
static bool
has_odd(uint64_t rearm, uint64_t flags)
{
	const uint64_t counts = rte_cpu_to_le_64(0x0000ffffffff0000),
		       ones = rte_cpu_to_le_64(0x0000000100010000);

	static_assert(offsetof(struct rte_mbuf, refcnt) == offsetof(struct rte_mbuf, data_off) + 2 &&
			      offsetof(struct rte_mbuf, nb_segs) == offsetof(struct rte_mbuf, data_off) + 4,
		"one word: data_off, refcnt, nb_segs, port");
	return (rearm & counts) != ones || (flags & (RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL)) != 0;
}

/* A priority tag (VLAN id 0) says nothing about where a packet belongs: the frame goes on without it (802.1Q 9.6). */
static void
untag(struct burst *b, uint32_t i)
{
	uint8_t *d = b->data[i];

	if (!burst_is_ready(b, i) || b->len[i] < ETH_HLEN + VLAN_HLEN ||
		frame_type(d) != RTE_ETHER_TYPE_VLAN || (load16_be(d + ETH_HLEN) & VLAN_ID) != 0)
		return;
	memmove(d + VLAN_HLEN, d, ETH_TYPE);
	rte_pktmbuf_adj(b->mbuf[i], VLAN_HLEN);
	if (b->has_heads)
		skb_pull(b->skb[i], VLAN_HLEN);
	b->data[i] += VLAN_HLEN;
	b->len[i] -= VLAN_HLEN;
}

/* IPv4 first, IPv6 second, the rest last. */
static uint32_t
family_of(const struct burst *b, uint32_t i)
{
	if (b->len[i] < ETH_HLEN || !burst_is_ready(b, i) ||
		(b->mbuf[i]->nb_segs > 1 && b->len[i] > b->frame_max))
		return 2;
	switch (frame_type(b->data[i])) {
	case RTE_ETHER_TYPE_IPV4: return 0;
	case RTE_ETHER_TYPE_IPV6: return 1;
	default: return 2;
	}
}

/* Bytes that are read from where a frame starts on, tag and all, however long it is. */
#define READ_MAX (ETH_HLEN + VLAN_HLEN + 48u)

/* Brings packet i's headers into one piece that is ours alone, for the walk to write to; if that cannot be, check.c finds out. */
static void
ready(struct worker *w, struct burst *b, uint32_t i)
{
	struct skb *skb = b->skb[i];
	int err = skb_pull_head(&w->cpu, skb, RTE_MIN(skb->len, HEADERS_MAX + VLAN_HLEN));

	if (err == 0)
		err = skb_cow(&w->cpu, skb, 0);
	/* only a buffer that is not from a mempool of ours can be so small */
	if (err == 0 && skb->mbuf->buf_len - skb_headroom(skb) < READ_MAX)
		skb_expand_head(&w->cpu, skb, 0, READ_MAX);
	b->mbuf[i] = skb->mbuf;
	b->data[i] = skb->data;
	b->rearranged |= is_odd(skb->mbuf);
}

/* The same for all that need it. Heads are needed for that. */
static int
ready_all(struct worker *w, struct burst *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		if (!is_odd(b->mbuf[i]))
			continue;
		if (!b->has_heads && burst_build_lazy(w, b) != 0)
			return -ENOMEM;
		ready(w, b, i);
	}
	burst_recharge(b);
	return 0;
}

/* A stable sort by family. */
static void
split(struct burst *b)
{
	struct rte_mbuf *mbuf[BURST_MAX];
	struct skb *skb[BURST_MAX];
	uint32_t count[3] = {0}, family[BURST_MAX];

	for (uint32_t i = 0; i < b->n; i++) {
		untag(b, i);
		family[i] = family_of(b, i);
		count[family[i]]++;
		mbuf[i] = b->mbuf[i];
		skb[i] = b->has_heads ? b->skb[i] : NULL;
	}

	uint32_t at[3] = {0, count[0], count[0] + count[1]};

	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t to = at[family[i]]++;

		b->mbuf[to] = mbuf[i];
		b->skb[to] = skb[i];
	}
	b->n4 = count[0];
	b->n6 = count[1];
}

/* What can be said of a burst before its types are read. */
#define SOME_ODD  (UINT32_C(1) << 31)
#define SOME_RUNT (UINT32_C(1) << 30)

/* Where the frames are and how long; returns SOME_ODD, SOME_RUNT. */
static uint32_t
locate(struct burst *b)
{
	uint64_t rearm = 0, flags = 0;
	bool runt = false;

	for (uint32_t i = 0; i < b->n; i++) {
		const struct rte_mbuf *m = b->mbuf[i];

		b->data[i] = rte_pktmbuf_mtod(m, uint8_t *);
		b->len[i] = m->pkt_len;
		rearm |= load64((const uint8_t *)m + offsetof(struct rte_mbuf, data_off));
		flags |= m->ol_flags;
		runt |= m->pkt_len < ETH_HLEN;
	}
	/* the last group of four must be readable, wherever its run began */
	for (uint32_t i = b->n; i < b->n + 3; i++)
		b->data[i] = b->data[0];
	return (has_odd(rearm, flags) ? SOME_ODD : 0) | (runt ? SOME_RUNT : 0);
}

void
burst_parse(struct worker *w, struct burst *b)
{
	b->n4 = b->n;
	b->n6 = 0;
	b->rearranged = false;
	b->lists = false;
	if (b->n == 0)
		return;

	uint32_t odd = locate(b);

	if (unlikely((odd & SOME_ODD) != 0)) {
		if (ready_all(w, b) != 0) {
			b->n4 = 0;
			return;
		}
		/* packets may have moved, the first one too, which stands behind the last */
		locate(b);
	}
	load_columns(b, 0, b->n, 0, &b->eth[0]);
	for (uint32_t i = 0; i < b->n; i++)
		odd |= burst_type(b, i) ^ RTE_ETHER_TYPE_IPV4;
	if (odd != 0) {
		split(b);
		locate(b);
		load_columns(b, 0, b->n, 0, &b->eth[0]);
	}

	const uint32_t end = b->n4 + b->n6;

	for (uint32_t k = 0; 4 * k < IP4_HLEN; k += 4)
		load_columns(b, 0, b->n4, ETH_HLEN + 4 * k, &b->w[k]);
	/* after IPv4, whose last group may reach into these columns */
	for (uint32_t k = 0; 4 * k < IP6_HLEN; k += 4)
		load_columns(b, b->n4, end, ETH_HLEN + 4 * k, &b->w[k]);
}
