/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One of two processes that share mempools, for tests/net/test_secondary.py:
 *
 *   peer maker [EAL options]   the primary: makes two, says "ready", waits for a line on stdin, and looks what is left
 *   peer user [EAL options]    the secondary: uses both on the lcore of the same number, and frees one
 *
 * Exits with 0 if all is as it should be, else with 1 and the line that was not.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mempool.h>

#include "magazine.h"
#include "mempool_magazine.h"
#include "mempool_magazine_priv.h"

#define POPULATION 1000
#define N_OBJECTS  10

static void
expect(int is_true, int line)
{
	if (is_true)
		return;
	fprintf(stderr, "peer.c:%d is not so\n", line);
	exit(1);
}

#define EXPECT(what) expect(what, __LINE__)

/* In memory of the caller, since a mempool's own names a function of the maker to free it. */
static struct rte_mempool *
pool_create(const char *name, void *memory, size_t bytes)
{
	struct rte_mempool *mp = rte_mempool_create_empty(name, POPULATION, 64, 0, 0, SOCKET_ID_ANY, 0);

	EXPECT(mp && memory);
	EXPECT(rte_mempool_set_ops_byname(mp, "magazine", NULL) == 0);
	EXPECT(rte_mempool_populate_iova(mp, memory, RTE_BAD_IOVA, bytes, NULL, NULL) == POPULATION);
	return mp;
}

static void
pool_use(struct rte_mempool *mp)
{
	void *objs[N_OBJECTS];

	EXPECT(rte_mempool_get_bulk(mp, objs, N_OBJECTS) == 0);
	EXPECT(rte_mempool_avail_count(mp) == POPULATION - N_OBJECTS);
	rte_mempool_put_bulk(mp, objs, N_OBJECTS);
	EXPECT(rte_mempool_avail_count(mp) == POPULATION);
}

static void
count(struct magazine_pool *pool, void *n)
{
	(*(int *)n)++;
}

static int
n_listed(void)
{
	int n = 0;

	mempool_magazine_each(count, &n);
	return n;
}

static void
make(void)
{
	const size_t bytes = 512 * 1024;
	void *memory[] = {rte_malloc(NULL, bytes, 4096), rte_malloc(NULL, bytes, 4096)};
	struct rte_mempool *kept = pool_create("kept", memory[0], bytes);
	char line[100];

	pool_use(kept);
	pool_use(pool_create("freed", memory[1], bytes));
	EXPECT(n_listed() == 2);
	puts("ready");
	fflush(stdout);
	EXPECT(fgets(line, sizeof(line), stdin) != NULL);
	EXPECT(!rte_mempool_lookup("freed"));
	EXPECT(n_listed() == 1);
	pool_use(kept);
	EXPECT(magazine_pool_check(mempool_magazine_pool(kept)) == 0);
	rte_mempool_free(kept);
	EXPECT(n_listed() == 0);
	rte_free(memory[0]);
	rte_free(memory[1]);
}

/* Past the magazines, which the maker's lcore may be using at this moment. */
static void
use_other(const char *name)
{
	struct rte_mempool *mp = rte_mempool_lookup(name);
	struct magazine_depot_stats depot;

	EXPECT(mp && mempool_magazine_pool(mp));
	EXPECT(mempool_magazine_pool(mp)->cache[rte_lcore_id()].gets == N_OBJECTS);
	pool_use(mp);
	EXPECT(mempool_magazine_pool(mp)->cache[rte_lcore_id()].gets == N_OBJECTS);
	EXPECT(magazine_pool_depot_stats(mempool_magazine_pool(mp), 0, &depot) == 0);
	EXPECT(depot.other_gets == N_OBJECTS && depot.other_puts == N_OBJECTS);
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		return 2;

	const char *role = argv[1];

	argv[1] = argv[0];
	EXPECT(rte_eal_init(argc - 1, argv + 1) >= 0 && mempool_magazine_register() == 0);
	if (!strcmp(role, "maker")) {
		make();
	} else {
		use_other("kept");
		use_other("freed");
		EXPECT(n_listed() == 0);
		rte_mempool_free(rte_mempool_lookup("freed"));
	}
	return rte_eal_cleanup() == 0 ? 0 : 1;
}
