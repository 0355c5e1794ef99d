/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MTUs and frames that do not fit a data buffer: what is asked of a device that offers it, of one that does so without
 * offering it, and of one that does not. No driver here offers FAST_FREE, or one of SCATTER and
 * MULTI_SEGS without the other, so net_null0 is made to pass for another device.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <rte_eal.h>

#include "port.h"

#define DATA_ROOM 2048u
#define FITS      2026u /* the largest MTU whose frame fits */

#define SCATTER    RTE_ETH_RX_OFFLOAD_SCATTER
#define MULTI_SEGS RTE_ETH_TX_OFFLOAD_MULTI_SEGS
#define FAST_FREE  RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE

enum { NULL0, RING0, MEMIF0, MEMIF1, N_PORTS };

static char why[256];

/* What net_null0 offers; driver NULL: what it is. */
static struct {
	const char *driver;
	uint64_t rx, tx;
	uint16_t max_mtu;
	uint32_t min_rx_bufsize;
} card;

int __real_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info);
int __wrap_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info);

int
__wrap_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	const int ret = __real_rte_eth_dev_info_get(id, info);

	if (ret != 0 || id != NULL0 || card.driver == NULL)
		return ret;
	info->driver_name = card.driver;
	info->rx_offload_capa = card.rx;
	info->tx_offload_capa = card.tx;
	info->max_mtu = card.max_mtu;
	info->min_rx_bufsize = card.min_rx_bufsize;
	info->max_rx_pktlen = card.max_mtu + RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;
	return 0;
}

static void
pretend(uint64_t rx, uint64_t tx)
{
	card.driver = "net_card";
	card.rx = rx;
	card.tx = tx;
	card.max_mtu = 9600;
}

static int
plan(uint16_t id, const struct port_conf *conf, struct port *port)
{
	static const uint16_t lcores[] = {0};
	const struct port_rxq rxq = {id, 0, 0};
	const struct port_map map = {&rxq, lcores, 1, 1};

	why[0] = '\0';
	return port_plan(id, conf, &map, port, why, sizeof(why));
}

static void
refused(uint16_t id, const struct port_conf *conf, const char *text)
{
	struct port port;

	assert_int_equal(plan(id, conf, &port), -EINVAL);
	if (!strstr(why, text))
		fail_msg("'%s' does not say '%s'", why, text);
}

static int
teardown(void **state)
{
	card.driver = NULL;
	return 0;
}

static void
test_frame_buffers(void **state)
{
	assert_int_equal(port_frame_buffers(0, DATA_ROOM), 1);
	assert_int_equal(port_frame_buffers(1500, DATA_ROOM), 1);
	assert_int_equal(port_frame_buffers(FITS, DATA_ROOM), 1);
	assert_int_equal(port_frame_buffers(FITS + 1, DATA_ROOM), 2);
	assert_int_equal(port_frame_buffers(9000, DATA_ROOM), 5);
	assert_int_equal(port_frame_buffers(65535, 0), 1);
}

/* SCATTER is asked for from the first byte on that does not fit, and not before. */
static void
test_scatter_where_needed(void **state)
{
	struct port_conf conf = {.mtu = FITS, .data_room = DATA_ROOM};
	struct port port;

	pretend(SCATTER, MULTI_SEGS);
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	assert_int_equal(port.rx_offloads, 0);
	assert_false(port.chains);
	assert_false(port_chains(NULL0, &conf));

	conf.mtu = FITS + 1;
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	assert_int_equal(port.rx_offloads, SCATTER);
	assert_int_equal(port.mtu, FITS + 1);
	assert_int_equal(port.dev_mtu, FITS + 1);
	assert_true(port.chains);
	assert_true(port_chains(NULL0, &conf));

	conf.data_room = 0;
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	assert_int_equal(port.rx_offloads, 0);
	assert_false(port.chains);

	/* the default MTU is one, too */
	conf.mtu = 0;
	conf.data_room = 1500 + PORT_FRAME_EXTRA;
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	assert_false(port.chains || port_chains(NULL0, &conf));
	conf.data_room--;
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	assert_true(port.chains && port_chains(NULL0, &conf));
	assert_int_equal(port.rx_offloads, SCATTER);
}

/* Chains go anywhere, so every port is asked to send them, also one whose own frames fit. */
static void
test_multi_segs_everywhere(void **state)
{
	struct port_conf conf = {.data_room = DATA_ROOM};
	struct port port;

	pretend(0, MULTI_SEGS);
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	assert_int_equal(port.tx_offloads, 0);
	assert_false(port.linear);
	conf.chains = true;
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	assert_int_equal(port.tx_offloads, MULTI_SEGS);
	conf.chains = false;
	conf.clones = true;
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	assert_int_equal(port.tx_offloads, MULTI_SEGS);
}

/* Where larger packets come in by other ports, fragments of them may show parts of the same buffers, if the device takes chains. */
static void
test_fragments(void **state)
{
	struct port_conf conf = {.data_room = DATA_ROOM, .larger = true, .fast_free_ok = true};
	struct port port;

	pretend(SCATTER, MULTI_SEGS | FAST_FREE);
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	assert_true(port.fragments);
	assert_int_equal(port.tx_offloads, MULTI_SEGS);
	pretend(SCATTER, FAST_FREE);
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	assert_false(port.fragments);
	assert_int_equal(port.tx_offloads, FAST_FREE);
	teardown(NULL);
	/* sends chains without being asked; must have buffers of its own; offers it */
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	assert_true(port.fragments);
	assert_int_equal(plan(RING0, &conf, &port), 0);
	assert_false(port.fragments);
	assert_int_equal(plan(MEMIF1, &conf, &port), 0);
	assert_true(port.fragments);
	assert_int_equal(port.tx_offloads, MULTI_SEGS);
	conf.larger = false;
	assert_int_equal(plan(MEMIF1, &conf, &port), 0);
	assert_false(port.fragments);
	assert_int_equal(port.tx_offloads, 0);
}

/* A device that wants more of a data buffer than there is. */
static void
test_room(void **state)
{
	struct port_conf conf = {.mtu = 1500, .data_room = 128};
	struct port port;

	pretend(SCATTER, MULTI_SEGS);
	card.min_rx_bufsize = 1024;
	refused(NULL0, &conf, "net_card needs 1024 bytes in a data buffer, there are 128");
	conf.data_room = 1024;
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	conf.data_room = 1023;
	refused(NULL0, &conf, "there are 1023");
	card.min_rx_bufsize = 0;
	assert_int_equal(plan(NULL0, &conf, &port), 0);
}

/* What an MTU will be, before anything is planned. */
static void
test_mtu(void **state)
{
	struct port_conf conf = {0};
	uint16_t mtu = 0;

	pretend(0, 0);
	card.max_mtu = 1300;
	assert_int_equal(port_mtu(NULL0, &conf, &mtu), 0);
	assert_int_equal(mtu, 1300);
	card.max_mtu = 9600;
	assert_int_equal(port_mtu(NULL0, &conf, &mtu), 0);
	assert_int_equal(mtu, 1500);
	conf.mtu = 9000;
	assert_int_equal(port_mtu(MEMIF1, &conf, &mtu), 0);
	assert_int_equal(mtu, 9000);
	assert_int_equal(port_mtu(N_PORTS, &conf, &mtu), -ENODEV);
}

/* FAST_FREE frees neither chains nor clones as it should. */
static void
test_fast_free(void **state)
{
	for (unsigned int bits = 0; bits < 8; bits++) {
		const struct port_conf conf = {.data_room = DATA_ROOM,
			.fast_free_ok = (bits & 1) != 0,
			.chains = (bits & 2) != 0,
			.clones = (bits & 4) != 0};
		struct port port;

		pretend(SCATTER, MULTI_SEGS | FAST_FREE);
		assert_int_equal(plan(NULL0, &conf, &port), 0);
		assert_int_equal(port.tx_offloads, (bits == 1 ? FAST_FREE : 0) | (bits > 1 ? MULTI_SEGS : 0));
		pretend(SCATTER, MULTI_SEGS);
		assert_int_equal(plan(NULL0, &conf, &port), 0);
		assert_int_equal(port.tx_offloads, bits > 1 ? MULTI_SEGS : 0);
	}
}

/* Devices that cannot: their frames must fit, and the walk hears of those that do not send chains. */
static void
test_no_chains(void **state)
{
	struct port_conf conf = {.mtu = FITS + 1, .data_room = DATA_ROOM};
	struct port port;

	pretend(0, MULTI_SEGS);
	refused(NULL0, &conf,
		"receives into one data buffer of 2048 bytes, MTU 2027 does not fit: at most 2026");
	conf.mtu = FITS;
	assert_int_equal(plan(NULL0, &conf, &port), 0);

	pretend(SCATTER, 0);
	conf.mtu = FITS + 1;
	conf.chains = true;
	refused(NULL0, &conf,
		"sends from one data buffer of 2048 bytes, MTU 2027 does not fit: at most 2026");
	conf.mtu = FITS;
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	assert_true(port.linear);
	assert_int_equal(port.tx_offloads, 0);
}

static void
test_range(void **state)
{
	struct port_conf conf = {.mtu = 9601, .data_room = DATA_ROOM};
	struct port port;

	pretend(SCATTER, MULTI_SEGS);
	refused(NULL0, &conf, "MTU 9601 is outside of what net_card takes, 46 to 9600");
	conf.mtu = 9600;
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	conf.mtu = 45;
	refused(NULL0, &conf, "MTU 45");
}

/* What the drivers here do without being asked: quirks.c. */
static void
test_quirks(void **state)
{
	struct port_conf conf = {.mtu = 9000, .data_room = DATA_ROOM, .chains = true};
	struct port port;

	for (uint16_t id = 0; id < N_PORTS; id++) {
		const struct port_conf small = {.mtu = 1000, .data_room = DATA_ROOM};

		assert_true(port_chains(id, &small));
		assert_true(port_chains(id, &conf));
		assert_int_equal(plan(id, &small, &port), 0);
		assert_true(port.chains);
		assert_false(port.linear);
		assert_int_equal(port.rx_offloads, 0);
		assert_int_equal(port.exclusive, id == RING0);
		assert_int_equal(port.whole, id == RING0);
	}
	assert_int_equal(plan(NULL0, &conf, &port), 0);
	assert_int_equal(port.rx_offloads, 0);
	assert_int_equal(port.tx_offloads, 0);
	assert_int_equal(plan(RING0, &conf, &port), 0);
	assert_int_equal(port.rx_offloads, SCATTER);
	assert_int_equal(port.tx_offloads, MULTI_SEGS);
}

/* net_memif takes more than the 1500 it says, which is all that it may be told; a frame must fit its slots. */
static void
test_memif(void **state)
{
	struct port_conf conf = {.mtu = 9000, .data_room = DATA_ROOM, .chains = true};
	struct port port;

	assert_int_equal(plan(MEMIF1, &conf, &port), 0);
	assert_int_equal(port.mtu, 9000);
	assert_int_equal(port.dev_mtu, 1500);
	assert_int_equal(port.tx_offloads, MULTI_SEGS);
	conf.mtu = 9001;
	refused(MEMIF1, &conf, "bsize=9023");
	refused(MEMIF0, &conf, "bsize=9023");
	conf.mtu = FITS + 1;
	refused(MEMIF0, &conf, "bsize=2049");
	conf.mtu = FITS;
	assert_int_equal(plan(MEMIF0, &conf, &port), 0);
	assert_int_equal(port.mtu, FITS);
	conf.mtu = 0;
	assert_int_equal(plan(MEMIF1, &conf, &port), 0);
	assert_int_equal(port.mtu, 1500);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_buffers),
		cmocka_unit_test_teardown(test_scatter_where_needed, teardown),
		cmocka_unit_test_teardown(test_multi_segs_everywhere, teardown),
		cmocka_unit_test_teardown(test_fragments, teardown),
		cmocka_unit_test_teardown(test_room, teardown),
		cmocka_unit_test_teardown(test_mtu, teardown),
		cmocka_unit_test_teardown(test_fast_free, teardown),
		cmocka_unit_test_teardown(test_no_chains, teardown),
		cmocka_unit_test_teardown(test_range, teardown),
		cmocka_unit_test(test_quirks),
		cmocka_unit_test(test_memif),
	};

	if (rte_eal_init(argc, argv) < 0 || rte_eth_dev_count_avail() != N_PORTS)
		return 1;

	const int failed = cmocka_run_group_tests_name("port/frames", tests, NULL, NULL);

	rte_eal_cleanup();
	return failed;
}
