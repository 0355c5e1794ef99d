/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way to the control thread: a packet that leaves the fast path, head and all, over a ring. Also a dropped one, if its sender is to
 * be told: its bytes are needed for that.
 */
#include <rte_cycles.h>

#include "icmp.h"
#include "ip4.h"
#include "ip6.h"
#include "worker_priv.h"

static const uint8_t error_of[N_VERDICTS] = {
	[VERDICT_ip4_ttl] = ICMP_ERROR_TTL,
	[VERDICT_ip6_hop_limit] = ICMP_ERROR_TTL,
	[VERDICT_no_route] = ICMP_ERROR_NO_ROUTE,
	[VERDICT_unreachable] = ICMP_ERROR_HOST,
	[VERDICT_prohibit] = ICMP_ERROR_PROHIBITED,
	[VERDICT_port_down] = ICMP_ERROR_HOST,
	[VERDICT_mtu_exceeded] = ICMP_ERROR_TOO_BIG,
};

/* Packet i as the control thread wants it, out of the burst's account. NULL: there is no head, and the mbuf is the caller's. */
static struct skb *
take_out(struct worker *w, struct burst *b, uint32_t i)
{
	struct skb *skb = NULL;

	if (b->has_heads) {
		skb = b->skb[i];
		burst_discharge(b, i);
	} else if (skb_build(&w->cpu, b->mbuf[i], &skb) != 0) {
		return NULL;
	}
	skb->reason = b->verdict[i];
	/* not from the mbuf: net_ring hands buffers over with the sender's port in them */
	skb->port = b->port;
	skb->mac_header = skb_headroom(skb);
	skb->network_header = skb->mac_header + ETH_HLEN;
	skb->protocol = (uint16_t)burst_type(b, i);
	*punt_info(skb) = (struct punt_info){0};
	return skb;
}

/* The adjacency of a whole subnet has no address: there, every destination is a next hop. */
static void
name_nexthop(struct punt_info *info, const struct burst *b, uint32_t i)
{
	static const uint8_t none[sizeof(info->addr)];
	const struct adjacency *adj = b->adj[i];
	const uint8_t *l3 = b->data[i] + ETH_HLEN;

	info->egress = adj->port;
	if (memcmp(adj->addr, none, sizeof(none)) != 0)
		memcpy(info->addr, adj->addr, sizeof(info->addr));
	else if (i < b->n4)
		memcpy(info->addr, l3 + IP4_DST, IP4_ALEN);
	else
		memcpy(info->addr, l3 + IP6_DST, IP6_ALEN);
}

void
burst_punt(struct worker *w, struct burst *b, uint32_t i)
{
	const enum verdict v = b->verdict[i];
	const enum punt_class class = v == VERDICT_neigh_unresolved ? PUNT_NEIGH : PUNT_HOST;
	struct skb *skb = take_out(w, b, i);

	if (skb == NULL) {
		skb_drop_raw_bulk(&w->cpu, &b->mbuf[i], 1, VERDICT_no_head);
		return;
	}
	if (class == PUNT_NEIGH)
		name_nexthop(punt_info(skb), b, i);
	if (punt_put(w->conf->punt, &w->cpu, class, skb) != 0) {
		skb_drop(&w->cpu, skb, VERDICT_punt_full);
		return;
	}
	w->stats.punted[v]++;
}

static bool
may_tell(struct worker *w)
{
	if (w->errors.rate == 0)
		return false;
	if (bucket_take(&w->errors, rte_rdtsc()))
		return true;
	w->stats.icmp_limited++;
	return false;
}

bool
burst_tell(struct worker *w, struct burst *b, uint32_t i)
{
	const enum verdict v = b->verdict[i];
	struct skb *skb;

	if (!may_tell(w))
		return false;
	skb = take_out(w, b, i);
	if (skb == NULL) {
		w->stats.icmp_full++;
		return false;
	}
	punt_info(skb)->error = error_of[v];
	if (v == VERDICT_mtu_exceeded)
		punt_info(skb)->mtu = (uint16_t)RTE_MIN(b->adj[i]->mtu, (uint32_t)UINT16_MAX);
	if (punt_put(w->conf->punt, &w->cpu, PUNT_ERROR, skb) != 0) {
		w->stats.icmp_full++;
		skb_drop(&w->cpu, skb, v);
		return true;
	}
	/* it is dropped, though it is not freed here */
	w->cpu.drops[v]++;
	w->stats.told++;
	return true;
}
