/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Third stage: header words into columns, packets into runs by family.
 *
 * The whole IP header is loaded without asking how long the frame is: a data
 * buffer has at least that many bytes (checked where pools are made), and the check stage
 * drops what was too short. Nearly every burst is of one family, so sorting is
 * the exception; it keeps the order of packets within a family.
 */
#include <rte_mbuf.h>

#include "ip4.h"
#include "ip6.h"
#include "worker_priv.h"

#define TYPE_IP4  RTE_BE16(RTE_ETHER_TYPE_IPV4)
#define TYPE_IP6  RTE_BE16(RTE_ETHER_TYPE_IPV6)
#define TYPE_VLAN RTE_BE16(RTE_ETHER_TYPE_VLAN)
#define VLAN_ID   RTE_BE16(0x0fff)
#define VLAN_HLEN 4u

static void
load_eth(struct burst *b, uint32_t i)
{
	const uint8_t *d = b->data[i];

	b->mac[0][i] = load32(d);
	b->mac[1][i] = load32(d + 4);
	b->mac[2][i] = load32(d + 8);
	b->type[i] = load16(d + ETH_TYPE);
}

static void
load_words(struct burst *b, uint32_t first, uint32_t end, uint32_t n_words)
{
	for (uint32_t i = first; i < end; i++)
		for (uint32_t k = 0; k < n_words; k++)
			b->w[k][i] = load32(b->data[i] + ETH_HLEN + 4 * k);
}

/* A priority tag (VLAN id 0) says nothing about where a packet belongs: the frame goes on without it (802.1Q 9.6). */
static void
untag(struct burst *b, uint32_t i)
{
	uint8_t *d = b->data[i];

	if (b->type[i] != TYPE_VLAN || b->len[i] < ETH_HLEN + VLAN_HLEN ||
		(load16(d + ETH_HLEN) & VLAN_ID) != 0)
		return;
	memmove(d + VLAN_HLEN, d, ETH_TYPE);
	rte_pktmbuf_adj(b->mbuf[i], VLAN_HLEN);
	if (b->has_heads)
		skb_pull(b->skb[i], VLAN_HLEN);
	b->data[i] += VLAN_HLEN;
	b->len[i] -= VLAN_HLEN;
	load_eth(b, i);
}

/* IPv4 first, IPv6 second, the rest last. */
static uint32_t
family_of(const struct burst *b, uint32_t i)
{
	if (b->len[i] != b->mbuf[i]->pkt_len || b->len[i] < ETH_HLEN)
		return 2;
	return b->type[i] == TYPE_IP4 ? 0 : b->type[i] == TYPE_IP6 ? 1 : 2;
}

/* A stable sort by family: where each packet goes, then all columns written so far. */
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
	for (uint32_t i = 0; i < b->n; i++) {
		b->data[i] = rte_pktmbuf_mtod(b->mbuf[i], uint8_t *);
		b->len[i] = b->mbuf[i]->data_len;
		load_eth(b, i);
	}
}

void
burst_parse(struct burst *b)
{
	uint32_t odd = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		const struct rte_mbuf *m = b->mbuf[i];

		b->data[i] = rte_pktmbuf_mtod(m, uint8_t *);
		b->len[i] = m->data_len;
		load_eth(b, i);
		/* data_len is pkt_len unless the frame did not fit one buffer */
		odd |= (b->type[i] ^ TYPE_IP4) | (m->pkt_len ^ m->data_len) | (b->len[i] < ETH_HLEN);
	}
	b->n4 = b->n;
	b->n6 = 0;
	if (odd != 0)
		split(b);
	load_words(b, 0, b->n4, IP4_HLEN / 4);
	load_words(b, b->n4, b->n4 + b->n6, IP6_HLEN / 4);
}
