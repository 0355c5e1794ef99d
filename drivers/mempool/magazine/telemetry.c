/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a pool does, for whoever asks over the EAL's telemetry socket of any program:
 *
 *   /magazine/list              names of all mempools with these ops that this process has made
 *   /magazine/pool,NAME         one of them: sums, and by lcore and depot
 *   /magazine/pool,NAME,LCORE   what one lcore did with it
 *
 * Numbers are read while lcores run: each is of its own moment. Pools are those of pools.c's
 * list: nobody ends one while it is shown. Processes of one EAL have a socket each.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_telemetry.h>
#include <rte_version.h>

#include "magazine.h"
#include "mempool_magazine.h"
#include "mempool_magazine_priv.h"

static void
dict_add(struct rte_tel_data *data, const char *name, uint64_t value)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	rte_tel_data_add_dict_uint(data, name, value);
#else
	rte_tel_data_add_dict_u64(data, name, value);
#endif
}

static void
name_add(struct magazine_pool *pool, void *names)
{
	rte_tel_data_add_array_string(names, pool->name);
}

static int
on_list(const char *cmd, const char *params, struct rte_tel_data *data)
{
	rte_tel_data_start_array(data, RTE_TEL_STRING_VAL);
	mempool_magazine_each(name_add, data);
	return 0;
}

static void
counts_add(struct rte_tel_data *data, const struct magazine_counts *counts)
{
	dict_add(data, "gets", counts->gets);
	dict_add(data, "puts", counts->puts);
	dict_add(data, "swaps", counts->swaps);
	dict_add(data, "exchanges", counts->exchanges);
	dict_add(data, "exchange_fails", counts->exchange_fails);
	dict_add(data, "contended", counts->contended);
	dict_add(data, "cross_core", counts->cross_core);
	dict_add(data, "reclaimed", counts->reclaimed);
	dict_add(data, "sent_home", counts->sent_home);
}

static void
lcore_add(struct rte_tel_data *data, const struct magazine_lcore_stats *stats)
{
	counts_add(data, &stats->counts);
	dict_add(data, "loaded", stats->loaded);
	dict_add(data, "previous", stats->previous);
	dict_add(data, "foreign", stats->foreign);
	dict_add(data, "size", stats->size);
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
	dict_add(data, "size", stats->size);
	dict_add(data, "full", stats->full);
	dict_add(data, "empty", stats->empty);
	dict_add(data, "rounds", stats->rounds);
	dict_add(data, "loose", stats->loose);
	dict_add(data, "inbox", stats->inbox);
	dict_add(data, "grown", stats->grown);
	dict_add(data, "shrunk", stats->shrunk);
	dict_add(data, "exchanges", stats->exchanges);
	dict_add(data, "contended", stats->contended);
	dict_add(data, "other_gets", stats->other_gets);
	dict_add(data, "other_puts", stats->other_puts);
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
	dict_add(data, "population", stats.population);
	dict_add(data, "cached", stats.cached);
	dict_add(data, "depot", stats.depot);
	dict_add(data, "out", stats.out);
	dict_add(data, "size", stats.size);
	dict_add(data, "size_min", pool->size_min);
	dict_add(data, "size_max", pool->size_max);
	dict_add(data, "uncached", pool->is_uncached);
	dict_add(data, "epoch", stats.epoch);
	dict_add(data, "errors", stats.errors);
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

struct question {
	char name[MAGAZINE_NAME_LEN];
	const char *lcore; /* NULL = the pool */
	struct rte_tel_data *data;
	int ret;
};

static void
question_answer(struct magazine_pool *pool, void *arg)
{
	struct question *question = arg;

	if (strcmp(pool->name, question->name) != 0)
		return;
	if (question->lcore) {
		question->ret = lcore_show(question->data, pool, question->lcore);
		return;
	}
	rte_tel_data_start_dict(question->data);
	pool_add(question->data, pool);
	question->ret = 0;
}

static int
on_pool(const char *cmd, const char *params, struct rte_tel_data *data)
{
	const size_t length = params ? strcspn(params, ",") : 0;
	struct question question = {.data = data, .ret = -ENOENT};

	if (length == 0 || length >= sizeof(question.name))
		return -EINVAL;
	memcpy(question.name, params, length);
	if (params[length] == ',')
		question.lcore = params + length + 1;
	mempool_magazine_each(question_answer, &question);
	return question.ret;
}

int
mempool_magazine_telemetry(void)
{
	static bool is_done;
	int ret;

	if (__atomic_exchange_n(&is_done, true, __ATOMIC_RELAXED))
		return 0;
	ret = rte_telemetry_register_cmd(
		"/magazine/list", on_list, "Names of mempools with magazines. Takes no parameters");
	if (ret < 0)
		return ret;
	return rte_telemetry_register_cmd("/magazine/pool", on_pool,
		"What a pool's magazines do. Parameters: the mempool's name, and an lcore for that alone");
}
