/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plain lines for scripts: "key value", one fact a line, a key always spelled the same. stats.h has the list.
 */
#include <inttypes.h>

#include "account.h"
#include "stats_priv.h"

static void
port_write(const struct view *view, unsigned int id, FILE *out)
{
	const struct port *port = &view->conf->ports[id];
	const struct port_count *d = &view->delta->port[id];
	const struct port_count *now = &view->now->port[id];
	const struct device_count *device = &view->device[id];
	const char *name = port->name;

	fprintf(out, "port.%s.link_up %d\n", name, port_link_up(port));
	fprintf(out, "port.%s.rx_mpps %.3f\n", name, rate_mpps(d->rx_pkts, view->seconds));
	fprintf(out, "port.%s.rx_gbps %.3f\n", name, rate_wire_gbps(d->rx_pkts, d->rx_bytes, view->seconds));
	fprintf(out, "port.%s.tx_mpps %.3f\n", name, rate_mpps(d->tx_pkts, view->seconds));
	fprintf(out, "port.%s.tx_gbps %.3f\n", name, rate_wire_gbps(d->tx_pkts, d->tx_bytes, view->seconds));
	fprintf(out, "port.%s.rx_pkts %" PRIu64 "\n", name, now->rx_pkts);
	fprintf(out, "port.%s.rx_bytes %" PRIu64 "\n", name, now->rx_bytes);
	fprintf(out, "port.%s.tx_pkts %" PRIu64 "\n", name, now->tx_pkts);
	fprintf(out, "port.%s.tx_bytes %" PRIu64 "\n", name, now->tx_bytes);
	fprintf(out, "port.%s.nic_missed %" PRIu64 "\n", name, device->missed);
	fprintf(out, "port.%s.nic_errors %" PRIu64 "\n", name, device->errors);
	fprintf(out, "port.%s.nic_nombuf %" PRIu64 "\n", name, device->nombuf);
}

static void
worker_write(const struct view *view, unsigned int index, FILE *out)
{
	const unsigned int lcore = worker_lcore(view->conf->workers[index]);
	const struct worker_count *d = &view->delta->worker[index];
	const struct worker_count *now = &view->now->worker[index];

	fprintf(out, "worker.%u.idle_percent %.1f\n", lcore, rate_idle_percent(d));
	fprintf(out, "worker.%u.cycles_per_packet %.1f\n", lcore, rate_cycles_per_packet(d));
	fprintf(out, "worker.%u.packets_per_burst %.1f\n", lcore, rate_packets_per_burst(d));
	fprintf(out, "worker.%u.rx_mpps %.3f\n", lcore, rate_mpps(d->rx, view->seconds));
	fprintf(out, "worker.%u.rx %" PRIu64 "\n", lcore, now->rx);
	fprintf(out, "worker.%u.tx %" PRIu64 "\n", lcore, now->tx);
	fprintf(out, "worker.%u.dropped %" PRIu64 "\n", lcore, now->dropped);
	fprintf(out, "worker.%u.punted %" PRIu64 "\n", lcore, now->punted);
	fprintf(out, "worker.%u.handoff_in %" PRIu64 "\n", lcore, now->handoff_in);
	fprintf(out, "worker.%u.handoff_out %" PRIu64 "\n", lcore, now->handoff_out);
	fprintf(out, "worker.%u.mirrored %" PRIu64 "\n", lcore, now->mirrored);
	fprintf(out, "worker.%u.injected %" PRIu64 "\n", lcore, now->injected);
	fprintf(out, "worker.%u.fragmented %" PRIu64 "\n", lcore, now->fragmented);
}

/* prefix: pool.NAME. or heads. */
static void
magazine_counts_write(const char *prefix, const struct magazine_counts *counts, FILE *out)
{
	fprintf(out, "%sgets %" PRIu64 "\n", prefix, counts->gets);
	fprintf(out, "%sputs %" PRIu64 "\n", prefix, counts->puts);
	fprintf(out, "%sswaps %" PRIu64 "\n", prefix, counts->swaps);
	fprintf(out, "%sexchanges %" PRIu64 "\n", prefix, counts->exchanges);
	fprintf(out, "%sexchange_fails %" PRIu64 "\n", prefix, counts->exchange_fails);
	fprintf(out, "%scontended %" PRIu64 "\n", prefix, counts->contended);
	fprintf(out, "%scross_core %" PRIu64 "\n", prefix, counts->cross_core);
	fprintf(out, "%sreclaimed %" PRIu64 "\n", prefix, counts->reclaimed);
	fprintf(out, "%ssent_home %" PRIu64 "\n", prefix, counts->sent_home);
}

static void
magazine_lcores_write(const char *prefix, const struct magazine_pool *pool, FILE *out)
{
	struct magazine_lcore_stats stats;
	char key[128];

	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
		if (magazine_pool_lcore_stats(pool, lcore, &stats) < 0)
			continue;
		snprintf(key, sizeof(key), "%slcore.%u.", prefix, lcore);
		fprintf(out, "%smagazine %" PRIu32 "\n", key, stats.size);
		fprintf(out, "%scached %" PRIu32 "\n", key, stats.loaded + stats.previous + stats.foreign);
		magazine_counts_write(key, &stats.counts, out);
	}
}

static void
magazine_depots_write(const char *prefix, const struct magazine_pool *pool, FILE *out)
{
	struct magazine_depot_stats stats;

	for (uint32_t node = 0; magazine_pool_depot_stats(pool, node, &stats) == 0; node++) {
		fprintf(out, "%sdepot.%" PRIu32 ".magazine %" PRIu32 "\n", prefix, node, stats.size);
		fprintf(out, "%sdepot.%" PRIu32 ".full %" PRIu32 "\n", prefix, node, stats.full);
		fprintf(out, "%sdepot.%" PRIu32 ".empty %" PRIu32 "\n", prefix, node, stats.empty);
		fprintf(out, "%sdepot.%" PRIu32 ".exchanges %" PRIu64 "\n", prefix, node, stats.exchanges);
		fprintf(out, "%sdepot.%" PRIu32 ".contended %" PRIu64 "\n", prefix, node, stats.contended);
	}
}

static void
magazines_write(const char *kind, const char *name, const struct pool_level *level, FILE *out)
{
	char prefix[64];

	snprintf(prefix, sizeof(prefix), "%s%s.", kind, name);
	fprintf(out, "%smagazine %" PRIu32 "\n", prefix, level->magazines.size);
	magazine_counts_write(prefix, &level->magazines.counts, out);
	magazine_lcores_write(prefix, level->magazine_pool, out);
	magazine_depots_write(prefix, level->magazine_pool, out);
}

static void
level_write(const char *kind, const char *name, const struct pool_level *level, FILE *out)
{
	fprintf(out, "%s%s.size %" PRIu32 "\n", kind, name, level->size);
	fprintf(out, "%s%s.in_use %" PRIu32 "\n", kind, name, level->in_use);
	fprintf(out, "%s%s.cached %" PRIu32 "\n", kind, name, level->cached);
	fprintf(out, "%s%s.depot %" PRIu32 "\n", kind, name, level->depot);
	if (!level->ledger)
		return;
	fprintf(out, "%s%s.drift %" PRId64 "\n", kind, name, level->drift);
	magazines_write(kind, name, level, out);
}

static void
pools_write(const struct view *view, FILE *out)
{
	struct pool_level level;

	for (unsigned int p = 0; p < view->conf->n_pools; p++) {
		pool_level_read(view->conf, p, &level);
		level_write("pool.", level.name, &level, out);
	}
	heads_level_read(view->conf, &level);
	level_write("", "heads", &level, out);
}

static void
owners_write(const struct stats_conf *conf, FILE *out)
{
	const struct skb_owner *owner;

	for (unsigned int i = 0; (owner = owner_at(conf, i)) != NULL; i++) {
		fprintf(out, "owner.%s.used %" PRId64 "\n", owner->name, skb_owner_used(owner));
		fprintf(out, "owner.%s.limit %" PRId64 "\n", owner->name, owner->limit);
		fprintf(out, "owner.%s.refused %" PRIu64 "\n", owner->name, skb_owner_refused(owner));
	}
}

static void
reasons_write(const char *kind, const uint64_t *counts, FILE *out)
{
	for (unsigned int v = 0; v < N_VERDICTS; v++)
		if (counts[v] > 0)
			fprintf(out, "%s.%s %" PRIu64 "\n", kind, verdict_info[v].name, counts[v]);
}

static void
icmp_write(const struct counts *now, FILE *out)
{
	fprintf(out, "icmp.told %" PRIu64 "\n", now->all.told);
	fprintf(out, "icmp.limited %" PRIu64 "\n", now->all.icmp_limited);
	fprintf(out, "icmp.full %" PRIu64 "\n", now->all.icmp_full);
	for (unsigned int i = ICMP_ERROR_NONE + 1; i < ICMP_N_ERRORS; i++)
		if (now->control.error[i] > 0)
			fprintf(out, "icmp.sent.%s %" PRIu64 "\n", icmp_error_name(i), now->control.error[i]);
}

static void
control_write(const struct control_counts *control, FILE *out)
{
	for (unsigned int i = 0; i < CONTROL_N_OUTCOMES; i++)
		if (control->outcome[i] > 0)
			fprintf(out, "control.%s %" PRIu64 "\n", control_info[i].name, control->outcome[i]);
	fprintf(out, "control.made %" PRIu64 "\n", control->made);
	fprintf(out, "control.made_lost %" PRIu64 "\n", control->made_lost);
	fprintf(out, "control.held %" PRIu64 "\n", control->held);
	fprintf(out, "control.neighs %" PRIu64 "\n", control->neighs);
}

void
plain_write(const struct view *view, FILE *out)
{
	const struct worker_count *all = &view->now->all;

	fprintf(out, "time.uptime_s %.3f\n", view->uptime_s);
	fprintf(out, "time.interval_s %.3f\n", view->seconds);
	for (unsigned int id = 0; id < view->conf->n_ports; id++)
		if (view->conf->ports[id].n_rxq > 0)
			port_write(view, id, out);
	for (unsigned int w = 0; w < view->conf->n_workers; w++)
		worker_write(view, w, out);
	pools_write(view, out);
	owners_write(view->conf, out);
	reasons_write("drop", view->now->drops, out);
	reasons_write("punt", view->now->punted, out);
	icmp_write(view->now, out);
	control_write(&view->now->control, out);
	fprintf(out, "packets.rx %" PRIu64 "\n", all->rx);
	fprintf(out, "packets.mirrored %" PRIu64 "\n", all->mirrored);
	fprintf(out, "packets.injected %" PRIu64 "\n", all->injected);
	fprintf(out, "packets.fragmented %" PRIu64 "\n", all->fragmented);
	fprintf(out, "packets.tx %" PRIu64 "\n", all->tx);
	fprintf(out, "packets.dropped %" PRIu64 "\n", all->dropped);
	fprintf(out, "packets.punted %" PRIu64 "\n", all->punted);
	fprintf(out, "packets.in_flight %" PRId64 "\n", counts_in_flight(all));
}
