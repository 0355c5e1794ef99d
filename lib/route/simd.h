/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rte_fib offers its AVX-512 lookup only while the EAL's limit for vector width is 512 bits, and the default
 * is 256. The limit exists because 512-bit instructions may lower the clock; for the gathers of a lookup
 * they pay (doc/adr/0001-fib.md). The limit is lifted while the lookup is chosen and put back, so that
 * drivers are not affected. A limit given by --force-max-simd-bitwidth cannot be lifted and holds.
 */
#ifndef SIMD_H
#define SIMD_H

#include <stdint.h>

#include <rte_vect.h>

static inline void
simd_widest(void (*choose)(void *table), void *table)
{
	const uint16_t limit = rte_vect_get_max_simd_bitwidth();

	rte_vect_set_max_simd_bitwidth(RTE_VECT_SIMD_512);
	choose(table);
	rte_vect_set_max_simd_bitwidth(limit);
}

#endif
