/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making and ending a pool.
 *
 * The pool with its caches is one block of memory, each depot with its share of the
 * magazines another one on its node. All are touched when they are made, so that there is
 * one place to fail and no page fault later. They come from whoever the
 * conf names; else from libnuma where there is more than one node and from the C library
 * otherwise, so that no EAL is needed.
 */
#include <errno.h>
#include <numa.h>
#include <stdio.h>
#include <stdlib.h>

#include "debug.h"
#include "fault.h"
#include "magazine.h"
#include "magazine_priv.h"

#define POPULATION_MAX (1u << 31)

static bool
numa_matters(void)
{
	return numa_available() >= 0 && numa_max_node() > 0;
}

static void *
numa_block_alloc(void *arg, size_t bytes, int node)
{
	if (node < 0 || node > numa_max_node())
		return numa_alloc_local(bytes);
	return numa_alloc_onnode(bytes, node);
}

static void
numa_block_free(void *arg, void *mem, size_t bytes)
{
	numa_free(mem, bytes);
}

static void *
libc_block_alloc(void *arg, size_t bytes, int node)
{
	return aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);
}

static void
libc_block_free(void *arg, void *mem, size_t bytes)
{
	free(mem);
}

static struct magazine_memory
default_memory(void)
{
	if (numa_matters())
		return (struct magazine_memory){.alloc = numa_block_alloc, .free = numa_block_free};
	return (struct magazine_memory){.alloc = libc_block_alloc, .free = libc_block_free};
}

static void *
block_alloc(const struct magazine_memory *memory, size_t bytes, int node)
{
	void *block = memory->alloc(memory->arg, bytes, node);

	if (block)
		memset(block, 0, bytes);
	return block;
}

static bool
size_allowed(uint32_t size)
{
	return size >= MAGAZINE_ROUNDS_MIN && size <= MAGAZINE_ROUNDS_MAX && rte_is_power_of_2(size);
}

static bool
topology_allowed(const struct magazine_topology *topology)
{
	if (!topology)
		return true;
	if (topology->n_nodes < 1 || topology->n_nodes > MAGAZINE_NODES_MAX)
		return false;
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++)
		if (topology->node_of[lcore] >= topology->n_nodes)
			return false;
	return true;
}

static uint32_t
n_nodes_of(const struct magazine_conf *conf)
{
	return conf->topology ? conf->topology->n_nodes : 1;
}

static uint32_t
size_bound(const struct magazine_conf *conf)
{
	return magazine_adapt_bound(conf->population, conf->n_lcores, n_nodes_of(conf));
}

static uint32_t
size_max_of(const struct magazine_conf *conf)
{
	const uint32_t bound = conf->size_max ? conf->size_max : MAGAZINE_ROUNDS_MAX;
	uint32_t size = MAGAZINE_ROUNDS_MIN;

	while (size < bound && 2 * size <= size_bound(conf))
		size *= 2;
	return size;
}

/* Selection sort: which node is the nearest to node that near[] does not hold yet. */
static void
near_init(uint8_t *near, uint32_t node, const struct magazine_topology *topology)
{
	bool done[MAGAZINE_NODES_MAX] = {false};

	near[0] = (uint8_t)node;
	done[node] = true;
	for (uint32_t n = 1; n < topology->n_nodes; n++) {
		uint32_t best = MAGAZINE_NODES_MAX;

		for (uint32_t i = 0; i < topology->n_nodes; i++)
			if (!done[i] && (best == MAGAZINE_NODES_MAX ||
						topology->distance[node][i] < topology->distance[node][best]))
				best = i;
		done[best] = true;
		near[n] = (uint8_t)best;
	}
}

static void
topology_init(struct magazine_pool *pool, const struct magazine_conf *conf)
{
	const struct magazine_topology one = {.n_nodes = 1};
	const struct magazine_topology *topology = conf->topology ? conf->topology : &one;

	pool->n_nodes = topology->n_nodes;
	pool->home = conf->node >= 0 && (uint32_t)conf->node < pool->n_nodes ? (uint32_t)conf->node : 0;
	memcpy(pool->node_of, topology->node_of, sizeof(pool->node_of));
	for (uint32_t node = 0; node < pool->n_nodes; node++)
		near_init(pool->near[node], node, topology);
}

enum magazine_debug
magazine_debug_default(void)
{
	const char *text = getenv("MAGAZINE_DEBUG");

	return magazine_debug_level(text ? text : MAGAZINE_DEBUG_BUILD);
}

static enum magazine_debug
level_of(const struct magazine_conf *conf)
{
	return conf->debug != MAGAZINE_DEBUG_DEFAULT ? conf->debug : magazine_debug_default();
}

static int
fault_of(const struct magazine_conf *conf, struct magazine_fault *fault)
{
	const char *text = getenv("MAGAZINE_FAULT");

	return text ? magazine_fault_parse(text, conf->name, fault) : -ENOENT;
}

int
magazine_environment_check(const char **name)
{
	const struct magazine_conf any = {.name = ""};
	struct magazine_fault fault;

	*name = "MAGAZINE_DEBUG";
	if (level_of(&any) == MAGAZINE_DEBUG_DEFAULT)
		return -EINVAL;
	*name = "MAGAZINE_FAULT";

	const int ret = fault_of(&any, &fault);

	return ret == -ENOENT ? 0 : ret;
}

/* The parts of the pool's own block, in their order. */
struct layout {
	size_t nil, objects, debugger, fault, end;
};

static struct layout
layout_of(const struct magazine_conf *conf, bool debug)
{
	struct layout at;

	at.nil = sizeof(struct magazine_pool);
	at.objects = at.nil + sizeof(struct magazine);
	at.debugger = at.objects + RTE_CACHE_LINE_ROUNDUP(conf->population * sizeof(void *));
	at.fault = at.debugger + (debug ? magazine_debugger_bytes(conf->population) : 0);
	at.end = at.fault + RTE_CACHE_LINE_ROUNDUP(sizeof(struct magazine_fault));
	return at;
}

static struct magazine_pool *
pool_alloc(const struct magazine_conf *conf, enum magazine_debug level, const struct magazine_fault *fault)
{
	const struct magazine_memory memory = conf->memory ? *conf->memory : default_memory();
	const bool debug = level != MAGAZINE_DEBUG_OFF;
	const struct layout at = layout_of(conf, debug);
	char *block = block_alloc(&memory, at.end, conf->node);
	struct magazine_pool *pool = (struct magazine_pool *)block;

	if (!pool)
		return NULL;
	pool->memory = memory;
	pool->bytes = at.end;
	pool->nil = (struct magazine *)(block + at.nil);
	pool->objects = (void **)(block + at.objects);
	if (fault) {
		pool->fault = (struct magazine_fault *)(block + at.fault);
		*pool->fault = *fault;
	}
	if (debug) {
		pool->debugger = (struct magazine_debugger *)(block + at.debugger);
		magazine_debugger_init(pool->debugger, conf, level);
	}
	snprintf(pool->name, sizeof(pool->name), "%s", conf->name);
	pool->population = conf->population;
	pool->size_min = conf->size ? conf->size : MAGAZINE_ROUNDS_MIN;
	pool->size_max = conf->size ? conf->size : size_max_of(conf);
	topology_init(pool, conf);
	pool->is_uncached = conf->size == 0 && size_bound(conf) < MAGAZINE_ROUNDS_MIN;
	pool->touched = conf->touched;
	pool->n_lcores = RTE_MAX(conf->n_lcores, 1u);
	pool->only_home = pool->home;
	pool->is_veiled = debug || fault;
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++)
		cache_init(&pool->cache[lcore], pool->nil);
	return pool;
}

/* The equation of magazine_priv.h, shared out evenly. */
static int
depots_alloc(struct magazine_pool *pool, int node_of_memory)
{
	const uint32_t start = RTE_MAX(RTE_MIN(MAGAZINE_ROUNDS_DEFAULT, pool->size_max), pool->size_min);

	pool->n_magazines = (pool->population + pool->size_min - 1) / pool->size_min +
			    RTE_MAX_LCORE * (1 + pool->n_nodes) + pool->n_nodes;

	const uint32_t share = (pool->n_magazines + pool->n_nodes - 1) / pool->n_nodes;

	pool->n_magazines = share * pool->n_nodes;
	pool->depot_bytes = sizeof(struct magazine_depot) + share * magazine_stride(pool->size_max);
	for (uint32_t node = 0; node < pool->n_nodes; node++) {
		struct magazine_depot *depot = block_alloc(
			&pool->memory, pool->depot_bytes, pool->n_nodes > 1 ? (int)node : node_of_memory);

		if (!depot)
			return -ENOMEM;
		magazine_depot_init(depot, depot + 1, share, start, pool->size_min, pool->size_max);
		pool->depot[node] = depot;
	}
	return 0;
}

int
magazine_pool_create(const struct magazine_conf *conf, struct magazine_pool **pool)
{
	struct magazine_fault fault;
	struct magazine_pool *p;
	int ret;

	if (!conf->name || conf->population == 0 || conf->population > POPULATION_MAX ||
		(conf->size != 0 && !size_allowed(conf->size)) ||
		(conf->size_max != 0 && !size_allowed(conf->size_max)) || !topology_allowed(conf->topology))
		return -EINVAL;

	const enum magazine_debug level = level_of(conf);

	if (level == MAGAZINE_DEBUG_DEFAULT)
		return -EINVAL;
	ret = fault_of(conf, &fault);
	if (ret < 0 && ret != -ENOENT)
		return ret;
	p = pool_alloc(conf, level, ret == 0 ? &fault : NULL);
	if (!p)
		return -ENOMEM;
	ret = depots_alloc(p, conf->node);
	if (ret < 0) {
		magazine_pool_destroy(p);
		return ret;
	}
	*pool = p;
	return 0;
}

void
magazine_pool_destroy(struct magazine_pool *pool)
{
	struct magazine_memory memory;

	if (!pool)
		return;
	memory = pool->memory;
	if (pool->debugger)
		magazine_debugger_fini(pool->debugger);
	for (uint32_t node = 0; node < pool->n_nodes; node++)
		if (pool->depot[node])
			memory.free(memory.arg, pool->depot[node], pool->depot_bytes);
	memory.free(memory.arg, pool, pool->bytes);
}

/* Where all objects are at home on one node, its lcores need not look at each. */
static void
home_note(struct magazine_pool *pool, const void *object, bool is_first)
{
	const uint32_t node = magazine_object_node(pool, object);

	if (is_first)
		pool->only_home = node;
	else if (node != pool->only_home)
		pool->only_home = MAGAZINE_NODES_MAX;
}

int
magazine_pool_seed(struct magazine_pool *pool, void *const *objs, uint32_t n)
{
	if (n > pool->population - pool->n_seeded)
		return -ENOSPC;
	memcpy(&pool->objects[pool->n_seeded], objs, n * sizeof(*objs));
	for (uint32_t i = 0; pool->n_nodes > 1 && i < n; i++)
		home_note(pool, objs[i], pool->n_seeded + i == 0);
	__atomic_store_n(&pool->n_seeded, pool->n_seeded + n, __ATOMIC_RELAXED);
	if (pool->debugger)
		magazine_debug_seed(pool->debugger, objs, n);
	magazine_nodes_put(pool, objs, n);
	return 0;
}
