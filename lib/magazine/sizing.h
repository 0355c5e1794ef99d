/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sizing equation: how many objects a pool must hold so that no lcore can
 * starve another (after FreeBSD UMA's bucket rule):
 *
 *   rings + hand-off + in flight + private + reserve <= population
 *
 *   rings     every RX and TX descriptor may hold one object
 *   hand-off  every slot of a ring between two lcores may hold one
 *   in flight lcores * 3 * burst: received, being walked, and not yet sent
 *   private   lcores * (1 + nodes) * M: two magazines, full, on every lcore, and one for each
 *             foreign node; with a mempool cache in front lcores * 1.5 * its size more, where rte_mempool flushes
 *   reserve   lcores * 2 * M in the depot, so that an exchange finds a magazine
 */
#ifndef SIZING_H
#define SIZING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What wants objects. All in objects but n_lcores. */
struct sizing_demand {
	uint32_t rxd;     /* sum over RX queues */
	uint32_t txd;     /* sum over TX queues */
	uint32_t handoff; /* sum over rings */
	uint32_t burst;
	uint32_t n_lcores;
	uint32_t n_nodes;       /* of the machine: an lcore keeps a magazine for each foreign one; 0 = 1 */
	uint32_t mempool_cache; /* size of the mempool's own cache in front, 0 = none */
};

/* The equation with its numbers; a term that is too large for its field is UINT32_MAX. */
struct sizing {
	uint32_t rings, handoff, in_flight, private_max, reserve;
	uint32_t size; /* M the numbers are for */
	uint64_t want; /* left side */
	uint32_t have; /* population */
};

/*
 * Fills *out for magazines of size rounds. Returns 0, or -ENOSPC when
 * want > have: *out is filled all the same, for the message.
 */
int sizing_check(const struct sizing_demand *demand, uint32_t size, uint32_t population, struct sizing *out);

/* The largest M in {32, 64 .. 512} that is <= limit and fits; 0 when not even 32 does. */
uint32_t sizing_fit(const struct sizing_demand *demand, uint32_t limit, uint32_t population);

#ifdef __cplusplus
}
#endif

#endif
