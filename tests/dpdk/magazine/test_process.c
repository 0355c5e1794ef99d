/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is not as usual: a populate that failed, memory that is not where it was wanted, and
 * mempools that are of another process or of another version of the driver. Other processes
 * are a child, or this one under another number; nodes are made up by what the linker puts in
 * the place of rte_malloc_socket() and placement_topology().
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_log.h>
#include <rte_malloc.h>
#include <rte_mempool.h>

#include "magazine.h"
#include "mempool_magazine.h"
#include "mempool_magazine_priv.h"

#define POPULATION 1000

static bool no_memory_on_nodes;
static uint32_t nodes = 1;

void *__real_rte_malloc_socket(const char *type, size_t size, unsigned int align, int socket);
void *__wrap_rte_malloc_socket(const char *type, size_t size, unsigned int align, int socket);
void __wrap_placement_topology(struct magazine_topology *topology);

void *
__wrap_rte_malloc_socket(const char *type, size_t size, unsigned int align, int socket)
{
	if (no_memory_on_nodes && socket != SOCKET_ID_ANY)
		return NULL;
	return __real_rte_malloc_socket(type, size, align, socket);
}

void
__wrap_placement_topology(struct magazine_topology *topology)
{
	*topology = (struct magazine_topology){.n_nodes = nodes};
}

static struct rte_mempool *
pool_create_empty(const char *name, uint32_t n, uint32_t bytes)
{
	struct rte_mempool *mp = rte_mempool_create_empty(name, n, bytes, 0, 0, 0, 0);

	assert_non_null(mp);
	assert_int_equal(rte_mempool_set_ops_byname(mp, "magazine", NULL), 0);
	return mp;
}

static struct rte_mempool *
pool_create(const char *name, uint32_t n)
{
	struct rte_mempool *mp = pool_create_empty(name, n, 64);

	assert_int_equal(rte_mempool_populate_default(mp), n);
	assert_non_null(mempool_magazine_pool(mp));
	return mp;
}

/* All objects are there, for one call. */
static void
all_are_there(struct rte_mempool *mp)
{
	static void *objs[100000];

	assert_in_range(mp->size, 1, RTE_DIM(objs));
	assert_int_equal(rte_mempool_avail_count(mp), mp->size);
	assert_int_equal(rte_mempool_get_bulk(mp, objs, mp->size), 0);
	assert_int_equal(rte_mempool_avail_count(mp), 0);
	rte_mempool_put_bulk(mp, objs, mp->size);
	assert_int_equal(magazine_pool_check(mempool_magazine_pool(mp)), 0);
	assert_int_equal(magazine_pool_audit(mempool_magazine_pool(mp), NULL, NULL), 0);
}

/* Twice what the EAL has: objects are seeded until the end of it is found. Other memory then serves. */
static void
a_populate_that_failed_is_repeated(void **state)
{
	struct rte_mempool *mp = pool_create_empty("repeated", 50000, 2048);

	for (int i = 0; i < 2; i++) {
		assert_true(rte_mempool_populate_default(mp) < 0);
		assert_int_equal(mp->populated_size, 0);
		assert_true(mempool_magazine_pool(mp)->n_seeded > 0);
	}
	assert_int_equal(rte_mempool_populate_anon(mp), 50000);
	all_are_there(mp);
	rte_mempool_free(mp);
}

static void
far_memory_is_better_than_none(void **state)
{
	struct rte_mempool *mp;

	no_memory_on_nodes = true;
	assert_null(rte_malloc_socket(NULL, 64, 0, 0));
	mp = pool_create("far", POPULATION);
	all_are_there(mp);
	rte_mempool_free(mp);
	no_memory_on_nodes = false;
}

/* Every second page, so that no two ranges touch. */
static void
more_chunks_than_ranges(void **state)
{
	const uint32_t n = 2 * MAGAZINE_RANGES_MAX;
	char *memory = rte_malloc(NULL, (size_t)n * 8192, 4096);
	struct rte_mempool *mp;
	int ret = 0;

	assert_non_null(memory);
	nodes = 2;
	mp = pool_create_empty("chunks", 4096, 64);
	for (uint32_t i = 0; i < n && mp->populated_size < mp->size; i++) {
		ret = rte_mempool_populate_iova(
			mp, memory + (size_t)i * 8192, RTE_BAD_IOVA, 4096, NULL, NULL);
		assert_true(ret > 0);
	}
	assert_int_equal(mempool_magazine_pool(mp)->n_nodes, 2);
	assert_int_equal(mempool_magazine_pool(mp)->n_ranges, MAGAZINE_RANGES_MAX);
	assert_true(mp->nb_mem_chunks > MAGAZINE_RANGES_MAX);
	assert_int_equal(rte_mempool_avail_count(mp), mp->populated_size);
	assert_int_equal(magazine_pool_check(mempool_magazine_pool(mp)), 0);
	rte_mempool_free(mp);
	rte_free(memory);
	nodes = 1;
}

/* Ends as body() says, by exit status or signal; nothing on stderr. */
static int
child(void (*body)(struct rte_mempool *mp), struct rte_mempool *mp)
{
	const pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		const int null = open("/dev/null", O_WRONLY);

		dup2(null, STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		body(mp);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* Exits with 0 if puts and gets went past the magazines that the parent's lcore has. */
static void
use_as_another_process(struct rte_mempool *mp)
{
	struct magazine_pool *pool = mempool_magazine_pool(mp);
	const uint64_t gets = pool->cache[rte_lcore_id()].gets;
	struct magazine_depot_stats depot;
	struct rte_mempool *mine;
	void *objs[10];

	if (rte_mempool_get_bulk(mp, objs, 10) < 0)
		_exit(1);
	rte_mempool_put_bulk(mp, objs, 9);
	if (pool->cache[rte_lcore_id()].gets != gets || magazine_pool_depot_stats(pool, 0, &depot) < 0)
		_exit(2);
	if (depot.other_gets != 10 || depot.other_puts != 9)
		_exit(3);
	/* its own pools have magazines */
	mine = pool_create("child", POPULATION);
	if (rte_mempool_get_bulk(mine, objs, 10) < 0)
		_exit(4);
	if (mempool_magazine_pool(mine)->cache[rte_lcore_id()].gets != 10)
		_exit(5);
	rte_mempool_free(mine);
}

static void
a_child_is_another_process(void **state)
{
	struct rte_mempool *mp = pool_create("parent", POPULATION);

	all_are_there(mp);
	assert_int_equal(child(use_as_another_process, mp), 0);
	rte_mempool_free(mp);
}

static void
trap(void *arg, void *mem, size_t bytes)
{
	fail();
}

static void
count(struct magazine_pool *pool, void *n)
{
	(*(uint32_t *)n)++;
}

static uint32_t
n_listed(void)
{
	uint32_t n = 0;

	mempool_magazine_each(count, &n);
	return n;
}

static size_t
heap_bytes(void)
{
	struct rte_malloc_socket_stats stats;

	assert_int_equal(rte_malloc_get_socket_stats(0, &stats), 0);
	return stats.heap_allocsz_bytes;
}

/* Its functions are not ours, and its list is out of our reach. */
static void
a_pool_of_another_process_is_freed(void **state)
{
	const size_t bytes = heap_bytes();
	struct rte_mempool *mp = pool_create("theirs", POPULATION);
	struct mempool_magazine *m = mp->pool_data;

	assert_int_equal(n_listed(), 1);
	m->maker = ~m->maker;
	m->straight = 0;
	m->pool->memory.free = trap;
	all_are_there(mp);
	rte_mempool_free(mp);
	/* what is left is for the maker to drop */
	assert_true(heap_bytes() > bytes);
	assert_int_equal(n_listed(), 0);
	assert_int_equal(heap_bytes(), bytes);
}

static void
put_one(struct rte_mempool *mp)
{
	rte_mempool_put(mp, mp);
}

static void
another_version_is_refused(void **state)
{
	const struct mempool_magazine_hooks hooks = {0};
	struct rte_mempool *mp = pool_create("version", POPULATION);
	struct mempool_magazine *m = mp->pool_data;
	struct mempool_magazine others[3] = {*m, *m, *m};
	void *obj;
	int status;

	others[0].magic++;
	others[1].layout++;
	others[2].pool_bytes--;
	for (uint32_t i = 0; i < RTE_DIM(others); i++) {
		others[i].straight = others[i].maker = ~m->maker;
		mp->pool_data = &others[i];
		assert_null(mempool_magazine_pool(mp));
		assert_int_equal(mempool_magazine_set_hooks(mp, &hooks), -EINVAL);
		assert_int_equal(rte_mempool_avail_count(mp), 0);
		assert_int_equal(rte_mempool_get(mp, &obj), -ENOTSUP);
		status = child(put_one, mp);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGABRT);
	}
	mp->pool_data = m;
	all_are_there(mp);
	rte_mempool_free(mp);
}

/* What was logged while a pool of so many objects was made and freed. */
static const char *
log_of(const char *name, uint32_t n)
{
	static char text[1000];
	FILE *file = fmemopen(text, sizeof(text), "w");

	assert_non_null(file);
	memset(text, 0, sizeof(text));
	rte_openlog_stream(file);
	rte_mempool_free(pool_create(name, n));
	rte_openlog_stream(NULL);
	fclose(file);
	return text;
}

static void
a_pool_without_magazines_says_so(void **state)
{
	assert_string_equal(log_of("small", 127), "mempool small: 127 objects are too few for magazines on 1 "
						  "lcores, every call takes a lock; 128 "
						  "would do\n");
	assert_string_equal(log_of("enough", 128), "");
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_populate_that_failed_is_repeated),
		cmocka_unit_test(far_memory_is_better_than_none),
		cmocka_unit_test(more_chunks_than_ranges),
		cmocka_unit_test(a_child_is_another_process),
		cmocka_unit_test(a_pool_of_another_process_is_freed),
		cmocka_unit_test(another_version_is_refused),
		cmocka_unit_test(a_pool_without_magazines_says_so),
	};

	if (rte_eal_init(argc, argv) < 0 || mempool_magazine_register() < 0)
		return 1;

	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	rte_eal_cleanup();
	return failed;
}
