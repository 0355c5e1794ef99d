/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What single drivers need and their dev_info does not tell. Read in the drivers' sources (DPDK 22.11) and
 * kept true by tests/dpdk/port, which runs each of them. Those that copy frames or hand them over at once are prompt; any other
 * may keep what it has sent until its TX ring is nearly full.
 *
 *   net_memif        Offers 255 queues, but the connection has as many rings as both sides agree on: the client
 *                    names its numbers, the server takes what it gets. A TX queue without a ring writes into
 *                    ring 0 instead. Takes frames of any length, though dev_info says 1518, and chains what does not
 *                    fit a buffer. A frame that does not fit a slot of the ring (bsize, the client's
 *                    counts) takes several, whose marks it leaves for later frames to be glued together by,
 *                    and it may write over slots that the peer has not read.
 *   net_tap          Refuses unequal numbers. No MTU beyond 1504, though the interface may have any and bring what fits it.
 *                    In another network namespace it works, but its link is asked for by name, and is not found.
 *   net_af_xdp       Refuses unequal numbers; RX and TX queue share one socket. Queues as in queue_count. Fills
 *                    2048 descriptors, and close leaves the buffers in them and the socket open. Registers
 *                    memory for buffers that lie side by side: the pool must have been made with
 *                    RTE_MEMPOOL_F_NO_IOVA_CONTIG, or buffers at its end carry nothing. Works out where a
 *                    frame is from where its mbuf is, up to 64 kB behind: an indirect mbuf would send something else. Of a
 *                    chain it would send what lies behind the first buffer.
 *   net_virtio_user  Enables pairs: an RX queue more than we poll would be filled and never emptied.
 *                    As net_virtio, a TX descriptor may hold all of a chain (VIRTIO_RING_F_INDIRECT_DESC), and
 *                    buffers that were sent come back during a tx_burst() that finds its ring nearly full, never else.
 *   net_vhost        The same seen from the other side. Chains what does not fit a buffer.
 *   net_af_packet    One socket per pair, and the kernel spreads packets over all that were opened (qpairs),
 *                    whether they are polled or not. Cuts what is longer than 1518 bytes, or a little more. A data buffer must
 *                    have room for a frame of its ring (framesz, less 32 bytes of its own).
 *                    When its interface is gone it goes on saying that the link is up.
 *   net_ring         TX queue i feeds RX queue i, here or in the program at the other end: one without the
 *                    other is a ring that fills up. Packets left in it are lost at close. What is sent is
 *                    received as it is, chains too, by somebody who takes it for his and writes to it.
 *   net_pcap         As many RX queues as there are files. Chains what does not fit a buffer, and writes chains.
 *   net_null         Makes frames of one length, in one buffer each; frees what is sent.
 */
#include <string.h>

#include <rte_common.h>

#include "port_priv.h"

static const struct port_quirk quirks[] = {
	{.driver = "net_memif",
		.rxq = PORT_RXQ_ONE,
		.tx_as_rx = true,
		.chains = true,
		.any_mtu = true,
		.prompt = true,
		.slot_arg = "bsize",
		.slot = 2048},
	{.driver = "net_tap",
		.rxq = PORT_RXQ_ONE,
		.tx_as_rx = true,
		.any_frame = true,
		.roams = true,
		.prompt = true},
	{.driver = "net_af_xdp",
		.rxq = PORT_RXQ_ALL,
		.tx_as_rx = true,
		.forgets = true,
		.packed = true,
		.rxd = 2048,
		.exclusive = true},
	{.driver = "net_virtio", .whole = true},
	{.driver = "net_virtio_user", .rxq = PORT_RXQ_ALL, .tx_as_rx = true, .whole = true},
	{.driver = "net_vhost", .rxq = PORT_RXQ_ALL, .tx_as_rx = true, .chains = true, .prompt = true},
	{.driver = "net_af_packet",
		.rxq = PORT_RXQ_ALL,
		.tx_as_rx = true,
		.prompt = true,
		.room_arg = "framesz",
		.room = 2048,
		.room_less = 32},
	{.driver = "net_ring",
		.rxq = PORT_RXQ_ONE,
		.tx_as_rx = true,
		.drain = true,
		.chains = true,
		.exclusive = true,
		.prompt = true,
		.whole = true},
	{.driver = "net_pcap", .rxq = PORT_RXQ_ALL, .chains = true, .gathers = true, .prompt = true},
	{.driver = "net_null", .chains = true, .gathers = true, .prompt = true},
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
