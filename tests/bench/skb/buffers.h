/* SPDX-License-Identifier: BSD-3-Clause */
/* What a driver does with data buffers, and what a walk reads and writes of a packet. */
#ifndef SKBBENCH_BUFFERS_H
#define SKBBENCH_BUFFERS_H

#include <errno.h>
#include <string.h>

#include <rte_ether.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include "skbbench.h"

#define FRAME_BYTES      60u
#define BUFFER_PRIV_SIZE SKB_EARLY_PRIV_SIZE

/* The mbuf fields that a driver writes when a packet of len bytes has arrived: parts of the first line. */
static inline void
buffer_arrive(struct rte_mbuf *mbuf, uint32_t len)
{
	mbuf->data_off = RTE_PKTMBUF_HEADROOM;
	mbuf->refcnt = 1;
	mbuf->nb_segs = 1;
	mbuf->port = 0;
	mbuf->ol_flags = RTE_MBUF_F_RX_RSS_HASH;
	mbuf->packet_type = 0;
	mbuf->pkt_len = len;
	mbuf->data_len = (uint16_t)len;
	mbuf->hash.rss = 1;
}

/*
 * A burst of received packets. Without a ring the buffers come straight from the mempool; with one they were taken
 * arm->ring packets ago, and others take their places.
 */
static inline int
burst_receive(struct bed *bed, const struct arm *arm, struct rte_mbuf **mbufs)
{
	struct rte_mbuf **slots = mbufs;

	if (arm->ring > 0) {
		slots = &bed->ring[bed->ring_at];
		memcpy(mbufs, slots, BURST * sizeof(*mbufs));
		bed->ring_at = (bed->ring_at + BURST) & (arm->ring - 1);
	}
	if (unlikely(rte_mempool_get_bulk(bed->mp, (void **)slots, BURST) < 0)) {
		if (arm->ring > 0)
			bed->ring_at = (bed->ring_at - BURST) & (arm->ring - 1);
		return -EAGAIN;
	}
	for (uint32_t i = 0; i < BURST; i++)
		buffer_arrive(mbufs[i], FRAME_BYTES);
	return 0;
}

/* What a forwarder does to a packet's bytes: reads and writes its first line. Returns the ether type. */
static inline uint16_t
frame_touch(const struct rte_mbuf *mbuf)
{
	struct rte_ether_hdr *const eth = rte_pktmbuf_mtod(mbuf, struct rte_ether_hdr *);

	*(volatile uint16_t *)&eth->dst_addr.addr_bytes[4] = 1;
	return *(volatile uint16_t *)&eth->ether_type;
}

/* And to its head. */
static inline void
head_touch(struct skb *skb, uint16_t protocol)
{
	skb->protocol = protocol;
	skb->network_header = (uint16_t)(skb_headroom(skb) + RTE_ETHER_HDR_LEN);
	skb->transport_header = (uint16_t)(skb->network_header + 20);
}

#endif
