/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What single drivers need and their dev_info does not tell. Read in the drivers' sources (DPDK 22.11) and
 * kept true by tests/dpdk/port, which runs each of them.
 *
 *   net_memif        Offers 255 queues, but the connection has as many rings as both sides agree on: the client
 *                    names its numbers, the server takes what it gets. A TX queue without a ring writes into
 *                    ring 0 instead.
 *   net_tap          Refuses unequal numbers.
 *   net_af_xdp       Refuses unequal numbers; RX and TX queue share one socket. Queues as in queue_count. Fills
 *                    2048 descriptors, and close leaves the buffers in them and the socket open. Registers
 *                    memory for buffers that lie side by side: the pool must have been made with
 *                    RTE_MEMPOOL_F_NO_IOVA_CONTIG, or buffers at its end carry nothing.
 *   net_virtio_user  Enables pairs: an RX queue more than we poll would be filled and never emptied.
 *   net_vhost        The same seen from the other side.
 *   net_af_packet    One socket per pair, and the kernel spreads packets over all that were opened (qpairs),
 *                    whether they are polled or not.
 *   net_ring         TX queue i feeds RX queue i, here or in the program at the other end: one without the
 *                    other is a ring that fills up. Packets left in it are lost at close.
 *   net_pcap         As many RX queues as there are files.
 */
#include <string.h>

#include <rte_common.h>

#include "port_priv.h"

static const struct port_quirk quirks[] = {
	{.driver = "net_memif", .rxq = PORT_RXQ_ONE, .tx_as_rx = true},
	{.driver = "net_tap", .rxq = PORT_RXQ_ONE, .tx_as_rx = true},
	{.driver = "net_af_xdp",
		.rxq = PORT_RXQ_ALL,
		.tx_as_rx = true,
		.forgets = true,
		.packed = true,
		.rxd = 2048},
	{.driver = "net_virtio_user", .rxq = PORT_RXQ_ALL, .tx_as_rx = true},
	{.driver = "net_vhost", .rxq = PORT_RXQ_ALL, .tx_as_rx = true},
	{.driver = "net_af_packet", .rxq = PORT_RXQ_ALL, .tx_as_rx = true},
	{.driver = "net_ring", .rxq = PORT_RXQ_ONE, .tx_as_rx = true, .drain = true},
	{.driver = "net_pcap", .rxq = PORT_RXQ_ALL},
};

const struct port_quirk *
port_quirk_find(const char *driver)
{
	static const struct port_quirk none = {.driver = "", .rxq = PORT_RXQ_RSS};

	for (unsigned int i = 0; i < RTE_DIM(quirks); i++)
		if (!strcmp(quirks[i].driver, driver))
			return &quirks[i];
	return &none;
}
