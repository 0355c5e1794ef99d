/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names, the default map and the plan, over devices that are never started:
 * net_null0 (spreads packets, any number of queues), net_ring0 (TX queues follow RX queues),
 * net_memif0 (as net_ring0, frames of 2048 bytes at most), in this order.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <rte_eal.h>

#include "port.h"

enum { NULL0, RING0, MEMIF0, N_PORTS };

static const uint16_t lcores[] = {0, 1, 2};
static char why[128];

static int
plan(uint16_t id, const struct port_conf *conf, const struct port_rxq *map, unsigned int n,
	unsigned int n_workers, struct port *port)
{
	const struct port_map whole = {map, lcores, n, n_workers};

	why[0] = '\0';
	return port_plan(id, conf, &whole, port, why, sizeof(why));
}

static void
test_find(void **state)
{
	static const char *const bad[] = {"", "3", "-1", "+1", " 1", "1 ", "1a", "0x1",
		"99999999999999999999", "65536", "net_null", "net_null00", "net_null0 "};
	static const struct {
		const char *text;
		uint16_t id;
	} good[] = {{"0", NULL0}, {"1", RING0}, {"02", MEMIF0}, {"net_null0", NULL0}, {"net_ring0", RING0},
		{"net_memif0", MEMIF0}};

	for (unsigned int i = 0; i < RTE_DIM(good); i++) {
		uint16_t id = 77;

		assert_int_equal(port_find(good[i].text, &id), 0);
		assert_int_equal(id, good[i].id);
	}
	for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
		uint16_t id;

		if (port_find(bad[i], &id) != -ENODEV)
			fail_msg("'%s' was found", bad[i]);
	}
}

/* One queue per worker where packets are spread, else one; every worker gets its share. */
static void
test_default_map(void **state)
{
	struct port_rxq map[8];
	unsigned int load[RTE_DIM(lcores)] = {0};
	unsigned int n;

	assert_int_equal(port_map_default(lcores, 3, map, RTE_DIM(map), &n), 0);
	assert_int_equal(n, 5);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(map[i].port, NULL0);
		assert_int_equal(map[i].queue, i);
	}
	assert_int_equal(map[3].port, RING0);
	assert_int_equal(map[4].port, MEMIF0);
	for (unsigned int i = 0; i < n; i++)
		load[map[i].lcore]++;
	assert_int_equal(load[0], 2);
	assert_int_equal(load[1], 2);
	assert_int_equal(load[2], 1);
	assert_int_equal(port_map_default(lcores, 3, map, 5, &n), 0);
	assert_int_equal(port_map_default(lcores, 3, map, 4, &n), -ENOSPC);
	assert_int_equal(port_map_default(lcores, 3, map, 0, &n), -ENOSPC);
}

static void
test_own_tx_queues(void **state)
{
	const struct port_rxq map[] = {{NULL0, 0, 1}, {NULL0, 1, 0}, {RING0, 0, 0}};
	const struct port_conf conf = {0};
	struct port port;

	assert_int_equal(plan(NULL0, &conf, map, RTE_DIM(map), 3, &port), 0);
	assert_int_equal(port.id, NULL0);
	assert_string_equal(port.name, "net_null0");
	assert_string_equal(port.driver, "net_null");
	assert_int_equal(port.n_rxq, 2);
	assert_int_equal(port.n_txq, 3);
	assert_false(port.shared);
	assert_int_equal(port.owner, 1);
	assert_int_equal(port.mtu, 1500);
	assert_false(port.set_mtu);
	assert_int_equal(port.rxd, 1024);
	assert_int_equal(port.txd, 1024);
	assert_int_not_equal(port.rss_hf, 0);
	assert_int_equal(port.rss_hf & ~(RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP), 0);
	assert_false(port.started);
	assert_null(port.handoff);
}

static void
test_shared_port(void **state)
{
	const struct port_rxq map[] = {{RING0, 1, 2}, {RING0, 0, 1}};
	const struct port_conf conf = {.mtu = 1400, .rxd = 512, .txd = 256, .promisc = true};
	struct port port;

	assert_int_equal(plan(RING0, &conf, map, 2, 3, &port), 0);
	assert_int_equal(port.n_rxq, 2);
	assert_int_equal(port.n_txq, 2);
	assert_true(port.shared);
	assert_int_equal(port.owner, 1);
	assert_int_equal(port.mtu, 1400);
	assert_true(port.set_mtu);
	assert_true(port.promisc);
	assert_int_equal(port.rxd, 512);
	assert_int_equal(port.txd, 256);
	assert_int_equal(port.rss_hf, 0);

	/* as many RX queues as workers: each has a TX queue of its own */
	assert_int_equal(plan(RING0, &conf, map, 2, 2, &port), 0);
	assert_int_equal(port.n_txq, 2);
	assert_false(port.shared);
}

/* Offloads that nobody offers are not asked for. */
static void
test_offloads(void **state)
{
	const struct port_rxq map[] = {{MEMIF0, 0, 0}};
	const struct port_conf conf = {.fast_free_ok = true};
	struct rte_eth_dev_info info;
	struct port port;

	for (uint16_t id = 0; id < N_PORTS; id++) {
		const struct port_rxq one[] = {{id, 0, 0}, {id, 1, 1}};

		assert_int_equal(rte_eth_dev_info_get(id, &info), 0);
		assert_int_equal(plan(id, &conf, one, 2, 2, &port), 0);
		assert_int_equal(port.rx_offloads & ~info.rx_offload_capa, 0);
		assert_int_equal(
			port.tx_offloads, info.tx_offload_capa & (uint64_t)RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE);
		assert_int_equal(port.rss_hf & ~info.flow_type_rss_offloads, 0);
		assert_int_equal(port.lsc, (*info.dev_flags & RTE_ETH_DEV_INTR_LSC) != 0);
	}
	assert_int_equal(plan(MEMIF0, &conf, map, 1, 1, &port), 0);
	assert_int_equal(port.rss_hf, 0);
	/* nothing to spread over */
	assert_int_equal(plan(NULL0, &conf, (const struct port_rxq[]){{NULL0, 0, 0}}, 1, 1, &port), 0);
	assert_int_equal(port.rss_hf, 0);
}

static void
refused(uint16_t id, const struct port_conf *conf, const struct port_rxq *map, unsigned int n,
	const char *text)
{
	struct port port;

	assert_int_equal(plan(id, conf, map, n, 3, &port), -EINVAL);
	if (!strstr(why, text))
		fail_msg("'%s' does not say '%s'", why, text);
}

static void
test_refusals(void **state)
{
	const struct port_conf none = {0}, jumbo = {.mtu = 9000}, tiny = {.mtu = 40};
	const struct port_rxq one[] = {{MEMIF0, 0, 0}}, gap[] = {{NULL0, 0, 0}, {NULL0, 2, 1}},
			      twice[] = {{NULL0, 0, 0}, {NULL0, 0, 1}}, far[] = {{NULL0, PORT_QUEUES_MAX, 0}},
			      stranger[] = {{NULL0, 0, 9}};
	struct port_rxq many[17];
	struct port port;

	refused(NULL0, &none, one, 1, "no RX queue");
	refused(NULL0, &none, one, 0, "no RX queue");
	refused(NULL0, &none, gap, 2, "without a gap");
	refused(NULL0, &none, twice, 2, "twice");
	refused(NULL0, &none, far, 1, "beyond");
	refused(NULL0, &none, stranger, 1, "no worker");
	refused(MEMIF0, &jumbo, one, 1, "MTU 9000");
	refused(MEMIF0, &tiny, one, 1, "MTU 40");
	for (unsigned int i = 0; i < RTE_DIM(many); i++)
		many[i] = (struct port_rxq){RING0, i, 0};
	refused(RING0, &none, many, RTE_DIM(many), "17 RX queues");
	assert_int_equal(plan(N_PORTS, &none, one, 1, 3, &port), -ENODEV);
	assert_int_equal(plan(UINT16_MAX, &none, one, 1, 3, &port), -ENODEV);
}

/* All queue numbers there are, which fills the set of those seen. */
static void
test_most_queues(void **state)
{
	struct port_rxq map[PORT_QUEUES_MAX];
	const struct port_conf conf = {0};
	struct port port;

	for (unsigned int i = 0; i < PORT_QUEUES_MAX; i++)
		map[i] = (struct port_rxq){NULL0, PORT_QUEUES_MAX - 1 - i, i % 3};
	assert_int_equal(plan(NULL0, &conf, map, PORT_QUEUES_MAX, 3, &port), 0);
	assert_int_equal(port.n_rxq, PORT_QUEUES_MAX);
	assert_int_equal(port.n_txq, 3);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_default_map),
		cmocka_unit_test(test_own_tx_queues),
		cmocka_unit_test(test_shared_port),
		cmocka_unit_test(test_offloads),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_most_queues),
	};

	if (rte_eal_init(argc, argv) < 0 || rte_eth_dev_count_avail() != N_PORTS)
		return 1;

	const int failed = cmocka_run_group_tests_name("port/plan", tests, NULL, NULL);

	rte_eal_cleanup();
	return failed;
}
