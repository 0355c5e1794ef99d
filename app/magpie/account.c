/* SPDX-License-Identifier: BSD-3-Clause */
/* The control thread with its statistics, and the final account. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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
		.punt = &router->punt,
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

static void
on_event(void *arg, const char *line)
{
	warn("%s", line);
}

/* One of each: a line that stands twice in the options is no second neighbour. */
static unsigned int
statics_make(struct router *router)
{
	const struct options *options = &router->options;
	unsigned int n = 0;

	router->statics = calloc(options->n_neighs + 1u, sizeof(*router->statics));
	for (uint32_t i = 0; i < options->n_neighs && router->statics != NULL; i++) {
		const struct neigh_spec *neigh = &options->neighs[i], *last = neigh - 1;

		/* tables.c has sorted them */
		if (i > 0 && last->port == neigh->port &&
			memcmp(&last->addr, &neigh->addr, sizeof(neigh->addr)) == 0)
			continue;
		router->statics[n++] =
			(struct control_neigh){.port = neigh->port, .addr = neigh->addr, .mac = neigh->mac};
	}
	return n;
}

enum outcome
control_begin(struct router *router)
{
	const struct options *options = &router->options;
	const unsigned int n_statics = statics_make(router);
	const struct control_conf conf = {
		.ports = router->plan.ports,
		.n_ports = router->plan.n_ports,
		.routes = router->routes,
		.heads = router->heads,
		.data = router->pools[0],
		.punt = &router->punt,
		.statics = router->statics,
		.n_statics = n_statics,
		.hold_max = router->plan.hold_max,
		.fragment_bufs_max = router->plan.fragment_bufs_max,
		.reachable_ms = options->neigh_reachable_s * 1000,
		.error_rate = options->icmp_rate,
		.magazines = router->magazines,
		.n_magazines = router->plan.n_pools,
		.stop = stop_flag(),
		.tick_ms = options->stats_s * 1000,
		.on_tick = on_tick,
		.arg = router->stats,
		.on_event = on_event,
	};

	if (router->statics == NULL)
		return memory_fault("the neighbours");

	const int ret = control_start(&conf, &router->control);

	if (ret == -ENOMEM)
		return memory_fault("the control thread");
	if (ret != 0)
		return fault("the control thread: %s. Run: ulimit -u unlimited", strerror(-ret));
	stats_set_control(router->stats, router->control);
	return GO_ON;
}

void
control_end(struct router *router)
{
	struct control_counts last;

	if (router->control != NULL) {
		/* Also when a phase failed and no signal came. */
		stop_raise();
		stats_set_control(router->stats, NULL);
		control_join(router->control, &last);
		stats_control_ended(router->stats, &last);
	}
	free(router->statics);
}
