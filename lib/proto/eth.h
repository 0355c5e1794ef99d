/* SPDX-License-Identifier: BSD-3-Clause */
/* The Ethernet header: 6 bytes destination, 6 source, 2 type (IEEE 802.3). */
#ifndef ETH_H
#define ETH_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ether.h>

#include "bytes.h"

#define ETH_HLEN 14u
#define ETH_SRC  6u  /* offset of the source address */
#define ETH_TYPE 12u /* offset of the type */

/* Group addresses (broadcast and multicast) have the lowest bit of the first byte set. */
static inline bool
eth_is_group(const uint8_t *mac)
{
	return mac[0] & 1;
}

static inline bool
eth_is_broadcast(const uint8_t *mac)
{
	return load32(mac) == 0xffffffff && load16(mac + 4) == 0xffff;
}

static inline bool
eth_equal(const uint8_t *a, const uint8_t *b)
{
	return load32(a) == load32(b) && load16(a + 4) == load16(b + 4);
}

#endif
