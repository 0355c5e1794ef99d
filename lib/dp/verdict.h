/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The verdicts: everything that can be decided for a packet, in one table. The enum,
 * the counters, their names, the manual page's list and the test that every
 * verdict is reached are all made from it.
 *
 * X(name, kind, text, source): kind is FORWARD, PUNT, DROP, or ERROR: a drop that the sender is told of by ICMP. Within a family
 * the order is that of RFC 1812 5.2.2. A verdict's number is also the reason given to skb_drop().
 */
#ifndef VERDICT_H
#define VERDICT_H

#include <assert.h>

#include "skb.h"

/* clang-format off */
#define VERDICTS(X) \
	X(forward,            FORWARD, "sent on to the next hop",                          "RFC 1812 5.2.1") \
	X(punt_arp,           PUNT, "ARP",                                                 "RFC 826") \
	X(punt_local,         PUNT, "addressed to one of our own addresses",               "RFC 1812 5.2.3") \
	X(punt_link,          PUNT, "ICMPv6 to a link-local multicast group",              "RFC 4861 4") \
	X(runt,               DROP, "frame shorter than an Ethernet header",               "IEEE 802.3 3.1") \
	X(oversize,           DROP, "frame in pieces, larger than its port's MTU allows",  "-") \
	X(not_for_us,         DROP, "destination MAC is somebody else's",                  "RFC 1812 5.2.1") \
	X(l2_multicast,       DROP, "IP packet in a link-layer broadcast or multicast",    "RFC 1812 5.3.4") \
	X(bad_source_mac,     DROP, "source MAC is a group address or our own",            "IEEE 802.3 3.2.3") \
	X(vlan,               DROP, "VLAN tag other than a priority tag",                  "IEEE 802.1Q 9.6") \
	X(ethertype,          DROP, "neither IPv4, IPv6 nor ARP",                          "RFC 1812 3.3.1") \
	X(ip4_truncated,      DROP, "fewer than 20 bytes of IPv4",                         "RFC 1812 5.2.2 (1)") \
	X(ip4_checksum,       DROP, "header checksum wrong",                               "RFC 1812 5.2.2 (2)") \
	X(ip4_version,        DROP, "version is not 4",                                    "RFC 1812 5.2.2 (3)") \
	X(ip4_ihl,            DROP, "header length below 20 or beyond the frame",          "RFC 1812 5.2.2 (4)") \
	X(ip4_length,         DROP, "total length below the header's or beyond the frame", "RFC 1812 5.2.2 (5)") \
	X(ip4_options,        DROP, "malformed options",                                   "RFC 1812 5.2.4") \
	X(ip4_source_route,   DROP, "source route option",                                 "RFC 7126 4.3") \
	X(ip4_src_martian,    DROP, "source address that must not be forwarded",           "RFC 1812 5.3.7") \
	X(ip4_dst_martian,    DROP, "destination address that must not be forwarded",      "RFC 1812 5.3.7") \
	X(ip4_multicast,      DROP, "multicast destination",                               "RFC 1812 5.2.3") \
	X(ip4_broadcast,      DROP, "limited or directed broadcast",                       "RFC 2644") \
	X(ip4_ttl,            ERROR, "time to live used up",                               "RFC 1812 5.3.1") \
	X(ip6_truncated,      DROP, "fewer than 40 bytes of IPv6",                         "RFC 8200 3") \
	X(ip6_version,        DROP, "version is not 6",                                    "RFC 8200 3") \
	X(ip6_length,         DROP, "payload length beyond the frame",                     "RFC 8200 3") \
	X(ip6_jumbogram,      DROP, "jumbogram",                                           "RFC 2675") \
	X(ip6_src_martian,    DROP, "source address that must not be forwarded",           "RFC 4291 2.5") \
	X(ip6_dst_martian,    DROP, "destination address that must not be forwarded",      "RFC 4291 2.5") \
	X(ip6_link_local,     DROP, "link-local address that is not ours",                 "RFC 4291 2.5.6") \
	X(ip6_multicast,      DROP, "multicast destination",                               "RFC 4291 2.7") \
	X(ip6_hop_limit,      ERROR, "hop limit used up",                                  "RFC 8200 3") \
	X(no_route,           ERROR, "no route",                                           "RFC 1812 5.2.4.3") \
	X(blackhole,          DROP, "blackhole route",                                     "-") \
	X(unreachable,        ERROR, "unreachable route",                                  "-") \
	X(prohibit,           ERROR, "prohibit route",                                     "RFC 1812 5.2.7.1") \
	X(neigh_unresolved,   PUNT, "no MAC address known for the next hop",               "RFC 1812 3.3.2") \
	X(port_down,          ERROR, "egress link is down",                                "-") \
	X(mtu_exceeded,       ERROR, "larger than the egress MTU, and not to be cut",      "RFC 1191") \
	X(no_head,            DROP, "no skb head was free",                                "-") \
	X(no_buffer,          DROP, "no data buffer was free to rearrange or cut it",      "-") \
	X(owner_limit,        DROP, "its port held as much memory as it may",              "-") \
	X(tx_full,            DROP, "the egress queue took fewer than offered",            "-") \
	X(handoff_full,       DROP, "the ring to the port's owner was full",               "-") \
	X(punt_full,          DROP, "the ring to the control thread was full",             "-") \
	X(mirror_full,        DROP, "a copy that the mirror port or the pool had no room for", "-")
/* clang-format on */

enum verdict {
#define X(name, kind, text, source) VERDICT_##name,
	VERDICTS(X)
#undef X
		N_VERDICTS
};

static_assert(N_VERDICTS <= SKB_REASONS_MAX, "a verdict is a drop reason");

enum verdict_kind { VERDICT_KIND_FORWARD, VERDICT_KIND_PUNT, VERDICT_KIND_DROP, VERDICT_KIND_ERROR };

/* One row of the table. */
struct verdict_info {
	const char *name; /* as in statistics: neigh_unresolved */
	enum verdict_kind kind;
	const char *text;   /* for people */
	const char *source; /* the rule it enforces, "-" = our own */
};

/* Indexed by enum verdict. */
extern const struct verdict_info verdict_info[N_VERDICTS];

#endif
