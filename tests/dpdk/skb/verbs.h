/* SPDX-License-Identifier: BSD-3-Clause */
/* The verbs of lib/skb, each with random arguments on a packet of a herd and on its model. */
#ifndef SKB_VERBS_H
#define SKB_VERBS_H

#include "herd.h"

/* How a verb may fail. */
#define MAY_LACK_MEMORY 0x1u
#define MAY_BE_TOO_LONG 0x2u
#define MAY_BE_INVALID  0x4u

struct verb {
	const char *name;
	/* i: the slot of the packet; there is one. Does nothing when the packet is not fit for it */
	void (*run)(struct herd *h, uint32_t i);
	uint32_t weight;
	unsigned int may;
};

/* Ended by one without a name: those that make packets or end them, and those that change them. */
extern const struct verb verbs_of_life[], verbs_of_change[];

#endif
