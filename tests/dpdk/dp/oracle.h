/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must happen to one frame that enters port 0, found out one packet at a time and without columns:
 * the Ethernet rules written once more, ip4_check() and ip6_check() asked directly, a linear route table.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "frame.h"
#include "topology.h"
#include "verdict.h"

struct oracle {
	enum verdict verdict;
	uint32_t family; /* the run it stands in: 0 IPv4, 1 IPv6, 2 neither */
	/* if the verdict is forward: */
	uint16_t port;
	const struct topology_row *row; /* one path or more */
	struct frame
		out; /* as it leaves, but for the destination MAC, which is path 0's, and in one piece: see pieces.h */
};

void oracle_judge(const struct frame *in, struct oracle *oracle);

/* Whether len bytes are what the oracle expects; any path of a group will do. */
bool oracle_accepts(const struct oracle *oracle, const uint8_t *bytes, uint32_t len);

#endif
