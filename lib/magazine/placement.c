/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The EAL asks for memory on a node and usually gets it; where it does not (no hugepages
 * left there, --no-huge, a container's cpuset), nothing says so. The kernel knows.
 */
#include "placement.h"

#include <errno.h>
#include <numa.h>
#include <stdbool.h>

#define BATCH 512u

static bool
numa_there(void)
{
	return numa_available() >= 0;
}

static void
page_count(struct placement *placement, int status, int node)
{
	placement->pages++;
	if (status < 0) {
		placement->unknown++;
	} else if (node >= 0 && status != node) {
		placement->misplaced++;
		placement->worst = status;
	}
}

int
placement_audit(const void *mem, size_t bytes, size_t page_bytes, int node, struct placement *placement)
{
	const uintptr_t end = (uintptr_t)mem + bytes;
	uintptr_t page = RTE_ALIGN_FLOOR((uintptr_t)mem, page_bytes);
	void *pages[BATCH];
	int status[BATCH];

	if (placement->misplaced == 0)
		placement->worst = -1;
	while (page < end) {
		uint32_t n = 0;

		for (; n < BATCH && page < end; n++, page += page_bytes)
			pages[n] = (void *)page;
		for (uint32_t i = 0; i < n; i++)
			status[i] = -ENOENT;
		/* without a list of nodes nothing moves: it only tells */
		if (numa_there() && numa_move_pages(0, n, pages, NULL, status, 0) < 0)
			for (uint32_t i = 0; i < n; i++)
				status[i] = -ENOENT;
		for (uint32_t i = 0; i < n; i++)
			page_count(placement, status[i], node);
	}
	return numa_there() ? 0 : -ENOTSUP;
}

int
placement_distance(int from, int to)
{
	if (from < 0 || to < 0 || !numa_there())
		return 0;
	return numa_distance(from, to);
}

void
placement_topology(struct magazine_topology *topology)
{
	*topology = (struct magazine_topology){.n_nodes = 1};
	if (!numa_there() || numa_max_node() < 1 || numa_max_node() >= MAGAZINE_NODES_MAX)
		return;
	topology->n_nodes = (uint32_t)numa_max_node() + 1;
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
		const unsigned int node = rte_lcore_to_socket_id(lcore);

		topology->node_of[lcore] = node < topology->n_nodes ? (uint8_t)node : 0;
	}
	for (uint32_t i = 0; i < topology->n_nodes; i++)
		for (uint32_t k = 0; k < topology->n_nodes; k++)
			topology->distance[i][k] = (uint8_t)RTE_MIN(numa_distance((int)i, (int)k), UINT8_MAX);
}
