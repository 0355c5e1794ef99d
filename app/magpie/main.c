/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * magpie: routes packets between Ethernet ports. This file tells how it starts and ends; each
 * phase is in the file that router.h names.
 *
 * Bad input is found as early as it can be: options before the EAL is started, ports and routes before
 * memory for packets is taken. Whatever happens, what was started is ended in mirror order, and a signal
 * only makes this happen sooner.
 */
#include <stdio.h>
#include <stdlib.h>

#include "router.h"
#include "stop.h"

static const struct phase {
	enum outcome (*start)(struct router *router);
	void (*end)(struct router *router); /* NULL = nothing to undo */
} phases[] = {
	{eal_start, eal_end},         /* the EAL, and devices as ports */
	{plan_start, NULL},           /* ports, queues, lcores, pool sizes: numbers only */
	{tables_start, tables_end},   /* addresses, neighbours, routes */
	{report_start, NULL},         /* --check ends here */
	{pools_start, pools_end},     /* data buffers, heads, the road to control */
	{ports_start, ports_end},     /* ports are configured */
	{workers_start, workers_end}, /* a worker for each lcore, still at rest */
	{account_start, account_end}, /* statistics; at the end ports closed, every buffer counted */
	{links_start, NULL},          /* ports are started */
	{control_begin, control_end}, /* the control thread */
	{forward_start, NULL},        /* packets flow until the stop flag is raised */
};

static enum outcome
run(struct router *router)
{
	enum outcome outcome = GO_ON;
	unsigned int n = 0;

	while (n < RTE_DIM(phases) && outcome == GO_ON && !stop_raised())
		outcome = phases[n++].start(router);
	router->failed = outcome == MACHINE_FAULT;
	while (n-- > 0)
		if (phases[n].end != NULL)
			phases[n].end(router);
	return outcome;
}

int
main(int argc, char **argv)
{
	static struct router router;
	enum outcome outcome;

	stop_on_signals();
	outcome = options_init(&router.options, argc, argv);
	if (outcome == GO_ON)
		outcome = run(&router);
	options_fini(&router.options);
	if (outcome == GO_ON) { /* the stop flag was raised on the way */
		if (router.stats == NULL)
			printf("stopped before anything was started: no packet received, ledger balanced\n");
		outcome = DONE;
	}
	if (router.unbalanced)
		outcome = fault("buffers are missing or were freed twice, see the ledger above. Run: "
				"MAGAZINE_DEBUG=state magpie ... "
				"--pool-cache 0");
	return outcome;
}
