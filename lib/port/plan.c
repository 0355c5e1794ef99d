/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan of a port: what the device offers, what the user wants and what the
 * driver needs, made into numbers. Reads only; a plan can be printed and thrown away.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "port.h"
#include "port_priv.h"

#define DESCRIPTORS 1024 /* where neither the user nor the driver has a preference */

int
port_refuse(const struct port_why *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, why->len, format, args);
	va_end(args);
	return -EINVAL;
}

static int
plan_rxq(struct port *port, const struct rte_eth_dev_info *info, const struct port_rxq *map, unsigned int n,
	const struct port_why *why)
{
	uint64_t seen = 0;

	static_assert(PORT_QUEUES_MAX <= 64, "seen has a bit for each queue");
	for (unsigned int i = 0; i < n; i++) {
		if (map[i].port != port->id)
			continue;
		if (map[i].queue >= PORT_QUEUES_MAX)
			return port_refuse(
				why, "RX queue %u is beyond %u", map[i].queue, PORT_QUEUES_MAX - 1);
		if (seen & UINT64_C(1) << map[i].queue)
			return port_refuse(why, "RX queue %u is in the map twice", map[i].queue);
		seen |= UINT64_C(1) << map[i].queue;
		port->n_rxq++;
	}
	if (port->n_rxq == 0)
		return port_refuse(why, "no RX queue of it is in the map");
	if (seen != UINT64_MAX >> (64 - port->n_rxq))
		return port_refuse(why, "RX queues must be numbered from 0 without a gap");
	if (port->n_rxq > info->max_rx_queues)
		return port_refuse(
			why, "%u RX queues in the map, the device has %u", port->n_rxq, info->max_rx_queues);
	return 0;
}

/* The worker that polls RX queue 0. */
static int
plan_owner(struct port *port, const struct port_map *map)
{
	for (unsigned int i = 0; i < map->n_rxqs; i++) {
		if (map->rxqs[i].port != port->id || map->rxqs[i].queue != 0)
			continue;
		for (unsigned int w = 0; w < map->n_lcores; w++) {
			if (map->lcores[w] != map->rxqs[i].lcore)
				continue;
			port->owner = w;
			return 0;
		}
	}
	return -EINVAL;
}

static int
plan_txq(struct port *port, const struct rte_eth_dev_info *info, unsigned int n_workers,
	const struct port_why *why)
{
	const bool as_rx = port_quirk_find(port->driver)->tx_as_rx;

	port->n_txq = as_rx ? port->n_rxq : RTE_MIN(n_workers, (unsigned int)info->max_tx_queues);
	if (port->n_txq == 0 || port->n_txq > info->max_tx_queues)
		return port_refuse(why, "%u TX queues needed, the device has %u", RTE_MAX(port->n_txq, 1),
			info->max_tx_queues);
	port->shared = port->n_txq < n_workers;
	if (port->shared && !as_rx)
		port->n_txq = 1;
	return 0;
}

static uint16_t
descriptors(uint16_t wanted, const struct rte_eth_dev_portconf *preferred)
{
	if (wanted)
		return wanted;
	return preferred->ring_size ? preferred->ring_size : DESCRIPTORS;
}

static void
plan_offloads(struct port *port, const struct rte_eth_dev_info *info, const struct port_conf *conf)
{
	if (port->n_rxq > 1)
		port->rss_hf = PORT_RSS_WANTED & info->flow_type_rss_offloads;
	if (port->rss_hf)
		port->rx_offloads |= RTE_ETH_RX_OFFLOAD_RSS_HASH & info->rx_offload_capa;
	if (conf->fast_free_ok && !conf->chains && !conf->clones && !port->fragments)
		port->tx_offloads |= RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE & info->tx_offload_capa;
	port->lsc = *info->dev_flags & RTE_ETH_DEV_INTR_LSC;
	port->promisc = conf->promisc;
}

static int
plan_identity(struct port *port, uint16_t id, struct rte_eth_dev_info *info)
{
	*port = (struct port){.id = id};
	if (!rte_eth_dev_is_valid_port(id) || rte_eth_dev_info_get(id, info) != 0 ||
		rte_eth_dev_get_name_by_port(id, port->name) != 0 || rte_eth_macaddr_get(id, &port->mac) != 0)
		return -ENODEV;
	port->node = rte_eth_dev_socket_id(id);
	snprintf(port->driver, sizeof(port->driver), "%s", info->driver_name);
	return 0;
}

int
port_plan(uint16_t id, const struct port_conf *conf, const struct port_map *map, struct port *port, char *why,
	unsigned int why_len)
{
	const struct port_why reason = {why, why_len};
	struct rte_eth_dev_info info;

	if (plan_identity(port, id, &info) != 0) {
		port_refuse(&reason, "no such device");
		return -ENODEV;
	}
	if (plan_rxq(port, &info, map->rxqs, map->n_rxqs, &reason) != 0 ||
		plan_txq(port, &info, map->n_lcores, &reason) != 0 ||
		port_plan_frames(port, &info, conf, &reason) != 0)
		return -EINVAL;
	if (plan_owner(port, map) != 0)
		return port_refuse(&reason, "RX queue 0 is polled by an lcore that is no worker");
	plan_offloads(port, &info, conf);
	port->rxd = descriptors(conf->rxd, &info.default_rxportconf);
	port->txd = descriptors(conf->txd, &info.default_txportconf);
	if (rte_eth_dev_adjust_nb_rx_tx_desc(id, &port->rxd, &port->txd) != 0)
		return port_refuse(
			&reason, "no descriptor counts near %u and %u suit the driver", port->rxd, port->txd);
	port->rxd = RTE_MAX(port->rxd, port_quirk_find(port->driver)->rxd);
	port->forgets = port_quirk_find(port->driver)->forgets;
	port->packed = port_quirk_find(port->driver)->packed;
	return 0;
}

uint32_t
ports_forgotten_max(const struct port *ports, unsigned int n)
{
	uint32_t max = 0;

	for (unsigned int i = 0; i < n; i++)
		if (ports[i].forgets)
			max += (uint32_t)ports[i].n_rxq * ports[i].rxd +
			       (uint32_t)ports[i].n_txq * ports[i].txd;
	return max;
}
