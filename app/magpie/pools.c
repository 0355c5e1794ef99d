/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for packets: one pool of data buffers per NUMA node that has ports, one of heads, and the road to the control
 * thread.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include "magazine.h"
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

static void
early_completion_put(void *heads, void *const *mbufs, unsigned int n)
{
	skb_owner_put_hook(NULL, mbufs, n);
	skb_early_put(heads, mbufs, n);
}

/*
 * --build early: a head is bound to each data buffer as it leaves the pool. --complete completion: who was charged for it is
 * released as it comes back.
 */
static enum outcome
hooks_set(struct router *router, struct rte_mempool *pool)
{
	const bool early = router->options.build == BUILD_EARLY;
	const bool completion = router->options.complete == COMPLETE_COMPLETION;
	struct mempool_magazine_hooks hooks = {.arg = router->heads};

	if (early)
		hooks = (struct mempool_magazine_hooks){
			.on_get = skb_early_get, .on_put = skb_early_put, .arg = router->heads};
	if (completion)
		hooks.on_put = early ? early_completion_put : skb_owner_put_hook;
	if ((!early && !completion) || mempool_magazine_set_hooks(pool, &hooks) == 0)
		return GO_ON;
	return complain_about(&router->options.from[OPTION_POOL_OPS], router->options.pool_ops, "magazine");
}

/* A place in the mbuf for the charge. */
static enum outcome
charges_make(const struct router *router)
{
	const int ret = router->options.complete == COMPLETE_COMPLETION ? skb_owner_defer_init() : 0;

	if (ret == 0)
		return GO_ON;
	return fault("no place in the mbufs for what is charged: %s. Run: magpie ... --complete orphan",
		rte_strerror(-ret));
}

/*
 * As rte_pktmbuf_pool_create_by_ops(), but for the flag: where an IO address is a virtual one, buffers may lie side by side across
 * pages. Without hugepages they would otherwise take 4 kB each. Returns NULL when memory is short.
 */
static struct rte_mempool *
pool_create(const char *name, const struct options *options, const struct pool_plan *plan)
{
	struct rte_pktmbuf_pool_private geometry = {
		.mbuf_data_room_size = (uint16_t)(RTE_PKTMBUF_HEADROOM + options->data_room),
		.mbuf_priv_size = options->build == BUILD_EARLY ? SKB_EARLY_PRIV_SIZE : 0};
	const unsigned int size =
		sizeof(struct rte_mbuf) + geometry.mbuf_priv_size + geometry.mbuf_data_room_size;
	const unsigned int flags = rte_eal_iova_mode() == RTE_IOVA_VA ? RTE_MEMPOOL_F_NO_IOVA_CONTIG : 0;
	struct rte_mempool *pool = rte_mempool_create_empty(
		name, plan->population, size, options->pool_cache, sizeof(geometry), plan->node, flags);

	if (pool == NULL)
		return NULL;
	if (rte_mempool_set_ops_byname(pool, options->pool_ops, NULL) == 0) {
		rte_pktmbuf_pool_init(pool, &geometry);
		if (rte_mempool_populate_default(pool) > 0) {
			rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
			return pool;
		}
	}
	rte_mempool_free(pool);
	return NULL;
}

/* The EAL takes what memory it gets. */
static void
placement_warn(struct rte_mempool *pool)
{
	struct placement placement;

	if (mempool_magazine_placement(pool, &placement) == 0 && placement.misplaced > 0)
		warn("pool %s: %u of %u pages are not on node %d but on node %d or others, distance %d. Run: "
		     "echo 512 > "
		     "/sys/devices/system/node/node%d/hugepages/hugepages-2048kB/nr_hugepages",
			pool->name, placement.misplaced, placement.pages, pool->socket_id, placement.worst,
			placement_distance(pool->socket_id, placement.worst), pool->socket_id);
}

static enum outcome
pool_make(struct router *router, unsigned int i)
{
	const struct options *options = &router->options;
	const struct pool_plan *plan = &router->plan.pools[i];
	char name[RTE_MEMPOOL_NAMESIZE], what[64];

	snprintf(name, sizeof(name), "data%u", i);
	snprintf(what, sizeof(what), "%u data buffers on node %d", plan->population, plan->node);
	mempool_magazine_set_size(options->magazine);
	mempool_magazine_set_size_max(plan->sizing.size);
	router->pools[i] = pool_create(name, options, plan);
	if (router->pools[i] == NULL)
		return memory_fault(what);
	router->magazines[i] = mempool_magazine_pool(router->pools[i]);
	placement_warn(router->pools[i]);
	return hooks_set(router, router->pools[i]);
}

/* A driver that registers the pool's memory as one piece would lose packets without a word. */
static enum outcome
packing_check(const struct plan *plan)
{
	for (unsigned int id = 0; id < plan->n_ports; id++)
		if (plan->ports[id].packed && rte_eal_iova_mode() != RTE_IOVA_VA)
			return fault("port %s: %s needs buffers that lie side by side. Run: magpie "
				     "--iova-mode=va ...",
				plan->ports[id].name, plan->ports[id].driver);
	return GO_ON;
}

/* For developers: what lib/magazine takes from the environment. */
static enum outcome
environment_check(void)
{
	const char *name;
	const int ret = magazine_environment_check(&name);
	const struct origin nowhere = {0};

	if (ret == -ENOTSUP)
		return complain_about(&nowhere, name,
			"no such variable: this build has no faults, see meson configure -Db_ndebug=false");
	if (ret < 0)
		return complain_about(&nowhere, getenv(name), "for %s what lib/magazine/%s says", name,
			strcmp(name, "MAGAZINE_FAULT") == 0 ? "fault.h" : "debug.h");
	return GO_ON;
}

enum outcome
pools_start(struct router *router)
{
	enum outcome outcome = environment_check();

	if (outcome == GO_ON)
		outcome = packing_check(&router->plan);
	if (outcome == GO_ON)
		outcome = charges_make(router);
	if (outcome == GO_ON)
		outcome = heads_make(router);
	for (unsigned int i = 0; i < router->plan.n_pools && outcome == GO_ON; i++)
		outcome = pool_make(router, i);
	if (outcome != GO_ON)
		return outcome;
	/* as many bytes as its places take when each packet has one buffer: so many buffers the pool has for it */
	if (punt_init(&router->punt, router->plan.pools[0].node,
		    router->options.complete == COMPLETE_NONE ? 0 : packet_truesize(&router->options)) != 0)
		return memory_fault("the rings to the control thread");
	return GO_ON;
}

static void
pool_free(struct router *router, unsigned int i)
{
	const struct mempool_magazine_hooks none = {0};
	const uint32_t spared = ports_forgotten_max(router->plan.ports, router->plan.n_ports);

	if (router->pools[i] == NULL)
		return;
	if (rte_mempool_avail_count(router->pools[i]) + spared < router->pools[i]->size)
		router->unbalanced = true;
	/* rte_mempool_free() gets every buffer once more; none of them is for a packet */
	if (router->magazines[i] != NULL)
		mempool_magazine_set_hooks(router->pools[i], &none);
	rte_mempool_free(router->pools[i]);
}

void
pools_end(struct router *router)
{
	punt_fini(&router->punt);
	for (unsigned int i = router->plan.n_pools; i-- > 0;)
		pool_free(router, i);
	skb_pool_destroy(router->heads);
}
