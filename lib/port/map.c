/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default map of RX queues to workers. A queue goes to the worker that has the
 * fewest so far, among those on the port's NUMA node; if there are none, among all.
 * With equal ports that is round robin.
 */
#include <assert.h>
#include <errno.h>

#include <rte_lcore.h>

#include "port.h"
#include "port_priv.h"

/* The workers and how many queues each has been given. */
struct spread {
	const uint16_t *lcores;
	unsigned int n_lcores;
	unsigned int load[RTE_MAX_LCORE];
};

static bool
on_node(const struct spread *s, unsigned int i, int node)
{
	return node == SOCKET_ID_ANY || (int)rte_lcore_to_socket_id(s->lcores[i]) == node;
}

static unsigned int
count_on_node(const struct spread *s, int node)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < s->n_lcores; i++)
		n += on_node(s, i, node);
	return n;
}

static uint16_t
least_loaded(struct spread *s, int node)
{
	unsigned int best = RTE_MAX_LCORE;

	for (unsigned int i = 0; i < s->n_lcores; i++)
		if (on_node(s, i, node) && (best == RTE_MAX_LCORE || s->load[i] < s->load[best]))
			best = i;
	s->load[best]++;
	return s->lcores[best];
}

static unsigned int
queues_of(const struct rte_eth_dev_info *info, unsigned int n_workers)
{
	unsigned int n = 1;

	switch (port_quirk_find(info->driver_name)->rxq) {
	case PORT_RXQ_ONE: break;
	case PORT_RXQ_ALL: n = info->max_rx_queues; break;
	case PORT_RXQ_RSS:
		if (info->flow_type_rss_offloads & PORT_RSS_WANTED)
			n = n_workers;
		break;
	}
	n = RTE_MIN(n, (unsigned int)PORT_QUEUES_MAX);
	return RTE_MIN(n, (unsigned int)info->max_rx_queues);
}

int
port_map_default(const uint16_t *lcores, unsigned int n_lcores, struct port_rxq *map, unsigned int max,
	unsigned int *n)
{
	struct spread spread = {.lcores = lcores, .n_lcores = n_lcores};
	uint16_t id;

	assert(n_lcores > 0 && n_lcores <= RTE_MAX_LCORE);
	*n = 0;
	RTE_ETH_FOREACH_DEV (id) {
		struct rte_eth_dev_info info;
		int node = rte_eth_dev_socket_id(id);

		if (rte_eth_dev_info_get(id, &info) != 0)
			continue;
		if (count_on_node(&spread, node) == 0)
			node = SOCKET_ID_ANY;

		const unsigned int n_queues = queues_of(&info, count_on_node(&spread, node));

		if (n_queues > max - *n)
			return -ENOSPC;
		for (uint16_t queue = 0; queue < n_queues; queue++)
			map[(*n)++] = (struct port_rxq){id, queue, least_loaded(&spread, node)};
	}
	return 0;
}
