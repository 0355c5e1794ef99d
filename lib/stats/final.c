/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The final account. Everything is at rest, so the equations must hold exactly:
 *
 *   sum over workers: rx + mirrored + injected + fragmented + handoff_in == tx + dropped + punted + handoff_out,
 *                     and handoff_in == handoff_out
 *   control thread:   punted + told == sum of outcomes, and it holds nothing
 *   per mempool:      available == size, and its magazines add up
 *   heads:            available == population, and their magazines add up
 *   owners:           nobody is charged
 *
 * Each that does not is named, with its numbers, in the last line; and before it each object of
 * magazines that is missing or too much.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_mempool.h>

#include "magazine.h"
#include "stats_priv.h"

#define AUDIT_LINES 16u /* for each pool */

/* What does not balance, in words; text is empty when all does. */
struct faults {
	char text[1024];
	size_t len;
};

static void __rte_format_printf(2, 3) fault_add(struct faults *faults, const char *format, ...)
{
	const size_t room = sizeof(faults->text) - faults->len;
	char *end = faults->text + faults->len;
	va_list args;

	if (faults->len > 0)
		snprintf(end, room, "; ");
	faults->len += strlen(end);
	end = faults->text + faults->len;
	va_start(args, format);
	vsnprintf(end, sizeof(faults->text) - faults->len, format, args);
	va_end(args);
	faults->len += strlen(end);
}

static void
ports_write(const struct stats *stats, const struct counts *now, FILE *out)
{
	for (unsigned int id = 0; id < stats->conf.n_ports; id++) {
		const struct port *port = &stats->conf.ports[id];
		const struct port_count *count = &now->port[id];
		const struct device_count *device = &stats->device[id];

		if (port->n_rxq == 0)
			continue;
		fprintf(out,
			"port %s: rx %" PRIu64 " packets %" PRIu64 " bytes, tx %" PRIu64 " packets %" PRIu64
			" bytes\n",
			port->name, count->rx_pkts, count->rx_bytes, count->tx_pkts, count->tx_bytes);
		if (device->missed + device->errors + device->nombuf > 0)
			fprintf(out,
				"port %s: the device itself lost %" PRIu64 " (no descriptor), %" PRIu64
				" (errors), %" PRIu64 " (no buffer)\n",
				port->name, device->missed, device->errors, device->nombuf);
	}
}

static void
workers_write(const struct stats_conf *conf, const struct counts *now, FILE *out)
{
	for (unsigned int w = 0; w < conf->n_workers; w++) {
		const struct worker_count *count = &now->worker[w];

		fprintf(out,
			"lcore %u: rx %" PRIu64 ", %.1f cycles/packet, %.1f packets/burst, idle %.1f %%\n",
			worker_lcore(conf->workers[w]), count->rx, rate_cycles_per_packet(count),
			rate_packets_per_burst(count), rate_idle_percent(count));
	}
}

static void
reasons_write(const char *kind, const uint64_t *counts, FILE *out)
{
	for (unsigned int v = 0; v < N_VERDICTS; v++)
		if (counts[v] > 0)
			fprintf(out, "%s %s: %" PRIu64 " (%s)\n", kind, verdict_info[v].name, counts[v],
				verdict_info[v].text);
}

/* What the control thread did. */
static void
control_write(const struct counts *now, FILE *out)
{
	const struct worker_count *all = &now->all;
	const struct control_counts *control = &now->control;

	for (unsigned int i = 0; i < CONTROL_N_OUTCOMES; i++)
		if (control->outcome[i] > 0)
			fprintf(out, "control %s: %" PRIu64 " (%s)\n", control_info[i].name,
				control->outcome[i], control_info[i].text);
	for (unsigned int i = ICMP_ERROR_NONE + 1; i < ICMP_N_ERRORS; i++)
		if (control->error[i] > 0)
			fprintf(out, "icmp sent %s: %" PRIu64 "\n", icmp_error_name(i), control->error[i]);
	if (all->told + all->icmp_limited + all->icmp_full > 0)
		fprintf(out, "icmp: told of %" PRIu64 ", limited %" PRIu64 ", no room for %" PRIu64 "\n",
			all->told, all->icmp_limited, all->icmp_full);
	if (control->made + control->made_lost > 0)
		fprintf(out, "control made %" PRIu64 " packets, had no room for %" PRIu64 " more\n",
			control->made, control->made_lost);
}

static void
control_check(const struct counts *now, struct faults *faults)
{
	const struct control_counts *control = &now->control;
	const int64_t missing =
		(int64_t)(now->all.punted + now->all.told - counts_outcomes(control) - control->held);

	if (control->held > 0)
		fault_add(faults, "%" PRIu64 " packets still held by the control thread", control->held);
	if (missing > 0)
		fault_add(faults, "%" PRId64 " punted packets without an outcome", missing);
	if (missing < 0)
		fault_add(faults, "%" PRId64 " outcomes of packets that nobody punted", -missing);
}

static void
term_write(const char *name, uint64_t n, FILE *out)
{
	if (n > 0)
		fprintf(out, " + %s %" PRIu64, name, n);
}

static void
packets_write(const struct worker_count *all, FILE *out)
{
	fprintf(out, "packets: rx %" PRIu64, all->rx);
	term_write("mirrored", all->mirrored, out);
	term_write("injected", all->injected, out);
	term_write("fragmented", all->fragmented, out);
	fprintf(out, " = tx %" PRIu64 " + dropped %" PRIu64 " + punted %" PRIu64 "\n", all->tx, all->dropped,
		all->punted);
}

static void
packets_check(const struct worker_count *all, struct faults *faults)
{
	const int64_t in_rings = (int64_t)(all->handoff_out - all->handoff_in);
	const int64_t missing = counts_in_flight(all) - in_rings;

	if (missing > 0)
		fault_add(faults, "%" PRId64 " packets missing", missing);
	if (missing < 0)
		fault_add(faults, "%" PRId64 " packets too many", -missing);
	if (in_rings > 0)
		fault_add(faults, "%" PRId64 " packets left in hand-off rings", in_rings);
	if (in_rings < 0)
		fault_add(faults, "%" PRId64 " packets taken from hand-off rings that nobody put there",
			-in_rings);
}

/* what: "buffers of pool data"; spared: how many may be missing */
static void
level_check(const char *what, const struct pool_level *level, uint32_t spared, struct faults *faults)
{
	const uint32_t home = level->cached + level->depot;

	if (home + spared < level->size)
		fault_add(faults, "%" PRIu32 " of %" PRIu32 " %s missing", level->size - home, level->size,
			what);
	if (home > level->size)
		fault_add(faults, "%" PRIu32 " %s too many", home - level->size, what);
}

/* Which buffers or heads, one a line; the rest as a number. */
struct audit_lines {
	const char *what; /* "pool data0", "heads" */
	FILE *out;
	unsigned int n;
};

static void
finding_write(void *arg, const struct magazine_finding *finding)
{
	struct audit_lines *lines = arg;

	if (lines->n++ >= AUDIT_LINES)
		return;
	fprintf(lines->out, "audit: %s %p is %s", lines->what, finding->object,
		magazine_flaw_name(finding->flaw));
	if (finding->last_lcore != LCORE_ID_ANY)
		fprintf(lines->out, ", last with lcore %u", finding->last_lcore);
	fprintf(lines->out, "%s%s\n", *finding->history ? ": " : "", finding->history);
}

/* After a fault: which objects they are. */
static void
audit_write(const struct magazine_pool *magazines, const char *what, FILE *out)
{
	struct audit_lines lines = {.what = what, .out = out};

	if (magazine_pool_audit(magazines, finding_write, &lines) < 0)
		fprintf(out, "audit: no memory for the one of %s\n", what);
	if (lines.n > AUDIT_LINES)
		fprintf(out, "audit: %u more of %s\n", lines.n - AUDIT_LINES, what);
}

/* What mempool caches hold is out as far as the magazines know, and would be called missing. */
static void
mempool_caches_empty(struct rte_mempool *mp)
{
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++) {
		struct rte_mempool_cache *cache = rte_mempool_default_cache(mp, lcore);

		if (cache != NULL)
			rte_mempool_cache_flush(cache, mp);
	}
}

/* what: as in the audit; mp: in front of the magazines, or NULL; spared: how many may be missing */
static void
magazines_settle(struct magazine_pool *magazines, const char *what, struct rte_mempool *mp, uint32_t spared,
	struct faults *faults, FILE *out)
{
	const bool adds_up = magazine_pool_check(magazines) == 0;
	struct magazine_stats stats;

	if (mp != NULL)
		mempool_caches_empty(mp);
	magazine_pool_stats(magazines, &stats);
	if (!adds_up)
		fault_add(faults, "the magazines of %s do not add up", what);
	if (stats.errors > 0)
		fault_add(faults, "%" PRIu64 " errors with objects of %s", stats.errors, what);
	if (!adds_up || stats.errors > 0 || stats.depot + stats.cached + spared < stats.population)
		audit_write(magazines, what, out);
}

static void
pool_settle(const struct stats_conf *conf, unsigned int pool, struct faults *faults, FILE *out)
{
	struct magazine_pool *magazines = conf->magazines == NULL ? NULL : conf->magazines[pool];
	/* nobody's fault, but said */
	const uint32_t spared = ports_forgotten_max(conf->ports, conf->n_ports);
	struct pool_level level;
	char what[64];

	pool_level_read(conf, pool, &level);
	fprintf(out, "pool %s: %" PRIu32 " of %" PRIu32 " buffers home%s\n", level.name,
		level.cached + level.depot, level.size,
		level.cached + level.depot < level.size && spared > 0
			? ", the rest forgotten by a driver that cannot give them back"
			: "");
	snprintf(what, sizeof(what), "buffers of pool %s", level.name);
	level_check(what, &level, spared, faults);
	snprintf(what, sizeof(what), "pool %s", level.name);
	if (magazines != NULL)
		magazines_settle(magazines, what, conf->pools[pool], spared, faults, out);
}

static void
heads_settle(const struct stats_conf *conf, struct faults *faults, FILE *out)
{
	struct pool_level level;

	heads_level_read(conf, &level);
	fprintf(out, "heads: %" PRIu32 " of %" PRIu32 " home\n", level.cached + level.depot, level.size);
	level_check("heads", &level, 0, faults);
	magazines_settle(skb_pool_heads(conf->heads), "heads", NULL, 0, faults, out);
}

/* What a driver forgets in its rings, somebody may stay charged with. */
static void
owners_settle(const struct stats_conf *conf, struct faults *faults, FILE *out)
{
	const bool spared = ports_forgotten_max(conf->ports, conf->n_ports) > 0;
	const struct skb_owner *owner;
	int64_t sum = 0;
	unsigned int n = 0;

	for (; (owner = owner_at(conf, n)) != NULL; n++) {
		const int64_t used = skb_owner_used(owner);

		sum += used;
		if (used < 0 || (used > 0 && !spared))
			fault_add(faults, "owner %s is charged with %" PRId64 " bytes", owner->name, used);
	}
	if (n > 0)
		fprintf(out, "owners: %u, charged with %" PRId64 " bytes\n", n, sum);
}

int
stats_final(struct stats *stats, FILE *out)
{
	const struct stats_conf *conf = &stats->conf;
	struct counts *now = &stats->now;
	struct faults faults = {.len = 0};

	counts_read(conf, now);
	counts_read_control(&stats->control, &now->control);
	fprintf(out, "ran %.3f s\n", (double)(now->tsc - stats->start_tsc) / (double)rte_get_tsc_hz());
	ports_write(stats, now, out);
	workers_write(conf, now, out);
	reasons_write("dropped", now->drops, out);
	reasons_write("punted", now->punted, out);
	control_write(now, out);
	packets_write(&now->all, out);
	packets_check(&now->all, &faults);
	control_check(now, &faults);
	for (unsigned int p = 0; p < conf->n_pools; p++)
		pool_settle(conf, p, &faults, out);
	heads_settle(conf, &faults, out);
	owners_settle(conf, &faults, out);
	if (faults.len > 0)
		fprintf(out, "ledger NOT balanced: %s\n", faults.text);
	else
		fputs("ledger balanced\n", out);
	fflush(out);
	return faults.len > 0 ? -EFAULT : 0;
}
