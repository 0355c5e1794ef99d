/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pair of ports whose ends are joined, and workers that are played by the test:
 * each sends what a worker with its index would send, the way port.h tells it to.
 */
#ifndef LAB_H
#define LAB_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "port.h"

#define LAB_BUFS      8192u
#define LAB_WORKERS   2u
#define LAB_DATA_ROOM (RTE_MBUF_DEFAULT_BUF_SIZE - RTE_PKTMBUF_HEADROOM)
#define LAB_MTU_JUMBO 9000u

/* How to make the two ports of a kind; %s is replaced by its directory for files, %u by the number of queues,
 * %d by a number that no lab before had. */
struct lab_kind {
	const char *name;
	const char *vdev[2]; /* driver's name and arguments; [1] NULL: the port is its own other end */
	bool interfaces;     /* needs a network namespace with interfaces; root only */
	bool vanishes;       /* its interfaces can be taken away */
	bool jumbo;          /* takes frames that are longer than a data buffer */
	bool once;           /* its close leaves the interface in use until the process ends; one queue */
};

struct lab {
	const struct lab_kind *kind;
	unsigned int n_workers, n_queues;
	bool promisc;
	uint16_t mtu; /* 0: the default, and frames are short; else they are as long as they may be */
	unsigned int n_ports, serial;
	struct port port[2];
	char vdev[2][RTE_ETH_NAME_MAX_LEN];
	struct rte_mempool *pool;
	char why[128];
};

/* Makes the devices, plans with the default map (n_queues 0) or with n_queues RX queues each, sets up, starts and
 * waits for the links. Returns 0 or a negative errno, what failed in lab->why. */
int lab_open(struct lab *lab, const char *dir);

/* Stops the ports, in one order or the other, and takes the devices away. */
void lab_close(struct lab *lab);

/* Worker sends n frames with its index in them by port end. Returns how many were taken or handed over. */
unsigned int lab_send(struct lab *lab, unsigned int end, unsigned int worker, unsigned int n);

/* Worker 0 offers n frames to port end once; what it does not take is freed. */
void lab_send_once(struct lab *lab, unsigned int end, unsigned int n);

/* The owner of port end sends what others handed to it. */
void lab_send_handed(struct lab *lab, unsigned int end);

/* Receives by all queues of port end until there are n of the test's frames with all their bytes, or for two seconds. Frees
 * them and returns the number. */
unsigned int lab_receive(struct lab *lab, unsigned int end, unsigned int n);

#endif
