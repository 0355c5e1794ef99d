/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a pool's memory comes from, and that it all goes back. The linker puts
 * these __wrap functions between the library and the allocators (--wrap): they fail
 * the k-th allocation, keep count, and play a machine with several NUMA nodes.
 */
#include <errno.h>
#include <stdbool.h>

#include "test_util.h"

void *__real_aligned_alloc(size_t align, size_t bytes);
void __real_free(void *mem);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
void __wrap_free(void *mem);
int __wrap_numa_available(void);
int __wrap_numa_max_node(void);
void *__wrap_numa_alloc_onnode(size_t bytes, int node);
void *__wrap_numa_alloc_local(size_t bytes);
void __wrap_numa_free(void *mem, size_t bytes);

static struct {
	int max_node;  /* of the machine we play; -1 = no NUMA at all */
	int fail_at;   /* which allocation fails, from 1; 0 = none */
	int n_allocs;  /* tried */
	int n_live;    /* not yet freed */
	int n_numa;    /* of those, from libnuma */
	int last_node; /* asked for; -2 = local */
	int n_on[8];   /* asked for, by node */
	struct {
		void *mem;
		size_t bytes;
	} numa[16]; /* live ones from libnuma */
} fake;

static void *
fake_alloc(size_t align, size_t bytes)
{
	void *mem;

	if (++fake.n_allocs == fake.fail_at)
		return NULL;
	mem = __real_aligned_alloc(align, bytes);
	fake.n_live += mem != NULL;
	return mem;
}

void *
__wrap_aligned_alloc(size_t align, size_t bytes)
{
	return fake_alloc(align, bytes);
}

void
__wrap_free(void *mem)
{
	fake.n_live -= mem != NULL;
	__real_free(mem);
}

int
__wrap_numa_available(void)
{
	return fake.max_node < 0 ? -1 : 0;
}

int
__wrap_numa_max_node(void)
{
	assert_true(fake.max_node >= 0); /* must not be called without NUMA */
	return fake.max_node;
}

void *
__wrap_numa_alloc_onnode(size_t bytes, int node)
{
	void *mem = fake_alloc(4096, RTE_ALIGN_CEIL(bytes, 4096));

	fake.last_node = node;
	fake.n_on[node < 0 ? 7 : node]++;
	if (mem) {
		fake.numa[fake.n_numa].mem = mem;
		fake.numa[fake.n_numa++].bytes = bytes;
	}
	return mem;
}

void *
__wrap_numa_alloc_local(size_t bytes)
{
	return __wrap_numa_alloc_onnode(bytes, -2);
}

void
__wrap_numa_free(void *mem, size_t bytes)
{
	int i = 0;

	while (i < fake.n_numa && fake.numa[i].mem != mem)
		i++;
	assert_true(i < fake.n_numa);
	assert_int_equal(bytes, fake.numa[i].bytes);
	fake.numa[i] = fake.numa[--fake.n_numa];
	__wrap_free(mem);
}

static int
create(int node, uint32_t n_nodes, struct magazine_pool **pool)
{
	const struct magazine_topology topology = topology_of(n_nodes);
	const struct magazine_conf conf = {
		.name = "memory", .population = 1000, .size = 64, .node = node, .topology = &topology};

	return magazine_pool_create(&conf, pool);
}

/* Fails the first allocation, then the second, ... until nothing fails any more. */
static void
create_until_it_works(int max_node, uint32_t n_nodes)
{
	struct magazine_pool *pool;
	int ret = -ENOMEM;
	int k;

	for (k = 1; ret < 0 && k < 100; k++) {
		fake.max_node = max_node;
		fake.fail_at = k;
		fake.n_allocs = 0;
		fake.n_live = 0;
		ret = create(0, n_nodes, &pool);
		if (ret == 0)
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_int_equal(fake.n_live, 0);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(k - 1, 1 + n_nodes); /* the pool, and a depot for each node */
	assert_int_equal(fake.n_numa, max_node > 0 ? fake.n_live : 0);
	magazine_pool_destroy(pool);
	assert_int_equal(fake.n_live, 0);
	assert_int_equal(fake.n_numa, 0);
}

static void
failed_allocations_leave_no_leak(void **state)
{
	for (uint32_t n_nodes = 1; n_nodes <= 4; n_nodes++) {
		create_until_it_works(-1, n_nodes);
		create_until_it_works(0, n_nodes);
		create_until_it_works(3, n_nodes);
	}
}

static void
memory_is_on_the_node_asked_for(void **state)
{
	const int asked[] = {0, 1, 3, 4, SOCKET_ID_ANY};
	const int expected[] = {0, 1, 3, -2, -2};
	struct magazine_pool *pool;

	fake.max_node = 3;
	fake.fail_at = 0;
	for (size_t i = 0; i < RTE_DIM(asked); i++) {
		assert_int_equal(create(asked[i], 1, &pool), 0);
		assert_int_equal(fake.last_node, expected[i]);
		magazine_pool_destroy(pool);
	}
}

/* Each depot with its magazines is on its node, the rest where the conf says. */
static void
depots_are_on_their_nodes(void **state)
{
	struct magazine_pool *pool;

	fake.max_node = 3;
	fake.fail_at = 0;
	memset(fake.n_on, 0, sizeof(fake.n_on));
	assert_int_equal(create(2, 3, &pool), 0);
	assert_int_equal(fake.n_on[0], 1);
	assert_int_equal(fake.n_on[1], 1);
	assert_int_equal(fake.n_on[2], 2);
	assert_int_equal(fake.n_on[3] + fake.n_on[7], 0);
	magazine_pool_destroy(pool);
}

static void
a_thousand_pools_leave_nothing(void **state)
{
	struct magazine_pool *pool;
	void *objs[100];

	fake.fail_at = 0;
	fake.n_live = 0;
	for (uint32_t i = 0; i < 1000; i++) {
		fake.max_node = (int)(i % 3) - 1;
		assert_int_equal(create(0, 1 + i % 8, &pool), 0);
		for (uint32_t k = 0; k < 100; k++)
			objs[k] = object_of(k);
		assert_int_equal(magazine_pool_seed(pool, objs, 100), 0);
		get(pool, i % RTE_MAX_LCORE, objs, 100);
		if (i % 2) /* a pool may end with objects out */
			magazine_put_bulk(pool, 0, objs, 100);
		magazine_pool_destroy(pool);
		assert_int_equal(fake.n_live, 0);
	}
	assert_int_equal(fake.n_numa, 0);
}

static void *
own_alloc(void *arg, size_t bytes, int node)
{
	*(size_t *)arg += bytes;
	return aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);
}

static void
own_free(void *arg, void *mem, size_t bytes)
{
	*(size_t *)arg -= bytes;
	free(mem);
}

/* Whoever brings his own memory gets it all back, and nobody else is asked. */
static void
memory_may_be_the_callers(void **state)
{
	size_t bytes = 0;
	const struct magazine_memory memory = {.alloc = own_alloc, .free = own_free, .arg = &bytes};
	const struct magazine_topology topology = topology_of(2);
	struct magazine_pool *pool;

	fake.max_node = 3;
	memset(fake.n_on, 0, sizeof(fake.n_on));
	pool = pool_of((struct magazine_conf){.memory = &memory, .topology = &topology}, 1000);
	assert_true(bytes > 1000 * sizeof(void *));
	assert_int_equal(fake.n_on[0] + fake.n_on[1] + fake.n_on[7], 0);
	magazine_pool_destroy(pool);
	assert_int_equal(bytes, 0);
}

/* Everything a pool will ever use is taken when it is made. */
static void
a_running_pool_allocates_nothing(void **state)
{
	struct magazine_pool *pool;
	static void *objs[1000];
	int n_allocs;

	fake.max_node = 0;
	fake.fail_at = 0;
	assert_int_equal(create(0, 1, &pool), 0);
	n_allocs = fake.n_allocs;
	for (uint32_t i = 0; i < 1000; i++)
		objs[i] = object_of(i);
	assert_int_equal(magazine_pool_seed(pool, objs, 1000), 0);
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
		assert_int_equal(magazine_get_bulk(pool, lcore, objs, 100), 0);
		magazine_put_bulk(pool, lcore, objs, 50);
		magazine_put_bulk(pool, LCORE_ID_ANY, objs + 50, 50);
		magazine_pool_flush(pool, lcore);
	}
	assert_int_equal(fake.n_allocs, n_allocs);
	closed_pool(pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failed_allocations_leave_no_leak),
		cmocka_unit_test(memory_is_on_the_node_asked_for),
		cmocka_unit_test(depots_are_on_their_nodes),
		cmocka_unit_test(a_thousand_pools_leave_nothing),
		cmocka_unit_test(memory_may_be_the_callers),
		cmocka_unit_test(a_running_pool_allocates_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
