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
 *   /magpie/icmp       ICMP errors: told, limited, full as in the plain lines, sent_NAME, zeros too
 *   /magpie/control    packets by outcome in the control thread, zeros too; made, made_lost, held, neighs
 *   /magpie/neighbours ["PORT ADDR MAC STATE HELD"], 200 at most; /magpie/neighbours,200 those behind them
 *
 * EAL has no call to take a command back, and its threads may be inside a callback at any time: commands
 * are registered once, and the lock keeps what they show alive.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <rte_telemetry.h>
#include <rte_version.h>

#include "stats_priv.h"

/* An answer has 16 kB, a neighbour takes up to 80 bytes. */
#define NEIGHBOURS_SHOWN 200u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stats *shown;
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
ports_show(struct stats *stats, const char *params, struct rte_tel_data *data)
{
	const struct stats_conf *conf = &stats->conf;
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
	dict_add(data, "injected", count->injected);
	dict_add(data, "fragmented", count->fragmented);
	dict_add(data, "bursts", count->bursts);
	dict_add(data, "busy_cycles", count->busy_cycles);
	dict_add(data, "idle_cycles", count->idle_cycles);
	return 0;
}

static int
workers_show(struct stats *stats, const char *params, struct rte_tel_data *data)
{
	const struct stats_conf *conf = &stats->conf;
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
pools_show(struct stats *stats, const char *params, struct rte_tel_data *data)
{
	const struct stats_conf *conf = &stats->conf;
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
owners_show(struct stats *stats, const char *params, struct rte_tel_data *data)
{
	const struct stats_conf *conf = &stats->conf;
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

/* Those that are punts, or all other ends of a packet. */
static int
reasons_show(bool punts, const uint64_t *counts, struct rte_tel_data *data)
{
	rte_tel_data_start_dict(data);
	for (unsigned int v = 0; v < N_VERDICTS; v++)
		if (verdict_info[v].kind != VERDICT_KIND_FORWARD &&
			(verdict_info[v].kind == VERDICT_KIND_PUNT) == punts)
			dict_add(data, verdict_info[v].name, counts[v]);
	return 0;
}

static int
drops_show(struct stats *stats, const char *params, struct rte_tel_data *data)
{
	const struct stats_conf *conf = &stats->conf;
	struct counts counts;

	counts_read(conf, &counts);
	return reasons_show(false, counts.drops, data);
}

static int
punts_show(struct stats *stats, const char *params, struct rte_tel_data *data)
{
	const struct stats_conf *conf = &stats->conf;
	struct counts counts;

	counts_read(conf, &counts);
	return reasons_show(true, counts.punted, data);
}

static int
icmp_show(struct stats *stats, const char *params, struct rte_tel_data *data)
{
	struct control_counts control;
	struct counts counts;
	char name[RTE_TEL_MAX_STRING_LEN];

	counts_read(&stats->conf, &counts);
	counts_read_control(&stats->control, &control);
	rte_tel_data_start_dict(data);
	dict_add(data, "told", counts.all.told);
	dict_add(data, "limited", counts.all.icmp_limited);
	dict_add(data, "full", counts.all.icmp_full);
	for (unsigned int i = ICMP_ERROR_NONE + 1; i < ICMP_N_ERRORS; i++) {
		snprintf(name, sizeof(name), "sent_%s", icmp_error_name(i));
		dict_add(data, name, control.error[i]);
	}
	return 0;
}

static int
control_show(struct stats *stats, const char *params, struct rte_tel_data *data)
{
	struct control_counts control;

	counts_read_control(&stats->control, &control);
	rte_tel_data_start_dict(data);
	for (unsigned int i = 0; i < CONTROL_N_OUTCOMES; i++)
		dict_add(data, control_info[i].name, control.outcome[i]);
	dict_add(data, "made", control.made);
	dict_add(data, "made_lost", control.made_lost);
	dict_add(data, "held", control.held);
	dict_add(data, "neighs", control.neighs);
	return 0;
}

/* "PORT ADDR MAC STATE HELD" */
static void
neighbour_add(const struct stats_conf *conf, const struct control_neigh_view *view, struct rte_tel_data *data)
{
	const struct control_neigh *neigh = &view->neigh;
	char addr[INET6_ADDRSTRLEN], mac[RTE_ETHER_ADDR_FMT_SIZE], text[RTE_TEL_MAX_STRING_LEN];

	inet_ntop(neigh->addr.family, neigh->addr.bytes, addr, sizeof(addr));
	rte_ether_format_addr(mac, sizeof(mac), &neigh->mac);
	snprintf(text, sizeof(text), "%.40s %s %s %s %" PRIu32, conf->ports[neigh->port].name, addr, mac,
		neigh_state_name(view->state), view->n_held);
	rte_tel_data_add_array_string(data, text);
}

/* All of them, or none if there is no memory. Returns their number. */
static unsigned int
neighbours_read(struct stats *stats, struct control_neigh_view **views)
{
	unsigned int n = 0, room;

	*views = NULL;
	pthread_mutex_lock(&stats->control.lock);
	if (stats->control.control != NULL) {
		room = control_neighs(stats->control.control, NULL, 0);
		*views = calloc(room + 1, sizeof(**views));
		if (*views != NULL)
			n = RTE_MIN(control_neighs(stats->control.control, *views, room), room);
	}
	pthread_mutex_unlock(&stats->control.lock);
	return n;
}

/* params: how many to leave out at the beginning, for an answer has room for some 200 only */
static int
neighbours_show(struct stats *stats, const char *params, struct rte_tel_data *data)
{
	const long first = params == NULL ? 0 : param_parse(params);
	struct control_neigh_view *views;

	if (first < 0)
		return -EINVAL;

	const unsigned int n = neighbours_read(stats, &views);

	rte_tel_data_start_array(data, RTE_TEL_STRING_VAL);
	for (unsigned long i = (unsigned long)first; i < n && i < (unsigned long)first + NEIGHBOURS_SHOWN;
		i++)
		neighbour_add(&stats->conf, &views[i], data);
	free(views);
	return 0;
}

static const struct command {
	const char *name;
	int (*show)(struct stats *stats, const char *params, struct rte_tel_data *data);
	const char *help;
} commands[] = {
	{"/magpie/ports", ports_show, "Ids of Magpie's ports; of one, its counters. Parameter: port id"},
	{"/magpie/workers", workers_show, "Workers' lcores; of one, its counters. Parameter: lcore id"},
	{"/magpie/pools", pools_show, "Indexes of pools; of one, where its objects are. Parameter: index"},
	{"/magpie/owners", owners_show,
		"Indexes of owners; of one, what it is charged with. Parameter: index"},
	{"/magpie/drops", drops_show, "Packets dropped, by reason. No parameter"},
	{"/magpie/punts", punts_show, "Packets punted, by verdict. No parameter"},
	{"/magpie/icmp", icmp_show, "ICMP errors sent, and not sent. No parameter"},
	{"/magpie/control", control_show,
		"Packets in the control thread, by what became of them. No parameter"},
	{"/magpie/neighbours", neighbours_show,
		"200 neighbours: port, address, MAC, state, packets waiting. Parameter: how many to leave "
		"out"},
};

static int
command_run(const char *name, const char *params, struct rte_tel_data *data)
{
	int rc = -ENODEV;

	pthread_mutex_lock(&lock);
	for (unsigned int c = 0; shown != NULL && c < RTE_DIM(commands); c++)
		if (strcmp(commands[c].name, name) == 0)
			rc = commands[c].show(shown, params, data);
	pthread_mutex_unlock(&lock);
	return rc;
}

void
telemetry_show(struct stats *stats)
{
	pthread_mutex_lock(&lock);
	shown = stats;
	/* Registering cannot harm where telemetry is off: the commands are then never called. */
	for (unsigned int c = 0; !registered && c < RTE_DIM(commands); c++)
		rte_telemetry_register_cmd(commands[c].name, command_run, commands[c].help);
	registered = true;
	pthread_mutex_unlock(&lock);
}
