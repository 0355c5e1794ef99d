/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port's life: found, set up as planned, started, stopped. The order of calls is
 * ethdev's: configure, MTU, queues, start. A device is never asked for anything
 * that its dev_info does not offer; what it may refuse all the same (an MTU, promiscuous
 * mode) is not needed: the walk enforces the MTU and checks the destination MAC.
 *
 * Main thread only; workers see a struct port between port_start() and port_stop().
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_ring.h>

#include "port.h"
#include "port_priv.h"

#define DRAIN_BURST 32

int
port_find(const char *text, uint16_t *id)
{
	const size_t n_digits = strspn(text, "0123456789");

	if (rte_eth_dev_get_port_by_name(text, id) == 0)
		return 0;
	if (n_digits == 0 || text[n_digits] != '\0')
		return -ENODEV;
	errno = 0;

	const unsigned long number = strtoul(text, NULL, 10);

	if (errno != 0 || number >= RTE_MAX_ETHPORTS || !rte_eth_dev_is_valid_port(number))
		return -ENODEV;
	*id = number;
	return 0;
}

static int
configure(const struct port *port)
{
	const struct rte_eth_conf conf = {
		.rxmode.mq_mode = port->rss_hf ? RTE_ETH_MQ_RX_RSS : RTE_ETH_MQ_RX_NONE,
		.rxmode.mtu = port->dev_mtu,
		.rxmode.offloads = port->rx_offloads,
		.rx_adv_conf.rss_conf.rss_hf = port->rss_hf,
		.txmode.offloads = port->tx_offloads,
		.intr_conf.lsc = port->lsc,
	};

	return rte_eth_dev_configure(port->id, port->n_rxq, port->n_txq, &conf);
}

static int
set_mtu(const struct port *port)
{
	const int ret = port->set_mtu ? rte_eth_dev_set_mtu(port->id, port->dev_mtu) : 0;

	return ret == -ENOTSUP ? 0 : ret;
}

static int
setup_rx_queues(const struct port *port, struct rte_mempool *pool)
{
	struct rte_eth_dev_info info;
	int ret = rte_eth_dev_info_get(port->id, &info);

	info.default_rxconf.offloads = port->rx_offloads;
	for (uint16_t queue = 0; ret == 0 && queue < port->n_rxq; queue++)
		ret = rte_eth_rx_queue_setup(
			port->id, queue, port->rxd, port->node, &info.default_rxconf, pool);
	return ret;
}

static int
setup_tx_queues(const struct port *port)
{
	struct rte_eth_dev_info info;
	int ret = rte_eth_dev_info_get(port->id, &info);

	info.default_txconf.offloads = port->tx_offloads;
	for (uint16_t queue = 0; ret == 0 && queue < port->n_txq; queue++)
		ret = rte_eth_tx_queue_setup(port->id, queue, port->txd, port->node, &info.default_txconf);
	return ret;
}

static int
create_handoff(struct port *port)
{
	char name[RTE_RING_NAMESIZE];

	if (!port->shared)
		return 0;
	snprintf(name, sizeof(name), "handoff_%u", port->id);
	port->handoff = rte_ring_create(name, PORT_HANDOFF_SIZE, port->node, RING_F_SC_DEQ | RING_F_EXACT_SZ);
	return port->handoff ? 0 : -rte_errno;
}

int
port_setup(struct port *port, struct rte_mempool *pool, char *why, unsigned int why_len)
{
	const char *step = "configure";
	int ret = configure(port);

	if (ret == 0) {
		step = "MTU";
		ret = set_mtu(port);
	}
	if (ret == 0) {
		step = "RX queues";
		ret = setup_rx_queues(port, pool);
	}
	if (ret == 0) {
		step = "TX queues";
		ret = setup_tx_queues(port);
	}
	if (ret == 0) {
		step = "hand-off ring";
		ret = create_handoff(port);
	}
	if (ret != 0)
		snprintf(why, why_len, "%s: %s", step, rte_strerror(-ret));
	return ret;
}

static int
hear_all(struct port *port)
{
	const int ret = rte_eth_promiscuous_enable(port->id);

	port->promiscuous = ret == 0;
	return ret == -ENOTSUP ? 0 : ret;
}

/* A driver that has neither filters nothing. */
static int
hear_groups(struct port *port)
{
	const int ret = rte_eth_allmulticast_enable(port->id);

	port->allmulti = ret == 0;
	if (ret != -ENOTSUP || port->promiscuous)
		return ret == -ENOTSUP ? 0 : ret;
	return hear_all(port);
}

int
port_start(struct port *port)
{
	int ret = rte_eth_dev_start(port->id);

	if (ret != 0)
		return ret;
	port->started = true;
	if (port->promisc)
		ret = hear_all(port);
	return ret == 0 ? hear_groups(port) : ret;
}

/* A kernel interface would stay as it is. */
static void
hear_less(struct port *port)
{
	if (port->allmulti)
		rte_eth_allmulticast_disable(port->id);
	if (port->promiscuous)
		rte_eth_promiscuous_disable(port->id);
	port->allmulti = port->promiscuous = false;
}

static void
drain_rx_queues(const struct port *port)
{
	struct rte_mbuf *mbufs[DRAIN_BURST];
	uint16_t n;

	for (uint16_t queue = 0; queue < port->n_rxq; queue++)
		while ((n = rte_eth_rx_burst(port->id, queue, mbufs, DRAIN_BURST)) > 0)
			rte_pktmbuf_free_bulk(mbufs, n);
}

static void
destroy_handoff(struct port *port)
{
	void *mbuf;

	while (port->handoff && rte_ring_sc_dequeue(port->handoff, &mbuf) == 0)
		rte_pktmbuf_free(mbuf);
	rte_ring_free(port->handoff);
	port->handoff = NULL;
}

void
port_stop(struct port *port)
{
	if (port->started) {
		if (port_quirk_find(port->driver)->drain)
			drain_rx_queues(port);
		hear_less(port);
		rte_eth_dev_stop(port->id);
		port->started = false;
	}
	rte_eth_dev_close(port->id);
	destroy_handoff(port);
}
