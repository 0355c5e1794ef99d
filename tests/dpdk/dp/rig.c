/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bench of rig.h. The two ports are made once per process and keep their ids 0 and 1; pools, rings and
 * workers are new for every rig, so that each one's account starts and ends at zero.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rte_eal.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_ring.h>

#include "mempool_magazine.h"
#include "rig.h"

#define RX_SLOTS 1024u
#define QUEUES   RIG_WORKERS_MAX

struct rig {
	struct dp_conf conf;
	struct port port[RIG_PORTS];
	struct port_rxq map[RIG_PORTS * RIG_WORKERS_MAX];
	struct worker *worker[RIG_WORKERS_MAX];
	struct rte_mempool *pool;
	struct magazine_pool *magazines;
	struct rte_rcu_qsbr *qsbr;
	int stop;
	struct rte_ring *handoff;
	struct skb_cpu control; /* the punts' consumer, no lcore */
	struct skb_owner punt_owner;
	struct port_policy policy[RIG_PORTS];
	uint32_t room;
	uint32_t n_workers;
};

/* The far ends of the ports. */
static struct rte_ring *rx_rings[RIG_PORTS][QUEUES], *tx_rings[RIG_PORTS][QUEUES];

static void
die(const char *what)
{
	fprintf(stderr, "rig: %s: %s\n", what, rte_strerror(rte_errno));
	abort();
}

static struct rte_ring *
ring_new(const char *what, uint32_t slots)
{
	static uint32_t serial;
	char name[RTE_RING_NAMESIZE];

	snprintf(name, sizeof(name), "rig_%s_%u", what, serial++);

	struct rte_ring *ring = rte_ring_create(name, slots, SOCKET_ID_ANY, RING_F_EXACT_SZ);

	if (ring == NULL)
		die(name);
	return ring;
}

static void
port_new(uint16_t p, struct rte_mempool *pool)
{
	const struct rte_eth_conf conf = {0};
	char name[16];

	snprintf(name, sizeof(name), "rig%u", p);
	for (uint32_t q = 0; q < QUEUES; q++) {
		rx_rings[p][q] = ring_new("rx", RX_SLOTS);
		tx_rings[p][q] = ring_new("tx", RIG_TX_SLOTS);
	}

	int id = rte_eth_from_rings(name, rx_rings[p], QUEUES, tx_rings[p], QUEUES, rte_socket_id());

	if (id != p || rte_eth_dev_configure(p, QUEUES, QUEUES, &conf) != 0)
		die("port");
	for (uint16_t q = 0; q < QUEUES; q++)
		if (rte_eth_rx_queue_setup(p, q, RX_SLOTS, SOCKET_ID_ANY, NULL, pool) != 0 ||
			rte_eth_tx_queue_setup(p, q, RIG_TX_SLOTS, SOCKET_ID_ANY, NULL) != 0)
			die("queue");
	if (rte_eth_dev_start(p) != 0)
		die("start");
}

/* net_ring takes no buffers from the pool its queues are given; it only wants to see one. */
static void
ports_new(void)
{
	struct rte_mempool *pool = rte_pktmbuf_pool_create("rig_ports", 1, 0, 0, 256, SOCKET_ID_ANY);

	if (pool == NULL)
		die("pool of the ports");
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		port_new(p, pool);
}

void
rig_eal(int argc, char **argv)
{
	if (rte_eal_init(argc, argv) < 0)
		die("EAL");
	if (mempool_magazine_register() != 0)
		die("mempool ops");
	if (skb_owner_defer_init() != 0)
		die("mbuf field");
	ports_new();
}

static bool is_early;

static void
on_put(void *heads, void *const *mbufs, unsigned int n)
{
	skb_owner_put_hook(NULL, mbufs, n);
	if (is_early)
		skb_early_put(heads, mbufs, n);
}

static void
pools_new(struct rig *rig, const struct rig_conf *conf)
{
	static uint32_t serial;
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "rig_heads_%u", serial);
	if (skb_pool_create(name, conf->n_heads ? conf->n_heads : 1024, 32, 0, &rig->conf.heads) != 0)
		die("heads");

	struct mempool_magazine_hooks hooks = {NULL, NULL, rig->conf.heads};

	if (conf->build == BUILD_EARLY)
		hooks.on_get = skb_early_get;
	is_early = conf->build == BUILD_EARLY;
	if (conf->build == BUILD_EARLY || conf->complete == COMPLETE_COMPLETION)
		hooks.on_put = on_put;

	snprintf(name, sizeof(name), "rig_data_%u", serial++);
	rig->pool = rte_pktmbuf_pool_create_by_ops(name, conf->n_data ? conf->n_data : 1024, conf->cache,
		SKB_EARLY_PRIV_SIZE, (uint16_t)(RTE_PKTMBUF_HEADROOM + rig->room), SOCKET_ID_ANY, "magazine");
	if (rig->pool == NULL)
		die("data pool");
	if (hooks.on_put != NULL && mempool_magazine_set_hooks(rig->pool, &hooks) != 0)
		die("hooks");
	rig->magazines = mempool_magazine_pool(rig->pool);
	rig->conf.pools = &rig->pool;
	rig->conf.magazines = &rig->magazines;
	rig->conf.n_pools = 1;
	skb_cpu_init(&rig->control, rig->conf.heads, rig->pool, LCORE_ID_ANY);
}

/* Worker 0 is this thread's lcore; the second one is a number that no thread has. */
static uint16_t
lcore_of(uint32_t worker)
{
	return (uint16_t)(rte_lcore_id() + worker);
}

static void
ports_describe(struct rig *rig, const struct rig_conf *conf)
{
	for (uint16_t p = 0; p < RIG_PORTS; p++) {
		rig->port[p] = (struct port){.id = p,
			.n_rxq = (uint16_t)rig->n_workers,
			.mac = topology_mac[p],
			.mtu = conf->mtu ? conf->mtu : 9000};
		rig->policy[p] = conf->policy ? conf->policy[p]
					      : (struct port_policy){
							.mirror_rx = MIRROR_NONE, .mirror_tx = MIRROR_NONE};
		rig->policy[p].owner_limit = conf->owner_limit;
		for (uint16_t w = 0; w < rig->n_workers; w++)
			rig->map[rig->conf.n_map++] = (struct port_rxq){p, w, lcore_of(w)};
	}
	rig->port[1].linear = conf->linear;
	rig->port[1].exclusive = conf->exclusive;
	if (conf->shared) {
		rig->handoff = ring_new("handoff", conf->handoff_slots ? conf->handoff_slots : 64);
		rig->port[1].shared = true;
		rig->port[1].owner = 0;
		rig->port[1].handoff = rig->handoff;
	}
}

struct rig *
rig_create(const struct rig_conf *conf)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	if (rig == NULL)
		die("memory");
	rig->n_workers = conf->n_workers ? conf->n_workers : 1;
	rig->room = conf->room ? conf->room : FRAME_MAX;
	rig->conf.complete = conf->build == BUILD_LAZY ? COMPLETE_NONE : conf->complete;
	pools_new(rig, conf);
	ports_describe(rig, conf);
	skb_owner_init(&rig->punt_owner, "punt", conf->punt_limit, LCORE_ID_ANY);
	if (rig->conf.complete != COMPLETE_NONE)
		rig->conf.punt_owner = &rig->punt_owner;
	rig->conf.policy = rig->policy;
	rig->conf.ports = rig->port;
	rig->conf.n_ports = RIG_PORTS;
	rig->conf.map = rig->map;
	rig->conf.routes = topology_routes();
	rig->conf.build = conf->build;
	rig->conf.burst = conf->burst ? conf->burst : BURST_MAX;
	rig->stop = 1;
	rig->conf.stop = &rig->stop;
	rig->qsbr = aligned_alloc(RTE_CACHE_LINE_SIZE, rte_rcu_qsbr_get_memsize(RIG_WORKERS_MAX));
	if (rig->qsbr == NULL || rte_rcu_qsbr_init(rig->qsbr, RIG_WORKERS_MAX) != 0)
		die("qsbr");
	rig->conf.qsbr = rig->qsbr;
	rig->conf.punt = ring_new("punt", conf->punt_slots ? conf->punt_slots : 64);
	for (uint32_t w = 0; w < rig->n_workers; w++)
		if (worker_create(&rig->conf, w, lcore_of(w), &rig->worker[w]) != 0)
			die("worker");
	return rig;
}

static struct rte_mbuf *
segment_with(struct rig *rig, const uint8_t *bytes, uint32_t len)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(rig->pool);

	if (m == NULL)
		die("no data buffer left");
	/* what was here before must not look like a packet */
	memset(rte_pktmbuf_mtod(m, void *), 0xa5, RTE_MIN(len + 128, rig->room));
	memcpy(rte_pktmbuf_append(m, (uint16_t)len), bytes, len);
	return m;
}

static void
chain(struct rte_mbuf *m, struct rte_mbuf *rest)
{
	if (rte_pktmbuf_chain(m, rest) != 0)
		die("chain");
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

const struct rte_mbuf *
rig_inject_at(struct rig *rig, uint16_t port, uint16_t queue, const struct frame *frame)
{
	struct rte_mbuf *m = mbuf_with(rig, frame->bytes, frame->len);

	/* the sender's port, as net_ring leaves it: must not be believed */
	m->port = 77;
	if (rte_ring_enqueue(rx_rings[port][queue], m) != 0)
		die("RX ring full");
	return m;
}

const struct rte_mbuf *
rig_inject(struct rig *rig, const struct frame *frame)
{
	return rig_inject_at(rig, 0, 0, frame);
}

void
rig_inject_chain(struct rig *rig, const struct frame *frame, uint32_t split)
{
	struct rte_mbuf *m = mbuf_with(rig, frame->bytes, split);

	chain(m, mbuf_with(rig, frame->bytes + split, frame->len - split));
	if (rte_ring_enqueue(rx_rings[0][0], m) != 0)
		die("RX ring full");
}

struct rte_mbuf *
rig_inject_shared(struct rig *rig, const struct frame *frame)
{
	struct rte_mbuf *m = mbuf_with(rig, frame->bytes, frame->len);

	rte_pktmbuf_refcnt_update(m, 1);
	if (rte_ring_enqueue(rx_rings[0][0], m) != 0)
		die("RX ring full");
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

uint32_t
rig_turn_of(struct rig *rig, uint32_t worker)
{
	return worker_turn(rig->worker[worker]);
}

uint32_t
rig_turn(struct rig *rig)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < rig->n_workers; w++)
		n += rig_turn_of(rig, w);
	return n;
}

struct rte_mbuf *
rig_collect(struct rig *rig, uint16_t port)
{
	void *m;

	for (uint32_t q = 0; q < rig->n_workers; q++)
		if (rte_ring_dequeue(tx_rings[port][q], &m) == 0)
			return m;
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

struct skb *
rig_punted(struct rig *rig)
{
	void *skb;

	return rte_ring_dequeue(rig->conf.punt, &skb) == 0 ? skb : NULL;
}

void
rig_consume(struct rig *rig, struct skb *skb)
{
	skb_consume(&rig->control, skb);
}

void
rig_counts(const struct rig *rig, uint64_t counts[N_VERDICTS])
{
	memset(counts, 0, N_VERDICTS * sizeof(*counts));
	for (uint32_t w = 0; w < rig->n_workers; w++) {
		const struct worker_stats *stats = worker_stats(rig->worker[w]);
		const uint64_t *drops = worker_drops(rig->worker[w]);

		counts[VERDICT_forward] += stats->tx;
		for (uint32_t v = 0; v < N_VERDICTS; v++)
			counts[v] += stats->punted[v] + drops[v];
	}
}

uint64_t
rig_count(const struct rig *rig, enum verdict verdict)
{
	uint64_t counts[N_VERDICTS];

	rig_counts(rig, counts);
	return counts[verdict];
}

struct worker *
rig_worker(struct rig *rig, uint32_t index)
{
	return rig->worker[index];
}

struct skb_owner *
rig_punt_owner(struct rig *rig)
{
	return &rig->punt_owner;
}

struct rte_mempool *
rig_pool(struct rig *rig)
{
	return rig->pool;
}

static void
drain(struct rig *rig)
{
	struct skb *skb;

	while (rig_turn(rig) > 0)
		for (uint16_t p = 0; p < RIG_PORTS; p++)
			rig_discard(rig, p);
	for (uint32_t w = 0; w < rig->n_workers; w++)
		worker_drain(rig->worker[w]);
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		rig_discard(rig, p);
	while ((skb = rig_punted(rig)) != NULL)
		rig_consume(rig, skb);
}

/* rx == tx + dropped + punted over all workers, by packet and by port. */
static void
check_balance(const struct rig *rig)
{
	uint64_t counts[N_VERDICTS], rx = 0, out = 0, port_rx = 0, port_tx = 0, handoff = 0, mirrored = 0;

	rig_counts(rig, counts);
	for (uint32_t v = 0; v < N_VERDICTS; v++)
		out += counts[v];
	for (uint32_t w = 0; w < rig->n_workers; w++) {
		const struct worker_stats *stats = worker_stats(rig->worker[w]);

		rx += stats->rx;
		mirrored += stats->mirrored;
		handoff += stats->handoff_out - stats->handoff_in;
		for (uint16_t p = 0; p < RIG_PORTS; p++) {
			port_rx += worker_port_stats(rig->worker[w], p)->rx_pkts;
			port_tx += worker_port_stats(rig->worker[w], p)->tx_pkts;
		}
	}
	assert_int_equal(handoff, 0);
	assert_int_equal(rx + mirrored, out);
	assert_int_equal(rx, port_rx);
	assert_int_equal(counts[VERDICT_forward], port_tx);
}

/* Nothing is out, so nobody is charged. */
static void
check_owners(const struct rig *rig)
{
	assert_int_equal(skb_owner_used(&rig->punt_owner), 0);
	for (uint32_t w = 0; w < rig->n_workers; w++)
		for (unsigned int i = 0; i < worker_n_owners(rig->worker[w]); i++)
			assert_int_equal(skb_owner_used(worker_owner(rig->worker[w], i)), 0);
}

void
rig_check_home(const struct rig *rig)
{
	struct magazine_pool *heads = skb_pool_heads(rig->conf.heads);

	assert_int_equal(rte_mempool_avail_count(rig->pool), rig->pool->size);
	assert_int_equal(magazine_pool_avail(heads), heads->population);
	assert_int_equal(magazine_pool_check(heads), 0);
	assert_int_equal(magazine_pool_check(mempool_magazine_pool(rig->pool)), 0);
	check_owners(rig);
}

void
rig_destroy(struct rig *rig)
{
	drain(rig);
	check_balance(rig);
	rig_check_home(rig);
	for (uint32_t w = 0; w < rig->n_workers; w++)
		worker_destroy(rig->worker[w]);
	rte_mempool_free(rig->pool);
	skb_pool_destroy(rig->conf.heads);
	rte_ring_free(rig->conf.punt);
	rte_ring_free(rig->handoff);
	free(rig->qsbr);
	free(rig);
}
