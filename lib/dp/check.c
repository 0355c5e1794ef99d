/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fourth stage: is the frame for us, is its IP header fit to be forwarded?
 *
 * Two readings of the same rules. The column loops ask of a whole run whether any
 * rule could be broken, one rule a line, no branches; the compiler turns them into
 * vector code. They may suspect a packet that is fine (one with options, or TTL 1 and for us),
 * never pass one that is not. What they suspect is judged packet by packet in the RFC's
 * order by ip4_check() and ip6_check(), which also name the rule.
 */
#include <rte_mbuf.h>

#include "ip4.h"
#include "ip6.h"
#include "worker_priv.h"

static const uint8_t verdict_of_ip4[IP4_N_FAULTS] = {
	[IP4_OK] = VERDICT_forward,
	[IP4_TRUNCATED] = VERDICT_ip4_truncated,
	[IP4_CHECKSUM] = VERDICT_ip4_checksum,
	[IP4_VERSION] = VERDICT_ip4_version,
	[IP4_IHL] = VERDICT_ip4_ihl,
	[IP4_LENGTH] = VERDICT_ip4_length,
	[IP4_OPTIONS] = VERDICT_ip4_options,
	[IP4_SOURCE_ROUTE] = VERDICT_ip4_source_route,
	[IP4_SRC_MARTIAN] = VERDICT_ip4_src_martian,
	[IP4_DST_MARTIAN] = VERDICT_ip4_dst_martian,
	[IP4_MULTICAST] = VERDICT_ip4_multicast,
	[IP4_BROADCAST] = VERDICT_ip4_broadcast,
	[IP4_TTL] = VERDICT_ip4_ttl,
};

static const uint8_t verdict_of_ip6[IP6_N_FAULTS] = {
	[IP6_OK] = VERDICT_forward,
	[IP6_TRUNCATED] = VERDICT_ip6_truncated,
	[IP6_VERSION] = VERDICT_ip6_version,
	[IP6_LENGTH] = VERDICT_ip6_length,
	[IP6_JUMBOGRAM] = VERDICT_ip6_jumbogram,
	[IP6_SRC_MARTIAN] = VERDICT_ip6_src_martian,
	[IP6_LINK_ICMP] = VERDICT_punt_link,
	[IP6_DST_MARTIAN] = VERDICT_ip6_dst_martian,
	[IP6_MULTICAST] = VERDICT_ip6_multicast,
	[IP6_LINK_LOCAL] = VERDICT_ip6_link_local,
	[IP6_HOP_LIMIT_USED] = VERDICT_ip6_hop_limit,
};

/* ---- the columns ---- */

/* The Ethernet addresses of packet i: 0 = for us, from somebody else's unicast address. */
static inline uint32_t
suspect_eth(const struct worker_rxq *rxq, const struct burst *b, uint32_t i)
{
	uint32_t first = be32toh(b->eth[0][i]);
	uint32_t middle = be32toh(b->eth[1][i]);
	uint32_t last = be32toh(b->eth[2][i]);
	uint32_t bad;

	bad = first ^ rxq->mac_first4;
	bad |= (middle >> 16) ^ rxq->mac_last2;
	bad |= middle & 0x100; /* a group address as source */
	bad |= ((middle & 0xffff) == rxq->mac_first2) & (last == rxq->mac_last4);
	return bad;
}

/* The sum of a 32-bit word's halves. */
static inline uint32_t
halves(uint32_t word)
{
	return (word & 0xffff) + (word >> 16);
}

/* RFC 1812 5.3.7: 0/8, 127/8, 169.254/16, 224/4, 240/4; as source and as destination. */
static inline uint32_t
suspect_ip4_addr(uint32_t addr)
{
	uint32_t net = addr >> 24;

	return (net == 0) | (net == 127) | (net >= 224) | (addr >> 16 == 0xa9fe);
}

static uint32_t
check_ip4_run(const struct worker_rxq *restrict rxq, struct burst *restrict b)
{
	uint32_t any = 0, slack = 0;

	for (uint32_t i = 0; i < b->n4; i++) {
		uint32_t h0 = be32toh(b->w[0][i]); /* version, IHL, TOS, total length */
		uint32_t h2 = be32toh(b->w[2][i]); /* TTL, protocol, checksum */
		uint32_t total = h0 & 0xffff;
		uint32_t sum = halves(b->w[0][i]) + halves(b->w[1][i]) + halves(b->w[2][i]) +
			       halves(b->w[3][i]) + halves(b->w[4][i]);
		uint32_t bad = suspect_eth(rxq, b, i);

		bad |= b->len[i] < ETH_HLEN + IP4_HLEN;                     /* (1) */
		bad |= halves(halves(sum)) ^ 0xffff;                        /* (2) */
		bad |= (h0 >> 24) ^ 0x45;                                   /* (3), (4), and no options */
		bad |= (total < IP4_HLEN) | (total + ETH_HLEN > b->len[i]); /* (5) */
		bad |= suspect_ip4_addr(be32toh(b->w[3][i]));
		bad |= suspect_ip4_addr(be32toh(b->w[4][i]));
		bad |= h2 >> 24 <= 1;
		b->l3len[i] = total;
		b->bad[i] = bad;
		any |= bad;
		slack |= (total + ETH_HLEN) ^ b->len[i];
	}
	b->trim |= slack != 0;
	return any;
}

/* The first two words of an address, host order. Suspects ::/64, ff00::/8, fe80::/10: rare, and not all of it bad. */
static inline uint32_t
suspect_ip6_addr(uint32_t first, uint32_t second)
{
	return ((first | second) == 0) | (first >> 24 == 0xff) | (first >> 22 == 0xfe80 >> 6);
}

static uint32_t
check_ip6_run(const struct worker_rxq *restrict rxq, struct burst *restrict b)
{
	uint32_t any = 0, slack = 0;

	for (uint32_t i = b->n4; i < b->n4 + b->n6; i++) {
		uint32_t h1 = be32toh(b->w[1][i]); /* payload length, next header, hop limit */
		uint32_t total = IP6_HLEN + (h1 >> 16);
		uint32_t bad = suspect_eth(rxq, b, i);

		bad |= b->len[i] < ETH_HLEN + IP6_HLEN;
		bad |= (be32toh(b->w[0][i]) >> 28) ^ 6;
		bad |= total + ETH_HLEN > b->len[i];
		bad |= h1 >> 16 == 0; /* a jumbogram, perhaps */
		bad |= suspect_ip6_addr(be32toh(b->w[2][i]), be32toh(b->w[3][i]));
		bad |= suspect_ip6_addr(be32toh(b->w[6][i]), be32toh(b->w[7][i]));
		bad |= (h1 & 0xff) <= 1;
		b->l3len[i] = total;
		b->bad[i] = bad;
		any |= bad;
		slack |= (total + ETH_HLEN) ^ b->len[i];
	}
	b->trim |= slack != 0;
	return any;
}

/* ---- one by one ---- */

static enum verdict
judge_eth(const struct worker_rxq *rxq, const uint8_t *d)
{
	if (eth_is_group(d + ETH_SRC) || eth_equal(d + ETH_SRC, rxq->mac.addr_bytes))
		return VERDICT_bad_source_mac;
	if (eth_equal(d, rxq->mac.addr_bytes))
		return VERDICT_forward;
	return eth_is_group(d) ? VERDICT_l2_multicast : VERDICT_not_for_us;
}

static enum verdict
judge_ip4(const struct worker_rxq *rxq, const struct burst *b, uint32_t i)
{
	enum verdict v = judge_eth(rxq, b->data[i]);

	if (v != VERDICT_forward)
		return v;
	return verdict_of_ip4[ip4_check(b->data[i] + ETH_HLEN, b->len[i] - ETH_HLEN)];
}

static enum verdict
judge_ip6(const struct worker_rxq *rxq, const struct burst *b, uint32_t i)
{
	enum verdict v = judge_eth(rxq, b->data[i]);
	enum ip6_fault fault = ip6_check(b->data[i] + ETH_HLEN, b->len[i] - ETH_HLEN);

	if (v == VERDICT_l2_multicast && fault == IP6_LINK_ICMP)
		return VERDICT_punt_link;
	return v != VERDICT_forward ? v : verdict_of_ip6[fault];
}

static enum verdict
judge_other(const struct worker_rxq *rxq, const struct burst *b, uint32_t i)
{
	const uint8_t *d = b->data[i];

	if (b->mbuf[i]->nb_segs > 1 && b->len[i] > b->frame_max)
		return VERDICT_oversize;
	if (b->len[i] < ETH_HLEN)
		return VERDICT_runt;
	if (!burst_is_ready(b, i))
		return VERDICT_no_buffer;

	enum verdict v = judge_eth(rxq, d);

	if (v == VERDICT_bad_source_mac || v == VERDICT_not_for_us)
		return v;
	if (burst_type(b, i) == RTE_ETHER_TYPE_VLAN || burst_type(b, i) == RTE_ETHER_TYPE_QINQ)
		return VERDICT_vlan;
	if (burst_type(b, i) == RTE_ETHER_TYPE_ARP)
		return v == VERDICT_forward || eth_is_broadcast(d) ? VERDICT_punt_arp : v;
	return VERDICT_ethertype;
}

void
burst_check(const struct worker_rxq *rxq, struct burst *b)
{
	const uint32_t ip_end = b->n4 + b->n6;

	b->trim = false;

	uint32_t any = check_ip4_run(rxq, b) | check_ip6_run(rxq, b);

	b->judged = any != 0 || ip_end < b->n;
	if (!b->judged)
		return;

	memset(b->verdict, VERDICT_forward, b->n);
	for (uint32_t i = 0; i < b->n4; i++)
		if (b->bad[i] != 0)
			b->verdict[i] = judge_ip4(rxq, b, i);
	for (uint32_t i = b->n4; i < ip_end; i++)
		if (b->bad[i] != 0)
			b->verdict[i] = judge_ip6(rxq, b, i);
	for (uint32_t i = ip_end; i < b->n; i++)
		b->verdict[i] = judge_other(rxq, b, i);
}
