/* SPDX-License-Identifier: BSD-3-Clause */
/* Every EAL lcore is a worker, the main one too; worker i is the plan's lcore i. */
#include <rte_launch.h>

#include "capture.h"
#include "chatter.h"
#include "memory.h"
#include "router.h"
#include "stop.h"

enum outcome
workers_start(struct router *router)
{
	const struct options *options = &router->options;
	struct plan *plan = &router->plan;

	router->dp = (struct dp_conf){
		.ports = plan->ports,
		.n_ports = plan->n_ports,
		.map = plan->map,
		.n_map = plan->n_map,
		.routes = router->routes,
		.policy = plan->policy,
		.heads = router->heads,
		.pools = router->pools,
		.magazines = router->magazines,
		.n_pools = plan->n_pools,
		.build = options->build,
		.complete = options->complete,
		.burst = options->burst,
		.punt = &router->punt,
		.icmp_rate = options->icmp_rate,
		.ecmp_seed = options->ecmp_seed,
		.qsbr = router->qsbr,
		.stop = stop_flag(),
	};
	for (unsigned int i = 0; i < plan->n_lcores; i++)
		if (worker_create(&router->dp, i, plan->lcores[i], &router->workers[i]) != 0)
			return memory_fault("the workers");
	return GO_ON;
}

void
workers_end(struct router *router)
{
	for (unsigned int i = router->plan.n_lcores; i-- > 0;)
		worker_destroy(router->workers[i]);
}

/* On each lcore. */
static int
worker_launch(void *arg)
{
	const struct router *router = arg;

	return worker_run(router->workers[rte_lcore_index(-1)]);
}

enum outcome
forward_start(struct router *router)
{
	chatter_errors(true);
	capture_workers(router->qsbr);
	rte_eal_mp_remote_launch(worker_launch, router, CALL_MAIN);
	rte_eal_mp_wait_lcore();
	chatter_errors(false);
	for (unsigned int i = 0; i < router->plan.n_lcores; i++)
		worker_drain(router->workers[i]);
	return DONE;
}
