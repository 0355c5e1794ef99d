/* SPDX-License-Identifier: BSD-3-Clause */
/* Lookups in a published view. Any worker; one indirect call per burst, inside rte_fib. */
#include <string.h>

#include <rte_fib.h>

#include "dpdk_ip6.h"
#include "route.h"

void
route_lookup4_bulk(const struct route_view *view, const uint32_t *addrs, uint64_t *ids, unsigned int n)
{
	if (view->fib4 == NULL) {
		memset(ids, 0, n * sizeof(*ids));
		return;
	}
	/* rte_fib_lookup_bulk() only reads its addresses, but its prototype does not say so. */
	rte_fib_lookup_bulk(view->fib4, (uint32_t *)(uintptr_t)addrs, ids, (int)n);
}

void
route_lookup6_bulk(const struct route_view *view, const uint8_t (*addrs)[16], uint64_t *ids, unsigned int n)
{
	if (view->fib6 == NULL) {
		memset(ids, 0, n * sizeof(*ids));
		return;
	}
	rte_fib6_lookup_bulk(view->fib6, dpdk_ip6_array(addrs), ids, (int)n);
}
