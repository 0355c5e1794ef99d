/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sizing equation of sizing.h. Sums are made in 64 bits, so that no set of
 * numbers from a command line can wrap and then fit; a term that is too large for
 * its 32-bit field shows as UINT32_MAX.
 */
#include <errno.h>

#include "magazine.h"
#include "sizing.h"

static uint32_t
saturated(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

int
sizing_check(const struct sizing_demand *demand, uint32_t size, uint32_t population, struct sizing *out)
{
	const uint64_t n_lcores = demand->n_lcores;
	const uint64_t rings = (uint64_t)demand->rxd + demand->txd;
	const uint64_t in_flight = n_lcores * 3 * demand->burst;
	const uint64_t reserve = n_lcores * 2 * size;
	const uint64_t magazines = n_lcores * (1 + RTE_MAX(demand->n_nodes, 1u)) * size;
	/* rte_mempool lets its cache grow to 1.5 times its size before it flushes */
	const uint64_t caches = n_lcores * ((uint64_t)demand->mempool_cache * 3 / 2);

	*out = (struct sizing){
		.rings = saturated(rings),
		.handoff = demand->handoff,
		.in_flight = saturated(in_flight),
		.private_max = saturated(magazines + caches),
		.reserve = saturated(reserve),
		.size = size,
		.want = rings + demand->handoff + in_flight + magazines + caches + reserve,
		.have = population,
	};
	return out->want > population ? -ENOSPC : 0;
}

uint32_t
sizing_fit(const struct sizing_demand *demand, uint32_t limit, uint32_t population)
{
	struct sizing sizing;

	for (uint32_t size = MAGAZINE_ROUNDS_MAX; size >= MAGAZINE_ROUNDS_MIN; size /= 2)
		if (size <= limit && sizing_check(demand, size, population, &sizing) == 0)
			return size;
	return 0;
}
