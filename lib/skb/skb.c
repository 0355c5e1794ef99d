/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Geometry: where a packet starts and ends in its first data buffer.
 *
 *   buf_addr         data            data + headlen      buf_addr + buf_len
 *   |--- headroom ---|---- headlen ----|---- tailroom ----|
 *        <- push        pull ->  <- trim   put ->
 *
 * The three parts always add up to buf_len. What would break that is a mistake of
 * the caller, which a debug build finds; lengths that a stranger decides go through the verbs with "try".
 */
#include <errno.h>

#include "skb.h"
#include "skb_priv.h"
#include "skb_share.h"

void
skb_reserve(struct skb *skb, uint32_t len)
{
	SKB_CHECK(skb, skb->len == 0);
	SKB_CHECK(skb, len <= skb_tailroom(skb));
	skb->data += len;
}

int
skb_try_reserve(struct skb *skb, uint32_t len)
{
	if (skb->len != 0 || len > skb_tailroom(skb))
		return -EINVAL;
	skb_reserve(skb, len);
	return 0;
}

void *
skb_put(struct skb *skb, uint32_t len)
{
	uint8_t *const end = skb->data + skb_headlen(skb);

	SKB_CHECK(skb, len <= skb_tailroom(skb));
	SKB_CHECK(skb, !skb_cloned(skb));
	skb->len += len;
	return end;
}

static int
give(void *at, void **start)
{
	if (start != NULL)
		*start = at;
	return 0;
}

int
skb_try_put(struct skb *skb, uint32_t len, void **start)
{
	return len > skb_tailroom(skb) ? -EINVAL : give(skb_put(skb, len), start);
}

void *
skb_push(struct skb *skb, uint32_t len)
{
	SKB_CHECK(skb, len <= skb_headroom(skb));
	skb->data -= len;
	skb->len += len;
	return skb->data;
}

int
skb_try_push(struct skb *skb, uint32_t len, void **start)
{
	return len > skb_headroom(skb) ? -EINVAL : give(skb_push(skb, len), start);
}

void *
skb_pull(struct skb *skb, uint32_t len)
{
	SKB_CHECK(skb, len <= skb_headlen(skb));
	skb->len -= len;
	skb->data += len;
	return skb->data;
}

int
skb_try_pull(struct skb *skb, uint32_t len, void **start)
{
	return len > skb_headlen(skb) ? -EINVAL : give(skb_pull(skb, len), start);
}

void
skb_trim(struct skb *skb, uint32_t len)
{
	SKB_CHECK(skb, !skb_is_nonlinear(skb));
	if (len < skb->len)
		skb->len = len;
}

int
skb_try_trim(struct skb *skb, uint32_t len)
{
	if (skb_is_nonlinear(skb))
		return -EINVAL;
	skb_trim(skb, len);
	return 0;
}

void
skb_sync(struct skb *skb)
{
	struct rte_mbuf *const mbuf = skb->mbuf;

	SKB_CHECK(skb, skb_mbuf_refs(mbuf) <= 1);
	mbuf->data_off = (uint16_t)skb_headroom(skb);
	mbuf->data_len = (uint16_t)skb_headlen(skb);
	mbuf->pkt_len = skb->len;
}
