/* SPDX-License-Identifier: BSD-3-Clause */
/* What was asked for single ports beyond struct port: how much their packets may take, where copies of them go. */
#include <inttypes.h>
#include <stdio.h>

#include "plan.h"
#include "skb.h"

/* What TX rings keep although it was sent, as long as nothing new is: with less than that, a port that is charged until
 * completion could wait for ever for what only its own next packet would bring back. */
static uint64_t
kept_bytes(const struct options *options, const struct plan *plan)
{
	uint64_t bytes = 0;

	for (unsigned int id = 0; id < plan->n_ports && options->complete == COMPLETE_COMPLETION; id++) {
		const struct port *port = &plan->ports[id];

		if (port->n_rxq > 0 && port->keeps)
			bytes += (uint64_t)port->n_txq * port->txd * packet_truesize(options) *
				 port_frame_buffers(port->mtu, options->data_room);
	}
	return bytes;
}

/* A limit that a queue's burst does not fit would drop packets of a port that holds nothing. */
static enum outcome
limit_set(const struct options *options, struct plan *plan, const struct limit_spec *limit)
{
	const struct port *port = &plan->ports[limit->port];
	const uint32_t buffers = port_frame_buffers(port->mtu, options->data_room);
	const uint64_t packet = packet_truesize(options) + (buffers - 1) * buffer_truesize(options);
	const uint64_t bursts = (uint64_t)port->n_rxq * options->burst * packet;
	/* one queue may have all of it */
	const uint64_t kept = port->n_rxq * kept_bytes(options, plan);
	char found[24];

	plan->policy[limit->port].owner_limit = limit->bytes;
	if (limit->bytes == 0 || limit->bytes >= bursts + kept)
		return GO_ON;
	snprintf(found, sizeof(found), "%" PRIu64, limit->bytes);
	if (kept > 0)
		return complain_about(&limit->from, found,
			"0 (no limit) or at least %" PRIu64
			" for port %u: a burst, and what TX rings keep after it "
			"was sent, as these drivers' do",
			bursts + kept, port->id);
	return complain_about(&limit->from, found,
		"0 (no limit) or at least %" PRIu64 " for port %u: %u packets of %" PRIu64
		" bytes for each of %u RX "
		"queues",
		bursts, port->id, options->burst, packet, port->n_rxq);
}

static enum outcome
direction_set(uint16_t *place, const struct mirror_spec *mirror, const char *what)
{
	char found[48];

	if (*place == MIRROR_NONE) {
		*place = mirror->to;
		return GO_ON;
	}
	snprintf(found, sizeof(found), "a second mirror of port %u", mirror->port);
	return complain_about(
		&mirror->from, found, "one for what it %s, which port %u is already", what, *place);
}

static enum outcome
mirror_set(struct plan *plan, const struct mirror_spec *mirror)
{
	struct port_policy *policy = &plan->policy[mirror->port];
	enum outcome outcome = GO_ON;
	char found[24];

	snprintf(found, sizeof(found), "port %u", mirror->port);
	if (mirror->port == mirror->to)
		return complain_about(&mirror->from, found, "another port for its copies than itself");
	if (mirror->rx)
		outcome = direction_set(&policy->mirror_rx, mirror, "receives");
	if (mirror->tx && outcome == GO_ON)
		outcome = direction_set(&policy->mirror_tx, mirror, "sends");
	return outcome;
}

enum outcome
policy_plan(const struct options *options, struct plan *plan)
{
	enum outcome outcome = GO_ON;

	for (unsigned int id = 0; id < RTE_MAX_ETHPORTS; id++)
		plan->policy[id] = (struct port_policy){.mirror_rx = MIRROR_NONE, .mirror_tx = MIRROR_NONE};
	plan->mirrors = options->n_mirrors > 0;
	for (uint32_t i = 0; i < options->n_limits && outcome == GO_ON; i++)
		outcome = limit_set(options, plan, &options->limits[i]);
	for (uint32_t i = 0; i < options->n_mirrors && outcome == GO_ON; i++)
		outcome = mirror_set(plan, &options->mirrors[i]);
	return outcome;
}
