/* SPDX-License-Identifier: BSD-3-Clause */
#include "ip6_ext.h"

#include <stdbool.h>

#include "bytes.h"
#include "ip6.h"

#define IP6_DST 24u /* offset of the destination address */

#define OPT_PAD1 0u

/* RFC 8200 4.2: the highest two bits of an option's type. PadN and Router Alert, which are known, are to be skipped by theirs too. */
enum opt_action { OPT_SKIP, OPT_DISCARD, OPT_TELL, OPT_TELL_UNICAST };

#define FRAGMENT_OFFSET 0xfff8u

static enum ip6_ext_fault
option_check(const uint8_t *p, uint8_t type)
{
	switch ((enum opt_action)(type >> 6)) {
	case OPT_SKIP: return IP6_EXT_OK;
	case OPT_DISCARD: return IP6_EXT_DISCARD;
	case OPT_TELL: return IP6_EXT_OPTION;
	case OPT_TELL_UNICAST: break;
	}
	return p[IP6_DST] == 0xff ? IP6_EXT_DISCARD : IP6_EXT_OPTION;
}

/* The options from at to end; *pointer is the one that is at fault. */
static enum ip6_ext_fault
options_check(const uint8_t *p, uint32_t at, uint32_t end, uint32_t *pointer)
{
	enum ip6_ext_fault fault = IP6_EXT_OK;

	while (at < end && fault == IP6_EXT_OK) {
		const uint8_t type = p[at];

		*pointer = at;
		if (type == OPT_PAD1) {
			at++;
			continue;
		}
		if (end - at < 2 || p[at + 1] + 2u > end - at)
			return IP6_EXT_TRUNCATED;
		fault = option_check(p, type);
		at += p[at + 1] + 2u;
	}
	return fault;
}

/* RFC 8200 4.4: whatever the type, a route without segments left is at its end. */
static enum ip6_ext_fault
routing_check(const uint8_t *p, uint32_t at, uint32_t *pointer)
{
	*pointer = at + 2;
	return p[at + 3] == 0 ? IP6_EXT_OK : IP6_EXT_ROUTING;
}

/* Length of the header that *chain is at, 0 if it is not one to be gone through. */
static uint32_t
header_len(const uint8_t *p, const struct ip6_chain *chain)
{
	const uint8_t len = p[chain->offset + 1];

	switch (chain->next) {
	case IP6_NEXT_HBH:
	case IP6_NEXT_DSTOPTS:
	case IP6_NEXT_ROUTING: return (len + 1u) * 8;
	case IP6_NEXT_FRAGMENT: return IP6_FRAGMENT_HLEN;
	case IP6_NEXT_AUTH: return (len + 2u) * 4; /* RFC 4302 2.2 */
	default: return 0;
	}
}

/* Whether all of the header that *chain is at is there; *end is where the next one begins. */
static bool
header_is_whole(const uint8_t *p, uint32_t len, struct ip6_chain *chain, uint32_t *end)
{
	/* 8 bytes is the shortest of all */
	if (len >= chain->offset + 8)
		*end = chain->offset + header_len(p, chain);
	if (len >= chain->offset + 8 && len >= *end)
		return true;
	chain->fault = IP6_EXT_TRUNCATED;
	return false;
}

static void
header_step(const uint8_t *p, struct ip6_chain *chain, uint32_t end)
{
	chain->next = p[chain->offset];
	chain->next_at = chain->offset;
	chain->offset = end;
}

static struct ip6_chain
first_of(const uint8_t *p)
{
	return (struct ip6_chain){.fault = IP6_EXT_OK, .next = p[6], .next_at = 6, .offset = IP6_HLEN};
}

static bool
is_examined(uint8_t next)
{
	return next == IP6_NEXT_HBH || next == IP6_NEXT_DSTOPTS || next == IP6_NEXT_ROUTING;
}

static enum ip6_ext_fault
header_check(const uint8_t *p, struct ip6_chain *chain, uint32_t end)
{
	if (chain->next == IP6_NEXT_HBH && chain->offset != IP6_HLEN) {
		chain->pointer = chain->next_at;
		return IP6_EXT_NEXT;
	}
	if (chain->next == IP6_NEXT_ROUTING)
		return routing_check(p, chain->offset, &chain->pointer);
	return options_check(p, chain->offset + 2, end, &chain->pointer);
}

void
ip6_ext_check(const uint8_t *p, uint32_t len, struct ip6_chain *chain)
{
	uint32_t end;

	*chain = first_of(p);
	while (is_examined(chain->next) && header_is_whole(p, len, chain, &end)) {
		chain->fault = (uint8_t)header_check(p, chain, end);
		if (chain->fault != IP6_EXT_OK)
			return;
		header_step(p, chain, end);
	}
}

static bool
is_gone_through(uint8_t next)
{
	return is_examined(next) || next == IP6_NEXT_FRAGMENT || next == IP6_NEXT_AUTH;
}

void
ip6_ext_find(const uint8_t *p, uint32_t len, struct ip6_chain *chain)
{
	uint32_t end;

	*chain = first_of(p);
	while (is_gone_through(chain->next) && header_is_whole(p, len, chain, &end)) {
		if (chain->next == IP6_NEXT_FRAGMENT &&
			(load16_be(p + chain->offset + 2) & FRAGMENT_OFFSET) != 0)
			return;
		header_step(p, chain, end);
	}
}
