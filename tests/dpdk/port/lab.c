/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ether.h>
#include <rte_ring.h>

#include "lab.h"

#define ETHER_TYPE 0x88b5 /* IEEE 802 local experimental: nobody else sends it */
#define FRAME_LEN  64
#define BURST      32

static const uint16_t lcores[LAB_WORKERS] = {0, 1};

static int
add_device(struct lab *lab, unsigned int end, const char *dir)
{
	const char *const spec = lab->kind->vdev[end];
	const size_t driver_len = strcspn(spec, ",");
	const unsigned int queues = lab->n_queues ? lab->n_queues : 1;
	static unsigned int n_devices;
	char args[256] = "";
	size_t used = 0;

	snprintf(lab->vdev[end], sizeof(lab->vdev[end]), "%.*s%u", (int)driver_len, spec, n_devices++);
	for (const char *c = spec + driver_len + (spec[driver_len] == ','); *c; c++) {
		if (*c != '%')
			used += snprintf(args + used, sizeof(args) - used, "%c", *c);
		else if (*++c == 's')
			used += snprintf(args + used, sizeof(args) - used, "%s", dir);
		else
			used += snprintf(
				args + used, sizeof(args) - used, "%u", *c == 'd' ? lab->serial : queues);
	}
	return rte_eal_hotplug_add("vdev", lab->vdev[end], args);
}

static unsigned int
make_map(struct lab *lab, struct port_rxq *map, unsigned int max)
{
	unsigned int n = 0;

	if (lab->n_queues == 0) {
		if (port_map_default(lcores, lab->n_workers, map, max, &n) != 0)
			n = 0;
		return n;
	}
	for (unsigned int end = 0; end < lab->n_ports; end++)
		for (uint16_t queue = 0; queue < lab->n_queues; queue++)
			map[n++] =
				(struct port_rxq){lab->port[end].id, queue, lcores[queue % lab->n_workers]};
	return n;
}

static int
start_port(struct lab *lab, struct port *port, const struct port_rxq *map, unsigned int n)
{
	const struct port_conf conf = {.mtu = lab->mtu,
		.rxd = 256,
		.txd = 256,
		.promisc = lab->promisc,
		.fast_free_ok = true,
		.chains = lab->mtu != 0,
		.data_room = LAB_DATA_ROOM};
	const struct port_map whole = {map, lcores, n, lab->n_workers};
	int ret = port_plan(port->id, &conf, &whole, port, lab->why, sizeof(lab->why));

	if (ret == 0)
		ret = port_setup(port, lab->pool, lab->why, sizeof(lab->why));
	if (ret == 0)
		ret = port_start(port);
	return ret;
}

static bool
wait_for_link(const struct port *port)
{
	for (int ms = 0; ms < 3000 && !port_link_up(port); ms++)
		usleep(1000);
	return port_link_up(port);
}

/* One end after the other: a virtio_user connects when it is made, a vhost listens when it is set up. */
static int
open_end(struct lab *lab, unsigned int end, const char *dir)
{
	struct port_rxq map[2 * PORT_QUEUES_MAX];
	int ret = add_device(lab, end, dir);

	if (ret == 0)
		ret = port_find(lab->vdev[end], &lab->port[end].id);
	if (ret != 0) {
		snprintf(lab->why, sizeof(lab->why), "%s cannot be made", lab->vdev[end]);
		return ret;
	}
	lab->n_ports = end + 1;
	return start_port(lab, &lab->port[end], map, make_map(lab, map, RTE_DIM(map)));
}

static uint32_t
frame_len(const struct lab *lab)
{
	return lab->mtu == 0 ? FRAME_LEN : lab->mtu + RTE_ETHER_HDR_LEN;
}

/* Byte i of a frame of worker, behind the header. */
static uint8_t
frame_byte(unsigned int worker, uint32_t i)
{
	return (uint8_t)(worker + 7 * i);
}

/* Whether it is one of the test's frames, in as few buffers as it fits. */
static bool
is_ours(const struct lab *lab, const struct rte_mbuf *mbuf)
{
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(mbuf, const struct rte_ether_hdr *);
	const unsigned int worker = rte_pktmbuf_mtod(mbuf, const uint8_t *)[sizeof(*eth)];
	uint32_t at = 0;

	if (eth->ether_type != rte_cpu_to_be_16(ETHER_TYPE) || mbuf->pkt_len != frame_len(lab) ||
		mbuf->nb_segs != port_frame_buffers(lab->mtu, LAB_DATA_ROOM))
		return false;
	for (const struct rte_mbuf *segment = mbuf; segment; segment = segment->next)
		for (uint16_t i = 0; i < segment->data_len; i++, at++)
			if (at >= sizeof(*eth) && rte_pktmbuf_mtod(segment, const uint8_t *)[i] !=
							  frame_byte(worker, at - sizeof(*eth)))
				return false;
	return at == mbuf->pkt_len;
}

static unsigned int
receive_once(const struct lab *lab, const struct port *port)
{
	struct rte_mbuf *mbufs[BURST];
	unsigned int n_ours = 0;

	for (uint16_t queue = 0; queue < port->n_rxq; queue++) {
		const uint16_t n = rte_eth_rx_burst(port->id, queue, mbufs, BURST);

		for (uint16_t i = 0; i < n; i++)
			n_ours += is_ours(lab, mbufs[i]);
		rte_pktmbuf_free_bulk(mbufs, n);
	}
	return n_ours;
}

int
lab_open(struct lab *lab, const char *dir)
{
	int ret;

	lab->serial++;
	ret = open_end(lab, 0, dir);
	if (ret == 0 && lab->kind->vdev[1])
		ret = open_end(lab, 1, dir);
	for (unsigned int end = 0; ret == 0 && end < lab->n_ports; end++)
		if (!wait_for_link(&lab->port[end])) {
			snprintf(lab->why, sizeof(lab->why), "%s: no link", lab->port[end].name);
			ret = -ENETDOWN;
		}
	/* As a worker would have: only then does a memif client post its buffers. */
	for (unsigned int end = 0; ret == 0 && end < lab->n_ports; end++)
		receive_once(lab, &lab->port[end]);
	return ret;
}

void
lab_close(struct lab *lab)
{
	/* By turns, so that either end sees its peer go first. */
	for (unsigned int i = 0; i < lab->n_ports; i++)
		port_stop(&lab->port[(i + lab->serial) % lab->n_ports]);
	for (unsigned int end = 0; end < lab->n_ports; end++)
		rte_eal_hotplug_remove("vdev", lab->vdev[end]);
}

/* A frame in as few buffers as it fits. NULL: there are none. */
static struct rte_mbuf *
make_frame(struct lab *lab, const struct port *from, unsigned int worker)
{
	struct rte_mbuf *frame = rte_pktmbuf_alloc(lab->pool), *last = frame;
	const struct rte_ether_hdr eth = {.dst_addr.addr_bytes = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		.src_addr = from->mac,
		.ether_type = rte_cpu_to_be_16(ETHER_TYPE)};

	for (uint32_t at = 0; frame && at < frame_len(lab); at++) {
		if (rte_pktmbuf_tailroom(last) == 0) {
			last = rte_pktmbuf_alloc(lab->pool);
			if (!last || rte_pktmbuf_chain(frame, last) != 0) {
				rte_pktmbuf_free(last);
				rte_pktmbuf_free(frame);
				return NULL;
			}
		}
		*rte_pktmbuf_mtod_offset(last, uint8_t *, last->data_len++) =
			at < sizeof(eth) ? ((const uint8_t *)&eth)[at] : frame_byte(worker, at - sizeof(eth));
		frame->pkt_len++;
	}
	return frame;
}

static unsigned int
make_frames(struct lab *lab, const struct port *from, unsigned int worker, struct rte_mbuf **mbufs,
	unsigned int n)
{
	unsigned int made = 0;

	while (made < n && (mbufs[made] = make_frame(lab, from, worker)) != NULL)
		made++;
	return made;
}

unsigned int
lab_send(struct lab *lab, unsigned int end, unsigned int worker, unsigned int n)
{
	const struct port *const port = &lab->port[end];
	struct rte_mbuf *mbufs[BURST];
	unsigned int sent = 0;

	n = make_frames(lab, port, worker, mbufs, n);
	if (port->shared && port->owner != worker)
		sent = rte_ring_mp_enqueue_burst(port->handoff, (void **)mbufs, n, NULL);
	/* A peer may still be busy making its second queue. */
	for (int ms = 0; ms < 1000 && sent < n && (!port->shared || port->owner == worker); ms++) {
		sent += rte_eth_tx_burst(port->id, port->shared ? 0 : worker, mbufs + sent, n - sent);
		if (sent < n)
			usleep(1000);
	}
	rte_pktmbuf_free_bulk(mbufs + sent, n - sent);
	return sent;
}

void
lab_send_once(struct lab *lab, unsigned int end, unsigned int n)
{
	struct rte_mbuf *mbufs[BURST];

	n = make_frames(lab, &lab->port[end], 0, mbufs, n);

	const unsigned int sent = rte_eth_tx_burst(lab->port[end].id, 0, mbufs, n);

	rte_pktmbuf_free_bulk(mbufs + sent, n - sent);
}

void
lab_send_handed(struct lab *lab, unsigned int end)
{
	const struct port *const port = &lab->port[end];
	struct rte_mbuf *mbufs[BURST];

	if (!port->shared)
		return;

	const unsigned int n = rte_ring_sc_dequeue_burst(port->handoff, (void **)mbufs, BURST, NULL);
	const unsigned int sent = rte_eth_tx_burst(port->id, 0, mbufs, n);

	rte_pktmbuf_free_bulk(mbufs + sent, n - sent);
}

unsigned int
lab_receive(struct lab *lab, unsigned int end, unsigned int n)
{
	unsigned int n_ours = 0;

	for (int ms = 0; ms < 2000 && n_ours < n; ms++) {
		n_ours += receive_once(lab, &lab->port[end]);
		usleep(1000);
	}
	return n_ours;
}
