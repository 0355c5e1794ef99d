/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of the control thread's own making. A data buffer may be small (128 bytes are allowed) and what is said large, so a new
 * packet is a chain of as many as it takes, and everything is read and written by offset.
 */
#include <errno.h>

#include <rte_ip.h>
#include <rte_mbuf.h>

#include "control_priv.h"
#include "eth.h"
#include "skb_frags.h"

#define PACKET_MAX 65535u

/* One more data buffer with at most want bytes in it behind skb. */
static int
packet_extend(struct control *c, struct skb *skb, uint32_t want, uint32_t *len)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(c->cpu.data);
	int ret;

	if (m == NULL)
		return -ENOMEM;
	m->data_off = 0;
	*len = RTE_MIN(want, m->buf_len);
	m->data_len = (uint16_t)*len;
	m->pkt_len = *len;
	ret = skb_add_frag(&c->cpu, skb, m);
	if (ret != 0)
		rte_pktmbuf_free(m);
	return ret;
}

int
packet_alloc(struct control *c, uint32_t len, struct skb **skb)
{
	const uint32_t room = rte_pktmbuf_data_room_size(c->cpu.data);
	/* a whole word more, so that the IP header is aligned */
	const uint32_t headroom = RTE_ALIGN(ETH_HLEN, 16u);
	const uint32_t first = RTE_MIN(len, room - headroom);
	struct skb *made;
	uint32_t more;
	int ret;

	if (len > PACKET_MAX)
		return -EMSGSIZE;
	ret = skb_alloc(&c->cpu, headroom + first, &made);
	if (ret != 0)
		return -ENOMEM;
	skb_reserve(made, headroom);
	skb_put(made, first);
	for (uint32_t left = len - first; left > 0; left -= more) {
		ret = packet_extend(c, made, left, &more);
		if (ret != 0) {
			skb_consume(&c->cpu, made);
			return -ENOMEM;
		}
	}
	*skb = made;
	return 0;
}

/* Where skb's byte offset is, and how many follow it in that segment. The first segment is as the head says. */
static uint8_t *
packet_at(const struct skb *skb, uint32_t offset, uint32_t *len)
{
	const struct rte_mbuf *m = skb->mbuf;

	if (offset < skb_headlen(skb)) {
		*len = skb_headlen(skb) - offset;
		return skb->data + offset;
	}
	offset -= skb_headlen(skb);
	for (m = m->next; offset >= m->data_len; m = m->next)
		offset -= m->data_len;
	*len = m->data_len - offset;
	return rte_pktmbuf_mtod_offset(m, uint8_t *, offset);
}

void
packet_store(struct skb *skb, uint32_t offset, const void *from, uint32_t len)
{
	const uint8_t *byte = from;
	uint32_t n;

	for (; len > 0; len -= n, offset += n, byte += n) {
		uint8_t *to = packet_at(skb, offset, &n);

		n = RTE_MIN(n, len);
		memcpy(to, byte, n);
	}
}

void
packet_copy(struct skb *to, uint32_t to_offset, const struct skb *from, uint32_t from_offset, uint32_t len)
{
	uint32_t n;

	for (; len > 0; len -= n, to_offset += n, from_offset += n) {
		const uint8_t *bytes = packet_at(from, from_offset, &n);

		n = RTE_MIN(n, len);
		packet_store(to, to_offset, bytes, n);
	}
}

uint16_t
packet_sum(const struct skb *skb, uint32_t offset, uint32_t len, uint32_t sum)
{
	uint32_t done = 0, n;

	for (; len > 0; len -= n, offset += n, done += n) {
		const uint8_t *bytes = packet_at(skb, offset, &n);
		uint16_t part;

		n = RTE_MIN(n, len);
		part = rte_raw_cksum(bytes, n);
		/* RFC 1071 2 (B): what starts at an odd place is summed up with its bytes swapped */
		sum += done % 2 == 0 ? part : rte_bswap16(part);
	}
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)((sum & 0xffff) + (sum >> 16));
}
