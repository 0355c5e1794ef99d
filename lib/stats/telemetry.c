/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same numbers for rte_telemetry (dpdk-telemetry.py), as totals: whoever asks takes the differences.
 *
 *   /magpie/ports      [ids]       /magpie/ports,ID      one port
 *   /magpie/workers    [lcores]    /magpie/workers,LCORE one worker
 *   /magpie/pools      [indexes]   /magpie/pools,INDEX   one pool of data buffers, or the heads (the last index)
 *   /magpie/owners     [indexes]   /magpie/owners,INDEX  one owner: what it is charged with, its limit, refused packets
 *   /magpie/drops      packets by drop reason, zeros too
 *   /magpie/punts      packets by punt verdict, zeros too
 *
 * EAL has no call to take a command back, and its threads may be inside a callback at any time: commands
 * are registered once, and the lock keeps what they show alive.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <rte_telemetry.h>
#include <rte_version.h>

#include "stats_priv.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct stats *shown;
static bool registered;

static void
dict_add(struct rte_tel_data *data, const char *name, uint64_t value)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	rte_tel_data_add_dict_uint(data, name, value);
#else
	rte_tel_data_add_dict_u64(data, name, value);
#endif
}

/* A whole decimal number and nothing else. Returns it, or -EINVAL. */
static long
param_parse(const char *params)
{
	char *end;

	if (*params < '0' || *params > '9')
		return -EINVAL;

	const long n = strtol(params, &end, 10);

	return *end == '\0' ? n : -EINVAL;
}

static int
port_show(const struct stats_conf *conf, long id, struct rte_tel_data *data)
{
	struct counts counts;

	if (id < 0 || id >= conf->n_ports || conf->ports[id].n_rxq == 0)
		return -EINVAL;
	counts_read(conf, &counts);
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_string(data, "name", conf->ports[id].name);
	dict_add(data, "rx_pkts", counts.port[id].rx_pkts);
	dict_add(data, "rx_bytes", counts.port[id].rx_bytes);
	dict_add(data, "tx_pkts", counts.port[id].tx_pkts);
	dict_add(data, "tx_bytes", counts.port[id].tx_bytes);
	return 0;
}

static int
ports_show(const struct stats_conf *conf, const char *params, struct rte_tel_data *data)
{
	if (params != NULL)
		return port_show(conf, param_parse(params), data);
	rte_tel_data_start_array(data, RTE_TEL_INT_VAL);
	for (unsigned int id = 0; id < conf->n_ports; id++)
		if (conf->ports[id].n_rxq > 0)
			rte_tel_data_add_array_int(data, (int)id);
	return 0;
}

static int
worker_show(const struct stats_conf *conf, unsigned int index, struct rte_tel_data *data)
{
	struct counts counts;
	const struct worker_count *count = &counts.worker[index];

	counts_read(conf, &counts);
	rte_tel_data_start_dict(data);
	dict_add(data, "rx", count->rx);
	dict_add(data, "tx", count->tx);
	dict_add(data, "dropped", count->dropped);
	dict_add(data, "punted", count->punted);
	dict_add(data, "handoff_in", count->handoff_in);
	dict_add(data, "handoff_out", count->handoff_out);
	dict_add(data, "mirrored", count->mirrored);
	dict_add(data, "bursts", count->bursts);
	dict_add(data, "busy_cycles", count->busy_cycles);
	dict_add(data, "idle_cycles", count->idle_cycles);
	return 0;
}

static int
workers_show(const struct stats_conf *conf, const char *params, struct rte_tel_data *data)
{
	const long lcore = params == NULL ? -1 : param_parse(params);

	if (params == NULL)
		rte_tel_data_start_array(data, RTE_TEL_INT_VAL);
	for (unsigned int w = 0; w < conf->n_workers; w++) {
		if (params == NULL)
			rte_tel_data_add_array_int(data, worker_lcore(conf->workers[w]));
		else if (worker_lcore(conf->workers[w]) == lcore)
			return worker_show(conf, w, data);
	}
	return params == NULL ? 0 : -EINVAL;
}

static int
pools_show(const struct stats_conf *conf, const char *params, struct rte_tel_data *data)
{
	const long index = params == NULL ? -1 : param_parse(params);
	struct pool_level level;

	if (params == NULL) {
		rte_tel_data_start_array(data, RTE_TEL_INT_VAL);
		for (unsigned int p = 0; p <= conf->n_pools; p++)
			rte_tel_data_add_array_int(data, (int)p);
		return 0;
	}
	if (index < 0 || index > conf->n_pools)
		return -EINVAL;
	if (index < conf->n_pools)
		pool_level_read(conf, (unsigned int)index, &level);
	else
		heads_level_read(conf, &level);
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_string(data, "name", level.name);
	dict_add(data, "size", level.size);
	dict_add(data, "in_use", level.in_use);
	dict_add(data, "cached", level.cached);
	dict_add(data, "depot", level.depot);
	return 0;
}

static int
owner_show(const struct skb_owner *owner, struct rte_tel_data *data)
{
	if (owner == NULL)
		return -EINVAL;
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_string(data, "name", owner->name);
	/* of two words that change meanwhile */
	dict_add(data, "used", (uint64_t)RTE_MAX(skb_owner_used(owner), 0));
	dict_add(data, "limit", (uint64_t)owner->limit);
	dict_add(data, "refused", skb_owner_refused(owner));
	return 0;
}

static int
owners_show(const struct stats_conf *conf, const char *params, struct rte_tel_data *data)
{
	const long index = params == NULL ? -1 : param_parse(params);

	if (params != NULL)
		return index < 0 || index > UINT16_MAX
			       ? -EINVAL
			       : owner_show(owner_at(conf, (unsigned int)index), data);
	rte_tel_data_start_array(data, RTE_TEL_INT_VAL);
	for (unsigned int i = 0; owner_at(conf, i) != NULL; i++)
		rte_tel_data_add_array_int(data, (int)i);
	return 0;
}

static int
reasons_show(enum verdict_kind kind, const uint64_t *counts, struct rte_tel_data *data)
{
	rte_tel_data_start_dict(data);
	for (unsigned int v = 0; v < N_VERDICTS; v++)
		if (verdict_info[v].kind == kind)
			dict_add(data, verdict_info[v].name, counts[v]);
	return 0;
}

static int
drops_show(const struct stats_conf *conf, const char *params, struct rte_tel_data *data)
{
	struct counts counts;

	counts_read(conf, &counts);
	return reasons_show(VERDICT_KIND_DROP, counts.drops, data);
}

static int
punts_show(const struct stats_conf *conf, const char *params, struct rte_tel_data *data)
{
	struct counts counts;

	counts_read(conf, &counts);
	return reasons_show(VERDICT_KIND_PUNT, counts.punted, data);
}

static const struct command {
	const char *name;
	int (*show)(const struct stats_conf *conf, const char *params, struct rte_tel_data *data);
	const char *help;
} commands[] = {
	{"/magpie/ports", ports_show, "Ids of Magpie's ports; of one, its counters. Parameter: port id"},
	{"/magpie/workers", workers_show, "Workers' lcores; of one, its counters. Parameter: lcore id"},
	{"/magpie/pools", pools_show, "Indexes of pools; of one, where its objects are. Parameter: index"},
	{"/magpie/owners", owners_show,
		"Indexes of owners; of one, what it is charged with. Parameter: index"},
	{"/magpie/drops", drops_show, "Packets dropped, by reason. No parameter"},
	{"/magpie/punts", punts_show, "Packets punted, by verdict. No parameter"},
};

static int
command_run(const char *name, const char *params, struct rte_tel_data *data)
{
	int rc = -ENODEV;

	pthread_mutex_lock(&lock);
	for (unsigned int c = 0; shown != NULL && c < RTE_DIM(commands); c++)
		if (strcmp(commands[c].name, name) == 0)
			rc = commands[c].show(&shown->conf, params, data);
	pthread_mutex_unlock(&lock);
	return rc;
}

void
telemetry_show(const struct stats *stats)
{
	pthread_mutex_lock(&lock);
	shown = stats;
	/* Registering cannot harm where telemetry is off: the commands are then never called. */
	for (unsigned int c = 0; !registered && c < RTE_DIM(commands); c++)
		rte_telemetry_register_cmd(commands[c].name, command_run, commands[c].help);
	registered = true;
	pthread_mutex_unlock(&lock);
}
