/* SPDX-License-Identifier: BSD-3-Clause */
/* Where memory really is, and how far that is from where it is wanted; from libnuma. */
#ifndef MAGAZINE_PLACEMENT_H
#define MAGAZINE_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "magazine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The pages of one or more pieces of memory. */
struct placement {
	uint32_t pages;
	uint32_t misplaced; /* on another node than they should be */
	uint32_t unknown;   /* not there yet, or the kernel does not tell */
	int worst;          /* a node that misplaced ones are on; -1 = none */
};

/*
 * Adds the pages of mem[bytes], of page_bytes each, to *placement, which starts as
 * zeros: asks the kernel (move_pages(2)) which node each is on. node: where they should
 * be; a negative one means anywhere. Slow; any thread. Returns 0, or -ENOTSUP: no NUMA
 * here, all pages count as unknown.
 */
int placement_audit(const void *mem, size_t bytes, size_t page_bytes, int node, struct placement *placement);

/* As numa_distance(): 10 = the same node, more = farther; 0 = not known, as when one of them is negative. */
int placement_distance(int from, int to);

/* This machine's nodes and what EAL lcores run on them. More than MAGAZINE_NODES_MAX count as one. */
void placement_topology(struct magazine_topology *topology);

#ifdef __cplusplus
}
#endif

#endif
