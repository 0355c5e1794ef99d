/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port of each driver that needs no NIC, from plan to stop: with one worker and with two, with
 * the default map and with two RX queues. What each worker sends arrives, and at the end every data
 * buffer is home, also those that were still on their way.
 *
 * Usage: test_port_life KIND [EAL arguments]
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_eal.h>
#include <rte_mbuf.h>

#include "interrupts.h"
#include "lab.h"

#define N_FRAMES 8u

static const struct lab_kind kinds[] = {
	{.name = "ring", .vdev = {"net_ring"}, .jumbo = true},
	{.name = "memif",
		.vdev = {"net_memif,role=server,socket=%s/memif%d,id=1,bsize=9022",
			"net_memif,role=client,socket=%s/memif%d,id=1,bsize=9022"},
		.jumbo = true},
	{.name = "vhost",
		.vdev = {"net_vhost,iface=%s/vhost%d,queues=%u",
			"net_virtio_user,path=%s/vhost%d,queues=%u,queue_size=256"},
		.jumbo = true},
	{.name = "tap",
		.vdev = {"net_tap,iface=lab0", "net_af_packet,iface=lab0,qpairs=%u"},
		.interfaces = true},
	{.name = "af_packet",
		.vdev = {"net_af_packet,iface=veth0,qpairs=%u", "net_af_packet,iface=veth1,qpairs=%u"},
		.interfaces = true,
		.vanishes = true},
	{.name = "af_xdp",
		.vdev = {"net_af_xdp,iface=veth0,queue_count=%u", "net_af_packet,iface=veth1,qpairs=%u"},
		.interfaces = true,
		.once = true},
};

/* No IPv6, so that the kernel sends nothing of its own. */
static const char interfaces[] =
	"ip link add veth0 numrxqueues 2 numtxqueues 2 type veth peer veth1 numrxqueues 2 numtxqueues 2 && "
	"for i in all default veth0 veth1; do echo 1 > /proc/sys/net/ipv6/conf/$i/disable_ipv6; done; "
	"ip link set veth0 up && ip link set veth1 up";

static struct lab lab;
static char dir[] = "/tmp/magpie-port-XXXXXX";

/* Frames to any group come in: a device with a filter was told so. Sockets to other programs have none. */
static void
check_groups(const struct port *port)
{
	if (lab.kind->interfaces && rte_eth_allmulticast_get(port->id) != 1)
		assert_int_equal(rte_eth_promiscuous_get(port->id), 1);
}

static void
check_queues(const struct port *port)
{
	assert_int_equal(port->shared, port->n_txq < lab.n_workers);
	assert_int_equal(port->shared, port->handoff != NULL);
	assert_true(port->owner < lab.n_workers);
	assert_true(port->started);
	check_groups(port);
	if (lab.n_queues)
		assert_int_equal(port->n_rxq, lab.n_queues);
}

/* Every driver here ties TX queues to RX queues: of two that it has, one is used when one is polled. */
static void
check_tied(uint16_t id)
{
	const struct port_rxq rxq = {id, 0, 1};
	const uint16_t workers[] = {0, 1};
	const struct port_map map = {&rxq, workers, 1, 2};
	const struct port_conf conf = {0};
	char why[128];
	struct port port;

	assert_int_equal(port_plan(id, &conf, &map, &port, why, sizeof(why)), 0);
	assert_int_equal(port.n_txq, 1);
	assert_true(port.shared);
	assert_int_equal(port.owner, 1);
}

/* An MTU that the driver takes, but a data buffer does not: two drivers would cut the frame, and one of them a chain too. The
 * other of them does not take small data buffers at all. */
static void
check_chains(uint16_t id)
{
	const struct port_rxq rxq = {id, 0, 0};
	const uint16_t worker = 0;
	const struct port_map map = {&rxq, &worker, 1, 1};
	struct port_conf conf = {.mtu = 1400, .data_room = 2016};
	char why[160];
	struct port port;

	assert_int_equal(port_plan(id, &conf, &map, &port, why, sizeof(why)), 0);

	const bool xdp = !strcmp(port.driver, "net_af_xdp"), packet = !strcmp(port.driver, "net_af_packet");

	assert_int_equal(port.linear, xdp);
	assert_false(port.chains && packet);
	conf.data_room = packet ? 2015 : 1400 + PORT_FRAME_EXTRA - 1;
	assert_int_equal(port_plan(id, &conf, &map, &port, why, sizeof(why)), packet || xdp ? -EINVAL : 0);
	if (xdp)
		assert_non_null(strstr(why, "receives into one data buffer"));
	if (packet)
		assert_non_null(
			strstr(why, "net_af_packet needs 2016 bytes in a data buffer, there are 2015"));
	conf.data_room++;
	assert_int_equal(port_plan(id, &conf, &map, &port, why, sizeof(why)), 0);
}

static void
check_home(void)
{
	const unsigned int missing = LAB_BUFS - rte_mempool_avail_count(lab.pool);
	unsigned int in_rings = 0;

	for (unsigned int end = 0; end < lab.n_ports; end++) {
		const struct port *const port = &lab.port[end];

		if (port->forgets)
			in_rings += port->n_rxq * port->rxd + port->n_txq * port->txd;
	}
	assert_true(missing <= in_rings);
}

/*
 * A pool whose buffers lie side by side. Without hugepages rte_pktmbuf_pool_create() puts one into each
 * 4 kB page, and net_af_xdp registers only as many bytes as they would need side by side: of
 * the buffers beyond, the kernel takes none, and what is sent in them is lost without a word.
 */
static int
setup(void **state)
{
	const unsigned int size = sizeof(struct rte_mbuf) + RTE_MBUF_DEFAULT_BUF_SIZE;

	lab.pool = rte_mempool_create("bufs", LAB_BUFS, size, 0, sizeof(struct rte_pktmbuf_pool_private),
		rte_pktmbuf_pool_init, NULL, rte_pktmbuf_init, NULL, SOCKET_ID_ANY,
		RTE_MEMPOOL_F_NO_IOVA_CONTIG);
	assert_non_null(lab.pool);
	return 0;
}

static int
teardown(void **state)
{
	rte_mempool_free(lab.pool);
	return 0;
}

static void
cross(unsigned int from, unsigned int to)
{
	for (unsigned int worker = 0; worker < lab.n_workers; worker++)
		assert_int_equal(lab_send(&lab, from, worker, N_FRAMES), N_FRAMES);
	lab_send_handed(&lab, from);
	assert_int_equal(lab_receive(&lab, to, N_FRAMES * lab.n_workers), N_FRAMES * lab.n_workers);
}

static void
live(unsigned int n_workers, unsigned int n_queues)
{
	lab.n_workers = n_workers;
	lab.n_queues = n_queues;
	lab.promisc = n_queues == 0;

	const int ret = lab_open(&lab, dir);

	if (ret != 0)
		lab_close(&lab);
	if (ret != 0)
		fail_msg("%u workers, %u queues: %s (%s)", n_workers, n_queues, lab.why, strerror(-ret));

	const unsigned int other = lab.n_ports - 1;

	for (unsigned int end = 0; end < lab.n_ports; end++)
		check_queues(&lab.port[end]);
	for (unsigned int end = 0; end < lab.n_ports; end++)
		check_tied(lab.port[end].id);
	for (unsigned int end = 0; end < lab.n_ports; end++)
		check_chains(lab.port[end].id);
	for (int round = 0; round < 50; round++) {
		cross(0, other);
		cross(other, 0);
	}
	/* and some that nobody sends on or receives */
	for (unsigned int end = 0; end < lab.n_ports; end++)
		for (unsigned int worker = 0; worker < n_workers; worker++)
			lab_send(&lab, end, worker, N_FRAMES);
	lab_close(&lab);
	check_home();
}

static void
test_one_worker(void **state)
{
	live(1, 0);
}

static void
test_two_workers_default_map(void **state)
{
	live(2, 0);
}

static void
test_two_workers_two_queues(void **state)
{
	live(2, 2);
}

/* Frames of five buffers, sent and received as chains, by queues of their own and by hand-off rings. Where a frame
 * would be cut, the port is refused. */
static void
test_jumbo(void **state)
{
	lab.mtu = LAB_MTU_JUMBO;
	if (lab.kind->jumbo) {
		live(2, 0);
		live(2, 2);
	} else {
		assert_int_equal(lab_open(&lab, dir), -EINVAL);
		assert_non_null(strstr(lab.why, "MTU 9000"));
		lab_close(&lab);
	}
	lab.mtu = 0;
}

/* Both interfaces of a veth pair vanish under their ports: the links are down, sending comes to an end, closing works. */
static void
test_interfaces_vanish(void **state)
{
	lab.n_workers = 1;
	lab.n_queues = 0;
	assert_int_equal(lab_open(&lab, dir), 0);
	assert_true(port_link_up(&lab.port[0]) && port_link_up(&lab.port[1]));
	assert_int_equal(system("ip link del veth0"), 0);
	assert_false(port_link_up(&lab.port[0]) || port_link_up(&lab.port[1]));
	/* more than its ring has; without an alarm it might wait for ever */
	alarm(20);
	for (int round = 0; round < 100; round++)
		lab_send_once(&lab, 0, N_FRAMES);
	alarm(0);
	lab_close(&lab);
	check_home();
}

/* A namespace of our own, so that nothing outside sees the interfaces and they vanish with us. */
static int
make_interfaces(void)
{
	if (unshare(CLONE_NEWNET) != 0)
		return -errno;
	return system(interfaces) == 0 ? 0 : -ENODEV;
}

static const struct lab_kind *
kind_find(const char *name)
{
	for (unsigned int i = 0; i < RTE_DIM(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_worker, setup, teardown),
		cmocka_unit_test_setup_teardown(test_two_workers_default_map, setup, teardown),
		cmocka_unit_test_setup_teardown(test_two_workers_two_queues, setup, teardown),
		cmocka_unit_test_setup_teardown(test_jumbo, setup, teardown),
	};
	const struct CMUnitTest vanish[] = {
		cmocka_unit_test_setup_teardown(test_interfaces_vanish, setup, teardown),
	};
	const struct CMUnitTest once[] = {
		cmocka_unit_test_setup_teardown(test_two_workers_default_map, setup, teardown),
	};

	lab.kind = argc > 1 ? kind_find(argv[1]) : NULL;
	if (!lab.kind)
		return 2;
	if (lab.kind->interfaces && make_interfaces() != 0) {
		puts("skipped: no network namespace with interfaces may be made here");
		return 77;
	}
	/* virtio_user writes to its peer when it is closed, whether there is one or not. */
	signal(SIGPIPE, SIG_IGN);
	if (rte_eal_init(argc - 1, argv + 1) < 0 || !mkdtemp(dir))
		return 1;

	int failed = lab.kind->once ? cmocka_run_group_tests_name(lab.kind->name, once, NULL, NULL)
				    : cmocka_run_group_tests_name(lab.kind->name, tests, NULL, NULL);

	/* the last, for afterwards there are none */
	if (lab.kind->vanishes)
		failed += cmocka_run_group_tests_name("interfaces vanish", vanish, NULL, NULL);

	/* net_memif's forgotten source would crash it, and a sanitizer's report then waits for its leak check for ever */
	interrupts_park();
	rte_eal_cleanup();
	rmdir(dir);
	return failed;
}
