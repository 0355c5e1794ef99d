/* SPDX-License-Identifier: BSD-3-Clause */
/* What will be done with the machine: numbers only, nothing is configured yet. */
#ifndef PLAN_H
#define PLAN_H

#include <stdint.h>

#include <rte_ethdev.h>
#include <rte_lcore.h>

#include "options.h"
#include "port.h"
#include "punt.h"
#include "sizing.h"

/* What a packet of one data buffer is charged with: skb.truesize. */
static inline uint32_t
buffer_truesize(const struct options *options)
{
	return (uint32_t)sizeof(struct rte_mbuf) + RTE_PKTMBUF_HEADROOM + options->data_room;
}

static inline uint32_t
packet_truesize(const struct options *options)
{
	return (uint32_t)sizeof(struct skb) + buffer_truesize(options);
}

#define MAP_MAX (RTE_MAX_ETHPORTS * PORT_QUEUES_MAX)

/* The data buffers of one NUMA node. */
struct pool_plan {
	int node; /* to allocate on; SOCKET_ID_ANY where the machine has no say */
	uint32_t population;
	struct sizing sizing; /* sizing.size is the largest M, 0 when the ops are not ours */
};

struct plan {
	uint16_t lcores[RTE_MAX_LCORE]; /* the workers; a worker's index is its place here */
	unsigned int n_lcores;
	struct port_rxq map[MAP_MAX];
	unsigned int n_map;
	struct port ports[RTE_MAX_ETHPORTS]; /* by ethdev id; n_rxq 0: not ours */
	unsigned int n_ports;                /* the highest id + 1 */
	struct port_policy policy[RTE_MAX_ETHPORTS];
	bool mirrors;                        /* some port has one */
	uint8_t port_pool[RTE_MAX_ETHPORTS]; /* which of pools a port receives into */
	struct pool_plan pools[RTE_MAX_NUMA_NODES];
	unsigned int n_pools;
	uint32_t magazine; /* M of the heads */
	uint32_t n_heads;
	uint32_t hold_max;          /* packets that may wait for MAC addresses */
	uint32_t fragment_bufs_max; /* data buffers of fragments for us that may wait for others */
};

/* Limits and mirrors of the ports that are planned. GO_ON or BAD_INPUT (said). */
enum outcome policy_plan(const struct options *options, struct plan *plan);

/* Sizes of pools and heads, from the ports that are planned. GO_ON or BAD_INPUT (said). */
enum outcome pool_sizes_plan(const struct options *options, struct plan *plan);

#endif
