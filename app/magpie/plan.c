/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan: names become ports, ports get queues, queues get lcores, NUMA nodes get pools, and the sizing equation says
 * how large those must be. Reads the machine, changes nothing.
 *
 * SOCKET_ID_ANY (-1) is what vdevs and machines without NUMA answer; memory_node() turns it into a node before
 * anything is indexed with it.
 */
#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_mempool.h>
#include <rte_random.h>

#include "queue_map.h"
#include "router.h"

static void
lcores_find(struct plan *plan)
{
	unsigned int lcore;

	RTE_LCORE_FOREACH (lcore) {
		plan->lcores[plan->n_lcores++] = (uint16_t)lcore;
	}
}

/* Turns every port name's number, in all that was parsed, into an ethdev id. */
static enum outcome
ports_resolve(struct options *options)
{
	uint16_t ids[PORT_NAMES_MAX];

	for (unsigned int i = 0; i < options->n_port_names; i++)
		if (port_find(options->port_names[i], &ids[i]) != 0)
			return complain_about(&options->port_from[i], options->port_names[i],
				"a port: the name or number (0 to %u) of an ethdev",
				rte_eth_dev_count_avail() - 1u);
	for (uint32_t i = 0; i < options->n_addrs; i++)
		options->addrs[i].port = ids[options->addrs[i].port];
	for (uint32_t i = 0; i < options->n_neighs; i++)
		options->neighs[i].port = ids[options->neighs[i].port];
	for (uint32_t i = 0; i < options->n_rxqs; i++)
		options->rxqs[i].port = ids[options->rxqs[i].port];
	for (uint32_t i = 0; i < options->n_mtus; i++)
		options->mtus[i].port = ids[options->mtus[i].port];
	for (uint32_t i = 0; i < options->n_limits; i++)
		options->limits[i].port = ids[options->limits[i].port];
	for (uint32_t i = 0; i < options->n_mirrors; i++) {
		options->mirrors[i].port = ids[options->mirrors[i].port];
		options->mirrors[i].to = ids[options->mirrors[i].to];
	}
	for (uint32_t i = 0; i < options->n_routes; i++)
		if (options->routes[i].form == ROUTE_ONLINK)
			options->routes[i].port = ids[options->routes[i].port];
	return GO_ON;
}

/* The node to take memory from for a device or lcore on node. */
static int
memory_node(int node)
{
	/* Without hugepages all of the EAL's memory counts as one node's. */
	if (!rte_eal_has_hugepages())
		return 0;
	if (node == SOCKET_ID_ANY)
		node = (int)rte_lcore_to_socket_id(rte_get_main_lcore());
	return node < 0 || node >= RTE_MAX_NUMA_NODES ? 0 : node;
}

/* The pool of node, made if need be. */
static uint8_t
pool_of_node(struct plan *plan, int node)
{
	for (unsigned int i = 0; i < plan->n_pools; i++)
		if (plan->pools[i].node == node)
			return (uint8_t)i;
	plan->pools[plan->n_pools].node = node;
	return (uint8_t)plan->n_pools++;
}

/* The --mtu that counts for port id, NULL if there is none. */
static const struct mtu_spec *
mtu_find(const struct options *options, uint16_t id)
{
	for (uint32_t i = options->n_mtus; i-- > 0;)
		if (options->mtus[i].port == id)
			return &options->mtus[i];
	return NULL;
}

/* What is asked of every port, but for what depends on others. */
static struct port_conf
port_conf_make(const struct options *options, const struct plan *plan, uint16_t id)
{
	const struct mtu_spec *mtu = mtu_find(options, id);

	return (struct port_conf){.mtu = mtu == NULL ? 0 : mtu->mtu,
		.rxd = options->rxd,
		.txd = options->txd,
		.promisc = options->promisc,
		.fast_free_ok = plan->n_pools == 1,
		.clones = options->n_mirrors > 0,
		.data_room = options->data_room};
}

/* What ports are to know of all others. */
struct ports_view {
	bool ours[RTE_MAX_ETHPORTS];
	bool chains;      /* some may receive chains */
	uint16_t mtu_max; /* the largest MTU */
};

static void
ports_view_make(const struct options *options, const struct plan *plan, struct ports_view *view)
{
	for (uint16_t id = 0; id < plan->n_ports; id++) {
		const struct port_conf conf = port_conf_make(options, plan, id);
		uint16_t mtu = 0;

		if (!view->ours[id])
			continue;
		view->chains |= port_chains(id, &conf);
		port_mtu(id, &conf, &mtu);
		view->mtu_max = RTE_MAX(view->mtu_max, mtu);
	}
}

/* The option that is to blame when a port cannot do what it is asked for. */
static const struct origin *
port_from(const struct options *options, uint16_t id)
{
	const struct mtu_spec *mtu = mtu_find(options, id);

	if (mtu != NULL)
		return &mtu->from;
	return &options->from[options->data_room_given ? OPTION_DATA_ROOM : OPTION_CONFIG];
}

static enum outcome
port_plan_one(const struct options *options, struct plan *plan, const struct ports_view *view, uint16_t id)
{
	struct port_conf conf = port_conf_make(options, plan, id);
	const struct port_map map = {
		.rxqs = plan->map, .n_rxqs = plan->n_map, .lcores = plan->lcores, .n_lcores = plan->n_lcores};
	char why[200] = "", name[RTE_ETH_NAME_MAX_LEN] = "";
	uint16_t mtu = 0;
	int ret = port_mtu(id, &conf, &mtu);

	conf.chains = view->chains;
	conf.larger = mtu < view->mtu_max;
	if (ret == 0)
		ret = port_plan(id, &conf, &map, &plan->ports[id], why, sizeof(why));
	if (ret == 0)
		return GO_ON;
	rte_eth_dev_get_name_by_port(id, name);
	if (ret == -EINVAL)
		return complain_about(port_from(options, id), name, "what the port can do: %s", why);
	return fault("port %s: %s. Run: magpie --log-level=pmd:debug ... to see more", name, why);
}

/* Ports that have a place in the map, and their pools. */
static enum outcome
ports_plan(const struct options *options, struct plan *plan)
{
	struct ports_view view = {.chains = false};
	enum outcome outcome = GO_ON;

	for (unsigned int i = 0; i < plan->n_map; i++)
		view.ours[plan->map[i].port] = true;
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++) {
		if (!view.ours[id])
			continue;
		plan->n_ports = id + 1u;
		plan->port_pool[id] = pool_of_node(plan, memory_node(rte_eth_dev_socket_id(id)));
	}
	ports_view_make(options, plan, &view);
	for (uint16_t id = 0; id < plan->n_ports && outcome == GO_ON; id++)
		if (view.ours[id])
			outcome = port_plan_one(options, plan, &view, id);
	return outcome;
}

static enum outcome
port_used(const struct plan *plan, uint16_t id, const struct origin *from)
{
	char found[32];

	if (id < plan->n_ports && plan->ports[id].n_rxq > 0)
		return GO_ON;
	snprintf(found, sizeof(found), "port %u", id);
	return complain_about(from, found, "a port that --config names");
}

/* Whatever names a port names one that is polled. */
static enum outcome
references_check(const struct options *options, const struct plan *plan)
{
	enum outcome outcome = GO_ON;

	for (uint32_t i = 0; i < options->n_addrs && outcome == GO_ON; i++)
		outcome = port_used(plan, options->addrs[i].port, &options->addrs[i].from);
	for (uint32_t i = 0; i < options->n_neighs && outcome == GO_ON; i++)
		outcome = port_used(plan, options->neighs[i].port, &options->neighs[i].from);
	for (uint32_t i = 0; i < options->n_mtus && outcome == GO_ON; i++)
		outcome = port_used(plan, options->mtus[i].port, &options->mtus[i].from);
	for (uint32_t i = 0; i < options->n_limits && outcome == GO_ON; i++)
		outcome = port_used(plan, options->limits[i].port, &options->limits[i].from);
	for (uint32_t i = 0; i < options->n_mirrors && outcome == GO_ON; i++) {
		outcome = port_used(plan, options->mirrors[i].port, &options->mirrors[i].from);
		if (outcome == GO_ON)
			outcome = port_used(plan, options->mirrors[i].to, &options->mirrors[i].from);
	}
	for (uint32_t i = 0; i < options->n_routes && outcome == GO_ON; i++)
		if (options->routes[i].form == ROUTE_ONLINK)
			outcome = port_used(plan, options->routes[i].port, &options->routes[i].from);
	return outcome;
}

static enum outcome
ops_check(const struct options *options)
{
	char names[256] = "";
	size_t at = 0;

	for (uint32_t i = 0; i < rte_mempool_ops_table.num_ops; i++) {
		const char *name = rte_mempool_ops_table.ops[i].name;

		if (strcmp(name, options->pool_ops) == 0)
			return GO_ON;
		if (at < sizeof(names))
			at += (size_t)snprintf(names + at, sizeof(names) - at, i == 0 ? "%s" : ", %s", name);
	}
	return complain_about(&options->from[OPTION_POOL_OPS], options->pool_ops, "mempool ops: %s", names);
}

enum outcome
plan_start(struct router *router)
{
	struct options *options = &router->options;
	struct plan *plan = &router->plan;
	enum outcome outcome = ops_check(options);

	if (!options->ecmp_seed_given)
		options->ecmp_seed = (uint32_t)rte_rand();
	lcores_find(plan);
	if (outcome == GO_ON)
		outcome = ports_resolve(options);
	if (outcome == GO_ON)
		outcome = queue_map_make(options, plan);
	if (outcome == GO_ON)
		outcome = ports_plan(options, plan);
	if (outcome == GO_ON)
		outcome = references_check(options, plan);
	if (outcome == GO_ON)
		outcome = policy_plan(options, plan);
	return outcome == GO_ON ? pool_sizes_plan(options, plan) : outcome;
}
