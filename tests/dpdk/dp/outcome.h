/* SPDX-License-Identifier: BSD-3-Clause */
/* What became of one frame: its verdict, and what left where. Two frames that should fare alike have the same outcome. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include <stdint.h>

#include "frame.h"
#include "rig.h"

/* Ethernet, the longest IPv4 header, ports: what whoever gets a packet may read in one piece. */
#define OUTCOME_HEADERS 78u

struct outcome {
	enum verdict verdict;
	uint16_t port;     /* it left by, or came in by if it was punted */
	uint16_t protocol; /* of the head, if it was punted */
	struct frame out;  /* what left or was punted; empty if dropped */
};

/* Takes one turn, which must move the one packet that was injected, and asks where it is. Fails the test if it is nowhere, in two
 * places, where its verdict does not send it, or not to be read. */
void outcome_take(struct rig *rig, struct outcome *outcome);

/* Fails the test, naming what, unless both are the same. */
void outcome_compare(const struct outcome *outcome, const struct outcome *expected, const char *what);

#endif
