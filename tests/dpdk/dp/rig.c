/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bench of rig.h, made and taken down. Pools, rings and workers are new for every rig, so that each one's account starts
 * and ends at zero.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rte_eal.h>
#include <rte_ring.h>

#include "mempool_magazine.h"
#include "rig_priv.h"

void
rig_eal_with(int argc, char **argv, uint32_t tx_slots)
{
	if (rte_eal_init(argc, argv) < 0)
		rig_die("EAL");
	if (mempool_magazine_register() != 0)
		rig_die("mempool ops");
	if (skb_owner_defer_init() != 0)
		rig_die("mbuf field");
	rig_ports(tx_slots);
}

void
rig_eal(int argc, char **argv)
{
	rig_eal_with(argc, argv, RIG_TX_SLOTS);
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
		rig_die("heads");

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
		rig_die("data pool");
	if (hooks.on_put != NULL && mempool_magazine_set_hooks(rig->pool, &hooks) != 0)
		rig_die("hooks");
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
port_describe(struct rig *rig, const struct rig_conf *conf, uint16_t p)
{
	rig->port[p] = (struct port){.id = p,
		.n_rxq = (uint16_t)rig->n_workers,
		.mac = topology_mac[p],
		.mtu = conf->mtu ? conf->mtu : 9000,
		.linear = conf->linear >> p & 1,
		.exclusive = conf->exclusive >> p & 1,
		.shared = conf->shared >> p & 1};
	snprintf(rig->port[p].name, sizeof(rig->port[p].name), "rig%u", p);
	if (rig->port[p].shared)
		rig->handoff[p] = rig_ring("handoff", conf->handoff_slots ? conf->handoff_slots : 64);
	rig->port[p].handoff = rig->handoff[p];
}

static void
ports_describe(struct rig *rig, const struct rig_conf *conf)
{
	for (uint16_t p = 0; p < RIG_PORTS; p++) {
		port_describe(rig, conf, p);
		rig->policy[p] = conf->policy ? conf->policy[p]
					      : (struct port_policy){
							.mirror_rx = MIRROR_NONE, .mirror_tx = MIRROR_NONE};
		rig->policy[p].owner_limit = conf->owner_limit;
		for (uint16_t w = 0; w < rig->n_workers; w++)
			rig->map[rig->conf.n_map++] = (struct port_rxq){p, w, lcore_of(w)};
	}
	if (conf->mirror_mtu != 0)
		rig->port[2].mtu = conf->mirror_mtu;
}

struct rig *
rig_create(const struct rig_conf *conf)
{
	/* an owner has lines of its own */
	struct rig *rig = aligned_alloc(alignof(struct rig), sizeof(*rig));

	if (rig == NULL)
		rig_die("memory");
	memset(rig, 0, sizeof(*rig));
	rig->n_workers = conf->n_workers ? conf->n_workers : 1;
	rig->room = conf->room ? conf->room : RIG_ROOM;
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
		rig_die("qsbr");
	rig->conf.qsbr = rig->qsbr;
	rig->conf.punt = rig_ring("punt", conf->punt_slots ? conf->punt_slots : 64);
	for (uint32_t w = 0; w < rig->n_workers; w++)
		if (worker_create(&rig->conf, w, lcore_of(w), &rig->worker[w]) != 0)
			rig_die("worker");
	return rig;
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
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		rte_ring_free(rig->handoff[p]);
	free(rig->qsbr);
	free(rig);
}
