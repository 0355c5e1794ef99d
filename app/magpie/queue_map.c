/* SPDX-License-Identifier: BSD-3-Clause */
/* A port's queues are numbered from 0 without a gap, each is polled once, by an lcore that the EAL has started. */
#include "queue_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "0, 1, 4": the workers, for a message. */
static const char *
lcores_text(const struct plan *plan, char *room, size_t len)
{
	size_t at = 0;

	room[0] = '\0';
	for (unsigned int i = 0; i < plan->n_lcores && at < len; i++)
		at += (size_t)snprintf(room + at, len - at, i == 0 ? "%u" : ", %u", plan->lcores[i]);
	return room;
}

static const char *
rxq_text(const struct rxq_spec *rxq, char room[32])
{
	snprintf(room, 32, "(%u,%u,%u)", rxq->port, rxq->queue, rxq->lcore);
	return room;
}

static enum outcome
lcore_check(const struct rxq_spec *rxq, const struct plan *plan)
{
	char lcores[128], room[32];

	for (unsigned int i = 0; i < plan->n_lcores; i++)
		if (plan->lcores[i] == rxq->lcore)
			return GO_ON;
	return complain_about(&rxq->from, rxq_text(rxq, room), "an lcore that the EAL's -l names: %s",
		lcores_text(plan, lcores, sizeof(lcores)));
}

static int
rxq_order(const void *a, const void *b)
{
	const struct rxq_spec *one = a, *two = b;

	return one->port != two->port ? one->port - two->port : one->queue - two->queue;
}

/* rxqs[n] in order of port and queue. */
static enum outcome
queues_check(const struct rxq_spec *rxqs, uint32_t n)
{
	char room[32];

	for (uint32_t i = 0; i < n; i++) {
		const bool first = i == 0 || rxqs[i - 1].port != rxqs[i].port;
		const unsigned int next = first ? 0 : rxqs[i - 1].queue + 1u;

		if (!first && rxqs[i].queue == rxqs[i - 1].queue)
			return complain_about(
				&rxqs[i].from, rxq_text(&rxqs[i], room), "each queue of a port once");
		if (rxqs[i].queue != next)
			return complain_about(&rxqs[i].from, rxq_text(&rxqs[i], room),
				"the queues of port %u from 0 on without a gap (queue %u is missing)",
				rxqs[i].port, next);
	}
	return GO_ON;
}

static enum outcome
map_from_config(const struct options *options, struct plan *plan)
{
	struct rxq_spec *rxqs = calloc(options->n_rxqs, sizeof(*rxqs));
	enum outcome outcome = GO_ON;

	if (rxqs == NULL)
		return fault("out of memory while reading --config");
	memcpy(rxqs, options->rxqs, options->n_rxqs * sizeof(*rxqs));
	for (uint32_t i = 0; i < options->n_rxqs && outcome == GO_ON; i++)
		outcome = lcore_check(&rxqs[i], plan);
	qsort(rxqs, options->n_rxqs, sizeof(*rxqs), rxq_order);
	if (outcome == GO_ON)
		outcome = queues_check(rxqs, options->n_rxqs);
	free(rxqs);
	/* Distinct queues of existing ports: they fit. */
	for (uint32_t i = 0; i < options->n_rxqs && outcome == GO_ON; i++)
		plan->map[plan->n_map++] = (struct port_rxq){.port = options->rxqs[i].port,
			.queue = options->rxqs[i].queue,
			.lcore = options->rxqs[i].lcore};
	return outcome;
}

enum outcome
queue_map_make(const struct options *options, struct plan *plan)
{
	if (options->n_rxqs > 0)
		return map_from_config(options, plan);
	if (port_map_default(plan->lcores, plan->n_lcores, plan->map, MAP_MAX, &plan->n_map) != 0)
		return complain_about(
			&options->from[OPTION_CONFIG], "", "(port,queue,lcore),... for so many ports");
	return GO_ON;
}
