/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that reads bytes from the wire and is a pure function of them, on a block of just as many bytes: AddressSanitizer sees
 * the first one read beyond it. Input: as fuzz_walk's, of which the first bytes, for the walk, are skipped.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arp.h"
#include "fuzz.h"
#include "icmp.h"
#include "ip4.h"
#include "ip6.h"
#include "ip6_ext.h"
#include "nd.h"

#define require(condition)        \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

static void
arp_try(const uint8_t *p, uint32_t len)
{
	struct arp arp;

	if (arp_parse(p, len, &arp) != ARP_OK)
		return;

	uint8_t again[ARP_LEN];

	arp_build(&arp, again);
	require(memcmp(p, again, ARP_LEN) == 0);
}

static void
ip4_try(const uint8_t *p, uint32_t len)
{
	const enum ip4_fault fault = ip4_check(p, len);

	require(fault < IP4_N_FAULTS);
	if (fault == IP4_OK)
		require(len >= 20 && (p[0] & 15u) * 4u <= len);
	/* the headers that errors quote are sound */
	if (fault == IP4_OK || fault == IP4_TTL)
		icmp4_error_allowed(p, len);
	icmp4_error_complete(p, len);
}

static void
chain_try(const uint8_t *p, uint32_t len)
{
	struct ip6_chain chain;

	ip6_ext_check(p, len, &chain);
	require(chain.fault != IP6_EXT_OK ||
		(chain.offset >= 40 && chain.offset <= len && chain.next_at < len));
	require(chain.fault == IP6_EXT_OK || chain.fault == IP6_EXT_TRUNCATED || chain.pointer < len);
	ip6_ext_find(p, len, &chain);
	require(chain.fault == IP6_EXT_OK || chain.fault == IP6_EXT_TRUNCATED);
	require(chain.fault != IP6_EXT_OK || (chain.offset >= 40 && chain.offset <= len));
}

static void
nd_try(const uint8_t *p, uint32_t len)
{
	struct nd nd;

	if (len < 41 || (p[40] != ND_SOLICIT && p[40] != ND_ADVERT) ||
		nd_parse(p, p + 40, len - 40, &nd) != ND_OK)
		return;
	require(nd.target >= p + 40 && nd.target + 16 <= p + len);
	require(nd.mac == NULL || (nd.mac > nd.target && nd.mac + 6 <= p + len));
}

static void
ip6_try(const uint8_t *p, uint32_t len)
{
	require(ip6_check(p, len) < IP6_N_FAULTS);
	icmp6_error_complete(p, len);
	if (len < 40)
		return;
	chain_try(p, len);
	nd_try(p, len);
	icmp6_error_allowed(p, len, ICMP_ERROR_TTL);
	icmp6_error_allowed(p, len, ICMP_ERROR_TOO_BIG);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < FUZZ_FRAME + 14u)
		return 0;

	const uint32_t len = (uint32_t)size - FUZZ_FRAME - 14;
	uint8_t *p = malloc(len + 1);

	require(p != NULL);
	/* at its end; malloc(0) may give nothing */
	memcpy(p + 1, data + size - len, len);
	arp_try(p + 1, len);
	ip4_try(p + 1, len);
	ip6_try(p + 1, len);
	free(p);
	return 0;
}
