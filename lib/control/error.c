/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ICMP errors: whether one may be sent, and the packet.
 *
 *   | IP 20 or 40 | ICMP 8 | as much of the packet as fits in 576 or 1280 bytes, from its IP header on, as it came in |
 *
 * What the walk has dropped has passed a worker's bucket already. For all others (no such port or protocol here, parameter
 * problems, fragments missing, neighbours that do not answer) there is one here.
 */
#include <string.h>
#include <sys/socket.h>

#include <rte_ip.h>

#include "bytes.h"
#include "eth.h"
#include "icmp.h"
#include "ip4.h"
#include "ip6.h"
#include "ip6_ext.h"
#include "local.h"
#include "prefix.h"
#include "skb_frags.h"

#define ERROR_TTL 64u
#define ERROR_TOS 0xc0u /* RFC 1812 4.3.2.5: precedence 6, internetwork control */
#define IP4_PROTO 1u

#define IP4_SRC 12u /* offsets of addresses */
#define IP4_DST 16u
#define IP6_SRC 8u
#define IP6_DST 24u

/* An error as it is made. */
struct report {
	uint8_t bytes[ICMP6_ERROR_MAX];
	uint32_t head;  /* bytes of headers before the quote */
	uint32_t quote; /* bytes of the quote */
	uint16_t port;  /* the packet came in by */
	bool group;     /* to a group address of the link */
	enum icmp_error error;
	uint32_t info;
};

/* ---- addresses ---- */

static struct ip_addr
addr4(const uint8_t *bytes)
{
	struct ip_addr addr = {.family = AF_INET};

	memcpy(addr.bytes, bytes, 4);
	return addr;
}

static bool
is_directed_broadcast(const struct control *c, const uint8_t *bytes)
{
	const struct ip_addr addr = addr4(bytes);
	const struct own_addr *own;

	for (unsigned int i = 0; (own = route_own(c->conf.routes, i)) != NULL; i++) {
		const struct ip_addr last = ip_prefix_last(&own->subnet);

		/* RFC 3021: a subnet of two has none */
		if (own->addr.family == AF_INET && own->subnet.len <= 30 && ip_addr_equal(&last, &addr))
			return true;
	}
	return false;
}

/* RFC 1812 4.3.2.4: an address of the port the packet came in by, so that traceroute shows the way; the sender's subnet's first. */
static unsigned int
rank4(const struct own_addr *own, uint16_t port, const uint8_t *sender)
{
	const struct ip_addr addr = addr4(sender);

	if (own->port != port)
		return 1;
	return ip_prefix_covers(&own->subnet, &addr) ? 3 : 2;
}

/* RFC 4443 2.2 (d). A link-local address means something on its own link only. */
static unsigned int
rank6(const struct own_addr *own, uint16_t port)
{
	if (ip6_is_link_local(own->addr.bytes))
		return own->port == port ? 1 : 0;
	return own->port == port ? 3 : 2;
}

/* The address that the error about the packet ip comes from, NULL = there is none. */
static const struct own_addr *
source(const struct control *c, const uint8_t *ip, uint16_t port)
{
	const bool ip6 = ip[0] >> 4 == 6;
	const uint8_t family = ip6 ? AF_INET6 : AF_INET;
	const struct own_addr *own, *best = local_own(c, family, ip + (ip6 ? IP6_DST : IP4_DST), port);
	unsigned int best_rank = best != NULL ? UINT32_MAX : 0;

	for (unsigned int i = 0; (own = route_own(c->conf.routes, i)) != NULL; i++) {
		unsigned int rank;

		if (own->addr.family != family)
			continue;
		rank = ip6 ? rank6(own, port) : rank4(own, port, ip + IP4_SRC);
		if (rank > best_rank) {
			best = own;
			best_rank = rank;
		}
	}
	return best;
}

/* ---- whether ---- */

/* RFC 1812 4.3.2.7, RFC 1122 3.2.2. */
static bool
may_send4(const struct control *c, const struct report *r, const uint8_t *ip)
{
	return !r->group && icmp4_error_allowed(ip, r->quote) && !is_directed_broadcast(c, ip + IP4_SRC) &&
	       !is_directed_broadcast(c, ip + IP4_DST) &&
	       local_own(c, AF_INET, ip + IP4_SRC, r->port) == NULL;
}

/* RFC 4443 2.4 (e). */
static bool
may_send6(const struct control *c, const struct report *r, const uint8_t *ip)
{
	if (r->group && !icmp6_error_multicast(r->error))
		return false;
	return icmp6_error_allowed(ip, r->quote, r->error) &&
	       local_own(c, AF_INET6, ip + IP6_SRC, r->port) == NULL;
}

/* ---- the packet ---- */

static void
finish4(struct control *c, struct report *r, const struct own_addr *from)
{
	const uint8_t *const quote = r->bytes + r->head;
	struct rte_ipv4_hdr *const ip = (struct rte_ipv4_hdr *)r->bytes;
	uint8_t *const icmp = r->bytes + IP4_HLEN;

	*ip = (struct rte_ipv4_hdr){.version_ihl = RTE_IPV4_VHL_DEF,
		.type_of_service = ERROR_TOS,
		.total_length = htobe16((uint16_t)(r->head + r->quote)),
		.packet_id = htobe16(c->ip4_id++),
		.time_to_live = ERROR_TTL,
		.next_proto_id = IP4_PROTO,
		.src_addr = load32(from->addr.bytes),
		.dst_addr = load32(quote + IP4_SRC)};
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	icmp4_error_write(icmp, r->error, r->info);
	store16(icmp + ICMP_SUM, (uint16_t)~rte_raw_cksum(icmp, ICMP_HLEN + r->quote));
}

static void
finish6(struct report *r, const struct own_addr *from)
{
	const uint8_t *const quote = r->bytes + r->head;
	struct rte_ipv6_hdr *const ip = (struct rte_ipv6_hdr *)r->bytes;
	uint8_t *const icmp = r->bytes + IP6_HLEN;
	const uint32_t len = ICMP_HLEN + r->quote;
	uint32_t sum;

	ip->vtc_flow = htobe32(UINT32_C(6) << 28);
	ip->payload_len = htobe16((uint16_t)len);
	ip->proto = IP6_NEXT_ICMP;
	ip->hop_limits = ERROR_TTL;
	memcpy(ip->src_addr, from->addr.bytes, sizeof(ip->src_addr));
	memcpy(ip->dst_addr, quote + IP6_SRC, sizeof(ip->dst_addr));
	icmp6_error_write(icmp, r->error, r->info);
	sum = icmp6_pseudo_sum(ip->src_addr, len) + rte_raw_cksum(icmp, len);
	store16(icmp + ICMP_SUM, (uint16_t)~__rte_raw_cksum_reduce(sum));
}

/* Reads as much of the packet as is quoted, without the link's padding. Of one that is shorter than its header that is less than a header,
 * about which no error is allowed. */
static void
report_begin(struct report *r, const struct skb *skb)
{
	const uint32_t at = ip_at(skb);
	const bool ip6 = skb->protocol == RTE_ETHER_TYPE_IPV6;
	const uint32_t max = ip6 ? ICMP6_ERROR_MAX : ICMP4_ERROR_MAX;
	uint8_t length[2] = {0}, mac = 0;

	r->port = skb->port;
	r->head = (ip6 ? IP6_HLEN : IP4_HLEN) + ICMP_HLEN;
	skb_copy_bits(skb, at + (ip6 ? 4 : 2), length, sizeof(length));
	skb_copy_bits(skb, 0, &mac, 1);
	r->group = eth_is_group(&mac);
	r->quote = load16_be(length) + (ip6 ? IP6_HLEN : 0);
	r->quote = RTE_MIN(RTE_MIN(r->quote, skb->len - at), max - r->head);
	skb_copy_bits(skb, at, r->bytes + r->head, r->quote);
}

/* Hands the packet out. Whether it was taken, output_ip() tells by its count only. */
static enum control_outcome
report_send(struct control *c, const struct report *r)
{
	const uint64_t n_lost = c->counts.made_lost;
	struct skb *skb;

	if (packet_alloc(c, r->head + r->quote, &skb) != 0)
		return CONTROL_no_memory;
	packet_store(skb, 0, r->bytes, r->head + r->quote);
	output_ip(c, skb, r->port, CONTROL_N_OUTCOMES);
	if (c->counts.made_lost != n_lost)
		return CONTROL_back_full;
	control_add(&c->counts.error[r->error], 1);
	return CONTROL_error_sent;
}

/* limited: it has not passed a bucket yet. */
static enum control_outcome
report(struct control *c, struct report *r, const struct skb *skb, bool limited)
{
	const bool ip6 = skb->protocol == RTE_ETHER_TYPE_IPV6;
	const uint8_t *const ip = r->bytes + (ip6 ? IP6_HLEN : IP4_HLEN) + ICMP_HLEN;
	const struct own_addr *from;

	report_begin(r, skb);
	if (!(ip6 ? may_send6(c, r, ip) : may_send4(c, r, ip)))
		return CONTROL_error_forbidden;
	/* without an address of the family there is nobody to say it */
	from = source(c, ip, r->port);
	if (from == NULL)
		return CONTROL_error_forbidden;
	if (limited && !bucket_take(&c->errors, c->now_ns))
		return CONTROL_error_limited;
	if (ip6)
		finish6(r, from);
	else
		finish4(c, r, from);
	return report_send(c, r);
}

void
error_input(struct control *c, struct skb *skb)
{
	const struct punt_info *info = punt_info(skb);
	struct report r = {.error = info->error, .info = info->mtu};

	control_finish(c, skb, report(c, &r, skb, false));
}

void
error_send(struct control *c, struct skb *skb, enum icmp_error error, uint32_t info,
	enum control_outcome outcome)
{
	struct report r = {.error = error, .info = info};
	const enum control_outcome became = report(c, &r, skb, true);

	/* what happened to the packet is one thing, whether it was told another */
	control_finish(c, skb, outcome == CONTROL_error_sent ? became : outcome);
}
