/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ethernet ports: what a device can do, how its queues are spread over workers,
 * and its start and stop. The only library that configures an ethdev.
 *
 * Queue rule: a worker polls the RX queues that the map gives it and owns TX queue
 * number <its index> on every port. A port that offers fewer TX queues than there are workers has
 * one owner, the worker that polls its first RX queue; the others hand packets to the owner over a
 * multi-producer ring.
 */
#ifndef PORT_H
#define PORT_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ethdev.h>

#define PORT_QUEUES_MAX 64

struct rte_ring;

/* One RX queue and the lcore that polls it. */
struct port_rxq {
	uint16_t port, queue;
	uint16_t lcore;
};

/* What the user asked for, by port. 0 = default. */
struct port_conf {
	uint16_t mtu;
	uint16_t rxd, txd;
	bool promisc;
	bool fast_free_ok; /* one data pool only, so a TX queue never mixes pools */
};

/* One configured port. Read-only for workers once started. */
struct port {
	uint16_t id;
	uint16_t n_rxq, n_txq;
	uint16_t rxd, txd; /* as the driver rounded them */
	uint16_t mtu;
	int node; /* SOCKET_ID_ANY when the device has none */
	uint64_t rx_offloads, tx_offloads;
	uint64_t rss_hf;
	bool lsc; /* the driver reports link changes by interrupt */
	bool started;
	uint16_t owner; /* worker index that transmits for all, when shared */
	bool shared;    /* fewer TX queues than workers: the others use handoff */
	struct rte_ring *handoff;
	struct rte_ether_addr mac;
	char name[RTE_ETH_NAME_MAX_LEN];
	char driver[64];
};

/* PORT as the user wrote it (ethdev name or number) to its id. Returns 0, or -ENODEV. Main thread, after EAL init. */
int port_find(const char *text, uint16_t *id);

/*
 * The default map: every RX queue of every port, spread round robin over the workers, those on the port's NUMA
 * node first. RSS ports get one queue per worker of their node, others one. lcores[n_lcores]: the workers.
 * Fills map[*n]. Returns 0, or -ENOSPC (more than max entries).
 */
int port_map_default(const uint16_t *lcores, unsigned int n_lcores, struct port_rxq *map, unsigned int max,
	unsigned int *n);

/*
 * Works out everything about port id (queues, descriptors, offloads, owner) without touching the device.
 * map[n]: all RX queues of all ports; lcores[n_lcores]: the workers, a worker's index is its place here.
 * Returns 0 and *port, -EINVAL with a reason in why (queue count, MTU out of the driver's range), -ENODEV.
 */
int port_plan(uint16_t id, const struct port_conf *conf, const struct port_rxq *map, unsigned int n,
	const uint16_t *lcores, unsigned int n_lcores, struct port *port, char *why, unsigned int why_len);

/* Configures the device and its queues with pool (RX). Returns 0 or the driver's negative errno, what failed in why. */
int port_setup(struct port *port, struct rte_mempool *pool, char *why, unsigned int why_len);

/* Starts it; never waits for the link. Returns 0 or the driver's negative errno. */
int port_start(struct port *port);

/* Stops and closes it: every data buffer in its rings goes back to its pool. Workers must have left it. */
void port_stop(struct port *port);

/* Link state now, without waiting. */
bool port_link_up(const struct port *port);

#endif
