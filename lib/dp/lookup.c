/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fifth stage: where to? Longest prefix match in bulk, then what the adjacency says:
 * forward, ours, unresolved, ..., and whether the packet fits its MTU.
 *
 * Packets that the check stage has already condemned are looked up all the same: a loop without
 * exceptions is faster, and TTL 1 or a link-local address is no fault in a packet that is for us.
 */
#include "ip6.h"
#include "worker_priv.h"

static const uint8_t verdict_of_nexthop[NEXTHOP_N_KINDS] = {
	[NEXTHOP_FORWARD] = VERDICT_forward,
	[NEXTHOP_NO_ROUTE] = VERDICT_no_route,
	[NEXTHOP_LOCAL] = VERDICT_punt_local,
	[NEXTHOP_BROADCAST] = VERDICT_ip4_broadcast,
	[NEXTHOP_BLACKHOLE] = VERDICT_blackhole,
	[NEXTHOP_UNREACHABLE] = VERDICT_unreachable,
	[NEXTHOP_PROHIBIT] = VERDICT_prohibit,
	[NEXTHOP_UNRESOLVED] = VERDICT_neigh_unresolved,
	[NEXTHOP_PORT_DOWN] = VERDICT_port_down,
};

static void
lookup_ip4(const struct route_view *view, struct burst *b)
{
	uint32_t dst[BURST_MAX];

	for (uint32_t i = 0; i < b->n4; i++)
		dst[i] = be32toh(b->w[4][i]);
	route_lookup4_bulk(view, dst, b->id, b->n4);
}

static void
lookup_ip6(const struct route_view *view, struct burst *b)
{
	uint8_t dst[BURST_MAX][16];

	for (uint32_t k = 0; k < b->n6; k++)
		memcpy(dst[k], b->data[b->n4 + k] + ETH_HLEN + IP6_DST, sizeof(dst[k]));
	route_lookup6_bulk(view, (const uint8_t(*)[16])dst, &b->id[b->n4], b->n6);
}

/* Ids of groups become ids of the adjacency that the packet's flow takes. */
static void
select_paths(const struct worker *w, struct burst *b, uint32_t n)
{
	const struct nexthop_group *groups = route_groups(w->conf->routes);

	for (uint32_t i = 0; i < n; i++)
		if (b->id[i] & NEXTHOP_GROUP)
			b->id[i] = ecmp_select(&groups[b->id[i] & ~NEXTHOP_GROUP], w->conf->ecmp_seed,
				b->data[i] + ETH_HLEN, b->len[i] - ETH_HLEN);
}

/* Faults that do not matter to a packet for ourselves (RFC 1812 5.3.1, RFC 4291 2.5.6). */
static bool
is_pardoned(enum verdict v)
{
	return v == VERDICT_ip4_ttl || v == VERDICT_ip6_hop_limit || v == VERDICT_ip6_link_local;
}

static enum verdict
judge_adjacency(const struct burst *b, uint32_t i)
{
	enum verdict here = b->verdict[i];
	enum verdict there = verdict_of_nexthop[__atomic_load_n(&b->adj[i]->kind, __ATOMIC_ACQUIRE)];

	if (here != VERDICT_forward)
		return there == VERDICT_punt_local && is_pardoned(here) ? there : here;
	if (there == VERDICT_forward && b->l3len[i] > b->adj[i]->mtu)
		return VERDICT_mtu_exceeded;
	return there;
}

/* Finds each packet's adjacency; tells whether any of them has something to say. Kind first: it is what control
 * writes last (nexthop.h). */
static bool
find_adjacencies(const struct adjacency *table, struct burst *b, uint32_t n)
{
	uint32_t odd = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct adjacency *adj = &table[b->id[i]];

		b->adj[i] = adj;
		odd |= __atomic_load_n(&adj->kind, __ATOMIC_ACQUIRE) | (b->l3len[i] > adj->mtu);
	}
	return odd != 0;
}

void
burst_lookup(const struct worker *w, struct burst *b)
{
	const struct route_view *view = route_view(w->conf->routes);
	const uint32_t n = b->n4 + b->n6;
	uint64_t ids = 0;

	if (b->n4 > 0)
		lookup_ip4(view, b);
	if (b->n6 > 0)
		lookup_ip6(view, b);
	for (uint32_t i = 0; i < n; i++)
		ids |= b->id[i];
	if (ids & NEXTHOP_GROUP)
		select_paths(w, b, n);
	if (!find_adjacencies(route_adjacencies(w->conf->routes), b, n) && !b->judged)
		return;

	if (!b->judged)
		memset(b->verdict, VERDICT_forward, b->n);
	b->judged = true;
	for (uint32_t i = 0; i < n; i++)
		b->verdict[i] = judge_adjacency(b, i);
}
