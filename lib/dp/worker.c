/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making a worker: which queues it polls, by which way each port is reached, and memory
 * for all of it on the lcore's node.
 */
#include <errno.h>
#include <stdio.h>

#include <rte_cycles.h>
#include <rte_malloc.h>

#include "worker_priv.h"

static void *
alloc(const struct worker *w, size_t n, size_t size)
{
	int node = (int)rte_lcore_to_socket_id(w->lcore);

	/* one at least: rte_zmalloc of nothing is NULL, which would read as out of memory */
	return rte_zmalloc_socket("worker", RTE_MAX(n, 1u) * size, RTE_CACHE_LINE_SIZE, node);
}

static const struct port_policy no_policy = {.mirror_rx = MIRROR_NONE, .mirror_tx = MIRROR_NONE};

static const struct port_policy *
policy_of(const struct dp_conf *conf, uint16_t port)
{
	return conf->policy == NULL ? &no_policy : &conf->policy[port];
}

/* What the port may hold at once is divided among its queues: each is charged without looking at the others. */
static void
owner_init(const struct worker *w, struct worker_rxq *rxq, const struct port *port)
{
	const uint64_t limit = policy_of(w->conf, port->id)->owner_limit / port->n_rxq;
	char name[SKB_OWNER_NAME_LEN];

	snprintf(name, sizeof(name), "%.30s.%u", port->name, rxq->queue);
	skb_owner_init(&rxq->owner, name, (int64_t)limit, w->lcore);
	if (w->complete != COMPLETE_NONE)
		rxq->charged = &rxq->owner;
}

/* What the walk compares frames with. */
static void
mac_init(struct worker_rxq *rxq, const struct port *port)
{
	const uint8_t *mac = port->mac.addr_bytes;

	rxq->port = port->id;
	rxq->mac = port->mac;
	rxq->mac_first2 = load16_be(mac);
	rxq->mac_last2 = load16_be(mac + 4);
	rxq->mac_first4 = load32_be(mac);
	rxq->mac_last4 = load32_be(mac + 2);
}

static void
rxq_init(const struct worker *w, struct worker_rxq *rxq, const struct port_rxq *map)
{
	const struct port *port = &w->conf->ports[map->port];

	mac_init(rxq, port);
	rxq->queue = map->queue;
	rxq->frame_max = port->any_frame ? UINT32_MAX : port->mtu + ETH_HLEN + VLAN_HLEN;
	rxq->mirror_rx = policy_of(w->conf, map->port)->mirror_rx;
	owner_init(w, rxq, port);
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
			rxq_init(w, &w->rxq[w->n_rxq++], &conf->map[i]);
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
		w->tx[p].linear = port->linear;
		w->tx[p].exclusive = port->exclusive;
		w->tx[p].fragments = port->fragments;
		w->tx[p].fast_free = (port->tx_offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0;
		if (port->shared && port->owner == w->index)
			w->owned[w->n_owned++] = p;
	}
	return 0;
}

/* One worker takes what the control thread gives back, for all ports, whoever polls them. */
static int
take_back(struct worker *w)
{
	const struct dp_conf *conf = w->conf;

	if (w->index != 0)
		return 0;
	w->back = alloc(w, conf->n_ports, sizeof(*w->back));
	if (w->back == NULL)
		return -ENOMEM;
	for (unsigned int p = 0; p < conf->n_ports; p++) {
		mac_init(&w->back[p].in, &conf->ports[p]);
		/* a reply to a packet that came in fragments is larger than a frame that comes in by the port */
		w->back[p].in.frame_max = UINT32_MAX;
		w->back[p].out = (struct adjacency){.port = (uint16_t)p, .kind = NEXTHOP_FORWARD};
	}
	return 0;
}

static bool
has_mirrors(const struct dp_conf *conf)
{
	for (unsigned int p = 0; p < conf->n_ports; p++)
		if (policy_of(conf, p)->mirror_rx != MIRROR_NONE ||
			policy_of(conf, p)->mirror_tx != MIRROR_NONE)
			return true;
	return false;
}

/* The pool that copies come from. */
static struct rte_mempool *
pool_near(const struct dp_conf *conf, uint16_t lcore)
{
	for (unsigned int i = 0; i < conf->n_pools; i++)
		if (conf->pools[i]->socket_id == (int)rte_lcore_to_socket_id(lcore))
			return conf->pools[i];
	return conf->n_pools == 0 ? NULL : conf->pools[0];
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
	w->complete = conf->complete;
	w->mirrors = has_mirrors(conf);
	w->index = index;
	w->lcore = lcore;
	w->burst = conf->burst;
	bucket_init(&w->errors, conf->icmp_rate, rte_get_tsc_hz(), rte_rdtsc());
	skb_cpu_init(&w->cpu, conf->heads, pool_near(conf, lcore), lcore);
	w->port = alloc(w, conf->n_ports, sizeof(*w->port));
	w->out = alloc(w, conf->n_ports, sizeof(*w->out));
	if (w->port == NULL || w->out == NULL || take_rxqs(w) != 0 || take_txqs(w) != 0 ||
		take_back(w) != 0) {
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
	rte_free(w->back);
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

unsigned int
worker_n_owners(const struct worker *w)
{
	return w->complete == COMPLETE_NONE ? 0 : w->n_rxq;
}

const struct skb_owner *
worker_owner(const struct worker *w, unsigned int i)
{
	return &w->rxq[i].owner;
}

uint16_t
worker_lcore(const struct worker *w)
{
	return w->lcore;
}
