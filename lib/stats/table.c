/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The live table: 80 columns, and no more lines than the terminal has. Where it does not all fit, worker rows
 * go first (their sum stays), then the magazines, then the end.
 *
 * Gbit/s is what the frames take on the wire, so that a port at line rate shows its nominal speed: the bytes of the
 * frame and WIRE_OVERHEAD_BYTES. For 60-byte frames (64 with FCS) that is 84 bytes: 14.88 Mpps are 10 Gbit/s.
 */
#include <inttypes.h>
#include <string.h>

#include "stats_priv.h"

#define COLUMNS        80
#define WORKERS_ALWAYS 4u  /* worker rows that are shown however small the terminal */
#define LINES_FIXED    11u /* titles, blank lines, sums, the line of the cursor */

static void
ports_write(const struct view *view, FILE *out)
{
	fprintf(out, "%-20s %9s %9s %9s %9s %10s %5s\n", "port", "rx Mpps", "Gbit/s", "tx Mpps", "Gbit/s",
		"nic lost", "link");
	for (unsigned int id = 0; id < view->conf->n_ports; id++) {
		const struct port *port = &view->conf->ports[id];
		const struct port_count *d = &view->delta->port[id];
		const struct device_count *lost = &view->device[id];
		char text[COUNT_TEXT_LEN];

		if (port->n_rxq == 0)
			continue;
		fprintf(out, "%-20.20s %9.3f %9.3f %9.3f %9.3f %10s %5s\n", port->name,
			rate_mpps(d->rx_pkts, view->seconds),
			rate_wire_gbps(d->rx_pkts, d->rx_bytes, view->seconds),
			rate_mpps(d->tx_pkts, view->seconds),
			rate_wire_gbps(d->tx_pkts, d->tx_bytes, view->seconds),
			count_text(lost->missed + lost->errors + lost->nombuf, text),
			port_link_up(port) ? "up" : "down");
	}
}

static void
worker_write(const char *name, const struct worker_count *d, double seconds, FILE *out)
{
	fprintf(out, "%-20.20s %9.1f %9.1f %9.1f %9.3f %10.3f\n", name, rate_idle_percent(d),
		rate_cycles_per_packet(d), rate_packets_per_burst(d), rate_mpps(d->rx, seconds),
		rate_mpps(d->handoff_in, seconds));
}

static void
workers_write(const struct view *view, unsigned int n_shown, FILE *out)
{
	const struct stats_conf *conf = view->conf;
	char name[32];

	fprintf(out, "\n%-20s %9s %9s %9s %9s %10s\n", "worker", "idle %", "cyc/pkt", "pkt/burst", "rx Mpps",
		"handed in");
	for (unsigned int w = 0; w < n_shown; w++) {
		snprintf(name, sizeof(name), "lcore %u", worker_lcore(conf->workers[w]));
		worker_write(name, &view->delta->worker[w], view->seconds, out);
	}
	if (conf->n_workers < 2)
		return;
	snprintf(name, sizeof(name), "all %u workers", conf->n_workers);
	worker_write(name, &view->delta->all, view->seconds, out);
}

static void
level_write(const struct pool_level *level, FILE *out)
{
	fprintf(out, "%-20.20s %9" PRIu32 " %9" PRIu32 " %9" PRIu32 " %9" PRIu32, level->name, level->size,
		level->in_use, level->cached, level->depot);
	if (level->ledger)
		fprintf(out, " %+10" PRId64 "\n", level->drift);
	else
		fprintf(out, " %10s\n", "-");
}

static void
pools_write(const struct view *view, FILE *out)
{
	struct pool_level level;

	fprintf(out, "\n%-20s %9s %9s %9s %9s %10s\n", "pool", "size", "in use", "cached", "depot", "drift");
	for (unsigned int p = 0; p < view->conf->n_pools; p++) {
		pool_level_read(view->conf, p, &level);
		level_write(&level, out);
	}
	heads_level_read(view->conf, &level);
	level_write(&level, out);
}

static void
magazines_row_write(const struct pool_level *level, FILE *out)
{
	const struct magazine_counts *counts = &level->magazines.counts;
	char exchanges[COUNT_TEXT_LEN], fails[COUNT_TEXT_LEN], contended[COUNT_TEXT_LEN],
		cross[COUNT_TEXT_LEN], reclaimed[COUNT_TEXT_LEN];

	if (!level->ledger)
		return;
	fprintf(out, "%-20.20s %7" PRIu32 " %9s %9s %9s %9s %9s\n", level->name, level->magazines.size,
		count_text(counts->exchanges, exchanges), count_text(counts->exchange_fails, fails),
		count_text(counts->contended, contended), count_text(counts->cross_core, cross),
		count_text(counts->reclaimed, reclaimed));
}

static void
magazines_write(const struct view *view, FILE *out)
{
	struct pool_level level;

	fprintf(out, "\n%-20s %7s %9s %9s %9s %9s %9s\n", "magazines", "rounds", "exchanges", "failed",
		"contended", "crossed", "reclaimed");
	for (unsigned int p = 0; p < view->conf->n_pools; p++) {
		pool_level_read(view->conf, p, &level);
		magazines_row_write(&level, out);
	}
	heads_level_read(view->conf, &level);
	magazines_row_write(&level, out);
}

static void
term_write(const char *name, uint64_t n, FILE *out)
{
	char text[COUNT_TEXT_LEN];

	if (n > 0)
		fprintf(out, " + %s %s", name, count_text(n, text));
}

/* All terms of an equation in one line would be too long where there are all: what came in, what became of it. */
static void
packets_write(const struct view *view, FILE *out)
{
	const struct worker_count *all = &view->now->all;
	const bool wide = all->mirrored + all->injected + all->fragmented > 0;
	char rx[COUNT_TEXT_LEN], tx[COUNT_TEXT_LEN], dropped[COUNT_TEXT_LEN], punted[COUNT_TEXT_LEN];

	fprintf(out, "\nrx %s", count_text(all->rx, rx));
	term_write("mirrored", all->mirrored, out);
	term_write("injected", all->injected, out);
	term_write("fragmented", all->fragmented, out);
	fprintf(out, "%s= tx %s + dropped %s + punted %s + in flight %" PRId64 "\n", wide ? "\n  " : " ",
		count_text(all->tx, tx), count_text(all->dropped, dropped), count_text(all->punted, punted),
		counts_in_flight(all));
}

static void
reason_write(
	const char *name, const char *why, uint64_t total, uint64_t delta, const struct view *view, FILE *out)
{
	char sum[COUNT_TEXT_LEN], rate[COUNT_TEXT_LEN];
	const double per_second = view->seconds > 0 ? (double)delta / view->seconds : 0;

	if (total == 0)
		return;
	fprintf(out, "%-20.20s %9s %9s  %.38s\n", name, count_text(total, sum),
		count_text((uint64_t)(per_second + 0.5), rate), why);
}

static void
reasons_write(const struct view *view, FILE *out)
{
	const struct counts *now = view->now, *delta = view->delta;

	if (now->all.dropped + now->all.punted == 0)
		return;
	fprintf(out, "%-20s %9s %9s\n", "dropped or punted", "total", "per s");
	for (unsigned int v = 0; v < N_VERDICTS; v++)
		reason_write(verdict_info[v].name, verdict_info[v].text, now->drops[v], delta->drops[v], view,
			out);
	for (unsigned int v = 0; v < N_VERDICTS; v++)
		reason_write(verdict_info[v].name, verdict_info[v].text, now->punted[v], delta->punted[v],
			view, out);
	for (unsigned int i = 0; i < CONTROL_N_OUTCOMES; i++)
		if (control_info[i].kind == CONTROL_KIND_DROP)
			reason_write(control_info[i].name, control_info[i].text, now->control.outcome[i],
				delta->control.outcome[i], view, out);
}

/* Lines that are always there. */
static unsigned int
lines_fixed(const struct view *view)
{
	const struct stats_conf *conf = view->conf;
	unsigned int others = LINES_FIXED + conf->n_pools + 1;

	for (unsigned int id = 0; id < conf->n_ports; id++)
		others += conf->ports[id].n_rxq > 0;
	for (unsigned int v = 0; v < N_VERDICTS; v++)
		others += (view->now->drops[v] > 0) + (view->now->punted[v] > 0);
	for (unsigned int i = 0; i < CONTROL_N_OUTCOMES; i++)
		others += control_info[i].kind == CONTROL_KIND_DROP && view->now->control.outcome[i] > 0;
	others += view->now->all.mirrored + view->now->all.injected + view->now->all.fragmented > 0;

	return others;
}

/* Worker rows that leave room for everything else. */
static unsigned int
workers_shown(const struct view *view)
{
	const unsigned int others = lines_fixed(view);
	const unsigned int room = view->rows > others ? view->rows - others : 0;

	return RTE_MIN(RTE_MAX(room, WORKERS_ALWAYS), view->conf->n_workers);
}

/* What the magazines do is shown where there is room for all of it: a blank line, a title, the pools and the heads. */
static bool
magazines_shown(const struct view *view)
{
	return lines_fixed(view) + workers_shown(view) + view->conf->n_pools + 3 <= view->rows;
}

void
table_write(const struct view *view, FILE *out)
{
	const unsigned int up = (unsigned int)view->uptime_s;

	fprintf(out, "Magpie %s  up %u:%02u:%02u  Gbit/s on the wire (frame + %u bytes)\n", MAGPIE_VERSION,
		up / 3600, up / 60 % 60, up % 60, WIRE_OVERHEAD_BYTES);
	ports_write(view, out);
	workers_write(view, workers_shown(view), out);
	pools_write(view, out);
	if (magazines_shown(view))
		magazines_write(view, out);
	packets_write(view, out);
	reasons_write(view, out);
}

static unsigned int
lines_count(const char *text)
{
	unsigned int n = 0;

	for (; (text = strchr(text, '\n')) != NULL; text++)
		n++;
	return n;
}

void
screen_write(const char *text, unsigned int rows, FILE *out)
{
	const unsigned int n_lines = lines_count(text);
	const unsigned int room = rows > 2 ? rows - 1 : 1; /* the cursor needs the last row */
	const unsigned int n_shown = n_lines <= room ? n_lines : room - 1;

	fputs("\x1b[H", out);
	for (unsigned int line = 0; line < n_shown; line++) {
		const size_t len = strcspn(text, "\n");

		fprintf(out, "%.*s\x1b[K\n", (int)RTE_MIN(len, (size_t)COLUMNS), text);
		text += len + 1;
	}
	if (n_shown < n_lines)
		fprintf(out, "... %u more lines: the terminal is too small\x1b[K\n", n_lines - n_shown);
	fputs("\x1b[J", out);
}
