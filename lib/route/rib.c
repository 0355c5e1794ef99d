/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RIB on rte_rib6. Two things of that library shape this file:
 *
 *   - its nodes come from a mempool of fixed size, so a full tree is copied into one of twice the size;
 *     starting small keeps an idle router at 200 kB, doubling keeps the copies below one per insert;
 *   - rte_rib6_get_nxt() never returns the prefix that it was asked to search below, so ::/0 (and for IPv4
 *     ::ffff:0:0/96) is looked up by itself.
 *
 * Invariants: n_prefixes = number of valid nodes; every entry has at least one id between two calls
 * from outside. Control thread only.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_common.h>
#include <rte_errno.h>

#include "dpdk_ip6.h"
#include "prefix.h"
#include "rib.h"

#define RIB_NODES_START 1024u
#define RIB_NODES_MAX   (1u << 26)

/* A prefix as the tree holds it. */
struct key {
	uint8_t bytes[16];
	uint8_t len;
};

static const struct key root4 = {.bytes = {[10] = 0xff, [11] = 0xff}, .len = 96};
static const struct key root6;

static const struct key *
family_root(const struct rib *rib)
{
	return rib->family == AF_INET ? &root4 : &root6;
}

static struct key
key_from_prefix(const struct ip_prefix *prefix)
{
	struct key key = {.len = prefix->len};

	if (prefix->addr.family == AF_INET6) {
		memcpy(key.bytes, prefix->addr.bytes, 16);
		return key;
	}
	key = root4;
	key.len += prefix->len;
	memcpy(&key.bytes[12], prefix->addr.bytes, 4);
	return key;
}

static struct key
key_from_node(const struct rte_rib6_node *node)
{
	struct key key;

	rte_rib6_get_ip(node, dpdk_ip6_out(key.bytes));
	rte_rib6_get_depth(node, &key.len);
	return key;
}

static struct ip_prefix
prefix_from_key(const struct rib *rib, const struct key *key)
{
	struct ip_prefix prefix = {.addr.family = rib->family, .len = key->len - family_root(rib)->len};

	if (rib->family == AF_INET)
		memcpy(prefix.addr.bytes, &key->bytes[12], 4);
	else
		memcpy(prefix.addr.bytes, key->bytes, 16);
	return prefix;
}

static struct rte_rib6_node *
node_find(const struct rib *rib, const struct key *key)
{
	return rte_rib6_lookup_exact(rib->tree, dpdk_ip6(key->bytes), key->len);
}

static struct rte_rib6 *
tree_create(int node, uint32_t n_nodes)
{
	static uint32_t n_made; /* names must differ, also between tables */
	const struct rte_rib6_conf conf = {.ext_sz = sizeof(struct rib_entry), .max_nodes = (int)n_nodes};
	char name[16];

	snprintf(name, sizeof(name), "mag_rib%u", n_made++);
	return rte_rib6_create(name, node, &conf);
}

int
rib_init(struct rib *rib, uint8_t family, int node)
{
	*rib = (struct rib){.family = family, .node = node, .n_nodes_max = RIB_NODES_START};
	rib->tree = tree_create(node, rib->n_nodes_max);
	return rib->tree == NULL ? -ENOMEM : 0;
}

void
rib_fini(struct rib *rib)
{
	rte_rib6_free(rib->tree);
	rib->tree = NULL;
}

struct rib_entry *
rib_find(const struct rib *rib, const struct ip_prefix *prefix)
{
	const struct key key = key_from_prefix(prefix);

	return rte_rib6_get_ext(node_find(rib, &key));
}

static int
copy_entry(void *context, const struct ip_prefix *prefix, uint8_t cover_len, const struct rib_entry *entry)
{
	struct rte_rib6 *const tree = context;
	const struct key key = key_from_prefix(prefix);
	struct rte_rib6_node *const node = rte_rib6_insert(tree, dpdk_ip6(key.bytes), key.len);

	if (node == NULL)
		return -ENOMEM;
	memcpy(rte_rib6_get_ext(node), entry, sizeof(*entry));
	return 0;
}

static int
rib_grow(struct rib *rib)
{
	const uint32_t n_nodes = rib->n_nodes_max * 2;
	struct rte_rib6 *tree;

	if (n_nodes > RIB_NODES_MAX)
		return -ENOMEM;
	tree = tree_create(rib->node, n_nodes);
	if (tree == NULL)
		return -ENOMEM;
	if (rib_walk(rib, copy_entry, tree) != 0) {
		rte_rib6_free(tree);
		return -ENOMEM;
	}
	rte_rib6_free(rib->tree);
	rib->tree = tree;
	rib->n_nodes_max = n_nodes;
	return 0;
}

struct rib_entry *
rib_insert(struct rib *rib, const struct ip_prefix *prefix)
{
	const struct key key = key_from_prefix(prefix);
	struct rte_rib6_node *node = node_find(rib, &key);

	if (node != NULL)
		return rte_rib6_get_ext(node);
	while ((node = rte_rib6_insert(rib->tree, dpdk_ip6(key.bytes), key.len)) == NULL)
		if (rib_grow(rib) != 0)
			return NULL;
	rib->n_prefixes++;
	return memset(rte_rib6_get_ext(node), 0, sizeof(struct rib_entry));
}

void
rib_remove(struct rib *rib, const struct ip_prefix *prefix)
{
	const struct key key = key_from_prefix(prefix);

	if (node_find(rib, &key) == NULL)
		return;
	rte_rib6_remove(rib->tree, dpdk_ip6(key.bytes), key.len);
	rib->n_prefixes--;
}

uint16_t
rib_entry_best(const struct rib_entry *entry)
{
	if (entry == NULL)
		return 0;
	for (unsigned int source = 0; source < RIB_N_SOURCES; source++)
		if (entry->id[source] != 0)
			return entry->id[source];
	return 0;
}

struct walk {
	const struct rib *rib;
	rib_visit_t visit;
	void *context;
};

static int
visit_node(const struct walk *walk, struct rte_rib6_node *node, const struct key *key, uint8_t cover_len)
{
	const struct ip_prefix prefix = prefix_from_key(walk->rib, key);

	return walk->visit(walk->context, &prefix, cover_len, rte_rib6_get_ext(node));
}

/* Visits what lies below key. Nests once per covering prefix: 128 deep at most. */
static int
walk_below(const struct walk *walk, const struct key *key)
{
	struct rte_rib6_node *node = NULL;
	const uint8_t cover_len = key->len - family_root(walk->rib)->len;
	int ret;

	while ((node = rte_rib6_get_nxt(walk->rib->tree, dpdk_ip6(key->bytes), key->len, node,
			RTE_RIB6_GET_NXT_COVER)) != NULL) {
		const struct key below = key_from_node(node);

		ret = visit_node(walk, node, &below, cover_len);
		if (ret != 0)
			return ret;
		ret = walk_below(walk, &below);
		if (ret != 0)
			return ret;
	}
	return 0;
}

int
rib_walk(const struct rib *rib, rib_visit_t visit, void *context)
{
	const struct walk walk = {rib, visit, context};
	const struct key *const root = family_root(rib);
	struct rte_rib6_node *const node = node_find(rib, root);
	int ret = 0;

	if (node != NULL)
		ret = visit_node(&walk, node, root, 0);
	return ret != 0 ? ret : walk_below(&walk, root);
}
