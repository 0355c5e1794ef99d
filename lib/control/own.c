/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own addresses as neighbours see them, who can be a neighbour, and frames that need no route. */
#include <sys/socket.h>

#include "eth.h"
#include "prefix.h"
#include "resolve.h"

const struct own_addr *
neighs_own(const struct control *c, uint16_t port, const struct ip_addr *addr, unsigned int *index)
{
	const struct own_addr *own;

	for (unsigned int i = 0; (own = route_own(c->conf.routes, i)) != NULL; i++) {
		if (own->port != port || !ip_addr_equal(&own->addr, addr))
			continue;
		if (index != NULL)
			*index = i;
		return own;
	}
	return NULL;
}

/* How well an own address serves to ask addr on port; 0: not at all. */
static unsigned int
source_rank(const struct own_addr *own, uint16_t port, const struct ip_addr *addr)
{
	if (own->addr.family != addr->family)
		return 0;
	if (own->port != port)
		return addr_is_link_local(&own->addr) ? 0 : 1;
	if (addr_is_link_local(&own->addr) && addr_is_link_local(addr))
		return 3;
	return ip_prefix_covers(&own->subnet, addr) ? 3 : 2;
}

const struct own_addr *
neighs_source(const struct control *c, uint16_t port, const struct ip_addr *addr)
{
	const struct own_addr *own, *best = NULL;
	unsigned int best_rank = 0;

	for (unsigned int i = 0; (own = route_own(c->conf.routes, i)) != NULL; i++) {
		const unsigned int rank = source_rank(own, port, addr);

		if (rank <= best_rank)
			continue;
		best_rank = rank;
		best = own;
	}
	return best;
}

/* A subnet's broadcast address is nobody's; RFC 3021: a /31 has none. */
static bool
is_broadcast(const struct ip_prefix *subnet, const struct ip_addr *addr)
{
	const struct ip_addr last = ip_prefix_last(subnet);

	return addr->family == AF_INET && subnet->len <= 30 && ip_addr_equal(&last, addr);
}

/* As --route PREFIX,port=PORT has it: whose next hop would be itself, or whoever the subnet has. */
static bool
routed_onlink(const struct control *c, uint16_t port, const struct ip_addr *addr)
{
	static const uint8_t any[16];
	const struct route_view *view = route_view(c->conf.routes);
	const struct adjacency *next;
	const uint32_t addr4 = load32_be(addr->bytes);
	uint64_t id;

	if (addr->family == AF_INET)
		route_lookup4_bulk(view, &addr4, &id, 1);
	else
		route_lookup6_bulk(view, &addr->bytes, &id, 1);
	if (id < NEXTHOP_ID_FIRST || (id & NEXTHOP_GROUP))
		return false;
	next = &route_adjacencies(c->conf.routes)[id];
	return next->port == port &&
	       (memcmp(next->addr, any, 16) == 0 ||
		       memcmp(next->addr, addr->bytes, ip_family_bits(addr->family) / 8) == 0);
}

bool
neighs_onlink(const struct control *c, uint16_t port, const struct ip_addr *addr)
{
	const uint8_t group = addr->family == AF_INET ? 0xe0 : 0xff;
	const struct own_addr *own;

	if (addr->bytes[0] >= group || ip_addr_is_any(addr))
		return false;
	if (addr_is_link_local(addr))
		return true;
	for (unsigned int i = 0; (own = route_own(c->conf.routes, i)) != NULL; i++)
		if (own->port == port && ip_prefix_covers(&own->subnet, addr))
			return !is_broadcast(&own->subnet, addr);
	return routed_onlink(c, port, addr);
}

bool
neighs_mac_ok(const struct control *c, uint16_t port, const struct rte_ether_addr *mac)
{
	return rte_is_valid_assigned_ether_addr(mac) &&
	       !rte_is_same_ether_addr(mac, &c->conf.ports[port].mac);
}

void
neighs_frame(struct control *c, uint16_t port, const struct rte_ether_addr *dst, const uint8_t *bytes,
	uint32_t len)
{
	struct skb *skb;
	struct rte_ether_hdr *eth;

	if (packet_alloc(c, len, &skb) != 0)
		return;
	packet_store(skb, 0, bytes, len);
	eth = skb_push(skb, ETH_HLEN);
	eth->dst_addr = *dst;
	eth->src_addr = c->conf.ports[port].mac;
	eth->ether_type = htobe16(bytes[0] >> 4 == 6 ? RTE_ETHER_TYPE_IPV6 : RTE_ETHER_TYPE_ARP);
	output_frame(c, skb, port, CONTROL_N_OUTCOMES);
}
