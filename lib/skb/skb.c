/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Geometry: where a packet starts and ends in its data buffer.
 *
 *   buf_addr         data              data + len        buf_addr + buf_len
 *   |--- headroom ---|------ len ------|---- tailroom ----|
 *        <- push        pull ->  <- trim   put ->
 *
 * The three parts always add up to buf_len. What would break that is a mistake of
 * the caller (asserted), except a pull: how long a packet is, a stranger decides.
 */
#include "skb.h"

void
skb_reserve(struct skb *skb, uint32_t len)
{
	assert(skb->len == 0);
	assert(len <= skb_tailroom(skb));
	skb->data += len;
}

void *
skb_put(struct skb *skb, uint32_t len)
{
	uint8_t *const end = skb->data + skb->len;

	assert(len <= skb_tailroom(skb));
	skb->len += len;
	return end;
}

void *
skb_push(struct skb *skb, uint32_t len)
{
	assert(len <= skb_headroom(skb));
	skb->data -= len;
	skb->len += len;
	return skb->data;
}

void *
skb_pull(struct skb *skb, uint32_t len)
{
	if (len > skb->len)
		return NULL;
	skb->len -= len;
	skb->data += len;
	return skb->data;
}

void
skb_trim(struct skb *skb, uint32_t len)
{
	if (len < skb->len)
		skb->len = len;
}

void
skb_sync(struct skb *skb)
{
	struct rte_mbuf *const mbuf = skb->mbuf;

	assert(mbuf->nb_segs == 1);
	mbuf->data_off = (uint16_t)skb_headroom(skb);
	mbuf->data_len = (uint16_t)skb->len;
	mbuf->pkt_len = skb->len;
}
