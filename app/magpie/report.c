/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan in words, for --check; and at every start the warnings about it, which are things that work but cost. */
#include <inttypes.h>
#include <stdio.h>

#include "placement.h"
#include "router.h"
#include "values.h"

#define ICMP_BURST_MIN 32u /* as the workers' buckets */

static const char *
node_text(int node, char room[16])
{
	if (node == SOCKET_ID_ANY)
		return "any";
	snprintf(room, 16, "%d", node);
	return room;
}

static void
offloads_print(const char *which, uint64_t offloads, const char *(*name)(uint64_t bit))
{
	printf(", %s offloads", which);
	if (offloads == 0)
		printf(" none");
	for (unsigned int bit = 0; bit < 64; bit++)
		if ((offloads >> bit & 1) != 0)
			printf(" %s", name(UINT64_C(1) << bit));
}

static void
frames_print(const struct port *port, uint32_t data_room)
{
	const uint32_t buffers = port_frame_buffers(port->mtu, data_room);

	printf("  frames of %s%u buffer%s%s%s\n", buffers > 1 ? "up to " : "", buffers,
		buffers > 1 ? "s" : "",
		port->linear                   ? ", sends from one only"
		: port->chains && buffers == 1 ? ", more may arrive"
					       : "",
		port->fragments ? "; larger IPv4 packets leave in fragments that share their buffers" : "");
}

static void
port_print(const struct router *router, const struct port *port)
{
	const struct ip_addr *link_local = &router->link_local[port->id];
	char mac[RTE_ETHER_ADDR_FMT_SIZE], node[16], room[ADDRESS_TEXT_LEN];

	rte_ether_format_addr(mac, sizeof(mac), &port->mac);
	printf("port %u: %s, driver %s, MAC %s, MTU %u, node %s\n", port->id, port->name, port->driver, mac,
		port->mtu, node_text(port->node, node));
	printf("  %u RX queue%s of %u, %u TX queue%s of %u", port->n_rxq, port->n_rxq == 1 ? "" : "s",
		port->rxd, port->n_txq, port->n_txq == 1 ? "" : "s", port->txd);
	offloads_print("RX", port->rx_offloads, rte_eth_dev_rx_offload_name);
	offloads_print("TX", port->tx_offloads, rte_eth_dev_tx_offload_name);
	printf("\n  link by %s%s\n", port->lsc ? "interrupt and polling" : "polling",
		port->shared ? ", shared: its owner transmits for the other workers" : "");
	frames_print(port, router->options.data_room);
	if (link_local->family != 0)
		printf("  link-local address %s\n", address_text(link_local, room));
}

static void
policy_print(const struct port_policy *policy)
{
	if (policy->owner_limit > 0)
		printf("  at most %" PRIu64 " bytes of memory for its packets\n", policy->owner_limit);
	if (policy->mirror_rx != MIRROR_NONE)
		printf("  copies of what it receives leave by port %u\n", policy->mirror_rx);
	if (policy->mirror_tx != MIRROR_NONE)
		printf("  copies of what it sends leave by port %u\n", policy->mirror_tx);
}

static void
map_print(const struct plan *plan)
{
	for (unsigned int i = 0; i < plan->n_map; i++) {
		const struct port_rxq *rxq = &plan->map[i];
		const int lcore_node = (int)rte_lcore_to_socket_id(rxq->lcore);
		const int port_node = plan->ports[rxq->port].node;
		const int pool_node = plan->pools[plan->port_pool[rxq->port]].node;

		printf("queue: port %u queue %u -> lcore %u (node %d), pool on node %d; distance to port %d, "
		       "to pool %d\n",
			rxq->port, rxq->queue, rxq->lcore, lcore_node, pool_node,
			placement_distance(lcore_node, port_node), placement_distance(lcore_node, pool_node));
	}
}

static void
routes_print(const struct router *router)
{
	struct route_counts counts;

	route_counts(router->routes, &counts);
	printf("tables: %u addresses, %u neighbours, %u configured routes\n", router->options.n_addrs,
		router->options.n_neighs, router->options.n_routes);
	printf("  %u IPv4 and %u IPv6 prefixes, %u adjacencies (%u without a MAC address), %u groups, FIB "
	       "%.1f MB\n",
		counts.routes4, counts.routes6, counts.adjacencies, counts.unresolved, counts.groups,
		(double)counts.fib_bytes / (1 << 20));
}

static void
pool_print(const struct router *router, unsigned int i)
{
	const struct options *options = &router->options;
	const struct pool_plan *pool = &router->plan.pools[i];
	const struct sizing *s = &pool->sizing;

	printf("pool: %u data buffers of %u bytes on node %d, ops %s, mempool cache %u", pool->population,
		options->data_room, pool->node, options->pool_ops, options->pool_cache);
	if (s->size > 0)
		printf(", magazines of %s%u", options->magazine == 0 ? "up to " : "", s->size);
	printf("\n  rings %u + handed over %u + in flight %u + in caches %u + reserve %u = %" PRIu64
	       " <= %u\n",
		s->rings, s->handoff, s->in_flight, s->private_max, s->reserve, s->want, s->have);
}

static void
owners_print(const struct options *options)
{
	static const char *const how[] = {[COMPLETE_ORPHAN] = "released per burst before transmit",
		[COMPLETE_ORPHAN_PACKET] = "released one by one before transmit",
		[COMPLETE_COMPLETION] = "released when their buffers are back",
		[COMPLETE_NONE] = "not charged to anybody"};

	printf("owners: %s, packets are %s", complete_words[options->complete], how[options->complete]);
	if (options->complete != COMPLETE_NONE)
		printf("; at most %" PRIu64 " bytes to the control thread for each of %s, %s and %s",
			(uint64_t)PUNT_RING_SIZE * packet_truesize(options), punt_name(PUNT_HOST),
			punt_name(PUNT_NEIGH), punt_name(PUNT_ERROR));
	printf("\n");
}

static void
control_print(const struct router *router)
{
	const struct options *options = &router->options;
	const struct plan *plan = &router->plan;

	printf("control: at most %u packets wait for MAC addresses, fragments for others in %u buffers, %u "
	       "are "
	       "on the road\n",
		plan->hold_max, plan->fragment_bufs_max, PUNT_PACKETS_MAX);
	if (options->icmp_rate == UINT32_MAX)
		printf("  ICMP errors unlimited");
	else if (options->icmp_rate == 0)
		printf("  no ICMP errors");
	else
		printf("  ICMP errors %u a second from each worker, %u at once", options->icmp_rate,
			RTE_MAX(ICMP_BURST_MIN, options->icmp_rate / 10));
	printf("; neighbours count as reachable for %u s; ECMP seed 0x%08x\n", options->neigh_reachable_s,
		options->ecmp_seed);
}

static void
plan_print(const struct router *router)
{
	const struct plan *plan = &router->plan;

	for (unsigned int id = 0; id < plan->n_ports; id++) {
		if (plan->ports[id].n_rxq == 0)
			continue;
		port_print(router, &plan->ports[id]);
		policy_print(&plan->policy[id]);
	}
	map_print(plan);
	routes_print(router);
	for (unsigned int i = 0; i < plan->n_pools; i++)
		pool_print(router, i);
	printf("heads: %u, built %s, magazines of %u\n", plan->n_heads, build_words[router->options.build],
		plan->magazine);
	owners_print(&router->options);
	control_print(router);
	printf("workers: %u, burst %u; the control thread %s\n", plan->n_lcores, router->options.burst,
		control_cpu_shared() ? "shares a CPU with one of them" : "has a CPU of its own");
}

static void
nodes_warn(const struct plan *plan)
{
	for (unsigned int i = 0; i < plan->n_map; i++) {
		const struct port_rxq *rxq = &plan->map[i];
		const int port = plan->ports[rxq->port].node, lcore = (int)rte_lcore_to_socket_id(rxq->lcore);
		const int pool = plan->pools[plan->port_pool[rxq->port]].node;

		if ((port >= 0 && port != lcore) || (pool >= 0 && pool != lcore))
			warn("port %u (node %d), lcore %u (node %d) and pool (node %d) are on different NUMA "
			     "nodes, "
			     "distance %d: better an lcore of node %d (-l, --config)",
				rxq->port, port, rxq->lcore, lcore, pool,
				placement_distance(port >= 0 ? port : pool, lcore), port >= 0 ? port : pool);
	}
}

static void
mirror_warn(const struct plan *plan, unsigned int id, uint16_t to)
{
	if (to != MIRROR_NONE && plan->ports[to].mtu < plan->ports[id].mtu)
		warn("port %u has MTU %u and its mirror port %u has %u: larger packets are not copied", id,
			plan->ports[id].mtu, to, plan->ports[to].mtu);
}

static void
mirrors_warn(const struct plan *plan)
{
	for (unsigned int id = 0; id < plan->n_ports; id++) {
		const struct port_policy *policy = &plan->policy[id];

		mirror_warn(plan, id, policy->mirror_rx);
		if (policy->mirror_tx != policy->mirror_rx)
			mirror_warn(plan, id, policy->mirror_tx);
	}
}

enum outcome
report_start(struct router *router)
{
	nodes_warn(&router->plan);
	mirrors_warn(&router->plan);
	if (router->options.n_addrs == 0)
		warn("no --addr: there is no subnet, so every packet will be dropped");
	if (!router->options.check)
		return GO_ON;
	plan_print(router);
	return DONE;
}
