/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets for our own addresses. There is no transport here: ICMP is answered, neighbour discovery handed on, and whoever
 * wants anything else is told that nobody listens. TCP is told so like UDP, with port unreachable: a reset would need TCP's checksum and
 * sequence numbers, and a connecting host gives up at either (RFC 1122 4.2.3.9). UDP's checksum is not looked at: whether the port is right
 * or damaged, nobody listens there.
 *
 *   IPv4: header -> ours? -> trim -> fragments -> by protocol
 *   IPv6: header -> ours? -> trim -> extension headers -> fragments -> extension headers -> by protocol
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_ether.h>
#include <rte_ip.h>

#include "eth.h"
#include "ip4.h"
#include "ip6.h"
#include "ip6_ext.h"
#include "local.h"
#include "skb_frags.h"

#define PROTO_ICMP 1u
#define PROTO_TCP  6u
#define PROTO_UDP  17u

#define IP4_DST 16u
#define IP6_DST 24u

#define STRIP_STEP 64u /* as much as fits any data buffer */

/* Bytes of extension headers that are examined: the longest single one has 2048. */
#define HEADERS_MAX 4096u

int
local_strip(struct control *c, struct skb *skb, uint32_t len)
{
	uint32_t n;

	skb->mac_header = SKB_UNSET;
	skb->network_header = SKB_UNSET;
	skb->transport_header = SKB_UNSET;
	for (; len > 0; len -= n) {
		n = RTE_MIN(len, skb_headlen(skb));
		if (n == 0) {
			n = RTE_MIN(len, STRIP_STEP);
			if (skb_pull_head(&c->cpu, skb, n) != 0)
				return -ENOMEM;
		}
		skb_pull(skb, n);
	}
	return 0;
}

const struct own_addr *
local_own(const struct control *c, uint8_t family, const uint8_t *bytes, uint16_t port)
{
	const bool on_link = family == AF_INET6 && ip6_is_link_local(bytes);
	const struct own_addr *own;

	for (unsigned int i = 0; (own = route_own(c->conf.routes, i)) != NULL; i++)
		if (own->addr.family == family && (!on_link || own->port == port) &&
			memcmp(own->addr.bytes, bytes, family == AF_INET6 ? 16 : 4) == 0)
			return own;
	return NULL;
}

/* Has the IP header's first len bytes in the first segment. False: it was not possible, and the packet is finished. */
static bool
header_pull(struct control *c, struct skb *skb, uint32_t len)
{
	const int ret = skb_pull_head(&c->cpu, skb, ip_at(skb) + len);

	if (ret != 0)
		control_finish(c, skb, ret == -EINVAL ? CONTROL_local_malformed : CONTROL_no_memory);
	return ret == 0;
}

/* Cuts off what the link has appended. */
static bool
padding_trim(struct control *c, struct skb *skb, uint32_t ip_len)
{
	const int ret = pskb_trim(&c->cpu, skb, ip_at(skb) + ip_len);

	if (ret != 0)
		control_finish(c, skb, CONTROL_no_memory);
	return ret == 0;
}

/* ---- IPv4 ---- */

/* The walk has judged it before; here it costs nothing. A TTL of 0 or 1 does not matter to the destination. */
static bool
header_check4(struct control *c, struct skb *skb)
{
	enum ip4_fault fault;

	if (!header_pull(c, skb, IP4_HLEN) || !header_pull(c, skb, (ip_of(skb)[0] & 0xf) * 4u))
		return false;
	fault = ip4_check(ip_of(skb), skb->len - ip_at(skb));
	if (fault != IP4_OK && fault != IP4_TTL) {
		control_finish(c, skb, CONTROL_local_malformed);
		return false;
	}
	if (local_own(c, AF_INET, ip_of(skb) + IP4_DST, skb->port) == NULL) {
		control_finish(c, skb, CONTROL_local_scope);
		return false;
	}
	return padding_trim(c, skb, load16_be(ip_of(skb) + 2));
}

/* RFC 1122 3.2.2.1: codes 2 and 3. */
static void
upper_input4(struct control *c, struct skb *skb)
{
	const uint8_t *const ip = ip_of(skb);

	switch (ip[9]) {
	case PROTO_ICMP: icmp4_input(c, skb, ip_at(skb) + (ip[0] & 0xf) * 4u); break;
	case PROTO_TCP:
	case PROTO_UDP: error_send(c, skb, ICMP_ERROR_PORT, 0, CONTROL_error_sent); break;
	default: error_send(c, skb, ICMP_ERROR_PROTOCOL, 0, CONTROL_error_sent);
	}
}

static void
ip4_input(struct control *c, struct skb *skb)
{
	if (!header_check4(c, skb))
		return;
	if ((load16_be(ip_of(skb) + 6) & (RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK)) != 0)
		skb = reassemble4(c, skb);
	if (skb != NULL)
		upper_input4(c, skb);
}

/* ---- IPv6 ---- */

/* What to do with the faults that the walk drops for; those that do not matter to the destination are left to the address check. */
static bool
header_check6(struct control *c, struct skb *skb)
{
	enum ip6_fault fault;
	const uint8_t *dst;

	if (!header_pull(c, skb, IP6_HLEN))
		return false;
	fault = ip6_check(ip_of(skb), skb->len - ip_at(skb));
	if (fault != IP6_OK && fault != IP6_LINK_ICMP && fault != IP6_LINK_LOCAL &&
		fault != IP6_HOP_LIMIT_USED) {
		control_finish(c, skb, CONTROL_local_malformed);
		return false;
	}
	dst = ip_of(skb) + IP6_DST;
	if (fault != IP6_LINK_ICMP && local_own(c, AF_INET6, dst, skb->port) == NULL) {
		control_finish(c, skb, CONTROL_local_scope);
		return false;
	}
	return padding_trim(c, skb, IP6_HLEN + load16_be(ip_of(skb) + 4));
}

/* The IP packet's bytes, as many as are looked at, in one piece: in the packet, or copied to copy[HEADERS_MAX]. */
static const uint8_t *
headers_flat(const struct skb *skb, uint8_t *copy, uint32_t *len)
{
	const uint32_t at = ip_at(skb);

	*len = skb->len - at;
	if (!skb_is_nonlinear(skb))
		return ip_of(skb);
	*len = RTE_MIN(*len, HEADERS_MAX);
	skb_copy_bits(skb, at, copy, *len);
	return copy;
}

/* RFC 8200 4.5: a first fragment has all headers, up to and with the upper layer's. */
static bool
first_fragment_is_whole(const uint8_t *ip, uint32_t len)
{
	struct ip6_chain all;

	ip6_ext_find(ip, len, &all);
	return all.fault == IP6_EXT_OK && (all.offset < len || all.next == IP6_NEXT_NONE);
}

/* Finds what is behind the extension headers. False: the packet is finished. */
static bool
headers_check6(struct control *c, struct skb *skb, struct ip6_chain *chain)
{
	uint8_t copy[HEADERS_MAX];
	uint32_t len;
	const uint8_t *const ip = headers_flat(skb, copy, &len);

	ip6_ext_check(ip, len, chain);
	if (chain->fault == IP6_EXT_OK &&
		(chain->next != IP6_NEXT_FRAGMENT || first_fragment_is_whole(ip, len)))
		return true;
	switch ((enum ip6_ext_fault)chain->fault) {
	case IP6_EXT_OK:
	case IP6_EXT_TRUNCATED:
	case IP6_EXT_DISCARD: control_finish(c, skb, CONTROL_local_malformed); break;
	case IP6_EXT_OPTION:
		error_send(c, skb, ICMP_ERROR_PARAM_OPTION, chain->pointer, CONTROL_error_sent);
		break;
	case IP6_EXT_ROUTING: error_send(c, skb, ICMP_ERROR_PARAM, chain->pointer, CONTROL_error_sent); break;
	case IP6_EXT_NEXT: error_send(c, skb, ICMP_ERROR_PROTOCOL, chain->pointer, CONTROL_error_sent);
	}
	return false;
}

static void
upper_input6(struct control *c, struct skb *skb, const struct ip6_chain *chain, bool fragmented)
{
	switch (chain->next) {
	case IP6_NEXT_ICMP: icmp6_input(c, skb, ip_at(skb) + chain->offset, fragmented); break;
	case PROTO_TCP:
	case PROTO_UDP: error_send(c, skb, ICMP_ERROR_PORT, 0, CONTROL_error_sent); break;
	/* RFC 8200 4.7: nothing is there. A fragment in a fragment is nothing that anybody sends. */
	case IP6_NEXT_NONE:
	case IP6_NEXT_FRAGMENT: control_finish(c, skb, CONTROL_local_malformed); break;
	default: error_send(c, skb, ICMP_ERROR_PROTOCOL, chain->next_at, CONTROL_error_sent);
	}
}

static void
ip6_input(struct control *c, struct skb *skb)
{
	struct ip6_chain chain;
	bool fragmented = false;

	if (!header_check6(c, skb) || !headers_check6(c, skb, &chain))
		return;
	if (chain.next == IP6_NEXT_FRAGMENT) {
		fragmented = true;
		skb = reassemble6(c, skb, &chain);
		if (skb == NULL || !headers_check6(c, skb, &chain))
			return;
	}
	upper_input6(c, skb, &chain, fragmented);
}

void
local_input(struct control *c, struct skb *skb)
{
	if (skb->protocol == RTE_ETHER_TYPE_IPV4)
		ip4_input(c, skb);
	else
		ip6_input(c, skb);
}
