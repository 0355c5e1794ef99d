/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a pool does, for whoever asks over the EAL's telemetry socket of any program:
 *
 *   /magazine/list              names of all mempools with these ops
 *   /magazine/pool,NAME         one of them: sums, and by lcore and depot
 *   /magazine/pool,NAME,LCORE   what one lcore did with it
 *
 * Numbers are read while lcores run: each is of its own moment.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mempool.h>
#include <rte_telemetry.h>

#include "magazine.h"
#include "mempool_magazine.h"
#include "mempool_magazine_priv.h"

static void
name_add(struct rte_mempool *mp, void *names)
{
	if (mempool_magazine_pool(mp))
		rte_tel_data_add_array_string(names, mp->name);
}

static int
on_list(const char *cmd, const char *params, struct rte_tel_data *data)
{
	rte_tel_data_start_array(data, RTE_TEL_STRING_VAL);
	rte_mempool_walk(name_add, data);
	return 0;
}

static void
counts_add(struct rte_tel_data *data, const struct magazine_counts *counts)
{
	rte_tel_data_add_dict_u64(data, "gets", counts->gets);
	rte_tel_data_add_dict_u64(data, "puts", counts->puts);
	rte_tel_data_add_dict_u64(data, "swaps", counts->swaps);
	rte_tel_data_add_dict_u64(data, "exchanges", counts->exchanges);
	rte_tel_data_add_dict_u64(data, "exchange_fails", counts->exchange_fails);
	rte_tel_data_add_dict_u64(data, "contended", counts->contended);
	rte_tel_data_add_dict_u64(data, "cross_core", counts->cross_core);
	rte_tel_data_add_dict_u64(data, "reclaimed", counts->reclaimed);
	rte_tel_data_add_dict_u64(data, "sent_home", counts->sent_home);
}

static void
lcore_add(struct rte_tel_data *data, const struct magazine_lcore_stats *stats)
{
	counts_add(data, &stats->counts);
	rte_tel_data_add_dict_u64(data, "loaded", stats->loaded);
	rte_tel_data_add_dict_u64(data, "previous", stats->previous);
	rte_tel_data_add_dict_u64(data, "foreign", stats->foreign);
	rte_tel_data_add_dict_u64(data, "size", stats->size);
}

static struct rte_tel_data *
lcore_dict(const struct magazine_lcore_stats *stats)
{
	struct rte_tel_data *data = rte_tel_data_alloc();

	if (!data)
		return NULL;
	rte_tel_data_start_dict(data);
	lcore_add(data, stats);
	return data;
}

static struct rte_tel_data *
depot_dict(const struct magazine_depot_stats *stats)
{
	struct rte_tel_data *data = rte_tel_data_alloc();

	if (!data)
		return NULL;
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_u64(data, "size", stats->size);
	rte_tel_data_add_dict_u64(data, "full", stats->full);
	rte_tel_data_add_dict_u64(data, "empty", stats->empty);
	rte_tel_data_add_dict_u64(data, "rounds", stats->rounds);
	rte_tel_data_add_dict_u64(data, "loose", stats->loose);
	rte_tel_data_add_dict_u64(data, "inbox", stats->inbox);
	rte_tel_data_add_dict_u64(data, "grown", stats->grown);
	rte_tel_data_add_dict_u64(data, "shrunk", stats->shrunk);
	rte_tel_data_add_dict_u64(data, "exchanges", stats->exchanges);
	rte_tel_data_add_dict_u64(data, "contended", stats->contended);
	rte_tel_data_add_dict_u64(data, "other_gets", stats->other_gets);
	rte_tel_data_add_dict_u64(data, "other_puts", stats->other_puts);
	return data;
}

/* A part that there is no memory or no room in the answer for is left out: a single lcore can be asked for. */
static void
parts_add(struct rte_tel_data *data, const struct magazine_pool *pool)
{
	struct magazine_lcore_stats lcore_stats;
	struct magazine_depot_stats depot_stats;
	struct rte_tel_data *part;
	char name[32];

	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
		if (magazine_pool_lcore_stats(pool, lcore, &lcore_stats) < 0)
			continue;
		snprintf(name, sizeof(name), "lcore_%u", lcore);
		part = lcore_dict(&lcore_stats);
		if (part && rte_tel_data_add_dict_container(data, name, part, 0) < 0)
			rte_tel_data_free(part);
	}
	for (uint32_t node = 0; magazine_pool_depot_stats(pool, node, &depot_stats) == 0; node++) {
		snprintf(name, sizeof(name), "depot_%u", node);
		part = depot_dict(&depot_stats);
		if (part && rte_tel_data_add_dict_container(data, name, part, 0) < 0)
			rte_tel_data_free(part);
	}
}

static void
pool_add(struct rte_tel_data *data, const struct magazine_pool *pool)
{
	struct magazine_stats stats;

	magazine_pool_stats(pool, &stats);
	rte_tel_data_add_dict_string(data, "name", pool->name);
	rte_tel_data_add_dict_u64(data, "population", stats.population);
	rte_tel_data_add_dict_u64(data, "cached", stats.cached);
	rte_tel_data_add_dict_u64(data, "depot", stats.depot);
	rte_tel_data_add_dict_u64(data, "out", stats.out);
	rte_tel_data_add_dict_u64(data, "size", stats.size);
	rte_tel_data_add_dict_u64(data, "size_min", pool->size_min);
	rte_tel_data_add_dict_u64(data, "size_max", pool->size_max);
	rte_tel_data_add_dict_u64(data, "epoch", stats.epoch);
	rte_tel_data_add_dict_u64(data, "errors", stats.errors);
	counts_add(data, &stats.counts);
	parts_add(data, pool);
}

/* lcore: a number, and nothing behind it. */
static int
lcore_show(struct rte_tel_data *data, const struct magazine_pool *pool, const char *lcore)
{
	struct magazine_lcore_stats stats;
	char *end;
	const unsigned long number = strtoul(lcore, &end, 10);

	if (*lcore < '0' || *lcore > '9' || *end != '\0' || number >= RTE_MAX_LCORE)
		return -EINVAL;
	if (magazine_pool_lcore_stats(pool, (unsigned int)number, &stats) < 0)
		return -ENOENT;
	rte_tel_data_start_dict(data);
	lcore_add(data, &stats);
	return 0;
}

static int
on_pool(const char *cmd, const char *params, struct rte_tel_data *data)
{
	const size_t length = params ? strcspn(params, ",") : 0;
	const struct magazine_pool *pool;
	const struct rte_mempool *mp;
	char name[RTE_MEMPOOL_NAMESIZE];

	if (length == 0 || length >= sizeof(name))
		return -EINVAL;
	memcpy(name, params, length);
	name[length] = '\0';
	mp = rte_mempool_lookup(name);
	pool = mp ? mempool_magazine_pool(mp) : NULL;
	if (!pool)
		return mp ? -EINVAL : -ENOENT;
	if (params[length] == ',')
		return lcore_show(data, pool, params + length + 1);
	rte_tel_data_start_dict(data);
	pool_add(data, pool);
	return 0;
}

int
mempool_magazine_telemetry(void)
{
	const int ret = rte_telemetry_register_cmd(
		"/magazine/list", on_list, "Names of mempools with magazines. Takes no parameters");

	if (ret < 0)
		return ret;
	return rte_telemetry_register_cmd("/magazine/pool", on_pool,
		"What a pool's magazines do. Parameters: the mempool's name, and an lcore for that alone");
}
