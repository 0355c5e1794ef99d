/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"

#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_mbuf.h>

#include "mempool_magazine.h"

struct world world;
bool world_link_up[WORLD_PORTS];
struct rte_eth_stats world_device[WORLD_PORTS];
int world_argc;
char **world_argv;

const struct worker_stats *
worker_stats(const struct worker *worker)
{
	return &worker->stats;
}

const struct worker_port *
worker_port_stats(const struct worker *worker, uint16_t port)
{
	return &worker->port[port];
}

const uint64_t *
worker_drops(const struct worker *worker)
{
	return worker->drops;
}

uint16_t
worker_lcore(const struct worker *worker)
{
	return worker->lcore;
}

unsigned int
worker_n_owners(const struct worker *worker)
{
	return 1;
}

const struct skb_owner *
worker_owner(const struct worker *worker, unsigned int i)
{
	return i == 0 ? &worker->owner : NULL;
}

struct control *
world_control(void)
{
	return (struct control *)&world.control;
}

const struct control_counts *
control_counts(const struct control *control)
{
	return (const struct control_counts *)control;
}

unsigned int
control_neighs(struct control *control, struct control_neigh_view *views, unsigned int n)
{
	for (unsigned int i = 0; i < world.n_neighs && i < n; i++)
		views[i] = world.neighs[i];
	return world.n_neighs;
}

const char *
neigh_state_name(enum neigh_state state)
{
	return state == NEIGH_STATIC ? "static" : "stale";
}

bool
port_link_up(const struct port *port)
{
	return world_link_up[port->id];
}

int
rte_eth_stats_get(uint16_t port_id, struct rte_eth_stats *stats)
{
	*stats = world_device[port_id];
	return 0;
}

int
world_reset(void **state)
{
	char name[32];

	memset(world.worker, 0, sizeof(world.worker));
	memset(world_device, 0, sizeof(world_device));
	memset(&world.control, 0, sizeof(world.control));
	world.n_neighs = 0;
	world.punt.charges = true;
	for (unsigned int i = 0; i < PUNT_N_CLASSES; i++)
		skb_owner_init(&world.punt.owner[i], punt_name(i), 0, LCORE_ID_ANY);
	for (unsigned int w = 0; w < WORLD_WORKERS; w++) {
		world.worker[w].lcore = (uint16_t)(w + 4);
		world.workers[w] = &world.worker[w];
		snprintf(name, sizeof(name), "owned%u.0", w);
		skb_owner_init(&world.worker[w].owner, name, 1000, w + 4);
	}
	for (uint16_t id = 0; id < WORLD_PORTS; id++) {
		world.port[id] = (struct port){.id = id, .n_rxq = id != 1, .n_txq = 1};
		snprintf(world.port[id].name, sizeof(world.port[id].name), "net_fake%u", id);
		world_link_up[id] = true;
	}
	world.conf = (struct stats_conf){.ports = world.port,
		.n_ports = WORLD_PORTS,
		.workers = world.workers,
		.n_workers = 2,
		.pools = world.pools,
		.n_pools = 2,
		.magazines = world.magazines,
		.heads = world.heads,
		.punt = &world.punt};
	return 0;
}

int
world_init(void **state)
{
	if (rte_eal_init(world_argc, world_argv) < 0 || mempool_magazine_register() < 0)
		return -1;
	world.pools[0] =
		rte_pktmbuf_pool_create_by_ops("stock", WORLD_BUFS, 32, 0, 256, SOCKET_ID_ANY, "ring_mp_mc");
	world.pools[1] =
		rte_pktmbuf_pool_create_by_ops("data", WORLD_BUFS, 0, 0, 256, SOCKET_ID_ANY, "magazine");
	if (world.pools[0] == NULL || world.pools[1] == NULL)
		return -1;
	world.magazines[1] = mempool_magazine_pool(world.pools[1]);
	return skb_pool_create("heads", 128, 32, SOCKET_ID_ANY, &world.heads);
}

int
world_fini(void **state)
{
	skb_pool_destroy(world.heads);
	rte_mempool_free(world.pools[0]);
	rte_mempool_free(world.pools[1]);
	return rte_eal_cleanup();
}

FILE *
writing_open(struct writing *writing)
{
	writing->file = open_memstream(&writing->text, &writing->len);
	return writing->file;
}

char *
writing_close(struct writing *writing)
{
	fclose(writing->file);
	return writing->text;
}
