/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of the road from the workers: who handles what. The classes take turns, so that a ring that is always full does not
 * make the others wait for longer than a burst takes.
 */
#include <rte_ether.h>

#include "control_priv.h"

#define INPUT_BURST 32u

static void
host_input(struct control *c, struct skb *skb)
{
	if (skb->protocol == RTE_ETHER_TYPE_ARP)
		arp_input(c, skb);
	else
		local_input(c, skb);
}

static void (*const inputs[])(struct control *c, struct skb *skb) = {
	[PUNT_HOST] = host_input,
	[PUNT_NEIGH] = neighs_hold,
	[PUNT_ERROR] = error_input,
};

static unsigned int
class_input(struct control *c, enum punt_class class)
{
	struct skb *skbs[INPUT_BURST];
	const unsigned int n = punt_take(c->conf.punt, class, skbs, INPUT_BURST);

	skb_orphan_bulk(&c->cpu, skbs, n);
	for (unsigned int i = 0; i < n; i++)
		inputs[class](c, skbs[i]);
	return n;
}

unsigned int
input_drain(struct control *c)
{
	unsigned int n_all = 0, n;

	for (unsigned int round = 0; round < PUNT_RING_SIZE / INPUT_BURST; round++) {
		n = 0;
		for (unsigned int class = 0; class < PUNT_N_CLASSES; class ++)
			n += class_input(c, class);
		if (n == 0)
			break;
		n_all += n;
	}
	return n_all;
}
