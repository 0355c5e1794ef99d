/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ports of the rig and what stands at their far ends: frames go in, frames come out. They are made once per process and
 * keep their ids from 0 on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_ring.h>

#include "rig_priv.h"

#define RX_SLOTS 1024u
#define QUEUES   RIG_WORKERS_MAX

/* The far ends of the ports. */
static struct rte_ring *rx_rings[RIG_PORTS][QUEUES], *tx_rings[RIG_PORTS][QUEUES];

void
rig_die(const char *what)
{
	fprintf(stderr, "rig: %s: %s\n", what, rte_strerror(rte_errno));
	abort();
}

struct rte_ring *
rig_ring(const char *what, uint32_t slots)
{
	static uint32_t serial;
	char name[RTE_RING_NAMESIZE];

	snprintf(name, sizeof(name), "rig_%s_%u", what, serial++);

	struct rte_ring *ring = rte_ring_create(name, slots, SOCKET_ID_ANY, RING_F_EXACT_SZ);

	if (ring == NULL)
		rig_die(name);
	return ring;
}

static void
port_new(uint16_t p, struct rte_mempool *pool, uint32_t tx_slots)
{
	const struct rte_eth_conf conf = {0};
	char name[16];

	snprintf(name, sizeof(name), "rig%u", p);
	for (uint32_t q = 0; q < QUEUES; q++) {
		rx_rings[p][q] = rig_ring("rx", RX_SLOTS);
		tx_rings[p][q] = rig_ring("tx", tx_slots);
	}

	int id = rte_eth_from_rings(name, rx_rings[p], QUEUES, tx_rings[p], QUEUES, rte_socket_id());

	if (id != p || rte_eth_dev_configure(p, QUEUES, QUEUES, &conf) != 0)
		rig_die("port");
	for (uint16_t q = 0; q < QUEUES; q++)
		if (rte_eth_rx_queue_setup(p, q, RX_SLOTS, SOCKET_ID_ANY, NULL, pool) != 0 ||
			rte_eth_tx_queue_setup(p, q, (uint16_t)tx_slots, SOCKET_ID_ANY, NULL) != 0)
			rig_die("queue");
	if (rte_eth_dev_start(p) != 0)
		rig_die("start");
}

/* net_ring takes no buffers from the pool its queues are given; it only wants to see one. */
void
rig_ports(uint32_t tx_slots)
{
	struct rte_mempool *pool = rte_pktmbuf_pool_create("rig_ports", 1, 0, 0, 256, SOCKET_ID_ANY);

	if (pool == NULL)
		rig_die("pool of the ports");
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		port_new(p, pool, tx_slots);
}

static struct rte_mbuf *
segment_with(struct rig *rig, const uint8_t *bytes, uint32_t len)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(rig->pool);

	if (m == NULL)
		rig_die("no data buffer left");
	/* what was here before must not look like a packet */
	memset(rte_pktmbuf_mtod(m, void *), 0xa5, RTE_MIN(len + 128, rig->room));
	memcpy(rte_pktmbuf_append(m, (uint16_t)len), bytes, len);
	return m;
}

static void
chain(struct rte_mbuf *m, struct rte_mbuf *rest)
{
	if (rte_pktmbuf_chain(m, rest) != 0)
		rig_die("chain");
}

/* In as many segments as it takes. */
static struct rte_mbuf *
mbuf_with(struct rig *rig, const uint8_t *bytes, uint32_t len)
{
	struct rte_mbuf *m = segment_with(rig, bytes, RTE_MIN(len, rig->room));

	for (uint32_t done = m->data_len; done < len;) {
		const uint32_t part = RTE_MIN(len - done, rig->room);

		chain(m, segment_with(rig, bytes + done, part));
		done += part;
	}
	return m;
}

/* Puts m before an RX queue. */
static void
arrive(uint16_t port, uint16_t queue, struct rte_mbuf *m)
{
	/* the sender's port, as net_ring leaves it: must not be believed */
	m->port = 77;
	if (rte_ring_enqueue(rx_rings[port][queue], m) != 0)
		rig_die("RX ring full");
}

const struct rte_mbuf *
rig_inject_at(struct rig *rig, uint16_t port, uint16_t queue, const struct frame *frame)
{
	struct rte_mbuf *m = mbuf_with(rig, frame->bytes, frame->len);

	arrive(port, queue, m);
	return m;
}

const struct rte_mbuf *
rig_inject(struct rig *rig, const struct frame *frame)
{
	return rig_inject_at(rig, 0, 0, frame);
}

struct rte_mbuf *
rig_mbuf(struct rig *rig, const struct frame *frame, const uint32_t *cuts, uint32_t n)
{
	struct rte_mbuf *m = mbuf_with(rig, frame->bytes, n > 0 ? cuts[0] : frame->len);

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t end = i + 1 < n ? cuts[i + 1] : frame->len;

		assert_in_range(cuts[i], 0, end);
		chain(m, mbuf_with(rig, frame->bytes + cuts[i], end - cuts[i]));
	}
	return m;
}

void
rig_inject_cut(struct rig *rig, const struct frame *frame, const uint32_t *cuts, uint32_t n)
{
	arrive(0, 0, rig_mbuf(rig, frame, cuts, n));
}

void
rig_inject_chain(struct rig *rig, const struct frame *frame, uint32_t split)
{
	rig_inject_cut(rig, frame, &split, 1);
}

void
rig_inject_mbuf(struct rig *rig, uint16_t port, struct rte_mbuf *mbuf)
{
	if (rte_ring_enqueue(rx_rings[port][0], mbuf) != 0)
		rig_die("RX ring full");
}

void
rig_inject_bulk(struct rig *rig, uint16_t queue, struct rte_mbuf *const *mbufs, uint32_t n)
{
	if (rte_ring_enqueue_bulk(rx_rings[0][queue], (void *const *)mbufs, n, NULL) != n)
		rig_die("RX ring full");
}

struct rte_mbuf *
rig_inject_shared(struct rig *rig, const struct frame *frame, const uint32_t *cuts, uint32_t n)
{
	struct rte_mbuf *m = rig_mbuf(rig, frame, cuts, n);

	arrive(0, 0, m);
	rte_pktmbuf_refcnt_update(m, 1);
	return m;
}

void
rig_bytes(const struct rte_mbuf *mbuf, struct frame *frame)
{
	const void *bytes = rte_pktmbuf_read(mbuf, 0, mbuf->pkt_len, frame->bytes);

	assert_true(mbuf->pkt_len <= FRAME_MAX);
	assert_non_null(bytes);
	if (bytes != frame->bytes)
		memcpy(frame->bytes, bytes, mbuf->pkt_len);
	frame->len = mbuf->pkt_len;
}

struct rte_mbuf *
rig_collect(struct rig *rig, uint16_t port)
{
	const char *reason = "";
	void *m;

	for (uint32_t q = 0; q < rig->n_workers; q++) {
		if (rte_ring_dequeue(tx_rings[port][q], &m) != 0)
			continue;
		if (rte_mbuf_check(m, 1, &reason) != 0)
			fail_msg("an mbuf that no driver could send left port %u: %s", port, reason);
		return m;
	}
	return NULL;
}

void
rig_return(struct rte_mbuf *mbuf)
{
	rte_pktmbuf_free(mbuf);
}

uint32_t
rig_discard(struct rig *rig, uint16_t port)
{
	struct rte_mbuf *m;
	uint32_t n = 0;

	while ((m = rig_collect(rig, port)) != NULL) {
		rig_return(m);
		n++;
	}
	return n;
}
