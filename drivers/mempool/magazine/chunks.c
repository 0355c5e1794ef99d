/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the memory of a mempool's objects is, piece by piece: where it should be, by what the EAL says of its
 * segments, for the pool; and where it really is, by what the kernel says of its pages, for people.
 */
#include <errno.h>
#include <unistd.h>

#include <rte_memory.h>
#include <rte_mempool.h>

#include "magazine.h"
#include "mempool_magazine.h"
#include "mempool_magazine_priv.h"

void
mempool_magazine_chunk_add(struct magazine_pool *pool, const void *mem, size_t bytes)
{
	const struct rte_memseg *segment = rte_mem_virt2memseg(mem, NULL);

	if (pool->n_nodes == 1 || !segment || segment->socket_id < 0 ||
		(uint32_t)segment->socket_id >= pool->n_nodes)
		return;
	/* -ENOSPC: more pieces than the pool has room for. Those that are left out count as at home on the pool's node. */
	(void)magazine_pool_range(pool, mem, bytes, (uint32_t)segment->socket_id);
}

struct placement_walk {
	struct placement *placement;
	int node;
	int ret;
};

static void
chunk_audit(struct rte_mempool *mp, void *arg, struct rte_mempool_memhdr *chunk, unsigned int index)
{
	const struct rte_memseg *segment = rte_mem_virt2memseg(chunk->addr, NULL);
	const size_t page = segment ? (size_t)segment->hugepage_sz : (size_t)sysconf(_SC_PAGESIZE);
	struct placement_walk *walk = arg;

	if (placement_audit(chunk->addr, chunk->len, page, walk->node, walk->placement) < 0)
		walk->ret = -ENOTSUP;
}

int
mempool_magazine_placement(struct rte_mempool *mp, struct placement *placement)
{
	struct placement_walk walk = {.placement = placement, .node = mp->socket_id};

	*placement = (struct placement){.worst = -1};
	rte_mempool_mem_iter(mp, chunk_audit, &walk);
	return walk.ret;
}
