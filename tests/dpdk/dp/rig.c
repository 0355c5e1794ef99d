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
		.fragments = conf->fragments >> p & 1,
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

/* As punt_init() does, with rings of another size. */
static void
punt_new(struct rig *rig, const struct rig_conf *conf)
{
	const uint32_t slots = conf->punt_slots ? conf->punt_slots : 64;

	for (unsigned int class = 0; class < PUNT_N_CLASSES; class ++) {
		rig->punt.ring[class] = rig_ring("punt", slots);
		skb_owner_init(&rig->punt.owner[class], punt_name(class), conf->punt_limit, LCORE_ID_ANY);
	}
	rig->punt.back = rig_ring("back", slots);
	rig->punt.charges = rig->conf.complete != COMPLETE_NONE;
	rig->conf.punt = &rig->punt;
	rig->conf.icmp_rate = conf->icmp_rate;
	rig->conf.ecmp_seed = conf->ecmp_seed;
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
	punt_new(rig, conf);
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
rig_punted_in(struct rig *rig, enum punt_class class)
{
	struct skb *skb;

	return punt_take(&rig->punt, class, &skb, 1) == 1 ? skb : NULL;
}

struct skb *
rig_punted(struct rig *rig)
{
	struct skb *skb = rig_punted_in(rig, PUNT_HOST);

	return skb != NULL ? skb : rig_punted_in(rig, PUNT_NEIGH);
}

struct skb *
rig_told(struct rig *rig)
{
	struct skb *skb = rig_punted_in(rig, PUNT_ERROR);

	rig->n_told += skb != NULL;
	return skb;
}

void
rig_consume(struct rig *rig, struct skb *skb)
{
	skb_consume(&rig->control, skb);
}

uint32_t
rig_consume_told(struct rig *rig)
{
	struct skb *skb;
	uint32_t n = 0;

	for (; (skb = rig_told(rig)) != NULL; n++)
		rig_consume(rig, skb);
	return n;
}

void
rig_back(struct rig *rig, struct skb *skb, uint16_t port, enum punt_road road)
{
	skb->port = port;
	if (punt_back_put(&rig->punt, &rig->control, skb, road) != 0)
		rig_die("ring back is full");
}

struct skb *
rig_packet(struct rig *rig, const struct frame *frame, const uint32_t *cuts, uint32_t n)
{
	struct skb *skb;

	if (skb_build(&rig->control, rig_mbuf(rig, frame, cuts, n), &skb) != 0)
		rig_die("no head left");
	return skb;
}

uint64_t
rig_stat(const struct rig *rig, size_t offset)
{
	uint64_t sum = 0;

	for (uint32_t w = 0; w < rig->n_workers; w++)
		sum += *(const uint64_t *)((const uint8_t *)worker_stats(rig->worker[w]) + offset);
	return sum;
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
rig_punt_owner(struct rig *rig, enum punt_class class)
{
	return &rig->punt.owner[class];
}

struct rte_mempool *
rig_pool(struct rig *rig)
{
	return rig->pool;
}

struct skb_pool *
rig_heads(struct rig *rig)
{
	return rig->conf.heads;
}

bool
rig_charges(const struct rig *rig)
{
	return rig->punt.charges;
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
	rig_consume_told(rig);
}

/* The equation of worker.h over all workers, by packet and by port; and whoever was to be told was. */
static void
check_balance(const struct rig *rig)
{
	uint64_t counts[N_VERDICTS], out = 0, port_rx = 0, port_tx = 0;
	const uint64_t rx = RIG_STAT(rig, rx);
	const uint64_t in =
		rx + RIG_STAT(rig, mirrored) + RIG_STAT(rig, injected) + RIG_STAT(rig, fragmented);

	rig_counts(rig, counts);
	for (uint32_t v = 0; v < N_VERDICTS; v++)
		out += counts[v];
	for (uint32_t w = 0; w < rig->n_workers; w++)
		for (uint16_t p = 0; p < RIG_PORTS; p++) {
			port_rx += worker_port_stats(rig->worker[w], p)->rx_pkts;
			port_tx += worker_port_stats(rig->worker[w], p)->tx_pkts;
		}
	assert_int_equal(RIG_STAT(rig, handoff_in), RIG_STAT(rig, handoff_out));
	assert_int_equal(in, out);
	assert_int_equal(RIG_STAT(rig, told), rig->n_told);
	assert_int_equal(rx, port_rx);
	assert_int_equal(counts[VERDICT_forward], port_tx);
}

/* Nothing is out, so nobody is charged. */
static void
check_owners(const struct rig *rig)
{
	for (unsigned int class = 0; class < PUNT_N_CLASSES; class ++)
		assert_int_equal(skb_owner_used(&rig->punt.owner[class]), 0);
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
	punt_fini(&rig->punt);
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		rte_ring_free(rig->handoff[p]);
	free(rig->qsbr);
	free(rig);
}
