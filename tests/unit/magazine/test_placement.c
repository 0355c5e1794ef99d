/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where memory is, on machines that we only play: --wrap puts these functions between the library and
 * libnuma and the EAL.
 */
#include <errno.h>
#include <stdbool.h>

#include "placement.h"
#include "test_util.h"

#define PAGE_4K (UINT64_C(1) << 12)
#define PAGE_2M (UINT64_C(1) << 21)
#define BASE    (UINT64_C(1) << 40) /* of memory that is not there */

int __wrap_numa_available(void);
int __wrap_numa_max_node(void);
int __wrap_numa_distance(int from, int to);
int __wrap_numa_move_pages(
	int pid, unsigned long count, void **pages, const int *nodes, int *status, int flags);
unsigned int __wrap_rte_lcore_to_socket_id(unsigned int lcore);

static struct {
	int max_node;         /* -1 = no NUMA at all */
	uint64_t page_bytes;  /* pages must be asked for by their beginnings */
	int status[4096];     /* by page from BASE; a node, or -errno */
	int ret;              /* of move_pages */
	uint64_t n_asked;     /* pages */
	unsigned long n_most; /* in one call */
} machine;

int
__wrap_numa_available(void)
{
	return machine.max_node < 0 ? -1 : 0;
}

int
__wrap_numa_max_node(void)
{
	assert_true(machine.max_node >= 0); /* must not be called without NUMA */
	return machine.max_node;
}

int
__wrap_numa_distance(int from, int to)
{
	assert_true(machine.max_node >= 0);
	return from == to ? 10 : from == 1 && to == 0 ? 1000 : 20 + abs(from - to);
}

int
__wrap_numa_move_pages(int pid, unsigned long count, void **pages, const int *nodes, int *status, int flags)
{
	assert_true(machine.max_node >= 0);
	assert_int_equal(pid, 0);
	assert_null(nodes); /* else it moves them */
	assert_int_equal(flags, 0);
	machine.n_asked += count;
	machine.n_most = RTE_MAX(machine.n_most, count);
	for (unsigned long i = 0; i < count && machine.ret == 0; i++) {
		const uintptr_t at = (uintptr_t)pages[i] - BASE;

		assert_int_equal(at % machine.page_bytes, 0);
		assert_true(at / machine.page_bytes < RTE_DIM(machine.status));
		status[i] = machine.status[at / machine.page_bytes];
	}
	return machine.ret;
}

unsigned int
__wrap_rte_lcore_to_socket_id(unsigned int lcore)
{
	return lcore == 7 ? UINT32_MAX : lcore % 4;
}

static void
play(int max_node, uint64_t page_bytes)
{
	memset(&machine, 0, sizeof(machine));
	machine.max_node = max_node;
	machine.page_bytes = page_bytes;
}

/* Audits bytes from BASE + offset on and compares. */
static void
audit(uint64_t offset, uint64_t bytes, int node, struct placement expected)
{
	struct placement placement = {0};

	assert_int_equal(
		placement_audit((const void *)(BASE + offset), bytes, machine.page_bytes, node, &placement),
		machine.max_node < 0 ? -ENOTSUP : 0);
	assert_int_equal(placement.pages, expected.pages);
	assert_int_equal(placement.misplaced, expected.misplaced);
	assert_int_equal(placement.unknown, expected.unknown);
	assert_int_equal(placement.worst, expected.worst);
}

static void
every_page_is_counted(void **state)
{
	const uint64_t sizes[] = {PAGE_4K, PAGE_2M};

	for (size_t i = 0; i < RTE_DIM(sizes); i++) {
		const uint64_t page = sizes[i];

		play(3, page);
		audit(0, 10 * page, 0, (struct placement){.pages = 10, .worst = -1});
		audit(0, 1, 0, (struct placement){.pages = 1, .worst = -1});
		audit(page - 1, 2, 0, (struct placement){.pages = 2, .worst = -1});
		audit(page / 2, 3 * page, 0, (struct placement){.pages = 4, .worst = -1});
		audit(0, 0, 0, (struct placement){.pages = 0, .worst = -1});
		/* in more than one question */
		audit(0, 2000 * page, 0, (struct placement){.pages = 2000, .worst = -1});
		assert_int_equal(machine.n_asked, 10 + 1 + 2 + 4 + 2000);
		assert_true(machine.n_most <= 512);
	}
}

static void
misplaced_pages_are_found(void **state)
{
	play(3, PAGE_2M);
	machine.status[3] = 2;
	machine.status[1999] = 2;
	audit(0, 3 * PAGE_2M, 0, (struct placement){.pages = 3, .worst = -1});
	audit(0, 4 * PAGE_2M, 0, (struct placement){.pages = 4, .misplaced = 1, .worst = 2});
	audit(0, 2000 * PAGE_2M, 0, (struct placement){.pages = 2000, .misplaced = 2, .worst = 2});
	audit(0, 2000 * PAGE_2M, 2, (struct placement){.pages = 2000, .misplaced = 1998, .worst = 0});
	/* anywhere is right */
	audit(0, 2000 * PAGE_2M, -1, (struct placement){.pages = 2000, .worst = -1});
}

static void
some_pages_are_unknown(void **state)
{
	play(1, PAGE_4K);
	machine.status[0] = -ENOENT; /* not there yet */
	machine.status[1] = -EFAULT;
	machine.status[2] = 1;
	audit(0, 4 * PAGE_4K, 0, (struct placement){.pages = 4, .misplaced = 1, .unknown = 2, .worst = 1});
	machine.ret = -1;
	audit(0, 4 * PAGE_4K, 0, (struct placement){.pages = 4, .unknown = 4, .worst = -1});
}

/* Pieces add up; a later one without findings takes nothing back. */
static void
pieces_add_up(void **state)
{
	struct placement placement = {0};

	play(1, PAGE_4K);
	machine.status[1] = 1;
	machine.status[5] = -ENOENT;
	for (uint64_t i = 0; i < 4; i++)
		assert_int_equal(placement_audit((const void *)(BASE + i * 2 * PAGE_4K), 2 * PAGE_4K, PAGE_4K,
					 0, &placement),
			0);
	assert_int_equal(placement.pages, 8);
	assert_int_equal(placement.misplaced, 1);
	assert_int_equal(placement.unknown, 1);
	assert_int_equal(placement.worst, 1);
}

static void
without_numa_all_is_unknown(void **state)
{
	struct magazine_topology topology;

	play(-1, PAGE_2M);
	audit(0, 3 * PAGE_2M, 0, (struct placement){.pages = 3, .unknown = 3, .worst = -1});
	assert_int_equal(machine.n_asked, 0);
	assert_int_equal(placement_distance(0, 1), 0);
	placement_topology(&topology);
	assert_int_equal(topology.n_nodes, 1);
}

static void
distances_are_libnumas(void **state)
{
	play(3, PAGE_2M);
	assert_int_equal(placement_distance(2, 2), 10);
	assert_int_equal(placement_distance(0, 3), 23);
	assert_int_equal(placement_distance(3, 0), 23);
	assert_int_equal(placement_distance(-1, 0), 0);
	assert_int_equal(placement_distance(0, SOCKET_ID_ANY), 0);
}

static void
topology_is_this_machines(void **state)
{
	for (int n_nodes = 1; n_nodes <= 9; n_nodes++) {
		const bool is_plain = n_nodes == 1 || n_nodes > MAGAZINE_NODES_MAX;
		struct magazine_topology topology;
		struct magazine_pool *pool;

		memset(&topology, 0xff, sizeof(topology));
		play(n_nodes - 1, PAGE_2M);
		placement_topology(&topology);
		assert_int_equal(topology.n_nodes, is_plain ? 1 : n_nodes);
		for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
			const unsigned int node = lcore == 7 ? 0 : lcore % 4;

			assert_int_equal(topology.node_of[lcore], node < topology.n_nodes ? node : 0);
		}
		for (uint32_t i = 0; i < topology.n_nodes && !is_plain; i++)
			for (uint32_t k = 0; k < topology.n_nodes; k++)
				assert_int_equal(topology.distance[i][k],
					i == k             ? 10
					: i == 1 && k == 0 ? 255
							   : 20 + abs((int)i - (int)k));
		/* and a pool takes it */
		machine.max_node = -1;
		pool = pool_of((struct magazine_conf){.topology = &topology, .size = 32}, 900);
		assert_int_equal(pool->n_nodes, topology.n_nodes);
		closed_pool(pool);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_page_is_counted),
		cmocka_unit_test(misplaced_pages_are_found),
		cmocka_unit_test(some_pages_are_unknown),
		cmocka_unit_test(pieces_add_up),
		cmocka_unit_test(without_numa_all_is_unknown),
		cmocka_unit_test(distances_are_libnumas),
		cmocka_unit_test(topology_is_this_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
