/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ICMP for us. An echo request is turned into its reply where it is: what is before the ICMP message (options, extension headers)
 * goes, and an IP header without any comes instead.
 *
 * IPv4 replies that do not fit the way are cut by the walk, since they may be fragmented. IPv6 knows that of the sender only, so
 * they are cut here.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_ip.h>
#include <rte_random.h>

#include "eth.h"
#include "icmp.h"
#include "ip4.h"
#include "ip6.h"
#include "ip6_ext.h"
#include "local.h"
#include "skb_frags.h"
#include "skb_share.h"

#define ECHO_TTL 64u

#define ND_FIRST 133u /* ICMPv6 types of RFC 4861: router and neighbour discovery, redirect */
#define ND_LAST  137u

#define IP4_DSCP 0xfcu /* of the TOS byte: congestion marks are the request's own (RFC 3168) */
#define IP6_DSCP UINT32_C(0x0fc00000)

/* The longest that says whether an error is complete. */
#define ERROR_HEAD (ICMP_HLEN + 60u + 8u)

#define FRAGMENT_MORE 1u

/* ---- the reply ---- */

/* Leaves of the packet the message at at, with its first bytes ready to be written and room for IP and Ethernet headers in front. */
static int
message_alone(struct control *c, struct skb *skb, uint32_t at)
{
	int ret = local_strip(c, skb, at);

	if (ret == 0)
		ret = skb_pull_head(&c->cpu, skb, ICMP_HLEN);
	if (ret == 0)
		ret = skb_cow(&c->cpu, skb, RTE_ALIGN(ETH_HLEN + IP6_HLEN, 2u));
	return ret;
}

/* Makes the message a reply; sum is that of a pseudo header. */
static void
message_reply(struct skb *skb, uint8_t type, uint32_t sum)
{
	uint8_t *const icmp = skb->data;

	icmp[0] = type;
	store16(icmp + ICMP_SUM, 0);
	store16(icmp + ICMP_SUM, (uint16_t)~packet_sum(skb, 0, skb->len, sum));
}

/* RFC 1122 3.2.2.6, RFC 1812 4.3.3.6. */
static void
echo4(struct control *c, struct skb *skb, uint32_t at)
{
	const struct rte_ipv4_hdr asked = *(const struct rte_ipv4_hdr *)ip_of(skb);
	struct rte_ipv4_hdr *ip;

	if (message_alone(c, skb, at) != 0) {
		control_finish(c, skb, CONTROL_no_memory);
		return;
	}
	message_reply(skb, ICMP4_ECHO_REPLY, 0);
	ip = skb_push(skb, IP4_HLEN);
	*ip = (struct rte_ipv4_hdr){.version_ihl = RTE_IPV4_VHL_DEF,
		.type_of_service = asked.type_of_service & IP4_DSCP,
		.total_length = htobe16((uint16_t)skb->len),
		.packet_id = asked.packet_id,
		.time_to_live = ECHO_TTL,
		.next_proto_id = asked.next_proto_id,
		.src_addr = asked.dst_addr,
		.dst_addr = asked.src_addr};
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	output_ip(c, skb, skb->port, CONTROL_echo_reply);
}

/* ---- IPv6 replies in pieces ---- */

/* What all pieces of a packet have in common. */
struct cut {
	const struct skb *whole; /* data at its IPv6 header */
	uint32_t id;
	uint32_t len; /* of the payload of all pieces but the last */
};

/* The piece from payload byte offset on. */
static int
piece_make(struct control *c, const struct cut *cut, uint32_t offset, struct skb **piece)
{
	const uint32_t left = cut->whole->len - IP6_HLEN - offset;
	const uint32_t len = RTE_MIN(left, cut->len);
	struct rte_ipv6_hdr ip;
	struct rte_ipv6_fragment_ext header = {.id = htobe32(cut->id)};
	const int ret = packet_alloc(c, (uint32_t)(sizeof(ip) + sizeof(header)) + len, piece);

	if (ret != 0)
		return ret;
	memcpy(&ip, cut->whole->data, sizeof(ip));
	header.next_header = ip.proto;
	header.frag_data = htobe16((uint16_t)(offset | (len < left ? FRAGMENT_MORE : 0)));
	ip.proto = IP6_NEXT_FRAGMENT;
	ip.payload_len = htobe16((uint16_t)(sizeof(header) + len));
	packet_store(*piece, 0, &ip, sizeof(ip));
	packet_store(*piece, sizeof(ip), &header, sizeof(header));
	packet_copy(*piece, sizeof(ip) + sizeof(header), cut->whole, IP6_HLEN + offset, len);
	return 0;
}

/* All of them or none. */
static int
pieces_make(struct control *c, const struct cut *cut, struct skb **pieces)
{
	struct skb **end = pieces;

	*pieces = NULL;
	for (uint32_t offset = 0; offset < cut->whole->len - IP6_HLEN; offset += cut->len) {
		if (piece_make(c, cut, offset, end) != 0) {
			skb_consume_list(&c->cpu, *pieces);
			return -ENOMEM;
		}
		(*end)->next = NULL;
		end = &(*end)->next;
	}
	return 0;
}

/* RFC 8200 4.5. The first piece has the request's outcome, the others are made here. Takes skb. */
static void
output_pieces(struct control *c, struct skb *skb, uint32_t mtu)
{
	const struct cut cut = {.whole = skb,
		.id = (uint32_t)rte_rand(), /* RFC 7739: not to be guessed */
		.len = RTE_ALIGN_FLOOR(mtu - IP6_HLEN - IP6_FRAGMENT_HLEN, 8u)};
	enum control_outcome outcome = CONTROL_echo_reply;
	const uint16_t port = skb->port;
	struct skb *piece, *next;

	if (pieces_make(c, &cut, &piece) != 0) {
		control_finish(c, skb, CONTROL_no_memory);
		return;
	}
	skb_consume(&c->cpu, skb);
	for (; piece != NULL; piece = next) {
		next = piece->next;
		output_ip(c, piece, port, outcome);
		outcome = CONTROL_N_OUTCOMES;
	}
}

/* ---- IPv6 ---- */

/* ff02::1 and ff02::2, all nodes and all routers of the link. */
static bool
is_all_nodes(const uint8_t *addr)
{
	static const uint8_t prefix[15] = {0xff, 0x02};

	return memcmp(addr, prefix, sizeof(prefix)) == 0 && (addr[15] == 1 || addr[15] == 2);
}

/* RFC 4443 2.2 (b), RFC 6724 5 rule 2: one of port's addresses, of the sender's scope if there is one. */
static const struct own_addr *
own_like(const struct control *c, uint16_t port, const uint8_t *sender)
{
	const struct own_addr *own, *other = NULL;

	for (unsigned int i = 0; (own = route_own(c->conf.routes, i)) != NULL; i++) {
		if (own->port != port || own->addr.family != AF_INET6)
			continue;
		if (ip6_is_link_local(own->addr.bytes) == ip6_is_link_local(sender))
			return own;
		other = own;
	}
	return other;
}

/* RFC 4443 4.2: the address that was asked; asked as one of many, one of the port's own. False: no reply. */
static bool
reply_addresses(
	const struct control *c, uint16_t port, const struct rte_ipv6_hdr *asked, struct rte_ipv6_hdr *ip)
{
	static const uint8_t unspecified[16];
	const struct own_addr *own;

	memcpy(ip->dst_addr, asked->src_addr, sizeof(ip->dst_addr));
	memcpy(ip->src_addr, asked->dst_addr, sizeof(ip->src_addr));
	if (memcmp(asked->src_addr, unspecified, sizeof(unspecified)) == 0)
		return false;
	if (asked->dst_addr[0] != 0xff)
		return true;
	own = is_all_nodes(asked->dst_addr) ? own_like(c, port, asked->src_addr) : NULL;
	if (own != NULL)
		memcpy(ip->src_addr, own->addr.bytes, sizeof(ip->src_addr));
	return own != NULL;
}

static void
echo6(struct control *c, struct skb *skb, uint32_t at)
{
	const struct rte_ipv6_hdr asked = *(const struct rte_ipv6_hdr *)ip_of(skb);
	struct rte_ipv6_hdr ip = {.proto = IP6_NEXT_ICMP, .hop_limits = ECHO_TTL};
	struct ip_addr dst = {.family = AF_INET6};
	uint32_t mtu;

	if (!reply_addresses(c, skb->port, &asked, &ip)) {
		control_finish(c, skb, CONTROL_icmp_ignored);
		return;
	}
	if (message_alone(c, skb, at) != 0) {
		control_finish(c, skb, CONTROL_no_memory);
		return;
	}
	message_reply(skb, ICMP6_ECHO_REPLY, icmp6_pseudo_sum(ip.src_addr, skb->len));
	ip.vtc_flow = htobe32((UINT32_C(6) << 28) | (be32toh(asked.vtc_flow) & IP6_DSCP));
	ip.payload_len = htobe16((uint16_t)skb->len);
	memcpy(skb_push(skb, IP6_HLEN), &ip, sizeof(ip));
	memcpy(dst.bytes, ip.dst_addr, sizeof(dst.bytes));
	mtu = output_mtu(c, &dst, skb->port);
	if (skb->len > mtu)
		output_pieces(c, skb, mtu);
	else
		output_ip(c, skb, skb->port, CONTROL_echo_reply);
}

/* ---- input ---- */

/* Reads the message's first bytes to head[ERROR_HEAD]. Returns how many there are. */
static uint32_t
message_head(const struct skb *skb, uint32_t at, uint8_t *head)
{
	const uint32_t len = RTE_MIN(skb->len - at, ERROR_HEAD);

	skb_copy_bits(skb, at, head, len);
	return len;
}

void
icmp4_input(struct control *c, struct skb *skb, uint32_t at)
{
	uint8_t head[ERROR_HEAD];
	const uint32_t len = message_head(skb, at, head);

	if (len < ICMP_HLEN)
		control_finish(c, skb, CONTROL_icmp_malformed);
	else if (packet_sum(skb, at, skb->len - at, 0) != 0xffff)
		control_finish(c, skb, CONTROL_icmp_checksum);
	else if (head[0] == ICMP4_ECHO)
		echo4(c, skb, at);
	else if (!icmp4_error_complete(head, len))
		control_finish(c, skb, CONTROL_icmp_malformed);
	else
		control_finish(c, skb, CONTROL_icmp_ignored);
}

/* RFC 6980 5: not in fragments, not even in one. What does not fit a data buffer is longer than any that we would believe. */
static void
nd_hand(struct control *c, struct skb *skb, uint32_t at, bool fragmented)
{
	const int ret = fragmented ? -EMSGSIZE : skb_linearize(&c->cpu, skb);

	if (ret != 0) {
		control_finish(c, skb, ret == -ENOMEM ? CONTROL_no_memory : CONTROL_nd_malformed);
		return;
	}
	skb_set_transport_header(skb, (int)at);
	nd_input(c, skb);
}

void
icmp6_input(struct control *c, struct skb *skb, uint32_t at, bool fragmented)
{
	uint8_t head[ERROR_HEAD];
	const uint32_t len = message_head(skb, at, head);
	const uint32_t sum = icmp6_pseudo_sum(ip_of(skb) + IP6_HLEN - 32, skb->len - at);

	if (len < ICMP_HLEN)
		control_finish(c, skb, CONTROL_icmp_malformed);
	else if (packet_sum(skb, at, skb->len - at, sum) != 0xffff)
		control_finish(c, skb, CONTROL_icmp_checksum);
	else if (head[0] >= ND_FIRST && head[0] <= ND_LAST)
		nd_hand(c, skb, at, fragmented);
	else if (head[0] == ICMP6_ECHO)
		echo6(c, skb, at);
	else if (!icmp6_error_complete(head, len))
		control_finish(c, skb, CONTROL_icmp_malformed);
	else
		control_finish(c, skb, CONTROL_icmp_ignored);
}
