/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The links: routes over a port whose link is down are not used, or lead to NEXTHOP_PORT_DOWN where there is no other.
 *
 * Every link is polled, because some drivers have no link interrupt and others lose one. An interrupt
 * only makes the next poll come at once: its callback runs on EAL's interrupt thread, which
 * must not touch the routes.
 */
#include "control_priv.h"

#include <errno.h>

#include <rte_ethdev.h>
#include <rte_pause.h>

static int
link_event(uint16_t port, enum rte_eth_event_type type, void *arg, void *ret_param)
{
	struct link_watch *watch = arg;

	__atomic_store_n(&watch->event, true, __ATOMIC_RELAXED);
	return 0;
}

bool
link_watch_init(struct link_watch *watch, const struct control_conf *conf)
{
	bool due = false;

	watch->ports = conf->ports;
	watch->n_ports = conf->n_ports;
	watch->routes = conf->routes;
	for (unsigned int id = 0; id < watch->n_ports; id++) {
		const struct port *port = &watch->ports[id];

		if (port->n_rxq == 0)
			continue;
		/* First the interrupt, then the look: a change between the two is seen twice, not missed. */
		if (port->lsc)
			watch->lsc[id] = rte_eth_dev_callback_register(
						 port->id, RTE_ETH_EVENT_INTR_LSC, link_event, watch) == 0;
		watch->up[id] = port_link_up(port);
		due |= route_port_link(watch->routes, port->id, watch->up[id]);
	}
	return due;
}

void
link_watch_fini(struct link_watch *watch)
{
	for (unsigned int id = 0; id < watch->n_ports; id++) {
		if (!watch->lsc[id])
			continue;
		/* -EAGAIN: the callback is running. It ends by itself, and watch must outlive it. */
		while (rte_eth_dev_callback_unregister(
			       watch->ports[id].id, RTE_ETH_EVENT_INTR_LSC, link_event, watch) == -EAGAIN)
			rte_pause();
	}
}

bool
link_watch_event(struct link_watch *watch)
{
	return __atomic_exchange_n(&watch->event, false, __ATOMIC_RELAXED);
}

void
link_watch_poll(struct control *c)
{
	struct link_watch *watch = &c->links;

	for (unsigned int id = 0; id < watch->n_ports; id++) {
		const struct port *port = &watch->ports[id];

		if (port->n_rxq == 0)
			continue;

		const bool up = port_link_up(port);

		if (up == watch->up[id])
			continue;
		watch->up[id] = up;
		c->routes_changed |= route_port_link(watch->routes, port->id, up);
		neighs_link(c, port->id, up);
	}
}
