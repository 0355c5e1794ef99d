/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for packets: one pool of data buffers per NUMA node that has ports, one of heads, and the ring to the control
 * thread.
 */
#include <stdio.h>
#include <string.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "memory.h"
#include "mempool_magazine.h"
#include "router.h"

static enum outcome
heads_make(struct router *router)
{
	const struct plan *plan = &router->plan;

	if (skb_pool_create("heads", plan->n_heads, plan->magazine, plan->pools[0].node, &router->heads) != 0)
		return memory_fault("the heads");
	return GO_ON;
}

/* --build early: a head is bound to each data buffer as it leaves the pool. */
static enum outcome
hooks_set(struct router *router, struct rte_mempool *pool)
{
	const struct mempool_magazine_hooks hooks = {
		.on_get = skb_early_get, .on_put = skb_early_put, .arg = router->heads};

	if (router->options.build != BUILD_EARLY || mempool_magazine_set_hooks(pool, &hooks) == 0)
		return GO_ON;
	return complain_about(&router->options.from[OPTION_POOL_OPS], router->options.pool_ops, "magazine");
}

static enum outcome
pool_make(struct router *router, unsigned int i)
{
	const struct options *options = &router->options;
	const struct pool_plan *plan = &router->plan.pools[i];
	const uint16_t private_bytes = options->build == BUILD_EARLY ? SKB_EARLY_PRIV_SIZE : 0;
	char name[RTE_MEMPOOL_NAMESIZE], what[64];

	snprintf(name, sizeof(name), "data%u", i);
	snprintf(what, sizeof(what), "%u data buffers on node %d", plan->population, plan->node);
	mempool_magazine_set_size(plan->sizing.size);
	router->pools[i] = rte_pktmbuf_pool_create_by_ops(name, plan->population, options->pool_cache,
		private_bytes, RTE_PKTMBUF_HEADROOM + DATA_ROOM, plan->node, options->pool_ops);
	if (router->pools[i] == NULL)
		return memory_fault(what);
	router->magazines[i] = mempool_magazine_pool(router->pools[i]);
	return hooks_set(router, router->pools[i]);
}

enum outcome
pools_start(struct router *router)
{
	enum outcome outcome = heads_make(router);

	for (unsigned int i = 0; i < router->plan.n_pools && outcome == GO_ON; i++)
		outcome = pool_make(router, i);
	if (outcome != GO_ON)
		return outcome;
	router->punt = rte_ring_create("punt", PUNT_RING_SIZE, router->plan.pools[0].node, RING_F_SC_DEQ);
	return router->punt == NULL ? memory_fault("the ring to the control thread") : GO_ON;
}

static void
pool_free(struct router *router, unsigned int i)
{
	const struct mempool_magazine_hooks none = {0};

	if (router->pools[i] == NULL)
		return;
	if (!rte_mempool_full(router->pools[i]))
		router->unbalanced = true;
	/* rte_mempool_free() gets every buffer once more; none of them is for a packet */
	if (router->magazines[i] != NULL)
		mempool_magazine_set_hooks(router->pools[i], &none);
	rte_mempool_free(router->pools[i]);
}

void
pools_end(struct router *router)
{
	rte_ring_free(router->punt);
	for (unsigned int i = router->plan.n_pools; i-- > 0;)
		pool_free(router, i);
	skb_pool_destroy(router->heads);
}
