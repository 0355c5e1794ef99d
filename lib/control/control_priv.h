/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of lib/control: one struct, whose parts are written by the control thread alone. */
#ifndef CONTROL_PRIV_H
#define CONTROL_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_config.h>

#include "control.h"
#include "thread.h"

#define CONTROL_PERIOD_MS 10  /* between two looks at the punt ring and at *stop */
#define LINK_PERIOD_MS    100 /* between two looks at every link */

/* What the routes were last told about the links. */
struct link_watch {
	struct port *ports;
	unsigned int n_ports;
	struct route_table *routes;
	bool up[RTE_MAX_ETHPORTS];
	bool lsc[RTE_MAX_ETHPORTS]; /* our callback is registered */
	bool event;                 /* a driver reported a change; set by its interrupt thread, atomic */
};

/* Tells the routes every link's state now, and asks drivers for their interrupts. Before the thread starts. */
void link_watch_init(struct link_watch *watch, const struct control_conf *conf);

/* Takes the callbacks back. After the thread has ended. */
void link_watch_fini(struct link_watch *watch);

/* Whether a driver has reported a change since the last call. */
bool link_watch_event(struct link_watch *watch);

/* Tells the routes about every link that has changed. */
void link_watch_poll(struct link_watch *watch);

/* The end of the punt ring. */
struct punt_queue {
	struct rte_ring *ring;
	struct skb_cpu cpu;
	uint64_t counts[SKB_REASONS_MAX]; /* one writer; single words are read by any thread */
};

void punt_queue_init(struct punt_queue *queue, const struct control_conf *conf);

/* Counts and consumes at most the ring's capacity of packets, so that it returns however fast workers punt. */
void punt_queue_drain(struct punt_queue *queue);

struct control {
	struct control_conf conf;
	struct control_thread thread;
	struct link_watch links;
	struct punt_queue punts;
};

#endif
