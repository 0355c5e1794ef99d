/* SPDX-License-Identifier: BSD-3-Clause */
/* First stage: a burst of raw data buffers from the RX ring. From here on they are ours. */
#include "worker_priv.h"

uint32_t
burst_rx(struct worker *w, const struct worker_rxq *rxq, struct burst *b)
{
	struct worker_port *port = &w->port[rxq->port];
	uint64_t bytes = 0;

	b->n = rte_eth_rx_burst(rxq->port, rxq->queue, b->mbuf, w->burst);
	b->port = rxq->port;
	b->frame_max = rxq->frame_max;
	for (uint32_t i = 0; i < b->n; i++)
		bytes += b->mbuf[i]->pkt_len;
	/* another program's mirror may have marked them, and net_ring hands marks over */
	for (uint32_t i = 0; unlikely(w->mirrors) && i < b->n; i++)
		b->mbuf[i]->port = rxq->port;
	w->stats.rx += b->n;
	port->rx_pkts += b->n;
	port->rx_bytes += bytes;
	return b->n;
}
