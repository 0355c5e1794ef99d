/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unaligned access to packet bytes. Words keep the memory's order: on a
 * little-endian machine the first byte of the packet is the lowest byte.
 *
 * To host order: be32toh() of <endian.h>, not rte_be_to_cpu_32(), which is inline
 * assembly and keeps the compiler from vectorising the loop it stands in.
 */
#ifndef BYTES_H
#define BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>

static inline uint16_t
load16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t
load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t
load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void
store16(uint8_t *p, uint16_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void
store32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void
store64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* Big-endian field at p, in host order. */
static inline uint16_t
load16_be(const uint8_t *p)
{
	return be16toh(load16(p));
}

static inline uint32_t
load32_be(const uint8_t *p)
{
	return be32toh(load32(p));
}

#endif
