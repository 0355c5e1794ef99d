/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ethernet ports: what a device can do, how its queues are spread over workers,
 * and its start and stop. The only library that configures an ethdev.
 *
 * Queue rule. A worker polls the RX queues that the map gives it, and sends by TX queue number <its
 * index>, which every port then has for every worker: no queue is ever used by two of them. A port
 * that offers fewer TX queues than there are workers is shared: the worker that polls its RX queue 0 is its
 * owner and sends for all by TX queue 0, the others hand it their packets over a multi-producer
 * ring. Where a driver ties TX queues to RX queues (memif, tap, af_xdp, af_packet, virtio, net_ring: see quirks.c),
 * a port has as many of either, so it is shared unless the map gives it an RX queue for every worker.
 *
 * Order of calls: EAL init, port_find, port_map_default or the user's own map, port_plan, port_setup,
 * port_start; workers run; port_stop. Each struct port holds what was planned until it is planned anew.
 */
#ifndef PORT_H
#define PORT_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ethdev.h>

#define PORT_QUEUES_MAX   64
#define PORT_HANDOFF_SIZE 1024 /* packets in a shared port's hand-off ring; sizing counts on it */

/* Bytes of a frame that are not its IP packet: Ethernet header, one VLAN tag, FCS. */
#define PORT_FRAME_EXTRA (RTE_ETHER_HDR_LEN + RTE_VLAN_HLEN + RTE_ETHER_CRC_LEN)

struct rte_ring;

/* One RX queue and the lcore that polls it. */
struct port_rxq {
	uint16_t port, queue;
	uint16_t lcore;
};

/* Who polls what: all RX queues of all ports rxqs[n_rxqs]; the workers lcores[n_lcores], where a worker's index is its
 * place. */
struct port_map {
	const struct port_rxq *rxqs;
	const uint16_t *lcores;
	unsigned int n_rxqs, n_lcores;
};

/* What the user asked for, by port. 0 = default. */
struct port_conf {
	uint16_t mtu;
	uint16_t rxd, txd;
	bool promisc;
	bool fast_free_ok; /* one data pool only, so a TX queue never mixes pools */
	bool chains;       /* port_chains() is true of some port, so any port may have to send chains */
	bool clones;       /* some packets leave by two ports, so buffers are shared */
	bool larger; /* larger packets may come in by another port, to be sent in fragments here (RFC 791 3.2) */
	uint32_t data_room; /* bytes of a frame that a data buffer holds; 0: every frame fits */
};

/* One configured port. Read-only for workers once started. */
struct port {
	uint16_t id;
	uint16_t n_rxq, n_txq;
	uint16_t rxd, txd; /* as the driver rounded them */
	uint16_t mtu;
	uint16_t dev_mtu; /* what the device is told, which may be less: see quirks.c */
	int node;         /* SOCKET_ID_ANY when the device has none */
	uint64_t rx_offloads, tx_offloads;
	uint64_t rss_hf;
	bool lsc; /* the driver reports link changes by interrupt */
	bool forgets; /* port_stop() cannot bring the buffers in its rings home: up to n_rxq * rxd + n_txq * txd */
	bool packed; /* the driver needs a pool whose buffers lie side by side (RTE_MEMPOOL_F_NO_IOVA_CONTIG) */
	bool chains;    /* it may receive packets of more than one buffer */
	bool any_frame; /* it may receive frames that are larger than its MTU */
	bool fragments; /* fragments of IPv4 packets may share the packet's buffers when they leave by it */
	bool linear;    /* it sends packets of one segment only */
	bool exclusive; /* what it sends must be in buffers of its own: neither shared nor indirect ones */
	bool keeps; /* it may give sent buffers back only when its TX ring is nearly full, and may not answer when asked for them */
	bool whole; /* one TX descriptor holds a packet, however many segments it has */
	bool promisc, set_mtu; /* as asked for */
	bool started;
	bool allmulti, promiscuous; /* what port_start() has switched on */
	uint16_t owner;             /* worker index: polls RX queue 0, and transmits for all when shared */
	bool shared;                /* fewer TX queues than workers: the others use handoff */
	struct rte_ring *handoff;
	struct rte_ether_addr mac;
	char name[RTE_ETH_NAME_MAX_LEN];
	char driver[64];
};

/* How many buffers of data_room bytes a frame with an IP packet of mtu bytes takes, at most. data_room 0: 1. */
static inline uint32_t
port_frame_buffers(uint32_t mtu, uint32_t data_room)
{
	return data_room == 0 ? 1 : (mtu + PORT_FRAME_EXTRA + data_room - 1) / data_room;
}

/* Data buffers that may be missing after port_stop() of ports[n], because their drivers forgot them. */
uint32_t ports_forgotten_max(const struct port *ports, unsigned int n);

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
 * Whether port id may receive packets of more than one buffer (chains): conf->mtu asks for it, or the driver does
 * so whatever it is asked for. Main thread.
 */
bool port_chains(uint16_t id, const struct port_conf *conf);

/*
 * The MTU that port_plan() will find with conf (if that is no error): which port is larger than which is to be known before. Returns 0
 * and *mtu, or -ENODEV. Main thread.
 */
int port_mtu(uint16_t id, const struct port_conf *conf, uint16_t *mtu);

/*
 * Works out everything about port id (queues, descriptors, offloads, owner) without touching the device.
 * Returns 0 and *port, -EINVAL with a reason in why (queue count, MTU out of the driver's range or too large for
 * one buffer where the driver takes no chains), -ENODEV.
 *
 * RX of chains is asked for where a frame does not fit one buffer, TX of chains on every port as soon as there are chains or
 * clones, and on one that sends fragments of what came in by another. FAST_FREE, which takes none of these, is not asked for there.
 */
int port_plan(uint16_t id, const struct port_conf *conf, const struct port_map *map, struct port *port,
	char *why, unsigned int why_len);

/*
 * Configures the device and its queues with pool (RX), and makes the hand-off ring of a shared port. Returns 0 or the
 * driver's negative errno, what failed in why; then port_stop() puts the device away.
 */
int port_setup(struct port *port, struct rte_mempool *pool, char *why, unsigned int why_len);

/*
 * Starts it, and lets it hear frames to any multicast MAC address, by allmulticast or, where the driver has no such thing, by
 * promiscuous mode: neighbour solicitations come to groups (RFC 4861 7.2.1, RFC 4291 2.7.1). Never waits for the link. Returns 0 or the
 * driver's negative errno; then port_stop(), as above.
 */
int port_start(struct port *port);

/*
 * Stops and closes it: every data buffer in its rings and in the hand-off ring goes back to its pool, unless the
 * driver forgets them. Workers must have left it. Once for each port that was given to port_setup(), whatever
 * came of it. The program must ignore SIGPIPE: net_virtio_user writes to its peer even when that has gone.
 */
void port_stop(struct port *port);

/* Link state now, without waiting. */
bool port_link_up(const struct port *port);

#endif
