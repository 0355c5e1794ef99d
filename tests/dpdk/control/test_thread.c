/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control thread over two net_ring ports. What route_port_link() is told is recorded, and the calls that
 * register for link interrupts are watched, so that the test can play the driver.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include "control.h"

#define PORTS    3 /* the third is not ours */
#define LSC_PORT 1 /* says that it interrupts */
#define BUFS     1023u
#define HEADS    1024u
#define TRUESIZE 4096u

static struct rte_mempool *pool;
static struct skb_pool *heads;
static struct punt punt;
static struct route_table *routes;
static struct port ports[PORTS];
static volatile int stop;
static struct control_conf conf;

/* What the routes were told. */
static struct {
	struct {
		uint16_t port;
		bool up;
	} call[256];
	unsigned int n;
	const struct route_table *routes;
} told;

bool __real_route_port_link(struct route_table *table, uint16_t port, bool up);
bool __wrap_route_port_link(struct route_table *table, uint16_t port, bool up);

bool
__wrap_route_port_link(struct route_table *table, uint16_t port, bool up)
{
	assert(told.n < RTE_DIM(told.call));
	told.routes = table;
	told.call[told.n].port = port;
	told.call[told.n].up = up;
	__atomic_store_n(&told.n, told.n + 1, __ATOMIC_RELEASE);
	return __real_route_port_link(table, port, up);
}

static unsigned int
told_n(void)
{
	return __atomic_load_n(&told.n, __ATOMIC_ACQUIRE);
}

/* Who wants to hear of link interrupts. */
static struct {
	rte_eth_dev_cb_fn fn;
	void *arg;
	unsigned int n;
} interrupt;

int
rte_eth_dev_callback_register(uint16_t port, enum rte_eth_event_type event, rte_eth_dev_cb_fn fn, void *arg)
{
	int (*real)(uint16_t, enum rte_eth_event_type, rte_eth_dev_cb_fn, void *);

	*(void **)&real = dlsym(RTLD_NEXT, "rte_eth_dev_callback_register");
	assert_int_equal(event, RTE_ETH_EVENT_INTR_LSC);
	assert_int_equal(port, LSC_PORT);
	interrupt.fn = fn;
	interrupt.arg = arg;
	interrupt.n++;
	return real(port, event, fn, arg);
}

int
rte_eth_dev_callback_unregister(uint16_t port, enum rte_eth_event_type event, rte_eth_dev_cb_fn fn, void *arg)
{
	int (*real)(uint16_t, enum rte_eth_event_type, rte_eth_dev_cb_fn, void *);

	*(void **)&real = dlsym(RTLD_NEXT, "rte_eth_dev_callback_unregister");
	assert_ptr_equal(fn, interrupt.fn);
	assert_ptr_equal(arg, interrupt.arg);
	interrupt.n--;
	return real(port, event, fn, arg);
}

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void
sleep_ms(long ms)
{
	const struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&ts, NULL);
}

static int
compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Not the mean, since a busy machine may hold up any one of them. */
static uint64_t
median(uint64_t *took, size_t n)
{
	qsort(took, n, sizeof(took[0]), compare);
	return took[n / 2];
}

static struct control *
start(void)
{
	struct control *control;

	stop = 0;
	assert_int_equal(control_start(&conf, &control), 0);
	return control;
}

static void
finish(struct control *control)
{
	stop = 1;
	control_join(control, NULL);
}

static void
test_link_at_start(void **state)
{
	assert_int_equal(rte_eth_dev_set_link_down(1), 0);

	struct control *control = start();

	/* Known when control_start() returns, on this thread. */
	assert_int_equal(told.n, 2);
	assert_ptr_equal(told.routes, conf.routes);
	assert_int_equal(told.call[0].port, 0);
	assert_true(told.call[0].up);
	assert_int_equal(told.call[1].port, 1);
	assert_false(told.call[1].up);
	sleep_ms(250);
	assert_int_equal(told_n(), 2);
	finish(control);
	assert_int_equal(told.n, 2);
}

static void
wait_told(unsigned int n)
{
	const uint64_t end = now_ms() + 5000;

	while (told_n() < n && now_ms() < end)
		sleep_ms(1);
	assert_int_equal(told_n(), n);
}

/* A port without interrupts: found by polling, told once. */
static void
test_link_polled(void **state)
{
	struct control *control = start();

	for (unsigned int i = 0; i < 4; i++) {
		const bool up = i % 2 == 1;

		assert_int_equal(up ? rte_eth_dev_set_link_up(0) : rte_eth_dev_set_link_down(0), 0);
		wait_told(3 + i);
		assert_int_equal(told.call[2 + i].port, 0);
		assert_int_equal(told.call[2 + i].up, up);
	}
	sleep_ms(250);
	assert_int_equal(told_n(), 6);
	finish(control);
}

/* An interrupt makes the next look come at once: polling alone would need 100 ms for each of these changes. */
static void
test_link_interrupt(void **state)
{
	uint64_t took[15];
	struct control *control = start();

	assert_int_equal(interrupt.n, 1);
	for (unsigned int i = 0; i < RTE_DIM(took); i++) {
		const bool up = i % 2 == 1;
		const uint64_t begin = now_ms();

		assert_int_equal(up ? rte_eth_dev_set_link_up(1) : rte_eth_dev_set_link_down(1), 0);
		interrupt.fn(1, RTE_ETH_EVENT_INTR_LSC, interrupt.arg, NULL);
		wait_told(3 + i);
		assert_int_equal(told.call[2 + i].port, 1);
		assert_int_equal(told.call[2 + i].up, up);
		took[i] = now_ms() - begin;
	}
	assert_true(median(took, RTE_DIM(took)) < 50);
	finish(control);
	assert_int_equal(interrupt.n, 0);
}

/* Punts n frames of 60 bytes with nothing but zeros in them. */
static void
punt_packets(unsigned int n, enum punt_class class, uint16_t protocol)
{
	struct skb_cpu cpu;
	struct rte_mbuf *mbufs[HEADS];
	struct skb *skbs[HEADS];

	skb_cpu_init(&cpu, heads, NULL, rte_lcore_id());
	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, mbufs, n), 0);
	for (unsigned int i = 0; i < n; i++)
		memset(rte_pktmbuf_append(mbufs[i], 60), 0, 60);
	assert_int_equal(skb_build_bulk(&cpu, mbufs, skbs, n, NULL), 0);
	for (unsigned int i = 0; i < n; i++) {
		skbs[i]->port = 0;
		skbs[i]->protocol = protocol;
		skb_set_mac_header(skbs[i], 0);
		skb_set_network_header(skbs[i], RTE_ETHER_HDR_LEN);
		*punt_info(skbs[i]) = (struct punt_info){.addr = {10, 0, 0, 9}, .error = ICMP_ERROR_TTL};
		assert_int_equal(punt_put(&punt, &cpu, class, skbs[i]), 0);
	}
}

static void
assert_all_home(void)
{
	for (unsigned int i = 0; i < PUNT_N_CLASSES; i++) {
		assert_int_equal(rte_ring_count(punt.ring[i]), 0);
		assert_int_equal(skb_owner_used(&punt.owner[i]), 0);
	}
	assert_int_equal(rte_ring_count(punt.back), 0);
	assert_int_equal(rte_mempool_avail_count(pool), BUFS);
	assert_int_equal(magazine_pool_avail(skb_pool_heads(heads)), HEADS);
	assert_int_equal(magazine_pool_check(skb_pool_heads(heads)), 0);
}

static void
wait_rings(void)
{
	const uint64_t end = now_ms() + 5000;

	for (unsigned int i = 0; i < PUNT_N_CLASSES; i++)
		while (rte_ring_count(punt.ring[i]) > 0 && now_ms() < end)
			sleep_ms(1);
}

static void
join(struct control *control, struct control_counts *last)
{
	stop = 1;
	control_join(control, last);
	assert_int_equal(last->held, 0);
}

/* Each class goes to whoever handles it, and each packet has one outcome. */
static void
test_punts(void **state)
{
	struct control *control = start();
	struct control_counts last;
	uint64_t sum = 0;

	punt_packets(100, PUNT_HOST, RTE_ETHER_TYPE_ARP);
	punt_packets(30, PUNT_HOST, RTE_ETHER_TYPE_IPV4);
	punt_packets(7, PUNT_ERROR, RTE_ETHER_TYPE_IPV4);
	wait_rings();
	punt_packets(200, PUNT_HOST, RTE_ETHER_TYPE_ARP);
	punt_packets(5, PUNT_NEIGH, RTE_ETHER_TYPE_IPV4);
	wait_rings();
	join(control, &last);
	for (unsigned int i = 0; i < CONTROL_N_OUTCOMES; i++)
		sum += last.outcome[i];
	assert_int_equal(last.outcome[CONTROL_arp_malformed], 300);
	assert_int_equal(last.outcome[CONTROL_local_malformed], 30);
	assert_int_equal(last.outcome[CONTROL_error_forbidden], 7);
	assert_int_equal(last.outcome[CONTROL_stopped], 5);
	assert_int_equal(sum, 342);
	assert_all_home();
}

/* What a worker punted after the thread's last look comes home in control_join(). */
static void
test_punts_at_the_end(void **state)
{
	struct control *control = start();
	struct control_counts last;

	stop = 1;
	sleep_ms(100);
	punt_packets(50, PUNT_HOST, RTE_ETHER_TYPE_ARP);
	sleep_ms(50);
	assert_int_equal(rte_ring_count(punt.ring[PUNT_HOST]), 50);
	assert_true(skb_owner_used(&punt.owner[PUNT_HOST]) > 0);
	join(control, &last);
	assert_int_equal(last.outcome[CONTROL_stopped], 50);
	assert_all_home();
}

/* A ring that is always full does not keep the others from being emptied. */
static void
test_punts_take_turns(void **state)
{
	struct control *control = start();
	struct control_counts last;

	punt_packets(500, PUNT_ERROR, RTE_ETHER_TYPE_IPV4);
	punt_packets(1, PUNT_HOST, RTE_ETHER_TYPE_ARP);
	wait_rings();
	join(control, &last);
	assert_int_equal(last.outcome[CONTROL_error_forbidden], 500);
	assert_int_equal(last.outcome[CONTROL_arp_malformed], 1);
	assert_all_home();
}

static void
test_stop(void **state)
{
	uint64_t took[11];

	for (unsigned int i = 0; i < RTE_DIM(took); i++) {
		struct control *control = start();

		sleep_ms(3l * i);

		const uint64_t begin = now_ms();

		finish(control);
		took[i] = now_ms() - begin;
	}
	assert_true(median(took, RTE_DIM(took)) < 100);
}

static void
tick_count(void *arg)
{
	__atomic_add_fetch((unsigned int *)arg, 1, __ATOMIC_RELAXED);
}

/* Takes as long as 15 ticks, once. */
static void
tick_count_slow_start(void *arg)
{
	if (*(unsigned int *)arg == 0)
		sleep_ms(300);
	tick_count(arg);
}

static void
wait_ticks(const unsigned int *n, unsigned int enough)
{
	const uint64_t end = now_ms() + 10000;

	while (__atomic_load_n(n, __ATOMIC_RELAXED) < enough && now_ms() < end)
		sleep_ms(1);
	assert_true(__atomic_load_n(n, __ATOMIC_RELAXED) >= enough);
}

static void
test_ticks(void **state)
{
	unsigned int n = 0;
	const uint64_t begin = now_ms();

	conf.tick_ms = 20;
	conf.on_tick = tick_count;
	conf.arg = &n;

	struct control *control = start();

	wait_ticks(&n, 30);
	finish(control);
	assert_true(n <= (now_ms() - begin) / 20);
}

/* Ticks that were missed are not made up for. */
static void
test_slow_tick(void **state)
{
	unsigned int n = 0;
	const uint64_t begin = now_ms();

	conf.tick_ms = 20;
	conf.on_tick = tick_count_slow_start;
	conf.arg = &n;

	struct control *control = start();

	wait_ticks(&n, 10);
	finish(control);
	assert_true(n <= (now_ms() - begin - 300) / 20 + 2);
}

static int
port_open(uint16_t id)
{
	static const struct rte_eth_conf eth;

	ports[id] = (struct port){
		.id = id, .n_rxq = 1, .n_txq = 1, .lsc = id == LSC_PORT, .started = true, .mtu = 1500};
	rte_eth_macaddr_get(id, &ports[id].mac);
	if (rte_eth_dev_configure(id, 1, 1, &eth) < 0 ||
		rte_eth_rx_queue_setup(id, 0, 64, SOCKET_ID_ANY, NULL, pool) < 0 ||
		rte_eth_tx_queue_setup(id, 0, 64, SOCKET_ID_ANY, NULL) < 0)
		return -1;
	return rte_eth_dev_start(id);
}

static int
world_init(void **state)
{
	pool = rte_pktmbuf_pool_create("data", BUFS, 0, 0, 256, SOCKET_ID_ANY);
	if (pool == NULL || punt_init(&punt, SOCKET_ID_ANY, TRUESIZE) < 0 ||
		skb_pool_create("heads", HEADS, 32, SOCKET_ID_ANY, &heads) < 0)
		return -1;
	return port_open(0) < 0 || port_open(1) < 0 ? -1 : 0;
}

static int
world_fini(void **state)
{
	rte_eth_dev_close(0);
	rte_eth_dev_close(1);
	punt_fini(&punt);
	skb_pool_destroy(heads);
	rte_mempool_free(pool);
	return 0;
}

static int
world_reset(void **state)
{
	told.n = 0;
	if (route_table_create(SOCKET_ID_ANY, NULL, &routes) < 0)
		return -1;
	for (uint16_t id = 0; id < 2; id++)
		route_port_set(routes, id, &ports[id].mac, ports[id].mtu);
	conf = (struct control_conf){.ports = ports,
		.n_ports = PORTS,
		.routes = routes,
		.heads = heads,
		.data = pool,
		.punt = &punt,
		.hold_max = 100,
		.fragment_bufs_max = 100,
		.stop = &stop};
	return rte_eth_dev_set_link_up(0) < 0 || rte_eth_dev_set_link_up(1) < 0 ? -1 : 0;
}

static int
world_clear(void **state)
{
	route_table_destroy(routes);
	return 0;
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_link_at_start, world_reset, world_clear),
		cmocka_unit_test_setup_teardown(test_link_polled, world_reset, world_clear),
		cmocka_unit_test_setup_teardown(test_link_interrupt, world_reset, world_clear),
		cmocka_unit_test_setup_teardown(test_punts, world_reset, world_clear),
		cmocka_unit_test_setup_teardown(test_punts_at_the_end, world_reset, world_clear),
		cmocka_unit_test_setup_teardown(test_punts_take_turns, world_reset, world_clear),
		cmocka_unit_test_setup_teardown(test_stop, world_reset, world_clear),
		cmocka_unit_test_setup_teardown(test_ticks, world_reset, world_clear),
		cmocka_unit_test_setup_teardown(test_slow_tick, world_reset, world_clear),
	};

	if (rte_eal_init(argc, argv) < 0)
		return 1;

	const int rc = cmocka_run_group_tests_name("control", tests, world_init, world_fini);

	rte_eal_cleanup();
	return rc;
}
