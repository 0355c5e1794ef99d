/* SPDX-License-Identifier: BSD-3-Clause */
#include "neighs.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_ip.h>

#include "arp.h"
#include "eth.h"
#include "ip6.h"
#include "nd.h"

static uint64_t counted[CONTROL_N_OUTCOMES];

static void
forget(struct rig *rig)
{
	struct skb *skb;

	while (punt_back_take(&rig->punt, &skb, 1) == 1)
		rig_free(rig, skb);
	rig->n_events = 0;
	memset(counted, 0, sizeof(counted));
}

struct rig *
neighs_open(void (*change)(struct rig *rig, struct control_conf *conf))
{
	struct rig *rig = rig_open(2048, change);

	neighs_link(rig->c, 0, true);
	neighs_link(rig->c, 1, true);
	rig_advance(rig, 12000);
	forget(rig);
	return rig;
}

/* ---- in ---- */

void
frame_from(struct rig *rig, uint16_t port, uint16_t type, const void *bytes, uint32_t len)
{
	uint8_t frame[2048] = {0};
	struct skb *skb;

	memcpy(frame, &rig_mac[port], 6);
	memcpy(frame + ETH_SRC, (const uint8_t[]){2, 0, 0, 0, 0, 0xee}, 6);
	store16(frame + ETH_TYPE, htobe16(type));
	memcpy(frame + ETH_HLEN, bytes, len);
	skb = rig_frame(rig, port, frame, ETH_HLEN + len);
	rig_punt(rig, PUNT_HOST, skb);
}

void
arp_from(struct rig *rig, uint16_t port, uint8_t mac, const char *what, const char *spa, const char *tpa)
{
	struct arp arp = {
		.op = strstr(what, "reply") != NULL ? ARP_REPLY : ARP_REQUEST, .sha = {2, 0, 0, 0, 0, mac}};
	const bool all = strstr(what, "all") != NULL;
	const struct ip_addr s = rig_addr(spa), t = rig_addr(tpa);
	uint8_t frame[60] = {0};

	memcpy(arp.spa, s.bytes, 4);
	memcpy(arp.tpa, t.bytes, 4);
	memcpy(frame, &rig_mac[port], 6);
	if (all)
		memset(frame, 0xff, 6);
	memcpy(frame + ETH_SRC, arp.sha, 6);
	store16(frame + ETH_TYPE, htobe16(RTE_ETHER_TYPE_ARP));
	arp_build(&arp, frame + ETH_HLEN);
	rig_punt(rig, PUNT_HOST, rig_frame(rig, port, frame, sizeof(frame)));
}

void
nd_from(struct rig *rig, uint16_t port, const struct nd_words *words)
{
	const struct ip_addr src = rig_addr(words->src), dst = rig_addr(words->dst),
			     target = rig_addr(words->target);
	const uint8_t mac[6] = {2, 0, 0, 0, 0, (uint8_t)words->mac};
	uint8_t frame[ETH_HLEN + ND_LEN] = {0}, *ip6 = frame + ETH_HLEN;
	struct skb *skb;
	uint32_t len;

	memcpy(frame, &rig_mac[port], 6);
	memcpy(frame + ETH_SRC, (const uint8_t[]){2, 0, 0, 0, 0, 0xee}, 6);
	store16(frame + ETH_TYPE, htobe16(RTE_ETHER_TYPE_IPV6));
	if (words->flags < 0) {
		len = nd_solicit_build(ip6, src.bytes, dst.bytes, target.bytes, mac);
	} else {
		len = nd_advert_build(ip6, target.bytes, dst.bytes, (uint8_t)words->flags, mac);
		memcpy(ip6 + 8, src.bytes, 16);
	}
	if (words->mac < 0 && len == ND_LEN) {
		len -= 8;
		ip6[5] -= 8;
	}
	skb = rig_frame(rig, port, frame, ETH_HLEN + len);
	skb_set_transport_header(skb, ETH_HLEN + IP6_HLEN);
	nd_input(rig->c, skb);
}

void
unresolved(struct rig *rig, const char *src, const char *next, uint16_t egress, uint8_t id)
{
	const struct ip_addr from = rig_addr(src), to = rig_addr(next);
	uint8_t frame[ETH_HLEN + 61] = {0}, *ip = frame + ETH_HLEN;
	const bool is_ip6 = to.family == AF_INET6;
	struct skb *skb;

	memcpy(frame, &rig_mac[0], 6);
	memcpy(frame + ETH_SRC, (const uint8_t[]){2, 0, 0, 0, 0, 0x0a}, 6);
	store16(frame + ETH_TYPE, htobe16(is_ip6 ? RTE_ETHER_TYPE_IPV6 : RTE_ETHER_TYPE_IPV4));
	if (is_ip6) {
		memcpy(ip, ((const uint8_t[]){0x60, 0, 0, 0, 0, 21, 17, 64}), 8);
		memcpy(ip + 8, from.bytes, 16);
		memcpy(ip + 24, to.bytes, 16);
	} else {
		memcpy(ip, ((const uint8_t[]){0x45, 0, 0, 61, 0, 1, 0, 0, 64, 17}), 10);
		memcpy(ip + 12, from.bytes, 4);
		memcpy(ip + 16, to.bytes, 4);
		store16(ip + 10, rte_ipv4_cksum((const struct rte_ipv4_hdr *)ip));
	}
	ip[60] = id;
	skb = rig_frame(rig, 0, frame, sizeof(frame));
	memcpy(punt_info(skb)->addr, to.bytes, 16);
	punt_info(skb)->egress = egress;
	rig_punt(rig, PUNT_NEIGH, skb);
}

/* ---- out ---- */

static const char *
mac_text(const uint8_t *mac)
{
	static char text[2][16];
	static unsigned int i;
	char *to = text[i++ % 2];

	if (memcmp(mac, "\2\0\0\0\0", 5) == 0)
		snprintf(to, 16, "%02x", mac[5]);
	else
		snprintf(to, 16, "%02x%02x%02x%02x%02x%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
	return to;
}

static const char *
addr_text(int family, const uint8_t *addr)
{
	static char text[4][INET6_ADDRSTRLEN];
	static unsigned int i;

	return inet_ntop(family, addr, text[i++ % 4], INET6_ADDRSTRLEN);
}

static int
arp_text(const uint8_t *p, uint32_t len, char *to, size_t size)
{
	struct arp arp;

	assert_int_equal(arp_parse(p, len, &arp), ARP_OK);
	if (arp.op == ARP_REQUEST)
		return snprintf(to, size, "who-has %s tell %s", addr_text(AF_INET, arp.tpa),
			addr_text(AF_INET, arp.spa));
	return snprintf(to, size, "%s is-at %s for %s", addr_text(AF_INET, arp.spa), mac_text(arp.sha),
		addr_text(AF_INET, arp.tpa));
}

static int
nd_text(const uint8_t *ip6, const uint8_t *icmp, uint32_t len, char *to, size_t size)
{
	const char *src = addr_text(AF_INET6, ip6 + 8), *dst = addr_text(AF_INET6, ip6 + 24);
	const struct rte_ipv6_hdr *header = (const struct rte_ipv6_hdr *)ip6;
	int n;

	assert_int_equal(rte_ipv6_udptcp_cksum_verify(header, icmp), 0);
	assert_int_equal(ip6[7], 255);
	assert_true(len == 24 || (len == 32 && icmp[25] == 1));
	if (icmp[0] == ND_SOLICIT)
		n = snprintf(to, size, "ns %s from %s to %s", addr_text(AF_INET6, icmp + 8), src, dst);
	else
		n = snprintf(to, size, "na %s%s%s to %s %s%s%s", addr_text(AF_INET6, icmp + 8),
			memcmp(icmp + 8, ip6 + 8, 16) == 0 ? "" : " from ",
			memcmp(icmp + 8, ip6 + 8, 16) == 0 ? "" : src, dst, icmp[4] & 0x80 ? "R" : "",
			icmp[4] & 0x40 ? "S" : "", icmp[4] & 0x20 ? "O" : "");
	if (len == 32)
		n += snprintf(to + n, size - (size_t)n, " %s %s",
			icmp[24] == 1   ? "slla"
			: icmp[24] == 2 ? "tlla"
					: "?",
			mac_text(icmp + 26));
	return n;
}

static int
ip_text(const uint8_t *ip, uint32_t len, char *to, size_t size)
{
	const bool is_ip6 = ip[0] >> 4 == 6;
	const uint8_t proto = is_ip6 ? ip[6] : ip[9];
	const char *dst = is_ip6 ? addr_text(AF_INET6, ip + 24) : addr_text(AF_INET, ip + 16);

	assert_int_equal(is_ip6 ? load16_be(ip + 4) + 40u : load16_be(ip + 2), len);
	if (is_ip6 && proto == 0) {
		assert_int_equal(ip[7], 1);
		return snprintf(to, size, "mld %s from %s", addr_text(AF_INET6, ip + 60),
			addr_text(AF_INET6, ip + 8));
	}
	if (is_ip6 && proto == 58 && (ip[40] == ND_SOLICIT || ip[40] == ND_ADVERT))
		return nd_text(ip, ip + 40, len - 40, to, size);
	if (proto == 17)
		return snprintf(to, size, "udp %u to %s", ip[60], dst);
	return snprintf(to, size, "icmp %u/%u to %s", ip[is_ip6 ? 40 : 20], ip[is_ip6 ? 41 : 21], dst);
}

static int
frame_text(struct skb *skb, char *to, size_t size)
{
	uint8_t frame[2048];
	const uint32_t len = rig_bytes(skb, frame, sizeof(frame));
	int n;

	if (punt_info(skb)->road == PUNT_WALK) {
		n = snprintf(to, size, "walk ");
		return n + ip_text(frame + ETH_HLEN, len - ETH_HLEN, to + n, size - (size_t)n);
	}
	assert_memory_equal(frame + ETH_SRC, &rig_mac[skb->port], 6);
	n = snprintf(to, size, "%u>%s ", skb->port, mac_text(frame));
	if (load16_be(frame + ETH_TYPE) == RTE_ETHER_TYPE_ARP)
		return n + arp_text(frame + ETH_HLEN, len - ETH_HLEN, to + n, size - (size_t)n);
	assert_int_equal(load16_be(frame + ETH_TYPE), RTE_ETHER_TYPE_IPV6);
	return n + ip_text(frame + ETH_HLEN, len - ETH_HLEN, to + n, size - (size_t)n);
}

void
said(struct rig *rig, const char *expected)
{
	char text[8192] = "";
	struct skb *skb;
	int n = 0;

	while (punt_back_take(&rig->punt, &skb, 1) == 1) {
		if (n > 0)
			n += snprintf(text + n, sizeof(text) - (size_t)n, "; ");
		n += frame_text(skb, text + n, sizeof(text) - (size_t)n);
		rig_free(rig, skb);
	}
	assert_string_equal(text, expected);
}

const char *
known(struct rig *rig, uint16_t port, const char *addr, int *mac)
{
	static struct control_neigh_view views[8192];
	const struct ip_addr wanted = rig_addr(addr);
	const unsigned int n = control_neighs(rig->c, views, RTE_DIM(views));

	assert_int_equal(n, rig->c->counts.neighs);
	for (unsigned int i = 0; i < n; i++) {
		const struct control_neigh *neigh = &views[i].neigh;

		if (neigh->port != port || neigh->addr.family != wanted.family ||
			memcmp(neigh->addr.bytes, wanted.bytes, 16) != 0)
			continue;
		if (mac != NULL)
			*mac = neigh->mac.addr_bytes[5];
		return neigh_state_name(views[i].state);
	}
	return "none";
}

void
became(struct rig *rig, enum control_outcome outcome)
{
	counted[outcome]++;
	if (rig_outcome(rig, outcome) != counted[outcome])
		fail_msg("%s: %" PRIu64 ", expected %" PRIu64, control_info[outcome].name,
			rig_outcome(rig, outcome), counted[outcome]);
}
