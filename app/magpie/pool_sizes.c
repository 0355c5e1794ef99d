/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many data buffers and heads there must be: the equation of sizing.h with this plan's numbers. Refusing to start
 * is cheaper than finding out under load that one lcore starves the others.
 *
 *   heads, late or lazy:  lcores * (3 * burst + 4 * M) + the road to control and back + what control holds; a burst of packets that
 *                         are cut into fragments, as many times as there may be of each
 *   heads, early:         the same + every data buffer, for each has one while a ring holds it
 *
 * Where a packet may be several buffers (k for the largest MTU), k for each packet in a hand-off ring and in flight, on the way
 * back from control and held there, and in TX rings whose descriptors hold packets; not in the rings to control, if their owners count
 * what is in them. A mirror port's packet holds one more, its first buffer being an indirect one; and each lcore has a burst of
 * copies in flight, with heads. A packet in pieces of which a copy was made as it came in (rx) shows its fragments by indirect buffers
 * from then on: two for each. So does a fragment of an IPv4 packet, behind a header of its own.
 *
 * What control holds is a part of the pool, of which the population must be known first; it grows by less than the
 * population does, so the least population that holds everything is found by trying again with what was missing.
 */
#include <errno.h>
#include <string.h>

#include <rte_ip.h>

#include "placement.h"
#include "plan.h"

#define POOL_HELP_MAX (1u << 30)

/* What control may hold: so many packets, and no more than this of a pool's buffers. Together less than 5 %. */
#define HOLD_MAX          1024u
#define HOLD_PERMILLE     40u
#define FRAGMENT_MAX      128u
#define FRAGMENT_PERMILLE 9u

#define CONTROL_BURST 64u /* packets in control's hands */

/* Buffers of the largest frame, over all ports. */
static uint32_t
buffers_max(const struct options *options, const struct plan *plan)
{
	uint32_t max = 1;

	for (unsigned int id = 0; id < plan->n_ports; id++)
		if (plan->ports[id].n_rxq > 0)
			max = RTE_MAX(max, port_frame_buffers(plan->ports[id].mtu, options->data_room));
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
has_doubles(const struct options *options, const struct plan *plan)
{
	for (unsigned int id = 0; id < plan->n_ports; id++)
		if (plan->policy[id].mirror_rx != MIRROR_NONE && buffers_max(options, plan) > 1)
			return true;
	return false;
}

/* A packet, wherever it is. */
static uint32_t
widest(const struct options *options, const struct plan *plan)
{
	return buffers_max(options, plan) * (1u + has_doubles(options, plan));
}

/* A packet that leaves by the port. */
static uint32_t
packet_buffers(const struct options *options, const struct plan *plan, unsigned int id)
{
	const struct port *port = &plan->ports[id];
	const uint32_t segments = port_frame_buffers(port->mtu, options->data_room);
	uint32_t buffers = has_doubles(options, plan) ? 2 * segments - 1 : segments;

	/* a header, and bytes from one buffer more than they would fill */
	if (port->fragments)
		buffers = RTE_MAX(buffers, 1 + 2 * (segments + (buffers_max(options, plan) > 1)));
	return buffers + is_mirror(plan, id);
}

/* What is in the port's TX descriptors and on its way to them. */
static void
egress_add(
	const struct options *options, const struct plan *plan, unsigned int id, struct sizing_demand *demand)
{
	const struct port *port = &plan->ports[id];
	const bool shown = port->fragments || has_doubles(options, plan);
	const uint32_t segment = 1u + shown + is_mirror(plan, id);
	const uint32_t slot = port->whole ? packet_buffers(options, plan, id) : segment;

	demand->txd += (uint32_t)port->n_txq * port->txd * slot;
	if (port->shared)
		demand->handoff += PORT_HANDOFF_SIZE * packet_buffers(options, plan, id);
}

/* The largest number of fragments that a packet of mtu_max bytes becomes on its way out by a port of mtu. */
static uint32_t
fragments_of(uint32_t mtu_max, uint32_t mtu)
{
	const uint32_t payload = (mtu - (uint32_t)sizeof(struct rte_ipv4_hdr)) & ~7u; /* RFC 791 3.2 */

	return mtu >= mtu_max ? 0 : (mtu_max - (uint32_t)sizeof(struct rte_ipv4_hdr) + payload - 1) / payload;
}

static uint32_t
mtu_max(const struct plan *plan)
{
	uint32_t max = 0;

	for (unsigned int id = 0; id < plan->n_ports; id++)
		if (plan->ports[id].n_rxq > 0)
			max = RTE_MAX(max, (uint32_t)plan->ports[id].mtu);
	return max;
}

/* Fragments that an lcore may have made of a burst: heads; and their headers and what shows, or is, their payload: buffers. */
static void
cutting_find(const struct options *options, const struct plan *plan, uint32_t *heads, uint32_t *buffers)
{
	*heads = *buffers = 0;
	for (unsigned int id = 0; id < plan->n_ports; id++) {
		const struct port *port = &plan->ports[id];

		if (port->n_rxq == 0)
			continue;

		const uint32_t n = options->burst * fragments_of(mtu_max(plan), port->mtu);
		const uint32_t each = port_frame_buffers(port->mtu, options->data_room) + 1 +
				      (buffers_max(options, plan) > 1);

		*heads = RTE_MAX(*heads, n);
		*buffers = RTE_MAX(*buffers, n * each);
	}
}

/* The road to control and back. Bytes are counted on the way there, unless nobody is charged. */
static uint32_t
road_buffers(const struct options *options, const struct plan *plan)
{
	const uint32_t there =
		options->complete == COMPLETE_NONE ? widest(options, plan) : 1u + has_doubles(options, plan);

	return PUNT_N_CLASSES * PUNT_RING_SIZE * there + PUNT_RING_SIZE * widest(options, plan);
}

/* Packets that control may hold of a pool: at most max, and permille of its buffers. */
static uint32_t
held_packets(uint32_t max, uint32_t permille, uint32_t population, uint32_t packet)
{
	return (uint32_t)RTE_MIN((uint64_t)max, (uint64_t)population * permille / 1000 / packet);
}

static uint32_t
held_buffers(uint32_t population, uint32_t packet)
{
	return packet * held_packets(HOLD_MAX, HOLD_PERMILLE, population, packet) +
	       held_packets(FRAGMENT_MAX * packet, FRAGMENT_PERMILLE, population, 1);
}

/* A TX ring or a hand-off may hold buffers of any pool, an RX ring only those of its own. Without what control holds. */
static struct sizing_demand
pool_demand(const struct options *options, const struct plan *plan, unsigned int pool)
{
	struct magazine_topology topology;
	uint32_t cut_heads, cut_buffers;

	placement_topology(&topology);
	cutting_find(options, plan, &cut_heads, &cut_buffers);

	struct sizing_demand demand = {.handoff = road_buffers(options, plan),
		.burst = options->burst * widest(options, plan),
		.n_lcores = plan->n_lcores,
		.n_nodes = topology.n_nodes,
		.mempool_cache = options->pool_cache};

	for (unsigned int id = 0; id < plan->n_ports; id++) {
		const struct port *port = &plan->ports[id];

		if (port->n_rxq == 0)
			continue;
		if (plan->port_pool[id] == pool)
			demand.rxd += (uint32_t)port->n_rxq * port->rxd;
		egress_add(options, plan, id, &demand);
	}
	demand.handoff += plan->n_lcores * cut_buffers;
	if (plan->mirrors)
		demand.handoff += plan->n_lcores * options->burst * widest(options, plan);
	return demand;
}

/* The least population that fits, control's part of it in demand->handoff. */
static uint64_t
population_least(struct sizing_demand *demand, uint32_t size, uint32_t packet)
{
	const uint32_t handoff = demand->handoff;
	struct sizing sizing;
	uint64_t least = 0;

	do {
		demand->handoff =
			handoff + held_buffers((uint32_t)RTE_MIN(least, (uint64_t)UINT32_MAX), packet);
		sizing_check(demand, size, 0, &sizing);
		least = RTE_MAX(least, sizing.want);
	} while (handoff + held_buffers((uint32_t)RTE_MIN(least, (uint64_t)UINT32_MAX), packet) !=
		 demand->handoff);
	return least;
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
	struct sizing_demand demand = pool_demand(options, plan, i);
	const uint32_t handoff = demand.handoff, packet = widest(options, plan);
	struct pool_plan *pool = &plan->pools[i];
	const bool magazines = strcmp(options->pool_ops, "magazine") == 0;
	const bool adaptive = magazines && options->magazine == 0;
	uint32_t size = magazines ? options->magazine : 0;
	const uint64_t least = population_least(&demand, adaptive ? MAGAZINE_ROUNDS_DEFAULT : size, packet);

	pool->population = options->pool_size;
	/* 2^n - 1 is what costs a ring-based mempool least. */
	if (pool->population == 0 && least < POOL_HELP_MAX)
		pool->population = rte_align32pow2((uint32_t)least + 1) - 1;
	demand.handoff = handoff + held_buffers(pool->population, packet);
	/* no lcore starves another one, however large M grows */
	if (adaptive)
		size = RTE_MAX(
			sizing_fit(&demand, MAGAZINE_ROUNDS_MAX, pool->population), MAGAZINE_ROUNDS_MIN);
	if (sizing_check(&demand, size, pool->population, &pool->sizing) == 0)
		return GO_ON;
	/* what there would be in a pool that is just large enough */
	demand.handoff = handoff;
	population_least(&demand, size, packet);
	sizing_check(&demand, size, pool->population, &pool->sizing);
	return pool_too_small(options, &pool->sizing);
}

/* The smallest pool tells how much may be held. */
static void
held_plan(const struct options *options, struct plan *plan)
{
	const uint32_t packet = widest(options, plan);

	plan->hold_max = HOLD_MAX;
	plan->fragment_bufs_max = FRAGMENT_MAX * packet;
	for (unsigned int i = 0; i < plan->n_pools; i++) {
		const uint32_t population = plan->pools[i].population;

		plan->hold_max = held_packets(plan->hold_max, HOLD_PERMILLE, population, packet);
		plan->fragment_bufs_max =
			held_packets(plan->fragment_bufs_max, FRAGMENT_PERMILLE, population, 1);
	}
}

enum outcome
pool_sizes_plan(const struct options *options, struct plan *plan)
{
	enum outcome outcome = GO_ON;
	uint32_t cut_heads, cut_buffers;

	for (unsigned int i = 0; i < plan->n_pools && outcome == GO_ON; i++) {
		outcome = pool_size_plan(options, plan, i);
		if (options->build == BUILD_EARLY)
			plan->n_heads += plan->pools[i].population;
	}
	held_plan(options, plan);
	/* heads live from RX to TX on one lcore: nothing to adapt to */
	plan->magazine = options->magazine == 0 ? MAGAZINE_ROUNDS_DEFAULT : options->magazine;
	cutting_find(options, plan, &cut_heads, &cut_buffers);
	plan->n_heads +=
		plan->n_lcores * ((3u + plan->mirrors) * options->burst + 4 * plan->magazine + cut_heads) +
		PUNT_PACKETS_MAX + plan->hold_max + RTE_MIN(plan->fragment_bufs_max, FRAGMENT_MAX) +
		CONTROL_BURST;
	return outcome;
}
