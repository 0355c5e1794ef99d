/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control thread: everything that is not a packet's fast way. It follows the
 * links, takes what workers punt, and calls back once a second for statistics.
 *
 * It runs on a CPU that no worker has (rte_ctrl_thread_create's rule); where the machine has none
 * left it shares one, and control_cpu_shared() tells so.
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
	struct rte_ring *punt; /* of struct skb *; skb->reason says why it was punted */
	const volatile int *stop; /* the thread ends when it is not 0 */
	unsigned int tick_ms;     /* how often on_tick is called; 0 = never */
	void (*on_tick)(void *arg); /* on the control thread */
	void *arg;
};

/* Starts the thread. conf is copied. Returns 0 and *control, or -ENOMEM, -EAGAIN (no thread). Main thread. */
int control_start(const struct control_conf *conf, struct control **control);

/* Waits for the thread to end (conf->stop must be set), takes what is left in the punt ring, frees it. */
void control_join(struct control *control);

/* Packets taken from the punt ring so far, by skb->reason: counts[SKB_REASONS_MAX]. Valid until control_join(). Any thread. */
const uint64_t *control_punts(const struct control *control);

/* Whether every CPU the process may use belongs to a worker, so that the control thread shares one. */
bool control_cpu_shared(void);

#endif
