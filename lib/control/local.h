/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files share that handle packets for our own addresses, and errors about packets. A packet is a whole frame here, and
 * network_header is set; offsets are from its first byte on, unless they are said to be from the IP header on.
 */
#ifndef LOCAL_H
#define LOCAL_H

#include <stdbool.h>
#include <stdint.h>

#include "control_priv.h"

struct ip6_chain;

/* Where the IP header is. */
static inline uint32_t
ip_at(const struct skb *skb)
{
	return (uint32_t)(skb_network_header(skb) - skb->data);
}

static inline uint8_t *
ip_of(const struct skb *skb)
{
	return skb_network_header(skb);
}

/* ---- local.c ---- */

/*
 * Takes len bytes (< skb's length) off the front, in however many segments they are. Headers' offsets are unset. Returns 0, or -ENOMEM: some of
 * them may be gone then.
 */
int local_strip(struct control *c, struct skb *skb, uint32_t len);

/* The own address with these bytes; NULL: it is not ours. A link-local one only if it is port's. */
const struct own_addr *local_own(
	const struct control *c, uint8_t family, const uint8_t *bytes, uint16_t port);

/* ---- echo.c ---- */

/* Take an ICMP message for us: at is where it is, behind which there is nothing else. fragmented: the packet came in
 * pieces, or said so. */
void icmp4_input(struct control *c, struct skb *skb, uint32_t at);
void icmp6_input(struct control *c, struct skb *skb, uint32_t at, bool fragmented);

/* ---- reassemble.c ---- */

/*
 * Take a fragment for us, without padding, its IP header valid and in the first segment. Return the whole packet, if it is the last that was
 * missing (also the first segment begins with the headers then), else NULL. chain is at the fragment header.
 */
struct skb *reassemble4(struct control *c, struct skb *skb);
struct skb *reassemble6(struct control *c, struct skb *skb, const struct ip6_chain *chain);

#endif
