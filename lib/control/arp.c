/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ARP: what others ask and say (RFC 826), with the host model that is called strong: a port answers for its own addresses only.
 *
 * The sender's addresses decide first. RFC 1812 3.3.2 has a router believe no ARP that claims a group MAC address for a host, and one that
 * is not on the subnet cannot be resolved by ARP, so it is not answered. That the sender's MAC address is not the frame's source is allowed, as
 * in RFC 826: bonds and proxies do so.
 *
 * What is said is then merged into what is known, whoever is asked (RFC 826, "Packet Reception"); but only who asks us becomes a
 * neighbour that was not one. Only a reply to us alone confirms one: a broadcast one does not show that it hears us.
 */
#include "arp.h"

#include <sys/socket.h>

#include "eth.h"
#include "prefix.h"
#include "resolve.h"
#include "skb_frags.h"

static const struct rte_ether_addr broadcast = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};

static struct ip_addr
ip4_addr(const uint8_t *bytes)
{
	struct ip_addr addr = {.family = AF_INET};

	memcpy(addr.bytes, bytes, 4);
	return addr;
}

/* ---- what we say ---- */

static void
arp_send(struct control *c, uint16_t port, const struct rte_ether_addr *dst, const struct arp *arp)
{
	uint8_t bytes[ARP_LEN];

	arp_build(arp, bytes);
	neighs_frame(c, port, dst, bytes, sizeof(bytes));
}

/* A request by port for target. source NULL: 0.0.0.0 */
static void
request(struct control *c, uint16_t port, const struct rte_ether_addr *dst, const struct ip_addr *source,
	const struct ip_addr *target)
{
	struct arp arp = {.op = ARP_REQUEST};

	memcpy(arp.sha, &c->conf.ports[port].mac, 6);
	if (source != NULL)
		memcpy(arp.spa, source->bytes, 4);
	memcpy(arp.tpa, target->bytes, 4);
	arp_send(c, port, dst, &arp);
}

void
arp_ask(struct control *c, uint16_t port, const struct ip_addr *addr, const struct rte_ether_addr *mac)
{
	const struct own_addr *source = neighs_source(c, port, addr);

	if (source != NULL)
		request(c, port, mac != NULL ? mac : &broadcast, &source->addr, addr);
}

void
arp_probe(struct control *c, const struct own_addr *own)
{
	request(c, own->port, &broadcast, NULL, &own->addr);
}

void
arp_announce(struct control *c, const struct own_addr *own)
{
	request(c, own->port, &broadcast, &own->addr, &own->addr);
}

static void
reply(struct control *c, uint16_t port, const struct arp *to)
{
	struct arp arp = {.op = ARP_REPLY};

	memcpy(arp.sha, &c->conf.ports[port].mac, 6);
	memcpy(arp.spa, to->tpa, 4);
	memcpy(arp.tha, to->sha, 6);
	memcpy(arp.tpa, to->spa, 4);
	arp_send(c, port, (const struct rte_ether_addr *)to->sha, &arp);
}

/* ---- what others say ---- */

/* A question from 0.0.0.0 (RFC 5227 2.1): nothing to learn; for our own address the answer is what defends it. */
static enum control_outcome
probe_input(struct control *c, uint16_t port, const struct arp *arp)
{
	const struct ip_addr target = ip4_addr(arp->tpa);
	unsigned int index;

	if (arp->op != ARP_REQUEST)
		return CONTROL_arp_sender;
	if (neighs_own(c, port, &target, &index) == NULL)
		return CONTROL_arp_not_ours;
	dad_probed(c, index, (const struct rte_ether_addr *)arp->sha);
	reply(c, port, arp);
	return CONTROL_arp_reply;
}

static enum control_outcome
packet_input(struct control *c, uint16_t port, const struct arp *arp, bool to_us_alone)
{
	const struct rte_ether_addr *mac = (const struct rte_ether_addr *)arp->sha;
	const struct ip_addr sender = ip4_addr(arp->spa), target = ip4_addr(arp->tpa);
	const bool is_request = arp->op == ARP_REQUEST;
	const bool ours = neighs_own(c, port, &target, NULL) != NULL;
	const struct neigh_claim claim = {.mac = mac,
		.override = true,
		.create = is_request && ours,
		.solicited = !is_request && ours && to_us_alone};
	unsigned int index;
	bool heard;

	if (neighs_own(c, port, &sender, &index) != NULL) {
		dad_conflict(c, index, mac);
		return CONTROL_arp_conflict;
	}
	if (!neighs_onlink(c, port, &sender))
		return CONTROL_arp_sender;
	heard = neighs_learn(c, port, &sender, &claim);
	if (is_request && ours) {
		reply(c, port, arp);
		return CONTROL_arp_reply;
	}
	/* who asks for his own address tells it */
	if (is_request && !ip_addr_equal(&sender, &target))
		return CONTROL_arp_not_ours;
	return heard ? CONTROL_arp_learned : CONTROL_arp_unknown;
}

static enum control_outcome
frame_input(struct control *c, const struct skb *skb)
{
	static const uint8_t any[4];
	uint8_t bytes[ARP_LEN];
	struct arp arp;

	if (skb_copy_bits(skb, skb->network_header - skb_headroom(skb), bytes, sizeof(bytes)) != 0 ||
		arp_parse(bytes, sizeof(bytes), &arp) != ARP_OK)
		return CONTROL_arp_malformed;
	if (!neighs_mac_ok(c, skb->port, (const struct rte_ether_addr *)arp.sha))
		return CONTROL_arp_sender;
	if (memcmp(arp.spa, any, sizeof(any)) == 0)
		return probe_input(c, skb->port, &arp);
	return packet_input(c, skb->port, &arp, !eth_is_group(skb->data));
}

void
arp_input(struct control *c, struct skb *skb)
{
	control_finish(c, skb, frame_input(c, skb));
}
