/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports are configured before workers are made, started last of all, and closed before any pool is looked at. */
#include <stdio.h>
#include <string.h>

#include <rte_errno.h>

#include "chatter.h"
#include "router.h"

static enum outcome
port_failed(const struct port *port, const char *what)
{
	const bool memif = strcmp(port->driver, "net_memif") == 0;
	char reason[256];

	chatter_reason(NULL, reason, sizeof(reason));
	return fault("port %s: %s%s%s. Run: %s", port->name, what,
		reason[0] == '\0' ? "" : "; the driver says: ", reason,
		memif ? "the peer that has role=server first"
		      : "magpie --log-level=pmd:debug ... to see more");
}

enum outcome
ports_start(struct router *router)
{
	struct plan *plan = &router->plan;
	char why[160] = "";

	chatter_forget();
	for (unsigned int id = 0; id < plan->n_ports; id++) {
		if (plan->ports[id].n_rxq == 0)
			continue;

		const int ret =
			port_setup(&plan->ports[id], router->pools[plan->port_pool[id]], why, sizeof(why));

		router->ports_open |= UINT64_C(1) << id;
		if (ret != 0)
			return port_failed(&plan->ports[id], why);
	}
	return GO_ON;
}

void
ports_end(struct router *router)
{
	for (unsigned int id = 0; id < router->plan.n_ports; id++)
		if ((router->ports_open >> id & 1) != 0)
			port_stop(&router->plan.ports[id]);
	router->ports_open = 0;
}

enum outcome
links_start(struct router *router)
{
	char why[64];

	chatter_forget();
	for (unsigned int id = 0; id < router->plan.n_ports; id++) {
		struct port *port = &router->plan.ports[id];
		const int ret = port->n_rxq == 0 ? 0 : port_start(port);

		snprintf(why, sizeof(why), "cannot start: %s", rte_strerror(-ret));
		if (ret != 0)
			return port_failed(port, why);
	}
	return GO_ON;
}
