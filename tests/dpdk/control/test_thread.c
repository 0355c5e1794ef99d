/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control thread over two net_ring ports. route_port_link() is replaced by a recorder, and the calls that
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
#define BUFS     255u
#define HEADS    256u

static struct rte_mempool *pool;
static struct skb_pool *heads;
static struct rte_ring *punt;
static struct skb_owner owner; /* of what is on its way to the thread */
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

void
route_port_link(struct route_table *table, uint16_t port, bool up)
{
	assert(told.n < RTE_DIM(told.call));
	told.routes = table;
	told.call[told.n].port = port;
	told.call[told.n].up = up;
	__atomic_store_n(&told.n, told.n + 1, __ATOMIC_RELEASE);
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
	control_join(control);
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
	const unsigned int n = 15;
	struct control *control = start();
	const uint64_t begin = now_ms();

	assert_int_equal(interrupt.n, 1);
	for (unsigned int i = 0; i < n; i++) {
		const bool up = i % 2 == 1;

		assert_int_equal(up ? rte_eth_dev_set_link_up(1) : rte_eth_dev_set_link_down(1), 0);
		interrupt.fn(1, RTE_ETH_EVENT_INTR_LSC, interrupt.arg, NULL);
		wait_told(3 + i);
		assert_int_equal(told.call[2 + i].port, 1);
		assert_int_equal(told.call[2 + i].up, up);
	}
	assert_true(now_ms() - begin < n * 50ul);
	finish(control);
	assert_int_equal(interrupt.n, 0);
}

/* Punts n packets for reason. */
static void
punt_packets(unsigned int n, uint16_t reason)
{
	struct skb_cpu cpu;
	struct rte_mbuf *mbufs[HEADS];
	struct skb *skbs[HEADS];

	skb_cpu_init(&cpu, heads, NULL, rte_lcore_id());
	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, mbufs, n), 0);
	assert_int_equal(skb_build_bulk(&cpu, mbufs, skbs, n, &owner), 0);
	for (unsigned int i = 0; i < n; i++)
		skbs[i]->reason = reason;
	assert_int_equal(rte_ring_enqueue_bulk(punt, (void **)skbs, n, NULL), n);
}

static void
assert_all_home(void)
{
	assert_int_equal(rte_ring_count(punt), 0);
	assert_int_equal(skb_owner_used(&owner), 0);
	assert_int_equal(rte_mempool_avail_count(pool), BUFS);
	assert_int_equal(magazine_pool_avail(skb_pool_heads(heads)), HEADS);
	assert_int_equal(magazine_pool_check(skb_pool_heads(heads)), 0);
}

static void
test_punts(void **state)
{
	struct control *control = start();
	const uint64_t *counts = control_punts(control);
	const uint64_t end = now_ms() + 5000;
	uint64_t sum = 0;

	punt_packets(100, 1);
	punt_packets(30, 2);
	punt_packets(7, SKB_REASONS_MAX - 1);
	while (rte_ring_count(punt) > 0 && now_ms() < end)
		sleep_ms(1);
	punt_packets(200, 1);
	while (__atomic_load_n(&counts[1], __ATOMIC_RELAXED) < 300 && now_ms() < end)
		sleep_ms(1);
	stop = 1;
	sleep_ms(100); /* until the thread is gone; join would free counts */
	for (unsigned int reason = 0; reason < SKB_REASONS_MAX; reason++)
		sum += counts[reason];
	assert_int_equal(counts[1], 300);
	assert_int_equal(counts[2], 30);
	assert_int_equal(counts[SKB_REASONS_MAX - 1], 7);
	assert_int_equal(sum, 337);
	finish(control);
	assert_all_home();
}

/* What a worker punted after the thread's last look comes home in control_join(). */
static void
test_punts_at_the_end(void **state)
{
	struct control *control = start();

	stop = 1;
	sleep_ms(100);
	punt_packets(50, 3);
	sleep_ms(50);
	assert_int_equal(rte_ring_count(punt), 50);
	assert_true(skb_owner_used(&owner) > 0);
	finish(control);
	assert_all_home();
}

static int
compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The median, since a busy machine may hold up any one of them. */
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
	qsort(took, RTE_DIM(took), sizeof(took[0]), compare);
	assert_true(took[RTE_DIM(took) / 2] < 100);
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
test_ticks(void **state)
{
	unsigned int n = 0;
	const uint64_t begin = now_ms();

	conf.tick_ms = 20;
	conf.on_tick = tick_count;
	conf.arg = &n;

	struct control *control = start();

	sleep_ms(1000);
	finish(control);
	assert_true(n <= (now_ms() - begin) / 20);
	assert_true(n >= 30);
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

	sleep_ms(700);
	finish(control);
	assert_true(n <= (now_ms() - begin - 300) / 20 + 2);
	assert_true(n >= 5);
}

static int
port_open(uint16_t id)
{
	static const struct rte_eth_conf eth;

	ports[id] = (struct port){.id = id, .n_rxq = 1, .n_txq = 1, .lsc = id == LSC_PORT, .started = true};
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
	punt = rte_ring_create("punt", 512, SOCKET_ID_ANY, RING_F_SC_DEQ);
	if (pool == NULL || punt == NULL || skb_pool_create("heads", HEADS, 32, SOCKET_ID_ANY, &heads) < 0)
		return -1;
	skb_owner_init(&owner, "punt", 0, rte_lcore_id());
	return port_open(0) < 0 || port_open(1) < 0 ? -1 : 0;
}

static int
world_fini(void **state)
{
	rte_eth_dev_close(0);
	rte_eth_dev_close(1);
	rte_ring_free(punt);
	skb_pool_destroy(heads);
	rte_mempool_free(pool);
	return 0;
}

static int
world_reset(void **state)
{
	told.n = 0;
	conf = (struct control_conf){.ports = ports,
		.n_ports = PORTS,
		.routes = (struct route_table *)&told,
		.heads = heads,
		.data = pool,
		.punt = punt,
		.stop = &stop};
	return rte_eth_dev_set_link_up(0) < 0 || rte_eth_dev_set_link_up(1) < 0 ? -1 : 0;
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_link_at_start, world_reset),
		cmocka_unit_test_setup(test_link_polled, world_reset),
		cmocka_unit_test_setup(test_link_interrupt, world_reset),
		cmocka_unit_test_setup(test_punts, world_reset),
		cmocka_unit_test_setup(test_punts_at_the_end, world_reset),
		cmocka_unit_test_setup(test_stop, world_reset),
		cmocka_unit_test_setup(test_ticks, world_reset),
		cmocka_unit_test_setup(test_slow_tick, world_reset),
	};

	if (rte_eal_init(argc, argv) < 0)
		return 1;

	const int rc = cmocka_run_group_tests_name("control", tests, world_init, world_fini);

	rte_eal_cleanup();
	return rc;
}
