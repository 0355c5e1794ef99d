/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK 24.11 changed the IPv6 addresses of rte_fib6 and rte_rib6 from arrays of
 * 16 bytes to struct rte_ipv6_addr, which is the same 16 bytes. The casts that
 * this takes stand here and nowhere else.
 */
#ifndef DPDK_IP6_H
#define DPDK_IP6_H

#include <stdint.h>

#include <rte_fib6.h>
#include <rte_rib6.h>
#include <rte_version.h>

#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
#include <rte_ip6.h>

static inline const struct rte_ipv6_addr *
dpdk_ip6(const uint8_t *bytes)
{
	return (const struct rte_ipv6_addr *)bytes;
}

static inline const struct rte_ipv6_addr *
dpdk_ip6_array(const uint8_t (*addrs)[16])
{
	return (const struct rte_ipv6_addr *)addrs;
}

#else

static inline const uint8_t *
dpdk_ip6(const uint8_t *bytes)
{
	return bytes;
}

/* rte_fib6_lookup_bulk() only reads its addresses, but its prototype does not say so. */
static inline uint8_t (*dpdk_ip6_array(const uint8_t (*addrs)[16]))[16]
{
	return (uint8_t(*)[16])(uintptr_t)addrs;
}

#endif
#endif
