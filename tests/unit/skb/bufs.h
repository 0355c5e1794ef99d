/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data buffers without an EAL: a mempool that DPDK's inline functions take for one of theirs, over magazines that
 * know who has each buffer. So a buffer that is freed twice, or never, is found; and ThreadSanitizer, which does not get on with
 * the EAL's memory, sees all there is.
 */
#ifndef SKB_BUFS_H
#define SKB_BUFS_H

#include <stdint.h>

#include "skb.h"

/* n buffers of room bytes. The caller ends it with bufs_close(). */
struct rte_mempool *bufs_open(uint32_t n, uint16_t room);

/* All buffers must be back, each once. */
void bufs_close(struct rte_mempool *mp);

void bufs_assert_whole(struct rte_mempool *mp);

/* n segments of len bytes each, with headroom before the first; byte k of the packet is first + k. There must be enough. */
struct rte_mbuf *bufs_chain(
	struct rte_mempool *mp, uint16_t headroom, uint32_t n, uint16_t len, uint8_t first);

/* Makes the calling thread, which the EAL does not know, lcore: to magazines and owners it then is. */
void bufs_be_lcore(unsigned int lcore);

#endif
