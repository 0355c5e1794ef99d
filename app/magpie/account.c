/* SPDX-License-Identifier: BSD-3-Clause */
/* The control thread with its statistics, and the final account. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "router.h"
#include "stop.h"

enum outcome
account_start(struct router *router)
{
	const struct plan *plan = &router->plan;
	const struct stats_conf conf = {
		.ports = plan->ports,
		.n_ports = plan->n_ports,
		.workers = router->workers,
		.n_workers = plan->n_lcores,
		.pools = router->pools,
		.magazines = router->magazines,
		.n_pools = plan->n_pools,
		.heads = router->heads,
		.punt_owner = router->dp.punt_owner,
		.lazy = router->options.build == BUILD_LAZY,
	};

	return stats_create(&conf, &router->stats) == 0 ? GO_ON : memory_fault("the statistics");
}

void
account_end(struct router *router)
{
	if (router->stats == NULL)
		return;
	stats_read_devices(router->stats);
	ports_end(router);
	/* Without a packet there is nothing to account for; pools_end() counts the buffers all the same. */
	if (!router->failed)
		router->unbalanced = stats_final(router->stats, stdout) != 0;
	stats_destroy(router->stats);
}

static void
on_tick(void *stats)
{
	stats_draw(stats, stdout, isatty(STDOUT_FILENO) == 1);
	fflush(stdout);
}

enum outcome
control_begin(struct router *router)
{
	const struct control_conf conf = {
		.ports = router->plan.ports,
		.n_ports = router->plan.n_ports,
		.routes = router->routes,
		.heads = router->heads,
		.data = router->pools[0],
		.punt = router->punt,
		.magazines = router->magazines,
		.n_magazines = router->plan.n_pools,
		.stop = stop_flag(),
		.tick_ms = router->options.stats_s * 1000,
		.on_tick = on_tick,
		.arg = router->stats,
	};
	const int ret = control_start(&conf, &router->control);

	if (ret != 0)
		return fault("the control thread: %s. Run: ulimit -u unlimited", strerror(-ret));
	return GO_ON;
}

void
control_end(struct router *router)
{
	if (router->control == NULL)
		return;
	/* Also when a phase failed and no signal came. */
	stop_raise();
	control_join(router->control);
}
