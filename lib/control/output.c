/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways out, all of them over punt.back and worker 0: the control thread has no TX queue. What is IP goes through the
 * walk again, so that there is one place only where packets are routed, cut and counted.
 */
#include <errno.h>
#include <sys/socket.h>

#include <rte_ip.h>

#include "control_priv.h"
#include "eth.h"
#include "ip6.h"
#include "resolve.h"
#include "skb_share.h"

/* Counts what became of skb, or of what was made: it was sent, or there was no way (lost). */
static void
count(struct control *c, enum control_outcome outcome, enum control_outcome lost, bool sent)
{
	if (outcome != CONTROL_N_OUTCOMES)
		control_outcome(c, sent ? outcome : lost);
	else
		control_add(sent ? &c->counts.made : &c->counts.made_lost, 1);
}

static void
back_put(struct control *c, struct skb *skb, enum punt_road road, enum control_outcome outcome)
{
	const bool sent = punt_back_put(c->conf.punt, &c->cpu, skb, road) == 0;

	if (!sent)
		skb_consume(&c->cpu, skb);
	count(c, outcome, CONTROL_back_full, sent);
}

void
output_frame(struct control *c, struct skb *skb, uint16_t port, enum control_outcome outcome)
{
	skb->port = port;
	back_put(c, skb, PUNT_SEND, outcome);
}

void
output_rewalk(struct control *c, struct skb *skb, enum control_outcome outcome)
{
	back_put(c, skb, PUNT_WALK, outcome);
}

/* The walk will count one hop. */
static void
hop_add(uint8_t *ip)
{
	struct rte_ipv4_hdr *ip4 = (struct rte_ipv4_hdr *)ip;

	if (ip[0] >> 4 == 6) {
		ip[IP6_HOP_LIMIT]++;
		return;
	}
	ip4->time_to_live++;
	ip4->hdr_checksum = 0;
	ip4->hdr_checksum = rte_ipv4_cksum(ip4);
}

/* As if the port had received it: for its MAC address, from one that it does not have. */
static void
header_push(const struct control *c, struct skb *skb, uint16_t port)
{
	const struct rte_ether_addr *mac = &c->conf.ports[port].mac;
	const bool is_ip6 = skb->data[0] >> 4 == 6;
	struct rte_ether_hdr *eth = skb_push(skb, ETH_HLEN);

	eth->dst_addr = *mac;
	eth->src_addr = *mac;
	eth->src_addr.addr_bytes[RTE_ETHER_ADDR_LEN - 1] ^= 1;
	skb->protocol = is_ip6 ? RTE_ETHER_TYPE_IPV6 : RTE_ETHER_TYPE_IPV4;
	eth->ether_type = rte_cpu_to_be_16(skb->protocol);
	skb_set_mac_header(skb, 0);
	skb_set_network_header(skb, ETH_HLEN);
}

/* What the walk forwards to nobody: to a link-local address, or from one, then to who is on the link. */
static bool
stays_on_link(
	const struct control *c, const struct rte_ipv6_hdr *ip, uint16_t port, const struct ip_addr *dst)
{
	return ip6_is_link_local(ip->dst_addr) ||
	       (ip6_is_link_local(ip->src_addr) && neighs_onlink(c, port, dst));
}

void
output_ip(struct control *c, struct skb *skb, uint16_t port, enum control_outcome outcome)
{
	const struct rte_ipv6_hdr *ip = (const struct rte_ipv6_hdr *)skb->data;
	struct ip_addr dst = {.family = AF_INET6};

	if (skb->data[0] >> 4 == 6) {
		memcpy(dst.bytes, ip->dst_addr, sizeof(dst.bytes));
		if (stays_on_link(c, ip, port, &dst)) {
			neighs_output(c, skb, port, &dst, outcome);
			return;
		}
	}
	if (skb_cow(&c->cpu, skb, ETH_HLEN) != 0) {
		skb_consume(&c->cpu, skb);
		count(c, outcome, CONTROL_no_memory, false);
		return;
	}
	hop_add(skb->data);
	header_push(c, skb, port);
	skb->port = port;
	back_put(c, skb, PUNT_WALK, outcome);
}

uint64_t
output_nexthop(const struct control *c, const struct ip_addr *addr)
{
	const struct route_view *view = route_view(c->conf.routes);
	uint64_t id = NEXTHOP_ID_NO_ROUTE;
	uint32_t addr4;

	if (addr->family == AF_INET6) {
		route_lookup6_bulk(view, &addr->bytes, &id, 1);
		return id;
	}
	addr4 = load32_be(addr->bytes);
	route_lookup4_bulk(view, &addr4, &id, 1);
	return id;
}

uint32_t
output_mtu(const struct control *c, const struct ip_addr *addr, uint16_t port)
{
	const struct adjacency *table = route_adjacencies(c->conf.routes);
	uint32_t mtu = UINT32_MAX;
	uint64_t id;

	if (addr->family == AF_INET6 && ip6_is_link_local(addr->bytes))
		return c->conf.ports[port].mtu;
	id = output_nexthop(c, addr);
	if ((id & NEXTHOP_GROUP) == 0)
		return id < NEXTHOP_ID_FIRST ? RTE_IPV6_MIN_MTU : table[id].mtu;
	/* which path it will take is the walk's to know: small enough for each */
	for (unsigned int i = 0; i < NEXTHOP_BUCKETS; i++)
		mtu = RTE_MIN(mtu, table[route_groups(c->conf.routes)[id & ~NEXTHOP_GROUP].bucket[i]].mtu);
	return mtu;
}
