/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets in more than one piece.
 *
 *   first segment                    fragments
 *   | headroom | headlen | tail | -> | data_len ................| -> | ...... |
 *                        <- skb_pull_head                  pskb_trim ->
 *
 * Bytes move towards the front only, by copying; at the end only lengths change. A chain is changed once all of its mbufs
 * are the packet's own (skb_own_chain): that may fail, what follows cannot.
 */
#include "skb_frags.h"

#include <errno.h>
#include <string.h>

#include "skb_priv.h"
#include "skb_share.h"

static uint32_t
chain_len(const struct rte_mbuf *mbuf)
{
	uint32_t len = 0;

	for (; mbuf != NULL; mbuf = mbuf->next)
		len += mbuf->data_len;
	return len;
}

int
skb_add_frag(struct skb_cpu *cpu, struct skb *skb, struct rte_mbuf *frag)
{
	struct rte_mbuf *last;
	uint32_t len;

	SKB_CHECK(skb, !skb_shared(skb));
	if ((uint32_t)skb->mbuf->nb_segs + frag->nb_segs > RTE_MBUF_MAX_NB_SEGS)
		return -EOVERFLOW;
	if (skb_own_chain(cpu, &skb->mbuf) < 0)
		return -ENOMEM;
	last = rte_pktmbuf_lastseg(skb->mbuf);
	last->next = frag;
	skb->mbuf->nb_segs = (uint16_t)(skb->mbuf->nb_segs + frag->nb_segs);
	len = chain_len(frag);
	skb->len += len;
	skb->data_len += len;
	/* its memory was not counted when the packet was built */
	skb_truesize_add(cpu, skb, (int)skb_chain_truesize(frag));
	return 0;
}

/* Takes the first fragment off, which is the packet's own, and frees it. */
static void
frag_unlink(struct rte_mbuf *first)
{
	struct rte_mbuf *const frag = first->next;

	first->next = frag->next;
	first->nb_segs--;
	frag->next = NULL;
	frag->nb_segs = 1;
	rte_pktmbuf_free_seg(frag);
}

/* Moves n bytes from the fragments to the end of the first segment; fragments that are empty then go. */
static void
frags_eat(struct skb *skb, uint32_t n)
{
	struct rte_mbuf *const first = skb->mbuf;
	uint8_t *to = skb->data + skb_headlen(skb);

	skb->data_len -= n;
	while (first->next != NULL) {
		struct rte_mbuf *const frag = first->next;
		const uint32_t part = RTE_MIN(n, (uint32_t)frag->data_len);

		memcpy(to, rte_pktmbuf_mtod(frag, const void *), part);
		to += part;
		n -= part;
		if (part < frag->data_len) {
			rte_pktmbuf_adj(frag, (uint16_t)part);
			return;
		}
		frag_unlink(first);
	}
}

int
skb_pull_head(struct skb_cpu *cpu, struct skb *skb, uint32_t len)
{
	const uint32_t headlen = skb_headlen(skb);
	int ret;

	if (len <= headlen)
		return 0;
	if (len > skb->len)
		return -EINVAL;
	SKB_CHECK(skb, !skb_shared(skb));
	if (skb_cloned(skb) || len > skb->mbuf->buf_len - skb_headroom(skb))
		ret = skb_expand_head(cpu, skb, 0, len - headlen);
	else
		ret = skb_own_chain(cpu, &skb->mbuf->next);
	if (ret < 0)
		return ret;
	frags_eat(skb, len - headlen);
	skb_sync(skb);
	return 0;
}

/* Frees all that is behind last, and tells the chain so. */
static void
chain_cut(struct rte_mbuf *first, struct rte_mbuf *last, uint16_t nb_segs)
{
	struct rte_mbuf *const rest = last->next;

	last->next = NULL;
	first->nb_segs = nb_segs;
	rte_pktmbuf_free(rest);
}

int
skb_linearize(struct skb_cpu *cpu, struct skb *skb)
{
	const int ret = skb_pull_head(cpu, skb, skb->len);

	if (ret < 0 || skb->mbuf->next == NULL)
		return ret;
	/* empty fragments */
	if (skb_own_chain(cpu, &skb->mbuf) < 0)
		return -ENOMEM;
	chain_cut(skb->mbuf, skb->mbuf, 1);
	return 0;
}

int
pskb_trim(struct skb_cpu *cpu, struct skb *skb, uint32_t len)
{
	struct rte_mbuf *last;
	uint16_t nb_segs = 1;
	uint32_t left;

	if (len >= skb->len)
		return 0;
	SKB_CHECK(skb, !skb_shared(skb));
	if (skb->mbuf->next == NULL) {
		skb->len = len;
		return 0;
	}
	if (skb_own_chain(cpu, &skb->mbuf) < 0)
		return -ENOMEM;
	last = skb->mbuf;
	left = len - RTE_MIN(len, skb_headlen(skb));
	skb->data_len = left;
	skb->len = len;
	for (; left > 0; nb_segs++) {
		last = last->next;
		last->data_len = (uint16_t)RTE_MIN(left, (uint32_t)last->data_len);
		left -= last->data_len;
	}
	chain_cut(skb->mbuf, last, nb_segs);
	skb_sync(skb);
	return 0;
}

int
skb_copy_bits(const struct skb *skb, uint32_t offset, void *to, uint32_t len)
{
	const uint8_t *from = skb->data;
	uint32_t room = skb_headlen(skb);
	const struct rte_mbuf *mbuf = skb->mbuf;
	uint8_t *at = to;

	if (offset > skb->len || len > skb->len - offset)
		return -EINVAL;
	while (len > 0) {
		const uint32_t part = offset < room ? RTE_MIN(len, room - offset) : 0;

		memcpy(at, from + RTE_MIN(offset, room), part);
		at += part;
		len -= part;
		offset -= RTE_MIN(offset, room);
		mbuf = mbuf->next;
		if (mbuf == NULL)
			break;
		from = rte_pktmbuf_mtod(mbuf, const uint8_t *);
		room = mbuf->data_len;
	}
	return 0;
}

void
skb_frag_list_add(struct skb *skb, struct skb *seg)
{
	SKB_CHECK(seg, !skb_shared(seg) && skb_frag_list(seg) == NULL);
	seg->next = NULL;
	if (skb_frag_list(skb) == NULL)
		skb->frag_list = seg;
	else
		skb->frag_tail->next = seg;
	skb->frag_tail = seg;
	skb->flags |= SKB_COLD;
}

struct skb *
skb_frag_list_take(struct skb *skb)
{
	struct skb *const list = skb_frag_list(skb);

	skb->flags &= (uint8_t)~SKB_COLD;
	return list;
}
