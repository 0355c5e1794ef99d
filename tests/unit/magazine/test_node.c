/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pools of several nodes on a machine that need not have them: lcore l is on node l % n_nodes, objects
 * are on the node that their address says. What an lcore frees of another node's goes home in whole
 * magazines; what it lacks it takes from the nearest depot that has it.
 */
#include <errno.h>
#include <stdbool.h>

#include "crowd.h"
#include "magazine_priv.h"
#include "test_util.h"

#define M 32u

static struct magazine_pool *
pool_on(uint32_t n_nodes, uint32_t population, uint32_t size)
{
	const struct magazine_topology topology = topology_of(n_nodes);

	return pool_of((struct magazine_conf){.topology = &topology, .size = size}, population);
}

static struct magazine_depot_stats
depot_stats(const struct magazine_pool *pool, uint32_t node)
{
	struct magazine_depot_stats stats;

	assert_int_equal(magazine_pool_depot_stats(pool, node, &stats), 0);
	return stats;
}

static struct magazine_lcore_stats
lcore_stats(const struct magazine_pool *pool, unsigned int lcore)
{
	struct magazine_lcore_stats stats;

	assert_int_equal(magazine_pool_lcore_stats(pool, lcore, &stats), 0);
	return stats;
}

static uint32_t
rounds_abroad(const struct magazine_pool *pool, uint32_t node, const struct magazine *mag)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < mag->n; i++)
		n += home_of(pool, mag->rounds[i]) != node;
	return n;
}

/* How many objects in a node's depot are at home on another. */
static uint32_t
objects_abroad(const struct magazine_pool *pool, uint32_t node)
{
	const struct magazine_depot *depot = pool->depot[node];
	uint32_t n = rounds_abroad(pool, node, depot->loose);

	for (const struct magazine *mag = depot->full; mag; mag = mag->next)
		n += rounds_abroad(pool, node, mag);
	for (const struct magazine *mag = depot->inbox; mag; mag = mag->next)
		n += rounds_abroad(pool, node, mag);
	return n;
}

static void
seeding_fills_each_depot_with_its_own(void **state)
{
	for (uint32_t n_nodes = 1; n_nodes <= MAGAZINE_NODES_MAX; n_nodes++) {
		struct magazine_pool *pool = pool_on(n_nodes, n_nodes * 1000, M);
		struct magazine_depot_stats stats;

		for (uint32_t node = 0; node < n_nodes; node++) {
			stats = depot_stats(pool, node);
			assert_int_equal(stats.rounds + stats.loose, 1000);
			assert_int_equal(objects_abroad(pool, node), 0);
		}
		assert_int_equal(magazine_pool_depot_stats(pool, n_nodes, &stats), -ENOENT);
		closed_pool(pool);
	}
}

/* Each foreign node may keep a magazine of each lcore's: half of the objects stay outside of caches all the same. */
static void
nodes_bound_m(void **state)
{
	const uint32_t size_max[] = {512, 512, 512, 256, 256, 256, 256, 128};

	for (uint32_t n_nodes = 1; n_nodes <= RTE_DIM(size_max); n_nodes++) {
		struct magazine_pool *pool = pool_on(n_nodes, 4096, 0);

		assert_int_equal(pool->size_max, size_max[n_nodes - 1]);
		closed_pool(pool);
	}
}

/* Lcore 0, on node 0, frees what lcore 1 got on node 1, and on every other node as well. */
static void
home_in_whole_magazines(uint32_t n_nodes)
{
	struct magazine_pool *pool = pool_on(n_nodes, n_nodes * 512, M);
	void *objs[10 * M], *last[MAGAZINE_NODES_MAX];

	for (unsigned int lcore = 1; lcore < n_nodes; lcore++) {
		const uint64_t before = pool->cache[0].sent_home;

		for (int i = 0; i < 10; i++)
			get(pool, lcore, objs + i * M, M);
		last[lcore - 1] = objs[10 * M - 1];
		for (uint32_t i = 0; i < 10 * M - 1; i++) {
			magazine_put_bulk(pool, 0, &objs[i], 1);
			assert_int_equal(pool->cache[0].sent_home - before, (i + 1) / M * M);
			assert_int_equal(depot_stats(pool, lcore).inbox, (i + 1) / M * M);
			assert_int_equal(pool->cache[0].foreign[lcore]->n, (i + 1) % M);
		}
		assert_int_equal(lcore_stats(pool, 0).foreign, lcore * (M - 1));
		assert_int_equal(lcore_stats(pool, 0).loaded + lcore_stats(pool, 0).previous, 0);
		assert_int_equal(magazine_pool_check(pool), 0);
		assert_int_equal(magazine_pool_avail(pool), pool->population - lcore);

		/* the node's lcore takes them as they are, nine magazines that another lcore filled */
		assert_int_equal(pool->cache[lcore].cross_core, 0);
		for (int i = 0; i < 9; i++)
			get(pool, lcore, objs + i * M, M);
		assert_int_equal(pool->cache[lcore].cross_core, 9);
		assert_int_equal(depot_stats(pool, lcore).inbox, 0);
		for (uint32_t i = 0; i < 9 * M; i++)
			assert_int_equal(home_of(pool, objs[i]), lcore);
		magazine_put_bulk(pool, lcore, objs, 9 * M);
	}
	magazine_put_bulk(pool, LCORE_ID_ANY, last, n_nodes - 1);
	closed_pool(pool);
}

static void
foreign_objects_go_home_in_whole_magazines(void **state)
{
	home_in_whole_magazines(2);
	home_in_whole_magazines(3);
	home_in_whole_magazines(8);
}

static void
own_objects_stay_with_who_frees_them(void **state)
{
	struct magazine_pool *pool = pool_on(2, 2048, M);
	void *objs[2 * M], *again[2 * M];
	struct magazine_depot_stats before;

	get(pool, 1, objs, 2 * M);
	before = depot_stats(pool, 1);
	magazine_put_bulk(pool, 1, objs, 2 * M);
	assert_int_equal(lcore_stats(pool, 1).loaded + lcore_stats(pool, 1).previous, 2 * M);
	assert_int_equal(lcore_stats(pool, 1).foreign, 0);
	for (uint32_t i = 2 * M; i-- > 0;) {
		get(pool, 1, &again[i], 1);
		assert_ptr_equal(again[i], objs[i]);
	}
	assert_int_equal(
		depot_stats(pool, 1).rounds + depot_stats(pool, 1).loose, before.rounds + before.loose);
	assert_int_equal(pool->cache[1].sent_home, 0);

	/* of another lcore of the same node as well */
	magazine_put_bulk(pool, 3, objs, 2 * M);
	assert_int_equal(lcore_stats(pool, 3).loaded + lcore_stats(pool, 3).previous, 2 * M);
	assert_int_equal(pool->cache[3].sent_home, 0);
	closed_pool(pool);
}

/* Empties the pool from one node: its own depot first, then the next nearest, and so on. */
static void
nearest_first(const struct magazine_topology *topology, uint32_t node, unsigned int lcore)
{
	const uint32_t n_nodes = topology->n_nodes, share = 4 * M;
	struct magazine_pool *pool = pool_of(
		(struct magazine_conf){.topology = topology, .size = M, .node = (int)node}, n_nodes * share);
	void **objs = calloc(n_nodes * share, sizeof(*objs));
	uint32_t last = 0;

	for (uint32_t i = 0; i < n_nodes * share; i++) {
		get(pool, lcore, &objs[i], 1);

		const uint32_t far = topology->distance[node][home_of(pool, objs[i])];

		assert_true(far >= last);
		if (i < share)
			assert_int_equal(home_of(pool, objs[i]), node);
		last = far;
	}
	assert_int_equal(magazine_pool_check(pool), 0);
	magazine_put_bulk(pool, lcore, objs, n_nodes * share);
	free(objs);
	closed_pool(pool);
}

static void
gets_fall_back_to_the_nearest_node(void **state)
{
	uint64_t random = 0xb5ad4eceda1ce2a9;

	for (uint32_t n_nodes = 2; n_nodes <= MAGAZINE_NODES_MAX; n_nodes++) {
		struct magazine_topology topology = topology_of(n_nodes);

		for (uint32_t i = 0; i < n_nodes; i++)
			for (uint32_t k = 0; k < n_nodes; k++)
				topology.distance[i][k] =
					i == k ? 10 : (uint8_t)(11 + random_below(&random, 200));
		for (uint32_t node = 0; node < n_nodes; node++) {
			nearest_first(&topology, node, node);
			nearest_first(&topology, node, LCORE_ID_ANY);
		}
	}
}

/* A node's own depot comes first even if a table of distances says nonsense. */
static void
distances_may_be_unknown(void **state)
{
	struct magazine_topology topology = topology_of(3);

	memset(topology.distance, 0, sizeof(topology.distance));
	for (uint32_t node = 0; node < 3; node++)
		nearest_first(&topology, node, node);
}

static struct magazine_pool *
pool_for_ranges(int home)
{
	const struct magazine_topology topology = topology_of(3);
	const struct magazine_conf conf = {
		.name = "ranges", .population = 1, .node = home, .topology = &topology};
	struct magazine_pool *pool;

	assert_int_equal(magazine_pool_create(&conf, &pool), 0);
	return pool;
}

static uint32_t
node_at(const struct magazine_pool *pool, uintptr_t address)
{
	return magazine_object_node(pool, (const void *)address);
}

static int
range_add(struct magazine_pool *pool, uintptr_t base, size_t bytes, uint32_t node)
{
	return magazine_pool_range(pool, (const void *)base, bytes, node);
}

static void
the_address_tells_the_node(void **state)
{
	struct magazine_pool *pool = pool_for_ranges(1);

	assert_int_equal(node_at(pool, 0x1000), 1); /* no range yet: home */
	assert_int_equal(range_add(pool, 0x5000, 0x1000, 2), 0);
	assert_int_equal(range_add(pool, 0x1000, 0x1000, 0), 0);
	assert_int_equal(range_add(pool, 0x3000, 0x1000, 2), 0);
	assert_int_equal(range_add(pool, 0x2000, 0x1000, 2), 0); /* joins the one after it */
	assert_int_equal(range_add(pool, 0x6000, 0x1000, 0), 0);
	assert_int_equal(node_at(pool, 0), 1);
	assert_int_equal(node_at(pool, 0xfff), 1);
	assert_int_equal(node_at(pool, 0x1000), 0);
	assert_int_equal(node_at(pool, 0x1fff), 0);
	assert_int_equal(node_at(pool, 0x2000), 2);
	assert_int_equal(node_at(pool, 0x3fff), 2);
	assert_int_equal(node_at(pool, 0x4000), 1); /* a gap: home */
	assert_int_equal(node_at(pool, 0x4fff), 1);
	assert_int_equal(node_at(pool, 0x5000), 2);
	assert_int_equal(node_at(pool, 0x5fff), 2);
	assert_int_equal(node_at(pool, 0x6000), 0);
	assert_int_equal(node_at(pool, 0x6fff), 0);
	assert_int_equal(node_at(pool, 0x7000), 1);
	assert_int_equal(node_at(pool, UINTPTR_MAX), 1);
	assert_int_equal(pool->n_ranges, 4);

	/* the gap is filled, and three become one */
	assert_int_equal(range_add(pool, 0x4000, 0x1000, 2), 0);
	assert_int_equal(pool->n_ranges, 3);
	for (uintptr_t at = 0x2000; at < 0x6000; at += 0x800)
		assert_int_equal(node_at(pool, at), 2);
	closed_pool(pool);

	pool = pool_for_ranges(SOCKET_ID_ANY);
	assert_int_equal(node_at(pool, 0x1000), 0);
	closed_pool(pool);
}

static void
ranges_have_a_limit(void **state)
{
	struct magazine_pool *pool = pool_for_ranges(0);

	assert_int_equal(range_add(pool, 0x1000, 64, 3), -EINVAL);
	assert_int_equal(range_add(pool, 0x1000, 64, UINT32_MAX), -EINVAL);
	assert_int_equal(pool->n_ranges, 0);
	for (uintptr_t i = 0; i < MAGAZINE_RANGES_MAX; i++)
		assert_int_equal(range_add(pool, 0x1000 * (i + 1), 64, i % 3), 0);
	assert_int_equal(range_add(pool, 0x1000 * 1000, 64, 0), -ENOSPC);
	assert_int_equal(range_add(pool, 0x1000 + 64, 64, 0), 0); /* joins the first */
	assert_int_equal(range_add(pool, 0x1000 - 64, 64, 0), 0);
	assert_int_equal(range_add(pool, 0x1000 - 128, 64, 1), -ENOSPC); /* touches, but is another node's */
	assert_int_equal(pool->n_ranges, MAGAZINE_RANGES_MAX);
	assert_int_equal(node_at(pool, 0x1000 + 127), 0);
	assert_int_equal(node_at(pool, 0x1000 - 64), 0);
	assert_int_equal(node_at(pool, 0x1000 * MAGAZINE_RANGES_MAX), (MAGAZINE_RANGES_MAX - 1) % 3);
	closed_pool(pool);
}

/* In whatever order memory comes, what touches is one range. */
static void
ranges_that_touch_are_one(void **state)
{
	struct magazine_pool *pool = pool_for_ranges(0);

	for (uintptr_t i = 1000; i-- > 1;)
		assert_int_equal(range_add(pool, 0x1000 * i, 0x1000, 1), 0);
	assert_int_equal(pool->n_ranges, 1);
	for (uintptr_t i = 1000; i < 2000; i++)
		assert_int_equal(range_add(pool, 0x1000 * i, 0x1000, 1), 0);
	assert_int_equal(pool->n_ranges, 1);
	assert_int_equal(node_at(pool, 0xfff), 0);
	assert_int_equal(node_at(pool, 0x1000), 1);
	assert_int_equal(node_at(pool, 0x1000 * 2000 - 1), 1);
	assert_int_equal(node_at(pool, 0x1000 * 2000), 0);
	closed_pool(pool);
}

/* One gets, the other frees: one node's depot gives away an empty magazine with each full one it sends. */
static void
one_way(struct magazine_pool *pool, unsigned int from, unsigned int to)
{
	void *objs[M / 2];

	for (uint32_t n = 0; n < 100000; n += M / 2) {
		get(pool, from, objs, M / 2);
		magazine_put_bulk(pool, to, objs, M / 2);
	}
	assert_int_equal(magazine_pool_check(pool), 0);
	assert_int_equal(magazine_pool_avail(pool), pool->population);
	assert_true(pool->cache[to].sent_home + M > 100000);
}

static void
magazines_are_borrowed_both_ways(void **state)
{
	for (uint32_t n_nodes = 2; n_nodes <= 3; n_nodes++) {
		struct magazine_pool *pool = pool_on(n_nodes, n_nodes * 500, M);

		assert_true(100000 / M > pool->n_magazines);
		one_way(pool, 1, 0);
		one_way(pool, 0, 1);
		one_way(pool, n_nodes - 1, 0);
		closed_pool(pool);
	}
}

static uint32_t
in_depot(const struct magazine_pool *pool, uint32_t node)
{
	const struct magazine_depot_stats stats = depot_stats(pool, node);

	return stats.rounds + stats.loose + stats.inbox;
}

/* What an lcore has of another node's. */
static uint32_t
in_foreign(const struct magazine_pool *pool, unsigned int lcore, uint32_t node)
{
	const struct magazine *mag = lcore < RTE_MAX_LCORE ? pool->cache[lcore].foreign[node] : NULL;

	return mag ? mag->n : 0;
}

/* What a get needs may lie in all depots and the cache; all of it, or all goes back where it was. */
static void
all_or_nothing(uint32_t n_nodes, unsigned int lcore)
{
	const uint32_t share = 100, population = n_nodes * share;
	struct magazine_pool *pool = pool_on(n_nodes, population, M);
	void **objs = calloc(population + 1, sizeof(*objs));

	for (int with_cache = 0; with_cache < 2; with_cache++) {
		uint32_t before[MAGAZINE_NODES_MAX];

		for (uint32_t node = 0; node < n_nodes; node++)
			before[node] = in_depot(pool, node) + in_foreign(pool, lcore, node);
		assert_int_equal(magazine_get_bulk(pool, lcore, objs, population + 1), -ENOENT);
		for (uint32_t node = 0; node < n_nodes; node++) {
			assert_int_equal(in_depot(pool, node), before[node]);
			assert_int_equal(objects_abroad(pool, node), 0);
		}
		assert_whole(pool);
		for (uint32_t n = 1; n <= population; n++) {
			get(pool, lcore, objs, n);
			assert_int_equal(magazine_pool_check(pool), 0);
			magazine_put_bulk(pool, LCORE_ID_ANY, objs, n);
		}
		/* the second time the caller has as much as it may in its own magazines */
		get(pool, lcore, objs, population);
		magazine_put_bulk(pool, lcore, objs, population);
	}
	free(objs);
	closed_pool(pool);
}

static void
a_get_may_empty_several_depots(void **state)
{
	for (uint32_t n_nodes = 2; n_nodes <= 8; n_nodes += 3) {
		all_or_nothing(n_nodes, 0);
		all_or_nothing(n_nodes, n_nodes - 1);
		all_or_nothing(n_nodes, LCORE_ID_ANY);
	}
}

/* Whoever has freed objects of another node can get them again, although they lie in no depot yet. */
static void
own_foreign_magazines_starve_nobody(void **state)
{
	struct magazine_pool *pool = pool_on(2, 400, 128);
	void *objs[400];

	get(pool, 0, objs, 400);
	magazine_put_bulk(pool, 0, objs, 400);
	assert_true(lcore_stats(pool, 0).foreign > 0);
	get(pool, 0, objs, 400);
	assert_int_equal(magazine_pool_avail(pool), 0);
	magazine_put_bulk(pool, 0, objs, 400);
	closed_pool(pool);
}

static void
flush_sends_foreign_partials_home(void **state)
{
	struct magazine_pool *pool = pool_on(3, 3 * 512, 64);
	void *objs[3 * 20];

	for (unsigned int lcore = 0; lcore < 3; lcore++)
		get(pool, lcore, objs + lcore * 20, 20);
	magazine_put_bulk(pool, 0, objs, 3 * 20);
	assert_int_equal(lcore_stats(pool, 0).foreign, 40);
	assert_int_equal(pool->cache[0].sent_home, 0);
	magazine_pool_flush(pool, 0);
	assert_int_equal(lcore_stats(pool, 0).foreign, 0);
	assert_int_equal(pool->cache[0].sent_home, 40);
	flush_all(pool);
	for (uint32_t node = 0; node < 3; node++) {
		assert_int_equal(in_depot(pool, node), 512);
		assert_int_equal(objects_abroad(pool, node), 0);
	}
	closed_pool(pool);
}

static void
other_threads_put_each_object_where_it_belongs(void **state)
{
	struct magazine_pool *pool = pool_on(3, 3 * 200, 64);
	uint64_t random = 0x1d8e4e27c47d124f;
	void *objs[600];

	get(pool, LCORE_ID_ANY, objs, 1);
	assert_int_equal(home_of(pool, objs[0]), 0);
	get(pool, LCORE_ID_ANY, objs + 1, 599);
	for (uint32_t i = 600; i-- > 1;) {
		const uint32_t k = random_below(&random, i + 1);
		void *const object = objs[i];

		objs[i] = objs[k];
		objs[k] = object;
	}
	magazine_put_bulk(pool, LCORE_ID_ANY, objs, 600);
	for (uint32_t node = 0; node < 3; node++) {
		assert_int_equal(in_depot(pool, node), 200);
		assert_int_equal(objects_abroad(pool, node), 0);
	}
	assert_int_equal(depot_stats(pool, 0).other_gets, 600);
	assert_int_equal(depot_stats(pool, 0).other_puts, 600);
	closed_pool(pool);
}

/* However many objects lie in foreign magazines that are not full. */
static void
avail_counts_foreign_magazines(void **state)
{
	struct magazine_pool *pool = pool_on(8, 8 * 300, M);
	static void *held[8 * 300];
	uint64_t random = 0x6c078965a1b2c3d4;
	uint32_t n_held = 0, most = 0;

	for (int i = 0; i < 20000; i++) {
		const unsigned int lcore = random_below(&random, 12);
		const uint32_t n = random_below(&random, 40);

		if (random_below(&random, 2) && magazine_get_bulk(pool, lcore, held + n_held, n) == 0) {
			n_held += n;
		} else if (n <= n_held) {
			/* the oldest, which are of any node */
			magazine_put_bulk(pool, lcore, held, n);
			n_held -= n;
			memmove(held, held + n, n_held * sizeof(*held));
		}
		assert_int_equal(magazine_pool_avail(pool) + n_held, 8 * 300);
		if (pool->cache[lcore].is_open)
			most = RTE_MAX(most, lcore_stats(pool, lcore).foreign);
		if (i % 16 == 0)
			assert_int_equal(magazine_pool_check(pool), 0);
	}
	assert_true(most > M);
	magazine_put_bulk(pool, 0, held, n_held);
	closed_pool(pool);
}

/* Every lcore has all its magazines, and all objects lie in as many full ones as there can be. */
static void
the_last_magazine_is_enough(void **state)
{
	for (uint32_t n_nodes = 1; n_nodes <= 3; n_nodes++)
		for (uint32_t more = 0; more < M; more += 5) {
			const uint32_t population = n_nodes * M * 10 + more;
			struct magazine_pool *pool = pool_on(n_nodes, population, M);
			void **objs = calloc(population, sizeof(*objs));

			get(pool, LCORE_ID_ANY, objs, population);
			for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++)
				assert_int_equal(magazine_get_slow(pool, lcore, objs, 0), 0);
			for (uint32_t i = 0; i < population; i++)
				magazine_put_bulk(pool, LCORE_ID_ANY, &objs[i], 1);
			get(pool, 1, objs, population);
			magazine_put_bulk(pool, 0, objs, population);
			free(objs);
			closed_pool(pool);
		}
}

/* Two nodes' lcores free each other's objects: magazines cross, in both inboxes, while threads push to them. */
static void
nodes_under_load(void **state)
{
	for (uint32_t n_nodes = 2; n_nodes <= 3; n_nodes++) {
		struct crowd crowd = {.n_lcores = 4,
			.n_others = 1,
			.n_rounds = 20000,
			.held_max = 600,
			.burst_max = 100,
			.polls = true,
			.seed = 0x94d049bb133111eb + n_nodes};
		uint64_t sent_home = 0;

		objects_begin(2999);
		crowd.pool = pool_on(n_nodes, 2999, M);
		crowd_run(&crowd);
		for (unsigned int lcore = 0; lcore < 4; lcore++)
			sent_home += crowd.pool->cache[lcore].sent_home;
		assert_true(sent_home > 500);
		flush_all(crowd.pool);
		closed_pool(crowd.pool);
		objects_end();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seeding_fills_each_depot_with_its_own),
		cmocka_unit_test(foreign_objects_go_home_in_whole_magazines),
		cmocka_unit_test(own_objects_stay_with_who_frees_them),
		cmocka_unit_test(gets_fall_back_to_the_nearest_node),
		cmocka_unit_test(distances_may_be_unknown),
		cmocka_unit_test(the_address_tells_the_node),
		cmocka_unit_test(ranges_have_a_limit),
		cmocka_unit_test(ranges_that_touch_are_one),
		cmocka_unit_test(magazines_are_borrowed_both_ways),
		cmocka_unit_test(a_get_may_empty_several_depots),
		cmocka_unit_test(own_foreign_magazines_starve_nobody),
		cmocka_unit_test(flush_sends_foreign_partials_home),
		cmocka_unit_test(other_threads_put_each_object_where_it_belongs),
		cmocka_unit_test(avail_counts_foreign_magazines),
		cmocka_unit_test(the_last_magazine_is_enough),
		cmocka_unit_test(nodes_bound_m),
		cmocka_unit_test(nodes_under_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
