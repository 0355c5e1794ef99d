/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pool of heads: one array of struct skb on one node, and the magazines that
 * hand its elements out. The array is touched when it is made, so that no page
 * fault meets the walk. It comes from libnuma where there is more than one node
 * and from the C library otherwise: heads are private to the process, no device
 * reads them, so the EAL's memory has no use for them.
 */
#include <errno.h>
#include <numa.h>
#include <stdlib.h>
#include <string.h>

#include "magazine.h"
#include "skb.h"
#include "skb_priv.h"

#define SEED_BATCH 256u

static int
heads_alloc(struct skb_pool *pool, uint32_t n, int node)
{
	const size_t bytes = n * sizeof(struct skb);

	pool->n = n;
	pool->numa = numa_available() >= 0 && numa_max_node() > 0;
	if (!pool->numa)
		pool->mem = aligned_alloc(RTE_CACHE_LINE_SIZE, bytes);
	else if (node < 0 || node > numa_max_node())
		pool->mem = numa_alloc_local(bytes);
	else
		pool->mem = numa_alloc_onnode(bytes, node);
	if (!pool->mem)
		return -ENOMEM;
	memset(pool->mem, 0, bytes);
	return 0;
}

static void
heads_free(struct skb_pool *pool)
{
	if (pool->numa)
		numa_free(pool->mem, pool->n * sizeof(struct skb));
	else
		free(pool->mem);
}

static int
heads_seed(struct skb_pool *pool)
{
	void *batch[SEED_BATCH];

	for (uint32_t done = 0; done < pool->n;) {
		const uint32_t n = RTE_MIN(SEED_BATCH, pool->n - done);

		for (uint32_t i = 0; i < n; i++)
			batch[i] = &pool->mem[done + i];

		const int ret = magazine_pool_seed(pool->heads, batch, n);

		if (ret < 0)
			return ret;
		done += n;
	}
	return 0;
}

int
skb_pool_create(const char *name, uint32_t n, uint32_t size, int node, struct skb_pool **pool)
{
	const struct magazine_conf conf = {.name = name, .population = n, .size = size, .node = node};
	struct skb_pool *p = calloc(1, sizeof(*p));
	int ret;

	if (!p)
		return -ENOMEM;
	ret = magazine_pool_create(&conf, &p->heads);
	if (ret < 0)
		goto free_pool;
	ret = heads_alloc(p, n, node);
	if (ret < 0)
		goto destroy_magazines;
	ret = heads_seed(p);
	if (ret < 0)
		goto free_heads;
	*pool = p;
	return 0;

free_heads:
	heads_free(p);
destroy_magazines:
	magazine_pool_destroy(p->heads);
free_pool:
	free(p);
	return ret;
}

void
skb_pool_destroy(struct skb_pool *pool)
{
	if (!pool)
		return;
	magazine_pool_destroy(pool->heads);
	heads_free(pool);
	free(pool);
}

struct magazine_pool *
skb_pool_heads(struct skb_pool *pool)
{
	return pool->heads;
}

void
skb_cpu_init(struct skb_cpu *cpu, struct skb_pool *pool, struct rte_mempool *data, unsigned int lcore)
{
	*cpu = (struct skb_cpu){.heads = pool->heads, .data = data, .lcore = lcore};
}
