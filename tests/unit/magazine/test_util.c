/* SPDX-License-Identifier: BSD-3-Clause */
/* What the magazine tests share: objects, pools of them on made-up nodes, and their teardown. */
#include "test_util.h"

#include "magazine_priv.h"

uintptr_t object_base;

static void *objects;

void
objects_begin(uint32_t population)
{
	assert_null(objects);
	objects = aligned_alloc(OBJECT_BYTES, ((size_t)population + 1) * OBJECT_BYTES);
	assert_non_null(objects);
	object_base = (uintptr_t)objects;
	memset(objects, 0, ((size_t)population + 1) * OBJECT_BYTES);
}

void
objects_end(void)
{
	free(objects);
	objects = NULL;
	object_base = 0;
}

struct magazine_topology
topology_of(uint32_t n_nodes)
{
	struct magazine_topology topology = {.n_nodes = n_nodes};

	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++)
		topology.node_of[lcore] = (uint8_t)(lcore % n_nodes);
	for (int i = 0; i < MAGAZINE_NODES_MAX; i++)
		for (int k = 0; k < MAGAZINE_NODES_MAX; k++)
			topology.distance[i][k] = (uint8_t)(10 + 10 * abs(i - k));
	return topology;
}

static uint32_t
share_of(const struct magazine_pool *pool)
{
	return (pool->population + pool->n_nodes - 1) / pool->n_nodes;
}

uint32_t
home_of(const struct magazine_pool *pool, const void *object)
{
	return index_of(object) / share_of(pool);
}

static void
ranges_set(struct magazine_pool *pool)
{
	const uint32_t share = share_of(pool);

	for (uint32_t node = 0; node < pool->n_nodes; node++)
		assert_int_equal(magazine_pool_range(
					 pool, object_of(node * share), (size_t)share * OBJECT_BYTES, node),
			0);
}

struct magazine_pool *
pool_of(struct magazine_conf conf, uint32_t population)
{
	struct magazine_pool *pool;
	void *objs[7];
	uint32_t n = 0;

	if (!conf.name)
		conf.name = "test";
	conf.population = population;
	assert_int_equal(magazine_pool_create(&conf, &pool), 0);
	if (pool->n_nodes > 1)
		ranges_set(pool);
	for (uint32_t i = 0; i < population; i++) {
		objs[n++] = object_of(i);
		if (n < 7 && i + 1 < population)
			continue;
		assert_int_equal(magazine_pool_seed(pool, objs, n), 0);
		n = 0;
	}
	assert_int_equal(magazine_pool_check(pool), 0);
	return pool;
}

struct magazine_pool *
filled_pool(uint32_t population, uint32_t size)
{
	return pool_of((struct magazine_conf){.size = size, .node = SOCKET_ID_ANY}, population);
}

void
assert_whole(const struct magazine_pool *pool)
{
	struct magazine_stats stats;

	assert_int_equal(magazine_pool_check(pool), 0);
	magazine_pool_stats(pool, &stats);
	assert_int_equal(stats.out, 0);
	assert_int_equal(stats.cached + stats.depot, stats.population);
	assert_int_equal(magazine_pool_avail(pool), stats.population);
	assert_int_equal(magazine_pool_audit(pool, NULL, NULL), 0);
}

void
flush_all(struct magazine_pool *pool)
{
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++)
		magazine_pool_flush(pool, lcore);
}

void
size_force(struct magazine_pool *pool, uint32_t size)
{
	for (uint32_t node = 0; node < pool->n_nodes; node++) {
		depot_lock(pool->depot[node], NULL);
		pool->depot[node]->size = size;
		depot_unlock(pool->depot[node]);
	}
}

void
get(struct magazine_pool *pool, unsigned int lcore, void **objs, uint32_t n)
{
	assert_int_equal(magazine_get_bulk(pool, lcore, objs, n), 0);
}

void
closed_pool(struct magazine_pool *pool)
{
	assert_whole(pool);
	magazine_pool_destroy(pool);
}
