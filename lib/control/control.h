/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control thread: everything that is not a packet's fast way. It follows the
 * links, takes what workers punt, sees to the size of idle pools' magazines, and calls back once a second
 * for statistics.
 *
 *   workers --skb--> punt ring --> count by skb->reason, consume
 *   drivers --link--> every 100 ms, or at an interrupt --> route_port_link()
 *   *stop   --> looked at every 10 ms
 *
 * This version has no handler for punted packets: ARP, neighbour discovery and packets for our own
 * addresses are counted and freed, never answered.
 *
 * It runs on a CPU that no worker has: those the process was started with (taskset, cpuset) without the
 * lcores'. Where that leaves none it shares the main lcore's, and control_cpu_shared() tells so.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "port.h"
#include "route.h"
#include "skb.h"

struct rte_ring;
struct control;

struct control_conf {
	struct port *ports; /* [n_ports], indexed by ethdev id; those with n_rxq 0 are not ours */
	unsigned int n_ports;
	struct route_table *routes;
	struct skb_pool *heads;
	struct rte_mempool *data; /* where the control thread takes data buffers */
	struct rte_ring *punt;    /* of struct skb *, read here only; skb->reason says why it was punted */
	struct magazine_pool *const *magazines; /* [n_magazines], to be looked after; some may be NULL */
	unsigned int n_magazines;
	const volatile int *stop;   /* the thread ends when it is not 0 */
	unsigned int tick_ms;       /* how often on_tick is called; 0 = never */
	void (*on_tick)(void *arg); /* on the control thread; while it runs, nothing else here does */
	void *arg;
};

/*
 * Tells the routes each link's state, then starts the thread; from then on only it may change the routes.
 * conf is copied, what it points to must stay until control_join(). The ports must be started.
 * Returns 0 and *control, or -ENOMEM, -EAGAIN (no thread to be had). Main thread.
 */
int control_start(const struct control_conf *conf, struct control **control);

/*
 * Waits for the thread to end (conf->stop must be set; it takes 10 ms or one on_tick), takes what is left in the
 * punt ring, frees *control. After the workers have stopped, or what they punt later stays in the ring;
 * before ports are closed, for they are polled until then. Main thread.
 */
void control_join(struct control *control);

/* Packets taken from the punt ring so far, by skb->reason: counts[SKB_REASONS_MAX]. Valid until control_join().
 * Any thread; each count is one aligned word of its moment. */
const uint64_t *control_punts(const struct control *control);

/* Whether every CPU the process may use belongs to an lcore, so that the control thread shares one (also if
 * that cannot be found out). After rte_eal_init(), any thread. */
bool control_cpu_shared(void);

#endif
