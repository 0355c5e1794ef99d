/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Neighbour discovery for IPv6 (RFC 4861): solicitations are answered for the port's own addresses only, advertisements told to the table of
 * neighbours. A router takes neither router advertisements of others nor redirects (6.2.6 has it look at the former for
 * differences that only people can settle; 8.2), and is not configured to send any.
 *
 * An answer goes to the MAC address that the question gives. A question to a unicast address need not give one (7.2.2): then the answer waits
 * for the asker's, like any packet, if that is not known. The frame's source is nothing that RFC 4861 lets anybody believe.
 */
#include "nd.h"

#include <sys/socket.h>

#include "eth.h"
#include "ip6.h"
#include "prefix.h"
#include "resolve.h"
#include "skb_frags.h"

#define IP6_SRC 8u

static const struct ip_addr all_nodes = {.family = AF_INET6, .bytes = {0xff, 0x02, [15] = 0x01}};
static const struct ip_addr unspecified = {.family = AF_INET6};

static struct ip_addr
ip6_addr(const uint8_t *bytes)
{
	struct ip_addr addr = {.family = AF_INET6};

	memcpy(addr.bytes, bytes, 16);
	return addr;
}

/* ---- what we say ---- */

static void
group_send(struct control *c, uint16_t port, const uint8_t *group, const uint8_t *bytes, uint32_t len)
{
	struct rte_ether_addr mac;

	nd_group_mac(group, mac.addr_bytes);
	neighs_frame(c, port, &mac, bytes, len);
}

static void
solicit(struct control *c, uint16_t port, const struct ip_addr *source, const struct ip_addr *target,
	const struct rte_ether_addr *to)
{
	const uint8_t *mac = c->conf.ports[port].mac.addr_bytes;
	uint8_t bytes[ND_LEN], group[16];
	uint32_t len;

	if (to != NULL) {
		len = nd_solicit_build(bytes, source->bytes, target->bytes, target->bytes, mac);
		neighs_frame(c, port, to, bytes, len);
		return;
	}
	nd_solicited_node(target->bytes, group);
	len = nd_solicit_build(bytes, source->bytes, group, target->bytes, mac);
	group_send(c, port, group, bytes, len);
}

void
nd_ask(struct control *c, uint16_t port, const struct ip_addr *addr, const struct rte_ether_addr *mac)
{
	const struct own_addr *source = neighs_source(c, port, addr);

	if (source != NULL)
		solicit(c, port, &source->addr, addr, mac);
}

void
nd_probe(struct control *c, const struct own_addr *own)
{
	solicit(c, own->port, &unspecified, &own->addr, NULL);
}

void
nd_announce(struct control *c, const struct own_addr *own)
{
	uint8_t bytes[ND_LEN];
	const uint32_t len = nd_advert_build(bytes, own->addr.bytes, all_nodes.bytes, ND_ROUTER | ND_OVERRIDE,
		c->conf.ports[own->port].mac.addr_bytes);

	group_send(c, own->port, all_nodes.bytes, bytes, len);
}

void
nd_join(struct control *c, const struct own_addr *own)
{
	/* fe80::/64 without a host: the port's own link-local address follows, if it has one. RFC 3810 5.2.13: else :: */
	const struct ip_addr scope = {.family = AF_INET6, .bytes = {0xfe, 0x80}};
	const struct own_addr *source = neighs_source(c, own->port, &scope);
	const bool usable = source != NULL && source->port == own->port && source->addr.bytes[0] == 0xfe;
	uint8_t bytes[MLD_LEN], group[16];
	uint32_t len;

	nd_solicited_node(own->addr.bytes, group);
	len = mld_report_build(bytes, usable ? source->addr.bytes : unspecified.bytes, group);
	group_send(c, own->port, bytes + IP6_SRC + 16, bytes, len);
}

/* The answer to one who asks from source; mac: where he wants it, NULL: he did not say. */
static enum control_outcome
answer(struct control *c, const struct own_addr *own, const struct ip_addr *source,
	const struct rte_ether_addr *mac)
{
	const uint8_t *our_mac = c->conf.ports[own->port].mac.addr_bytes;
	const bool anybody = ip_addr_is_any(source);
	uint8_t bytes[ND_LEN];
	struct skb *skb;
	uint32_t len;

	/* RFC 4861 7.2.4: "the Solicited flag to zero and multicast the advertisement to the all-nodes address" */
	len = nd_advert_build(bytes, own->addr.bytes, anybody ? all_nodes.bytes : source->bytes,
		ND_ROUTER | ND_OVERRIDE | (anybody ? 0 : ND_SOLICITED), our_mac);
	if (anybody) {
		group_send(c, own->port, all_nodes.bytes, bytes, len);
		return CONTROL_nd_advert;
	}
	if (mac != NULL) {
		neighs_frame(c, own->port, mac, bytes, len);
		return CONTROL_nd_advert;
	}
	if (packet_alloc(c, len, &skb) != 0)
		return CONTROL_no_memory;
	packet_store(skb, 0, bytes, len);
	neighs_output(c, skb, own->port, source, CONTROL_N_OUTCOMES);
	return CONTROL_nd_advert;
}

/* ---- what others say ---- */

/* What the parts of one packet are. */
struct nd_packet {
	uint16_t port;
	const struct rte_ether_addr *from; /* the frame's source */
	struct ip_addr source, target;
	const struct rte_ether_addr *mac; /* the option's, or NULL */
	uint8_t flags;
};

static enum control_outcome
solicit_input(struct control *c, const struct nd_packet *p)
{
	const struct neigh_claim claim = {.mac = p->mac, .override = true, .create = true};
	unsigned int index, source_index;
	const struct own_addr *own = neighs_own(c, p->port, &p->target, &index);

	if (neighs_own(c, p->port, &p->source, &source_index) != NULL) {
		dad_conflict(c, source_index, p->from);
		return CONTROL_nd_conflict;
	}
	if (own == NULL)
		return CONTROL_nd_not_ours;
	if (ip_addr_is_any(&p->source))
		dad_probed(c, index, p->from);
	/* one whose subnet is not ours is answered, for it may know us by our link-local address; but it is no neighbour */
	else if (p->mac != NULL && neighs_onlink(c, p->port, &p->source))
		neighs_learn(c, p->port, &p->source, &claim);
	return answer(c, own, &p->source, p->mac);
}

static enum control_outcome
advert_input(struct control *c, const struct nd_packet *p)
{
	const struct neigh_claim claim = {.mac = p->mac,
		.solicited = (p->flags & ND_SOLICITED) != 0,
		.override = (p->flags & ND_OVERRIDE) != 0};
	unsigned int index;

	if (neighs_own(c, p->port, &p->target, &index) != NULL) {
		dad_conflict(c, index, p->mac != NULL ? p->mac : p->from);
		return CONTROL_nd_conflict;
	}
	return neighs_learn(c, p->port, &p->target, &claim) ? CONTROL_nd_learned : CONTROL_nd_unknown;
}

/* The message's bytes in one piece, len of them, NULL: there are fewer. */
static const uint8_t *
message_read(struct control *c, const struct skb *skb, uint32_t offset, uint32_t len)
{
	if (len > sizeof(c->neighs->message))
		return NULL;
	if (offset + len <= skb_headlen(skb))
		return skb->data + offset;
	return skb_copy_bits(skb, offset, c->neighs->message, len) == 0 ? c->neighs->message : NULL;
}

static enum control_outcome
message_input(
	struct control *c, const struct skb *skb, const uint8_t *ip6, const uint8_t *message, uint32_t len)
{
	struct nd nd;

	if (message[0] != ND_SOLICIT && message[0] != ND_ADVERT)
		return CONTROL_nd_ignored;
	if (nd_parse(ip6, message, len, &nd) != ND_OK)
		return CONTROL_nd_malformed;

	const struct nd_packet packet = {.port = skb->port,
		.from = (const struct rte_ether_addr *)(skb->data + ETH_SRC),
		.source = ip6_addr(ip6 + IP6_SRC),
		.target = ip6_addr(nd.target),
		.mac = (const struct rte_ether_addr *)nd.mac,
		.flags = nd.flags};

	if (packet.mac != NULL && !neighs_mac_ok(c, skb->port, packet.mac))
		return CONTROL_nd_sender;
	return nd.type == ND_SOLICIT ? solicit_input(c, &packet) : advert_input(c, &packet);
}

void
nd_input(struct control *c, struct skb *skb)
{
	const uint8_t *ip6 = skb_network_header(skb);
	const uint32_t offset = skb->transport_header - skb_headroom(skb);
	const uint32_t end = skb->network_header - skb_headroom(skb) + IP6_HLEN + load16_be(ip6 + 4);
	const uint8_t *message = end > offset ? message_read(c, skb, offset, end - offset) : NULL;

	if (message == NULL) {
		control_finish(c, skb, CONTROL_nd_malformed);
		return;
	}
	control_finish(c, skb, message_input(c, skb, ip6, message, end - offset));
}
