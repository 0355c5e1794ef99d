/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The IPv4 FIB: rte_fib with DIR24_8, and its traps (all of 22.11, none fixed there):
 *
 *   1. It reserves a tbl8 group for the first prefix beyond /24 in a /24 only if that prefix's id differs
 *      from the covering one's, but gives one back for the last in any case; the counter wraps and every
 *      later add is -ENOSPC (DPDK Bugzilla 1731). So such a prefix is added with an id that nobody has, and
 *      changed at once. The change cannot want memory: the foreign id has put the tbl8 group in place.
 *   2. A prefix that ends at 255.255.255.255 and is covered to its end by adjoining longer ones overwrites
 *      the whole table when it is added or deleted (the edge wraps to 0, which stands for "everything").
 *      Refused here, so that the caller builds anew, where covering prefixes come first and the case cannot
 *      arise.
 *   3. Add over an existing prefix returns 0 when it failed (fib.c deletes first).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_byteorder.h>
#include <rte_fib.h>
#include <rte_rib.h>

#include "fib.h"
#include "prefix.h"
#include "simd.h"

static uint32_t
host_order(const struct ip_addr *addr)
{
	rte_be32_t be;

	memcpy(&be, addr->bytes, sizeof(be));
	return rte_be_to_cpu_32(be);
}

/* One tbl8 group for each /24 that has anything longer in it. */
static uint32_t
fib4_count_tbl8(const struct rib_route *routes, uint32_t n)
{
	uint32_t n_tbl8 = 0;
	uint32_t last = UINT32_MAX;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t net = host_order(&routes[i].prefix.addr) >> 8;

		if (routes[i].prefix.len <= 24 || net == last)
			continue;
		n_tbl8++;
		last = net;
	}
	return n_tbl8;
}

static void
select_lookup(void *table)
{
	/* Fails where the CPU or the build of DPDK has no AVX-512; the default stays. */
	rte_fib_select_lookup(table, RTE_FIB_LOOKUP_DIR24_8_VECTOR_AVX512);
}

static void *
fib4_create(int node, const struct fib_size *size)
{
	static uint32_t n_made;
	struct rte_fib_conf conf = {
		.type = RTE_FIB_DIR24_8,
		.max_routes = (int)size->n_routes,
		.dir24_8.nh_sz = size->wide ? RTE_FIB_DIR24_8_4B : RTE_FIB_DIR24_8_2B,
		.dir24_8.num_tbl8 = size->n_tbl8,
	};
	char name[16];
	struct rte_fib *fib;

	snprintf(name, sizeof(name), "mag4_%u", n_made++);
	fib = rte_fib_create(name, node, &conf);
	if (fib != NULL)
		simd_widest(select_lookup, fib);
	return fib;
}

static void
fib4_free(void *table)
{
	rte_fib_free(table);
}

static uint16_t
fib4_find(void *table, const struct ip_prefix *prefix)
{
	const struct rte_rib_node *const node =
		rte_rib_lookup_exact(rte_fib_get_rib(table), host_order(&prefix->addr), prefix->len);
	uint64_t id = 0;

	if (node != NULL)
		rte_rib_get_nh(node, &id);
	return (uint16_t)id;
}

/* Trap 2. */
static bool
wraps(void *table, const struct ip_prefix *prefix)
{
	const struct ip_addr last = ip_prefix_last(prefix);
	const struct rte_rib_node *node;
	uint8_t len;

	if (host_order(&last) != UINT32_MAX)
		return false;
	node = rte_rib_lookup(rte_fib_get_rib(table), UINT32_MAX);
	return node != NULL && rte_rib_get_depth(node, &len) == 0 && len > prefix->len;
}

/* Trap 1. */
static bool
cover_has_id(void *table, uint32_t ip, uint16_t id)
{
	const struct rte_rib_node *const cover = rte_rib_lookup(rte_fib_get_rib(table), ip);
	uint64_t cover_id;

	return cover != NULL && rte_rib_get_nh(cover, &cover_id) == 0 && cover_id == id;
}

static int
fib4_add(void *table, const struct ip_prefix *prefix, uint16_t id)
{
	const uint32_t ip = host_order(&prefix->addr);

	if (wraps(table, prefix))
		return -ENOTSUP;
	if (prefix->len > 24 && cover_has_id(table, ip, id)) {
		const int ret = rte_fib_add(table, ip, prefix->len, FIB_ID_NONE);

		if (ret != 0)
			return ret;
	}
	return rte_fib_add(table, ip, prefix->len, id);
}

static int
fib4_del(void *table, const struct ip_prefix *prefix)
{
	if (wraps(table, prefix))
		return -ENOTSUP;
	return rte_fib_delete(table, host_order(&prefix->addr), prefix->len);
}

const struct fib_ops fib4_ops = {
	.count_tbl8 = fib4_count_tbl8,
	.slack_tbl8 = 256,
	.create = fib4_create,
	.free = fib4_free,
	.find = fib4_find,
	.add = fib4_add,
	.del = fib4_del,
};
