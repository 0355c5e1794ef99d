/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many data buffers and heads there must be: the equation of sizing.h with this plan's numbers. Refusing to start
 * is cheaper than finding out under load that one lcore starves the others.
 *
 *   heads, late or lazy:  lcores * (3 * burst + 4 * M) + punt ring
 *   heads, early:         the same + every data buffer, for each has one while a ring holds it
 *
 * Where a packet may be several buffers (k for the largest MTU), k for each packet in a hand-off ring and in flight, and
 * in TX rings whose descriptors hold packets; not in the punt ring, if its owner counts what is in it. A mirror
 * port's packet holds one more, its first buffer being an indirect one; and each lcore has a burst of copies in flight, with heads.
 * A packet in pieces of which a copy was made as it came in (rx) shows its fragments by indirect buffers from then on: two for each.
 */
#include <errno.h>
#include <string.h>

#include "placement.h"
#include "plan.h"

#define POOL_HELP_MAX (1u << 30)

/* Buffers of the largest frame, over all ports. */
static uint32_t
buffers_max(const struct plan *plan)
{
	uint32_t max = 1;

	for (unsigned int id = 0; id < plan->n_ports; id++)
		if (plan->ports[id].n_rxq > 0)
			max = RTE_MAX(max, port_frame_buffers(plan->ports[id].mtu, DATA_ROOM));
	return max;
}

static bool
is_mirror(const struct plan *plan, unsigned int id)
{
	for (unsigned int i = 0; i < plan->n_ports; i++)
		if (plan->policy[i].mirror_rx == id || plan->policy[i].mirror_tx == id)
			return true;
	return false;
}

/* Whether packets in pieces are mirrored as they come in. */
static bool
has_doubles(const struct plan *plan)
{
	for (unsigned int id = 0; id < plan->n_ports; id++)
		if (plan->policy[id].mirror_rx != MIRROR_NONE && buffers_max(plan) > 1)
			return true;
	return false;
}

/* A packet that leaves by the port. */
static uint32_t
packet_buffers(const struct plan *plan, unsigned int id)
{
	const uint32_t segments = port_frame_buffers(plan->ports[id].mtu, DATA_ROOM);

	return (has_doubles(plan) ? 2 * segments - 1 : segments) + is_mirror(plan, id);
}

/* What is in the port's TX descriptors and on its way to them. */
static void
egress_add(const struct plan *plan, unsigned int id, struct sizing_demand *demand)
{
	const struct port *port = &plan->ports[id];
	const uint32_t segment = 1u + has_doubles(plan) + is_mirror(plan, id);
	const uint32_t slot = port->whole ? packet_buffers(plan, id) : segment;

	demand->txd += (uint32_t)port->n_txq * port->txd * slot;
	if (port->shared)
		demand->handoff += PORT_HANDOFF_SIZE * packet_buffers(plan, id);
}

/* A TX ring or a hand-off may hold buffers of any pool, an RX ring only those of its own. */
static struct sizing_demand
pool_demand(const struct options *options, const struct plan *plan, unsigned int pool)
{
	struct magazine_topology topology;

	placement_topology(&topology);

	const uint32_t widest = buffers_max(plan) * (1u + has_doubles(plan));
	struct sizing_demand demand = {
		.handoff = PUNT_RING_SIZE *
			   (options->complete == COMPLETE_NONE ? widest : 1u + has_doubles(plan)),
		.burst = options->burst * widest,
		.n_lcores = plan->n_lcores,
		.n_nodes = topology.n_nodes,
		.mempool_cache = options->pool_cache};

	for (unsigned int id = 0; id < plan->n_ports; id++) {
		const struct port *port = &plan->ports[id];

		if (port->n_rxq == 0)
			continue;
		if (plan->port_pool[id] == pool)
			demand.rxd += (uint32_t)port->n_rxq * port->rxd;
		egress_add(plan, id, &demand);
	}
	if (plan->mirrors)
		demand.handoff += plan->n_lcores * options->burst * widest;
	return demand;
}

static enum outcome
pool_too_small(const struct options *options, const struct sizing *need)
{
	const struct origin *from = &options->from[OPTION_POOL_SIZE];
	char found[16];

	snprintf(found, sizeof(found), "%u", need->have);
	return complain_about(from, found,
		"at least %lu (%u in rings + %u handed over + %u in flight + %u in caches + %u in reserve): "
		"set "
		"--pool-size %lu",
		need->want, need->rings, need->handoff, need->in_flight, need->private_max, need->reserve,
		need->want);
}

static enum outcome
pool_size_plan(const struct options *options, struct plan *plan, unsigned int i)
{
	const struct sizing_demand demand = pool_demand(options, plan, i);
	struct pool_plan *pool = &plan->pools[i];
	const bool magazines = strcmp(options->pool_ops, "magazine") == 0;
	const bool adaptive = magazines && options->magazine == 0;
	uint32_t size = magazines ? options->magazine : 0;

	sizing_check(&demand, adaptive ? MAGAZINE_ROUNDS_DEFAULT : size, 0, &pool->sizing);
	pool->population = options->pool_size;
	/* 2^n - 1 is what costs a ring-based mempool least. */
	if (pool->population == 0 && pool->sizing.want < POOL_HELP_MAX)
		pool->population = rte_align32pow2((uint32_t)pool->sizing.want + 1) - 1;
	/* no lcore starves another one, however large M grows */
	if (adaptive)
		size = RTE_MAX(
			sizing_fit(&demand, MAGAZINE_ROUNDS_MAX, pool->population), MAGAZINE_ROUNDS_MIN);
	return sizing_check(&demand, size, pool->population, &pool->sizing) == 0
		       ? GO_ON
		       : pool_too_small(options, &pool->sizing);
}

enum outcome
pool_sizes_plan(const struct options *options, struct plan *plan)
{
	enum outcome outcome = GO_ON;

	for (unsigned int i = 0; i < plan->n_pools && outcome == GO_ON; i++) {
		outcome = pool_size_plan(options, plan, i);
		if (options->build == BUILD_EARLY)
			plan->n_heads += plan->pools[i].population;
	}
	/* heads live from RX to TX on one lcore: nothing to adapt to */
	plan->magazine = options->magazine == 0 ? MAGAZINE_ROUNDS_DEFAULT : options->magazine;
	plan->n_heads += plan->n_lcores * ((3u + plan->mirrors) * options->burst + 4 * plan->magazine) +
			 PUNT_RING_SIZE;
	return outcome;
}
