/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports without another end: net_null, which makes what it receives, and net_pcap,
 * which reads it from a file, once or for ever, and writes what is sent to another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_ring.h>

#include "port.h"

#define N_BUFS    4096u
#define N_FRAMES  5u
#define FRAME_LEN 60u
#define MTU_JUMBO 9000u
#define JUMBO_LEN (MTU_JUMBO + RTE_ETHER_HDR_LEN)
#define DATA_ROOM (RTE_MBUF_DEFAULT_BUF_SIZE - RTE_PKTMBUF_HEADROOM)
#define PCAP_HEAD 24u
#define PCAP_REC  (16u + FRAME_LEN)

static const uint16_t lcores[] = {0, 1, 2};
static char dir[] = "/tmp/magpie-port-XXXXXX";
static char in_file[64], jumbo_file[64], out_file[64];
static struct rte_mempool *pool;
static struct port port;
static uint16_t mtu; /* of the ports that are opened, 0 = default */

/* A little-endian pcap file of N_FRAMES frames of len bytes, number i filled with i. */
static int
write_frames(const char *name, uint32_t len)
{
	const uint32_t head[PCAP_HEAD / 4] = {0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1};
	FILE *const file = fopen(name, "wb");
	size_t n;

	if (!file)
		return -1;
	n = fwrite(head, sizeof(head), 1, file);
	for (uint32_t i = 0; i < N_FRAMES; i++) {
		const uint32_t record[4] = {i, 0, len, len};
		uint8_t frame[JUMBO_LEN];

		memset(frame, i, sizeof(frame));
		n += fwrite(record, sizeof(record), 1, file) + fwrite(frame, len, 1, file);
	}
	return fclose(file) == 0 && n == 1 + 2 * N_FRAMES ? 0 : -1;
}

static long
size_of(const char *name)
{
	FILE *const file = fopen(name, "rb");

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);

	const long size = ftell(file);

	fclose(file);
	return size;
}

static void
open_port(const char *name, const char *args, unsigned int n_workers)
{
	const struct port_conf conf = {
		.mtu = mtu, .rxd = 128, .txd = 128, .chains = true, .data_room = DATA_ROOM};
	struct port_rxq map[PORT_QUEUES_MAX];
	char why[128] = "";
	unsigned int n;
	uint16_t id;

	assert_int_equal(rte_eal_hotplug_add("vdev", name, args), 0);
	assert_int_equal(port_find(name, &id), 0);
	assert_int_equal(port_map_default(lcores, n_workers, map, RTE_DIM(map), &n), 0);

	const struct port_map whole = {map, lcores, n, n_workers};

	if (port_plan(id, &conf, &whole, &port, why, sizeof(why)) != 0 ||
		port_setup(&port, pool, why, sizeof(why)) != 0)
		fail_msg("%s: %s", name, why);
	assert_int_equal(port_start(&port), 0);
}

static void
close_port(void)
{
	port_stop(&port);
	assert_false(port.started);
	assert_null(port.handoff);
	assert_false(rte_eth_dev_is_valid_port(port.id));
	rte_eal_hotplug_remove("vdev", port.name);
	assert_int_equal(rte_mempool_avail_count(pool), N_BUFS);
}

static void
test_null(void **state)
{
	struct rte_mbuf *mbufs[32];

	open_port("net_null7", "", 2);
	assert_int_equal(port.n_rxq, 2);
	assert_int_equal(port.n_txq, 2);
	assert_false(port.shared);
	for (uint16_t queue = 0; queue < 2; queue++) {
		const uint16_t n = rte_eth_rx_burst(port.id, queue, mbufs, 32);

		assert_int_equal(n, 32);
		assert_int_equal(rte_eth_tx_burst(port.id, queue, mbufs, n), n);
	}
	close_port();
}

/* One TX file for two workers: the second hands over, and what it hands over last stays on the way. */
static void
test_pcap_files(void **state)
{
	struct rte_mbuf *mbufs[32];
	char args[256];

	snprintf(args, sizeof(args), "rx_pcap=%s,tx_pcap=%s", in_file, out_file);
	open_port("net_pcap7", args, 2);
	assert_int_equal(port.n_rxq, 1);
	assert_int_equal(port.n_txq, 1);
	assert_true(port.shared);
	assert_int_equal(port.owner, 0);
	assert_non_null(port.handoff);
	assert_int_equal(rte_ring_get_capacity(port.handoff), PORT_HANDOFF_SIZE);
	assert_int_equal(rte_eth_rx_burst(port.id, 0, mbufs, 32), N_FRAMES);
	for (unsigned int i = 0; i < N_FRAMES; i++)
		assert_int_equal(*rte_pktmbuf_mtod(mbufs[i], uint8_t *), i);
	assert_int_equal(rte_eth_tx_burst(port.id, 0, mbufs, 3), 3);
	assert_int_equal(rte_ring_mp_enqueue_burst(port.handoff, (void **)mbufs + 3, 2, NULL), 2);
	close_port();
	assert_int_equal(size_of(out_file), PCAP_HEAD + 3 * PCAP_REC);
	unlink(out_file);
}

/* Two TX files for three workers: the owner uses one of them, so the other is not made. */
static void
test_pcap_too_few_files(void **state)
{
	char args[256];

	snprintf(args, sizeof(args), "rx_pcap=%s,tx_pcap=%s,tx_pcap=%s", in_file, out_file, out_file);
	open_port("net_pcap6", args, 3);
	assert_int_equal(port.n_txq, 1);
	assert_true(port.shared);
	close_port();
	unlink(out_file);
}

/* All its RX files are read, also by a single worker's port. */
static void
test_pcap_two_files(void **state)
{
	struct rte_mbuf *mbufs[32];
	char args[256];

	snprintf(args, sizeof(args), "rx_pcap=%s,rx_pcap=%s", in_file, in_file);
	open_port("net_pcap8", args, 2);
	assert_int_equal(port.n_rxq, 2);
	for (uint16_t queue = 0; queue < 2; queue++) {
		assert_int_equal(rte_eth_rx_burst(port.id, queue, mbufs, 32), N_FRAMES);
		rte_pktmbuf_free_bulk(mbufs, N_FRAMES);
	}
	close_port();
}

static void
test_pcap_for_ever(void **state)
{
	struct rte_mbuf *mbufs[32];
	char args[256];

	snprintf(args, sizeof(args), "rx_pcap=%s,infinite_rx=1", in_file);
	open_port("net_pcap9", args, 2);
	for (int burst = 0; burst < 100; burst++) {
		const uint16_t n = rte_eth_rx_burst(port.id, 0, mbufs, 32);

		assert_true(n > 0);
		assert_int_equal(rte_eth_tx_burst(port.id, 0, mbufs, n), n);
	}
	close_port();
}

/* A frame of five buffers is read as a chain and written as one piece. */
static void
test_pcap_jumbo(void **state)
{
	struct rte_mbuf *mbufs[32];
	char args[256];

	snprintf(args, sizeof(args), "rx_pcap=%s,tx_pcap=%s", jumbo_file, out_file);
	mtu = MTU_JUMBO;
	open_port("net_pcap5", args, 1);
	assert_int_equal(rte_eth_rx_burst(port.id, 0, mbufs, 32), N_FRAMES);
	for (unsigned int i = 0; i < N_FRAMES; i++) {
		assert_int_equal(mbufs[i]->nb_segs, port_frame_buffers(MTU_JUMBO, DATA_ROOM));
		assert_int_equal(mbufs[i]->pkt_len, JUMBO_LEN);
	}
	assert_int_equal(rte_eth_tx_burst(port.id, 0, mbufs, N_FRAMES), N_FRAMES);
	close_port();
	assert_int_equal(size_of(out_file), size_of(jumbo_file));
	unlink(out_file);
	mtu = 0;
}

/* It takes packets of any number of buffers and any MTU, for it makes its own. */
static void
test_null_jumbo(void **state)
{
	struct rte_mbuf *chain[2];

	mtu = MTU_JUMBO;
	open_port("net_null5", "", 1);
	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, chain, 2), 0);
	assert_int_equal(rte_pktmbuf_chain(chain[0], chain[1]), 0);
	assert_int_equal(rte_eth_tx_burst(port.id, 0, chain, 1), 1);
	close_port();
	mtu = 0;
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_pcap_files),
		cmocka_unit_test(test_pcap_too_few_files),
		cmocka_unit_test(test_pcap_two_files),
		cmocka_unit_test(test_pcap_for_ever),
		cmocka_unit_test(test_pcap_jumbo),
		cmocka_unit_test(test_null_jumbo),
	};

	if (rte_eal_init(argc, argv) < 0 || !mkdtemp(dir))
		return 1;
	snprintf(in_file, sizeof(in_file), "%s/in.pcap", dir);
	snprintf(jumbo_file, sizeof(jumbo_file), "%s/jumbo.pcap", dir);
	snprintf(out_file, sizeof(out_file), "%s/out.pcap", dir);
	pool = rte_pktmbuf_pool_create("bufs", N_BUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	if (!pool || write_frames(in_file, FRAME_LEN) != 0 || write_frames(jumbo_file, JUMBO_LEN) != 0)
		return 1;

	const int failed = cmocka_run_group_tests_name("port/files", tests, NULL, NULL);

	rte_mempool_free(pool);
	rte_eal_cleanup();
	unlink(in_file);
	unlink(jumbo_file);
	rmdir(dir);
	return failed;
}
