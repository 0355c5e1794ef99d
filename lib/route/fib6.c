/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The IPv6 FIB: rte_fib6 with TRIE, and its traps (all of 22.11, none fixed there):
 *
 *   1. It reserves tbl8 groups on add, by the distance to the covering prefix and without regard to
 *      neighbours that share them, and gives none back on delete. So the sum of those distances is what a
 *      copy needs, not the number of groups that it will use, and the slack decides how many changes it
 *      takes before it has to be built anew.
 *   2. A prefix that ends at ffff:...:ffff and is covered to its end by adjoining longer ones overwrites
 *      the whole table when it is added or deleted; see fib4.c.
 *   3. Add over an existing prefix returns 0 when it failed (fib.c deletes first).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>

#include "dpdk_ip6.h"
#include "fib.h"
#include "prefix.h"
#include "simd.h"

/* Trap 1: for each, the bytes beyond the third that its cover does not reach. */
static uint32_t
fib6_count_tbl8(const struct rib_route *routes, uint32_t n)
{
	uint32_t n_tbl8 = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t top = RTE_MAX(routes[i].cover_len, 24);

		if (routes[i].prefix.len > top)
			n_tbl8 += (RTE_ALIGN_CEIL(routes[i].prefix.len, 8) - RTE_ALIGN_CEIL(top, 8)) / 8;
	}
	return n_tbl8;
}

static void
select_lookup(void *table)
{
	/* Fails where the CPU or the build of DPDK has no AVX-512; the default stays. */
	rte_fib6_select_lookup(table, RTE_FIB6_LOOKUP_TRIE_VECTOR_AVX512);
}

static void *
fib6_create(int node, const struct fib_size *size)
{
	static uint32_t n_made;
	struct rte_fib6_conf conf = {
		.type = RTE_FIB6_TRIE,
		.max_routes = (int)size->n_routes,
		.trie.nh_sz = size->wide ? RTE_FIB6_TRIE_4B : RTE_FIB6_TRIE_2B,
		.trie.num_tbl8 = size->n_tbl8,
	};
	char name[16];
	struct rte_fib6 *fib;

	snprintf(name, sizeof(name), "mag6_%u", n_made++);
	fib = rte_fib6_create(name, node, &conf);
	if (fib != NULL)
		simd_widest(select_lookup, fib);
	return fib;
}

static void
fib6_free(void *table)
{
	rte_fib6_free(table);
}

static uint16_t
fib6_find(void *table, const struct ip_prefix *prefix)
{
	const struct rte_rib6_node *const node =
		rte_rib6_lookup_exact(rte_fib6_get_rib(table), dpdk_ip6(prefix->addr.bytes), prefix->len);
	uint64_t id = 0;

	if (node != NULL)
		rte_rib6_get_nh(node, &id);
	return (uint16_t)id;
}

/* Trap 2. */
static bool
wraps(void *table, const struct ip_prefix *prefix)
{
	static const uint8_t ones[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff};
	const struct ip_addr last = ip_prefix_last(prefix);
	const struct rte_rib6_node *node;
	uint8_t len;

	if (memcmp(last.bytes, ones, sizeof(ones)) != 0)
		return false;
	node = rte_rib6_lookup(rte_fib6_get_rib(table), dpdk_ip6(ones));
	return node != NULL && rte_rib6_get_depth(node, &len) == 0 && len > prefix->len;
}

static int
fib6_add(void *table, const struct ip_prefix *prefix, uint16_t id)
{
	if (wraps(table, prefix))
		return -ENOTSUP;
	return rte_fib6_add(table, dpdk_ip6(prefix->addr.bytes), prefix->len, id);
}

static int
fib6_del(void *table, const struct ip_prefix *prefix)
{
	if (wraps(table, prefix))
		return -ENOTSUP;
	return rte_fib6_delete(table, dpdk_ip6(prefix->addr.bytes), prefix->len);
}

const struct fib_ops fib6_ops = {
	.count_tbl8 = fib6_count_tbl8,
	.slack_tbl8 = 8192,
	.create = fib6_create,
	.free = fib6_free,
	.find = fib6_find,
	.add = fib6_add,
	.del = fib6_del,
};
