/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making a worker: which queues it polls, by which way each port is reached, and memory
 * for all of it on the lcore's node.
 */
#include <errno.h>

#include <rte_malloc.h>

#include "worker_priv.h"

static void *
alloc(const struct worker *w, size_t n, size_t size)
{
	int node = (int)rte_lcore_to_socket_id(w->lcore);

	/* one at least: rte_zmalloc of nothing is NULL, which would read as out of memory */
	return rte_zmalloc_socket("worker", RTE_MAX(n, 1u) * size, RTE_CACHE_LINE_SIZE, node);
}

static void
rxq_init(struct worker_rxq *rxq, const struct port_rxq *map, const struct port *port)
{
	const uint8_t *mac = port->mac.addr_bytes;

	rxq->port = map->port;
	rxq->queue = map->queue;
	rxq->mac = port->mac;
	rxq->mac_first2 = load16_be(mac);
	rxq->mac_last2 = load16_be(mac + 4);
	rxq->mac_first4 = load32_be(mac);
	rxq->mac_last4 = load32_be(mac + 2);
}

static int
take_rxqs(struct worker *w)
{
	const struct dp_conf *conf = w->conf;

	w->rxq = alloc(w, conf->n_map, sizeof(*w->rxq));
	if (w->rxq == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < conf->n_map; i++)
		if (conf->map[i].lcore == w->lcore)
			rxq_init(&w->rxq[w->n_rxq++], &conf->map[i], &conf->ports[conf->map[i].port]);
	return 0;
}

static int
take_txqs(struct worker *w)
{
	const struct dp_conf *conf = w->conf;

	w->tx = alloc(w, conf->n_ports, sizeof(*w->tx));
	w->owned = alloc(w, conf->n_ports, sizeof(*w->owned));
	if (w->tx == NULL || w->owned == NULL)
		return -ENOMEM;
	for (unsigned int p = 0; p < conf->n_ports; p++) {
		const struct port *port = &conf->ports[p];

		if (port->n_rxq == 0)
			continue;
		w->tx[p].ours = !port->shared || port->owner == w->index;
		w->tx[p].queue = port->shared ? 0 : w->index;
		w->tx[p].handoff = w->tx[p].ours ? NULL : port->handoff;
		if (port->shared && port->owner == w->index)
			w->owned[w->n_owned++] = p;
	}
	return 0;
}

int
worker_create(const struct dp_conf *conf, unsigned int index, uint16_t lcore, struct worker **worker)
{
	struct worker *w = rte_zmalloc_socket(
		"worker", sizeof(*w), RTE_CACHE_LINE_SIZE, (int)rte_lcore_to_socket_id(lcore));

	if (w == NULL)
		return -ENOMEM;
	w->conf = conf;
	w->build = conf->build;
	w->index = index;
	w->lcore = lcore;
	w->burst = conf->burst;
	skb_cpu_init(&w->cpu, conf->heads, lcore);
	w->port = alloc(w, conf->n_ports, sizeof(*w->port));
	w->out = alloc(w, conf->n_ports, sizeof(*w->out));
	if (w->port == NULL || w->out == NULL || take_rxqs(w) != 0 || take_txqs(w) != 0) {
		worker_destroy(w);
		return -ENOMEM;
	}
	*worker = w;
	return 0;
}

void
worker_destroy(struct worker *w)
{
	if (w == NULL)
		return;
	rte_free(w->owned);
	rte_free(w->tx);
	rte_free(w->rxq);
	rte_free(w->out);
	rte_free(w->port);
	rte_free(w);
}

const struct worker_stats *
worker_stats(const struct worker *w)
{
	return &w->stats;
}

const struct worker_port *
worker_port_stats(const struct worker *w, uint16_t port)
{
	return &w->port[port];
}

const uint64_t *
worker_drops(const struct worker *w)
{
	return w->cpu.drops;
}

uint16_t
worker_lcore(const struct worker *w)
{
	return w->lcore;
}
