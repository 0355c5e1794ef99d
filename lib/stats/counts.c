/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads every counter at about one moment. The workers go on meanwhile: each word is whole, but
 * two words need not be of the same turn. */
#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>

#include "magazine.h"
#include "stats_priv.h"

static uint64_t
load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void
worker_read(const struct worker *worker, struct counts *counts, struct worker_count *count)
{
	const struct worker_stats *stats = worker_stats(worker);
	const uint64_t *drops = worker_drops(worker);

	*count = (struct worker_count){.rx = load(&stats->rx),
		.mirrored = load(&stats->mirrored),
		.injected = load(&stats->injected),
		.fragmented = load(&stats->fragmented),
		.told = load(&stats->told),
		.icmp_limited = load(&stats->icmp_limited),
		.icmp_full = load(&stats->icmp_full),
		.tx = load(&stats->tx),
		.handoff_in = load(&stats->handoff_in),
		.handoff_out = load(&stats->handoff_out),
		.bursts = load(&stats->bursts),
		.busy_cycles = load(&stats->busy_cycles),
		.idle_cycles = load(&stats->idle_cycles)};
	for (unsigned int v = 0; v < N_VERDICTS; v++) {
		const uint64_t dropped = load(&drops[v]);
		const uint64_t punted = load(&stats->punted[v]);

		count->dropped += dropped;
		count->punted += punted;
		counts->drops[v] += dropped;
		counts->punted[v] += punted;
	}
}

static void
worker_add(struct worker_count *sum, const struct worker_count *count)
{
	sum->rx += count->rx;
	sum->mirrored += count->mirrored;
	sum->injected += count->injected;
	sum->fragmented += count->fragmented;
	sum->told += count->told;
	sum->icmp_limited += count->icmp_limited;
	sum->icmp_full += count->icmp_full;
	sum->tx += count->tx;
	sum->dropped += count->dropped;
	sum->punted += count->punted;
	sum->handoff_in += count->handoff_in;
	sum->handoff_out += count->handoff_out;
	sum->bursts += count->bursts;
	sum->busy_cycles += count->busy_cycles;
	sum->idle_cycles += count->idle_cycles;
}

static void
port_add(struct port_count *sum, const struct worker_port *count)
{
	sum->rx_pkts += load(&count->rx_pkts);
	sum->rx_bytes += load(&count->rx_bytes);
	sum->tx_pkts += load(&count->tx_pkts);
	sum->tx_bytes += load(&count->tx_bytes);
}

void
counts_read(const struct stats_conf *conf, struct counts *counts)
{
	memset(counts, 0, sizeof(*counts));
	counts->tsc = rte_rdtsc();
	for (unsigned int w = 0; w < conf->n_workers; w++) {
		const struct worker *worker = conf->workers[w];

		worker_read(worker, counts, &counts->worker[w]);
		worker_add(&counts->all, &counts->worker[w]);
		for (uint16_t id = 0; id < conf->n_ports; id++)
			if (conf->ports[id].n_rxq > 0)
				port_add(&counts->port[id], worker_port_stats(worker, id));
	}
}

static_assert(sizeof(struct control_counts) % sizeof(uint64_t) == 0, "words only");

void
counts_read_control(struct control_source *source, struct control_counts *counts)
{
	pthread_mutex_lock(&source->lock);
	if (source->control != NULL) {
		const uint64_t *words = (const uint64_t *)control_counts(source->control);
		uint64_t *out = (uint64_t *)&source->last;

		for (size_t word = 0; word < sizeof(source->last) / sizeof(*out); word++)
			out[word] = load(&words[word]);
	}
	*counts = source->last;
	pthread_mutex_unlock(&source->lock);
}

uint64_t
counts_outcomes(const struct control_counts *counts)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < CONTROL_N_OUTCOMES; i++)
		sum += counts->outcome[i];
	return sum;
}

static_assert(sizeof(struct counts) % sizeof(uint64_t) == 0, "words only");

void
counts_subtract(const struct counts *now, const struct counts *last, struct counts *delta)
{
	const uint64_t *a = (const uint64_t *)now;
	const uint64_t *b = (const uint64_t *)last;
	uint64_t *out = (uint64_t *)delta;

	for (size_t word = 0; word < sizeof(*now) / sizeof(uint64_t); word++)
		out[word] = a[word] - b[word];
}

const struct skb_owner *
owner_at(const struct stats_conf *conf, unsigned int i)
{
	for (unsigned int w = 0; w < conf->n_workers; w++) {
		const unsigned int n = worker_n_owners(conf->workers[w]);

		if (i < n)
			return worker_owner(conf->workers[w], i);
		i -= n;
	}
	if (conf->punt == NULL || !conf->punt->charges || i >= PUNT_N_CLASSES)
		return NULL;
	return &conf->punt->owner[i];
}

int64_t
counts_in_flight(const struct worker_count *all)
{
	const uint64_t in = all->rx + all->mirrored + all->injected + all->fragmented;

	return (int64_t)(in - all->tx - all->dropped - all->punted);
}

void
device_read(const struct stats_conf *conf, struct device_count *device)
{
	struct rte_eth_stats stats;

	for (uint16_t id = 0; id < conf->n_ports; id++) {
		if (conf->ports[id].n_rxq == 0 || rte_eth_stats_get(id, &stats) < 0)
			continue;
		device[id] = (struct device_count){
			.missed = stats.imissed, .errors = stats.ierrors, .nombuf = stats.rx_nombuf};
	}
}

/* What the mempool's own per-lcore caches hold, which stand before any ops. */
static uint32_t
mempool_cached(const struct rte_mempool *pool)
{
	uint32_t n = 0;

	if (pool->cache_size == 0)
		return 0;
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++)
		n += pool->local_cache[lcore].len;
	return n;
}

static uint32_t
less(uint32_t a, uint32_t b)
{
	return a > b ? a - b : 0;
}

static void
magazine_level_read(const struct magazine_pool *magazines, struct pool_level *level)
{
	struct magazine_stats *stats = &level->magazines;

	magazine_pool_stats(magazines, stats);
	level->cached = stats->cached;
	level->depot = stats->depot;
	level->drift = (int64_t)stats->population - stats->cached - stats->depot - (int32_t)stats->out;
	level->size = stats->population;
	level->ledger = true;
	level->magazine_pool = magazines;
}

void
pool_level_read(const struct stats_conf *conf, unsigned int pool, struct pool_level *level)
{
	const struct rte_mempool *mp = conf->pools[pool];
	const uint32_t cached = mempool_cached(mp);

	*level = (struct pool_level){.name = mp->name};
	/* For other ops nothing public tells more than DPDK's count, which hides what is too many. */
	if (conf->magazines != NULL && conf->magazines[pool] != NULL)
		magazine_level_read(conf->magazines[pool], level);
	else
		level->depot = less(rte_mempool_avail_count(mp), cached);
	level->cached += cached;
	level->size = mp->size;
	level->in_use = less(mp->size, level->cached + level->depot);
}

void
heads_level_read(const struct stats_conf *conf, struct pool_level *level)
{
	const struct magazine_pool *heads = skb_pool_heads(conf->heads);

	*level = (struct pool_level){.name = conf->lazy ? "heads (punts only)" : "heads"};
	magazine_level_read(heads, level);
	level->in_use = less(level->size, level->cached + level->depot);
}
