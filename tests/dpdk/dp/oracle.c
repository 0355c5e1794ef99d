/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The naive walk. Faults become verdicts by name: the names of enum ip4_fault and of the verdicts are
 * matched here independently of the tables in lib/dp.
 */
#include "oracle.h"

#include <string.h>
#include <sys/socket.h>

#include "ip4.h"
#include "ip6.h"

static enum verdict
of_ip4(enum ip4_fault fault)
{
	switch (fault) {
	case IP4_OK: return VERDICT_forward;
	case IP4_TRUNCATED: return VERDICT_ip4_truncated;
	case IP4_CHECKSUM: return VERDICT_ip4_checksum;
	case IP4_VERSION: return VERDICT_ip4_version;
	case IP4_IHL: return VERDICT_ip4_ihl;
	case IP4_LENGTH: return VERDICT_ip4_length;
	case IP4_OPTIONS: return VERDICT_ip4_options;
	case IP4_SOURCE_ROUTE: return VERDICT_ip4_source_route;
	case IP4_SRC_MARTIAN: return VERDICT_ip4_src_martian;
	case IP4_DST_MARTIAN: return VERDICT_ip4_dst_martian;
	case IP4_MULTICAST: return VERDICT_ip4_multicast;
	case IP4_BROADCAST: return VERDICT_ip4_broadcast;
	case IP4_TTL: return VERDICT_ip4_ttl;
	case IP4_N_FAULTS: break;
	}
	return N_VERDICTS;
}

static enum verdict
of_ip6(enum ip6_fault fault)
{
	switch (fault) {
	case IP6_OK: return VERDICT_forward;
	case IP6_TRUNCATED: return VERDICT_ip6_truncated;
	case IP6_VERSION: return VERDICT_ip6_version;
	case IP6_LENGTH: return VERDICT_ip6_length;
	case IP6_JUMBOGRAM: return VERDICT_ip6_jumbogram;
	case IP6_SRC_MARTIAN: return VERDICT_ip6_src_martian;
	case IP6_LINK_ICMP: return VERDICT_punt_link;
	case IP6_DST_MARTIAN: return VERDICT_ip6_dst_martian;
	case IP6_MULTICAST: return VERDICT_ip6_multicast;
	case IP6_LINK_LOCAL: return VERDICT_ip6_link_local;
	case IP6_HOP_LIMIT_USED: return VERDICT_ip6_hop_limit;
	case IP6_N_FAULTS: break;
	}
	return N_VERDICTS;
}

static bool
all_ones(const uint8_t *mac)
{
	for (int i = 0; i < 6; i++)
		if (mac[i] != 0xff)
			return false;
	return true;
}

/* The source first, then whose frame it is. */
static enum verdict
judge_macs(const uint8_t *dst, const uint8_t *src)
{
	const uint8_t *own = topology_mac[0].addr_bytes;

	if (src[0] % 2 == 1 || memcmp(src, own, 6) == 0)
		return VERDICT_bad_source_mac;
	if (memcmp(dst, own, 6) == 0)
		return VERDICT_forward;
	return dst[0] % 2 == 1 ? VERDICT_l2_multicast : VERDICT_not_for_us;
}

/* IPv4, DF not set, and its end within the longest datagram. */
static bool
may_cut(const struct oracle *o)
{
	const uint8_t *l3 = o->out.bytes + FRAME_L3;
	const uint32_t field = frame_get16(l3 + 6);

	return o->family == 0 && field / 0x4000 % 2 == 0 &&
	       field % 0x2000 * 8 + frame_get16(l3 + 2) - (l3[0] & 15u) * 4 < 65536;
}

static enum verdict
judge_route(struct oracle *o, uint8_t family, uint32_t dst_at, uint32_t total)
{
	o->row = topology_lookup(family, o->out.bytes + dst_at);
	if (o->row == NULL)
		return VERDICT_no_route;
	if (o->row->verdict != VERDICT_forward)
		return o->row->verdict;
	o->port = o->row->port;
	return total <= topology_mtu[o->port] || may_cut(o) ? VERDICT_forward : VERDICT_mtu_exceeded;
}

/* A packet for one of our own addresses may have used up its TTL, or be link-local. */
static enum verdict
combine(enum verdict header, enum verdict route)
{
	bool forgiven = header == VERDICT_ip4_ttl || header == VERDICT_ip6_hop_limit ||
			header == VERDICT_ip6_link_local;

	if (header == VERDICT_forward)
		return route;
	return route == VERDICT_punt_local && forgiven ? route : header;
}

static enum verdict
judge_ip4(struct oracle *o)
{
	const uint8_t *l3 = o->out.bytes + FRAME_L3;
	enum verdict macs = judge_macs(o->out.bytes, o->out.bytes + 6);

	if (macs != VERDICT_forward)
		return macs;

	enum verdict header = of_ip4(ip4_check(l3, o->out.len - FRAME_L3));

	/* the addresses are there, or the header has been condemned for good */
	if (o->out.len < FRAME_L3 + 20)
		return header;
	return combine(header, judge_route(o, AF_INET, FRAME_L3 + 16, frame_get16(l3 + 2)));
}

static enum verdict
judge_ip6(struct oracle *o)
{
	const uint8_t *l3 = o->out.bytes + FRAME_L3;
	enum verdict macs = judge_macs(o->out.bytes, o->out.bytes + 6);
	enum verdict header = of_ip6(ip6_check(l3, o->out.len - FRAME_L3));

	if (macs == VERDICT_l2_multicast && header == VERDICT_punt_link)
		return header;
	if (macs != VERDICT_forward)
		return macs;
	if (o->out.len < FRAME_L3 + 40)
		return header;
	return combine(header, judge_route(o, AF_INET6, FRAME_L3 + 24, 40 + frame_get16(l3 + 4)));
}

static enum verdict
judge_other(const struct oracle *o, uint32_t type)
{
	const uint8_t *d = o->out.bytes;
	enum verdict macs = judge_macs(d, d + 6);

	if (macs == VERDICT_bad_source_mac || macs == VERDICT_not_for_us)
		return macs;
	if (type == 0x8100 || type == 0x88a8)
		return VERDICT_vlan;
	if (type != 0x0806)
		return VERDICT_ethertype;
	return macs == VERDICT_forward || all_ones(d) ? VERDICT_punt_arp : macs;
}

static void
untag(struct frame *f)
{
	if (f->len < 18 || frame_get16(f->bytes + 12) != 0x8100 || frame_get16(f->bytes + 14) % 4096 != 0)
		return;
	memmove(f->bytes + 12, f->bytes + 16, f->len - 16);
	f->len -= 4;
}

/* One hop, everything computed anew. */
static void
rewrite(struct oracle *o)
{
	uint8_t *d = o->out.bytes, *l3 = d + FRAME_L3;

	frame_mac(d, o->row->path[0].mac);
	memcpy(d + 6, topology_mac[o->port].addr_bytes, 6);
	if (o->family == 1) {
		l3[7]--;
		o->out.len = FRAME_L3 + 40 + frame_get16(l3 + 4);
		return;
	}
	l3[8]--;
	frame_put16(l3 + 10, frame_checksum(l3, (l3[0] & 15u) * 4));
	o->out.len = FRAME_L3 + frame_get16(l3 + 2);
}

void
oracle_judge(const struct frame *in, struct oracle *o)
{
	o->out.len = in->len;
	memcpy(o->out.bytes, in->bytes, in->len);
	o->family = 2;
	o->verdict = VERDICT_runt;
	if (in->len < 14)
		return;
	untag(&o->out);

	const uint32_t type = frame_get16(o->out.bytes + 12);

	if (type == 0x0800) {
		o->family = 0;
		o->verdict = judge_ip4(o);
	} else if (type == 0x86dd) {
		o->family = 1;
		o->verdict = judge_ip6(o);
	} else {
		o->verdict = judge_other(o, type);
	}
	if (o->verdict == VERDICT_forward)
		rewrite(o);
}

bool
oracle_accepts(const struct oracle *o, const uint8_t *bytes, uint32_t len)
{
	bool known = false;

	if (len != o->out.len || memcmp(bytes + 6, o->out.bytes + 6, len - 6) != 0)
		return false;
	if (memcmp(bytes, o->out.bytes, 5) != 0)
		return false;
	for (uint32_t i = 0; i < o->row->n_paths; i++)
		known |= bytes[5] == o->row->path[i].mac;
	return known;
}
