/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fragments for us, and how a list of them becomes one packet: the first one's header becomes the datagram's, the others lose
 * theirs, and their data buffers go behind the first one's. No byte is copied but headers.
 */
#ifndef FRAGMENT_H
#define FRAGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "control_priv.h"

#define LENGTH_MAX 65535u /* of an IPv4 packet, and of an IPv6 packet's payload */

/* In skb->cb of a fragment. */
struct fragment {
	uint32_t start, end; /* bytes of the datagram's payload */
	uint32_t payload;    /* where they begin, from the IP header on */
	uint32_t next_at;    /* IPv6: where the fragment header is named, from the IP header on */
	bool more;           /* others follow */
};

static_assert(sizeof(struct fragment) <= SKB_CB_SIZE, "fits the control buffer");

static inline struct fragment *
fragment_of(struct skb *skb)
{
	return (struct fragment *)skb->cb;
}

/* Whether a datagram of total bytes of payload fits behind its first fragment's headers. */
bool fragments_fit(struct skb *first, uint8_t family, uint32_t total);

/*
 * Takes a list of fragments (linked by next, sorted, without gaps) and returns the packet they make, whose header is in its first segment and
 * writable; each but the first has the outcome fragment_joined then. NULL: there was no memory, and all have outcomes.
 */
struct skb *fragments_join(struct control *c, struct skb *list, uint8_t family);

/* Takes a list, NULL allowed, all of which have the same outcome. */
void fragments_finish(struct control *c, struct skb *list, enum control_outcome outcome);

#endif
