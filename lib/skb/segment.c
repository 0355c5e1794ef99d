/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single segments: where clones, copies and chains get their mbufs from. An mbuf is shared when more than one chain
 * holds a reference to it; then nothing of it may be changed. An indirect mbuf shows the bytes of another one, but is its
 * holder's alone: one in place of a shared mbuf makes a chain changeable without copying a byte.
 */
#include <errno.h>
#include <string.h>

#include "skb.h"
#include "skb_priv.h"
#include "skb_share.h"

uint32_t
skb_segment_room(const struct skb_cpu *cpu)
{
	return cpu->data == NULL ? 0 : rte_pktmbuf_data_room_size(cpu->data);
}

struct rte_mbuf *
skb_segment_alloc(struct skb_cpu *cpu, uint32_t headroom)
{
	struct rte_mbuf *const mbuf = cpu->data == NULL ? NULL : rte_pktmbuf_alloc(cpu->data);

	if (mbuf == NULL)
		return NULL;
	mbuf->data_off = (uint16_t)headroom;
	return mbuf;
}

/* One more or less reference to the buffer that mbuf shows, always atomic. */
static void
buffer_hold(struct rte_mbuf *mbuf, int16_t n)
{
	if (RTE_MBUF_HAS_EXTBUF(mbuf))
		__atomic_fetch_add((uint16_t *)&mbuf->shinfo->refcnt, (uint16_t)n, __ATOMIC_ACQ_REL);
	else
		__rte_mbuf_refcnt_update(rte_mbuf_from_indirect(mbuf), n);
}

/*
 * Makes fresh, which is empty, show mbuf's segment. Whoever shares mbuf may do the same at this moment; DPDK takes a count of 1
 * that the buffer has for ours alone, so there is a second one while it counts.
 */
static void
attach(struct rte_mbuf *fresh, struct rte_mbuf *mbuf, bool others)
{
	const bool hold = others || (!RTE_MBUF_DIRECT(mbuf) && skb_mbuf_refs(mbuf) > 1);

	if (hold)
		buffer_hold(mbuf, 1);
	rte_pktmbuf_attach(fresh, mbuf);
	if (hold)
		buffer_hold(mbuf, -1);
}

struct rte_mbuf *
skb_segment_indirect(struct skb_cpu *cpu, struct rte_mbuf *mbuf, bool others)
{
	struct rte_mbuf *const indirect = skb_segment_alloc(cpu, 0);

	if (indirect != NULL)
		attach(indirect, mbuf, others);
	return indirect;
}

static struct rte_mbuf *
stock_take(struct rte_mbuf **stock)
{
	struct rte_mbuf *const mbuf = *stock;

	*stock = mbuf->next;
	mbuf->next = NULL;
	return mbuf;
}

static void
stock_free(struct rte_mbuf *stock)
{
	while (stock != NULL)
		rte_pktmbuf_free(stock_take(&stock));
}

/* An empty mbuf for each shared one of a chain. */
static int
stock_make(struct skb_cpu *cpu, struct rte_mbuf *chain, struct rte_mbuf **stock)
{
	*stock = NULL;
	for (struct rte_mbuf *mbuf = chain; mbuf != NULL; mbuf = mbuf->next) {
		struct rte_mbuf *fresh;

		if (skb_mbuf_refs(mbuf) == 1)
			continue;
		fresh = skb_segment_alloc(cpu, 0);
		if (fresh == NULL) {
			stock_free(*stock);
			return -ENOMEM;
		}
		fresh->next = *stock;
		*stock = fresh;
	}
	return 0;
}

int
skb_own_chain(struct skb_cpu *cpu, struct rte_mbuf **at)
{
	struct rte_mbuf *stock;

	if (stock_make(cpu, *at, &stock) < 0)
		return -ENOMEM;
	for (; *at != NULL && stock != NULL; at = &(*at)->next) {
		struct rte_mbuf *const old = *at;

		/* others may have let go since the stock was made; none can have come to what was ours alone */
		if (skb_mbuf_refs(old) == 1)
			continue;
		*at = stock_take(&stock);
		attach(*at, old, false);
		(*at)->next = old->next;
		(*at)->nb_segs = old->nb_segs;
		rte_pktmbuf_free_seg(old);
	}
	stock_free(stock);
	return 0;
}

/* Bytes before data that the header offsets still point to. */
static uint32_t
headers_before(const struct skb *skb)
{
	const uint32_t at = skb_headroom(skb);
	uint32_t first = at;

	/* SKB_UNSET is beyond any offset */
	first = RTE_MIN(first, (uint32_t)skb->mac_header);
	first = RTE_MIN(first, (uint32_t)skb->network_header);
	first = RTE_MIN(first, (uint32_t)skb->transport_header);
	return at - first;
}

bool
skb_head_fits(const struct skb_cpu *cpu, const struct skb *skb, uint32_t headroom, uint32_t tailroom)
{
	const uint64_t before = RTE_MAX(headroom, headers_before(skb));

	return before + skb_headlen(skb) + tailroom <= skb_segment_room(cpu);
}

struct rte_mbuf *
skb_head_copy(struct skb_cpu *cpu, const struct skb *skb, uint32_t headroom, uint32_t tailroom)
{
	const uint32_t len = skb_headlen(skb), before = headers_before(skb);
	const uint32_t free_room = skb_segment_room(cpu) - len - tailroom;
	const uint32_t at = RTE_MAX(RTE_MAX(headroom, before), RTE_MIN(skb_headroom(skb), free_room));
	struct rte_mbuf *const head = skb_segment_alloc(cpu, at);

	if (head == NULL)
		return NULL;
	__rte_pktmbuf_copy_hdr(head, skb->mbuf);
	head->ol_flags = skb->mbuf->ol_flags & ~(RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL);
	memcpy(rte_pktmbuf_mtod(head, uint8_t *) - before, skb->data - before, before + len);
	return head;
}

static void
move_offset(uint16_t *header, int by)
{
	if (*header != SKB_UNSET)
		*header = (uint16_t)(*header + by);
}

void
skb_move_head(struct skb *skb, struct rte_mbuf *head)
{
	const int by = (int)head->data_off - (int)skb_headroom(skb);

	move_offset(&skb->mac_header, by);
	move_offset(&skb->network_header, by);
	move_offset(&skb->transport_header, by);
	skb->data = rte_pktmbuf_mtod(head, uint8_t *);
	skb->mbuf = head;
}

uint32_t
skb_chain_truesize(const struct rte_mbuf *mbuf)
{
	uint32_t bytes = 0;

	for (; mbuf != NULL; mbuf = mbuf->next)
		bytes += mbuf->buf_len + (uint32_t)sizeof(*mbuf);
	return bytes;
}

void
skb_truesize_add(struct skb_cpu *cpu, struct skb *skb, int bytes)
{
	skb->truesize += (uint32_t)bytes;
	if (skb->owner != NULL)
		skb_owner_charge(skb->owner, cpu->lcore, bytes);
}
