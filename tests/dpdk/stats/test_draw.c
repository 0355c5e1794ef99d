/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums, rates, the table and the plain lines, with exact counters and an exact interval. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <rte_lcore.h>
#include <rte_mempool.h>

#include "magazine.h"
#include "world.h"

#define COLUMNS 80
#define ROWS    24

/* Two workers, two ports of ours: after this much, 2 s at the rates the tests below expect. */
static void
run(void)
{
	struct worker *a = &world.worker[0], *b = &world.worker[1];

	a->port[0] = (struct worker_port){.rx_pkts = 20000000, .rx_bytes = 1200000000};
	a->port[2] = (struct worker_port){.tx_pkts = 19000000, .tx_bytes = 1140000000};
	b->port[0] = (struct worker_port){.tx_pkts = 3000000, .tx_bytes = 180000000};
	b->port[2] = (struct worker_port){.rx_pkts = 4000000, .rx_bytes = 240000000};
	a->port[1].rx_pkts = 77; /* not ours: must not show */
	a->stats = (struct worker_stats){.rx = 20000000,
		.tx = 19000000,
		.bursts = 1000000,
		.busy_cycles = 1500000000,
		.idle_cycles = 500000000};
	b->stats = (struct worker_stats){
		.rx = 4000000, .tx = 3000000, .bursts = 500000, .busy_cycles = 1000000000, .idle_cycles = 0};
	a->drops[VERDICT_no_route] = 999000;
	b->drops[VERDICT_no_route] = 900000;
	b->drops[VERDICT_ip4_ttl] = 99990;
	a->stats.punted[VERDICT_punt_arp] = 1000;
	b->stats.punted[VERDICT_punt_arp] = 10;
}

struct reading {
	struct counts now, last, delta;
	struct device_count device[WORLD_PORTS];
	struct view view;
};

static void
reading_take(struct reading *r, double seconds)
{
	counts_read(&world.conf, &r->now);
	r->now.control = world.control;
	counts_subtract(&r->now, &r->last, &r->delta);
	device_read(&world.conf, r->device);
	r->view = (struct view){.conf = &world.conf,
		.now = &r->now,
		.delta = &r->delta,
		.device = r->device,
		.seconds = seconds,
		.uptime_s = 3723.5,
		.rows = ROWS};
}

static char *
written(const struct reading *r, void (*write)(const struct view *, FILE *))
{
	struct writing writing;

	write(&r->view, writing_open(&writing));
	return writing_close(&writing);
}

static char *
on_screen(const char *text, unsigned int rows)
{
	struct writing writing;

	screen_write(text, rows, writing_open(&writing));
	return writing_close(&writing);
}

static void
assert_line(const char *text, const char *line)
{
	const size_t len = strlen(line);
	const char *at = text;

	for (; (at = strstr(at, line)) != NULL; at++)
		if ((at == text || at[-1] == '\n') && at[len] == '\n')
			return;
	fail_msg("no line \"%s\" in:\n%s", line, text);
}

static void
test_sums(void **state)
{
	struct reading r = {0};

	run();
	reading_take(&r, 2);
	assert_int_equal(r.now.port[0].rx_pkts, 20000000);
	assert_int_equal(r.now.port[0].tx_pkts, 3000000);
	assert_int_equal(r.now.port[1].rx_pkts, 0);
	assert_int_equal(r.now.port[2].tx_bytes, 1140000000);
	assert_int_equal(r.now.drops[VERDICT_no_route], 1899000);
	assert_int_equal(r.now.punted[VERDICT_punt_arp], 1010);
	assert_int_equal(r.now.worker[1].dropped, 999990);
	assert_int_equal(r.now.all.rx, 24000000);
	assert_int_equal(r.now.all.dropped, 1998990);
	assert_int_equal(counts_in_flight(&r.now.all), 0);
}

static void
test_mirrored(void **state)
{
	struct reading r = {0};
	char *text;

	run();
	reading_take(&r, 2);
	text = written(&r, table_write);
	assert_null(strstr(text, "mirrored"));
	free(text);
	world.worker[0].stats.mirrored = 2000;
	world.worker[1].stats.tx += 2000;
	reading_take(&r, 2);
	assert_int_equal(counts_in_flight(&r.now.all), 0);
	text = written(&r, table_write);
	assert_non_null(strstr(text, " + mirrored 2000\n  = tx "));
	free(text);
	text = written(&r, plain_write);
	assert_line(text, "worker.4.mirrored 2000");
	assert_line(text, "packets.mirrored 2000");
	free(text);
}

static void
run_control(void)
{
	struct worker *a = &world.worker[0], *b = &world.worker[1];

	run();
	a->stats.injected = 100;
	a->stats.fragmented = 20;
	b->stats.fragmented = 3;
	a->stats.tx += 123;
	a->stats.told = 70;
	b->stats.told = 7;
	b->stats.icmp_limited = 30;
	a->stats.icmp_full = 40;
	world.control.outcome[CONTROL_arp_reply] = 1005;
	world.control.outcome[CONTROL_neigh_full] = 60;
	world.control.error[ICMP_ERROR_TOO_BIG] = 66;
	world.control.made = 80;
	world.control.made_lost = 2;
	world.control.held = 9;
	world.control.neighs = 12;
}

/* What goes to the control thread and comes back. */
static void
test_control(void **state)
{
	static const char *const lines[] = {"worker.4.injected 100", "worker.5.injected 0",
		"worker.4.fragmented 20", "worker.5.fragmented 3", "packets.injected 100",
		"packets.fragmented 23", "packets.in_flight 0", "icmp.told 77", "icmp.limited 30",
		"icmp.full 40", "icmp.sent.too_big 66", "control.arp_reply 1005", "control.neigh_full 60",
		"control.made 80", "control.made_lost 2", "control.held 9", "control.neighs 12"};
	struct reading r = {0};
	char *text;

	run_control();
	reading_take(&r, 2);
	text = written(&r, plain_write);
	for (size_t i = 0; i < RTE_DIM(lines); i++)
		assert_line(text, lines[i]);
	assert_null(strstr(text, "icmp.sent.ttl"));
	assert_null(strstr(text, "control.arp_learned"));
	free(text);
	text = written(&r, table_write);
	assert_line(text, "rx 24.00M + injected 100 + fragmented 23");
	assert_line(text, "  = tx 22.00M + dropped 2.00M + punted 1010 + in flight 0");
	assert_non_null(strstr(text, "\nneigh_full                  60        30  too many wait"));
	assert_null(strstr(text, "arp_reply"));
	free(text);
}

static void
test_owners(void **state)
{
	struct reading r = {0};
	struct rte_mbuf mbuf = {.buf_len = 1000, .nb_segs = 1}, *const mbufs[] = {&mbuf, &mbuf};
	char *text;

	skb_owner_charge(&world.worker[0].owner, 4, 250);
	assert_int_equal(skb_owner_admit(&world.worker[1].owner, mbufs, 2), 0);
	reading_take(&r, 2);
	text = written(&r, plain_write);
	assert_line(text, "owner.owned0.0.used 250");
	assert_line(text, "owner.owned0.0.limit 1000");
	assert_line(text, "owner.owned0.0.refused 0");
	assert_line(text, "owner.owned1.0.refused 2");
	assert_line(text, "owner.punt.host.limit 0");
	assert_line(text, "owner.punt.error.used 0");
	free(text);
}

static void
test_plain(void **state)
{
	struct reading r = {0};

	run();
	world_link_up[2] = false;
	world_device[0].imissed = 5;
	world_device[0].ierrors = 6;
	world_device[0].rx_nombuf = 7;
	reading_take(&r, 2);

	char *text = written(&r, plain_write);

	assert_line(text, "time.uptime_s 3723.500");
	assert_line(text, "port.net_fake0.link_up 1");
	assert_line(text, "port.net_fake2.link_up 0");
	assert_line(text, "port.net_fake0.rx_mpps 10.000");
	assert_line(text, "port.net_fake0.rx_gbps 6.720"); /* 10 M * (60 + 24) * 8 */
	assert_line(text, "port.net_fake0.tx_mpps 1.500");
	assert_line(text, "port.net_fake2.tx_mpps 9.500");
	assert_line(text, "port.net_fake2.tx_gbps 6.384");
	assert_line(text, "port.net_fake0.nic_missed 5");
	assert_line(text, "port.net_fake0.nic_errors 6");
	assert_line(text, "port.net_fake0.nic_nombuf 7");
	assert_line(text, "worker.4.idle_percent 25.0");
	assert_line(text, "worker.4.cycles_per_packet 75.0");
	assert_line(text, "worker.4.packets_per_burst 20.0");
	assert_line(text, "worker.5.idle_percent 0.0");
	assert_line(text, "worker.5.cycles_per_packet 250.0");
	assert_line(text, "worker.5.dropped 999990");
	assert_line(text, "drop.no_route 1899000");
	assert_line(text, "drop.ip4_ttl 99990");
	assert_line(text, "punt.punt_arp 1010");
	assert_line(text, "pool.data.size 255");
	assert_line(text, "pool.data.in_use 0");
	assert_line(text, "pool.data.drift 0");
	assert_line(text, "heads.size 128");
	assert_line(text, "packets.in_flight 0");
	assert_null(strstr(text, "net_fake1"));
	assert_null(strstr(text, "drop.vlan"));
	assert_null(strstr(text, "pool.stock.drift"));
	free(text);
}

/* What the magazines did: in all, by lcore and by depot. */
static void
test_plain_magazines(void **state)
{
	struct reading r = {0};
	struct magazine_lcore_stats lcore;
	struct magazine_depot_stats depot;
	char line[64], *text;
	void *bufs[40];

	assert_int_equal(rte_mempool_get_bulk(world.pools[1], bufs, 40), 0);
	rte_mempool_put_bulk(world.pools[1], bufs, 10);
	run();
	reading_take(&r, 2);
	text = written(&r, plain_write);
	assert_int_equal(magazine_pool_lcore_stats(world.magazines[1], rte_lcore_id(), &lcore), 0);
	assert_int_equal(magazine_pool_depot_stats(world.magazines[1], 0, &depot), 0);
	assert_true(lcore.counts.gets >= 40 && lcore.counts.gets - lcore.counts.puts == 30);
	snprintf(line, sizeof(line), "pool.data.gets %" PRIu64, lcore.counts.gets);
	assert_line(text, line);
	snprintf(line, sizeof(line), "pool.data.lcore.%u.puts %" PRIu64, rte_lcore_id(), lcore.counts.puts);
	assert_line(text, line);
	snprintf(line, sizeof(line), "pool.data.lcore.%u.cached %" PRIu32, rte_lcore_id(),
		lcore.loaded + lcore.previous);
	assert_line(text, line);
	snprintf(line, sizeof(line), "pool.data.depot.0.full %" PRIu32, depot.full);
	assert_line(text, line);
	assert_line(text, "pool.data.magazine 32");
	assert_null(strstr(text, "pool.stock.lcore"));
	free(text);
	rte_mempool_put_bulk(world.pools[1], bufs + 10, 30);
	magazine_pool_flush(world.magazines[1], rte_lcore_id());
}

/* Every line is a key of [a-z0-9_.], one space, one number; no key comes twice. */
static void
test_plain_parses(void **state)
{
	struct reading r = {0};

	run_control();
	reading_take(&r, 2);

	char *text = written(&r, plain_write);
	char *save, *seen[200];
	unsigned int n = 0;

	for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		const size_t key = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789_.");
		char *end;

		assert_true(key > 0 && line[key] == ' ');
		strtod(&line[key + 1], &end);
		assert_true(end > &line[key + 1] && *end == '\0');
		line[key] = '\0';
		for (unsigned int i = 0; i < n; i++)
			assert_string_not_equal(seen[i], line);
		assert_true(n < RTE_DIM(seen));
		seen[n++] = line;
	}
	assert_true(n > 40);
	free(text);
}

static void
test_table(void **state)
{
	struct reading r = {0};

	run();
	world_link_up[2] = false;
	world_device[0].imissed = 5;
	reading_take(&r, 2);

	char *text = written(&r, table_write);

	assert_non_null(strstr(text, "up 1:02:03"));
	assert_line(text, "net_fake0               10.000     6.720     1.500     1.008          5    up");
	assert_line(text, "net_fake2                2.000     1.344     9.500     6.384          0  down");
	assert_line(text, "lcore 4                   25.0      75.0      20.0    10.000      0.000");
	assert_line(text, "all 2 workers             16.7     104.2      16.0    12.000      0.000");
	assert_line(text, "data                       255         0         0       255         +0");
	assert_line(text, "rx 24.00M = tx 22.00M + dropped 2.00M + punted 1010 + in flight 0");
	assert_line(text, "no_route                 1.90M    949.5k  no route");
	assert_line(text, "punt_arp                  1010       505  ARP");
	assert_null(strstr(text, "net_fake1"));
	free(text);
}

/* Lines of text, each checked to be no longer than a terminal is wide. */
static unsigned int
lines_fit(const char *text)
{
	unsigned int n = 0;

	while (*text != '\0') {
		const size_t len = strcspn(text, "\n");

		if (len > COLUMNS)
			fail_msg("%zu columns: %.*s", len, (int)len, text);
		text += len + (text[len] == '\n');
		n++;
	}
	return n;
}

/* Large numbers and long names must not push a column out of an 80 x 24 terminal. */
static void
test_table_fits(void **state)
{
	static const enum verdict reasons[] = {VERDICT_oversize, VERDICT_ip4_length, VERDICT_ip6_src_martian,
		VERDICT_neigh_unresolved, VERDICT_tx_full};
	struct reading r = {0};

	memset(world.port[0].name, 'n', sizeof(world.port[0].name) - 1);
	world_device[0].imissed = UINT64_MAX;
	for (unsigned int w = 0; w < 2; w++) {
		struct worker *worker = &world.worker[w];

		for (unsigned int i = 0; i < RTE_DIM(reasons); i++)
			worker->drops[reasons[i]] = UINT64_MAX / 16;
		worker->port[0] = (struct worker_port){400000000, 600000000000, 400000000, 600000000000};
		worker->stats = (struct worker_stats){.rx = UINT64_MAX / 2,
			.tx = UINT64_MAX / 2 - 6 * (UINT64_MAX / 16),
			.bursts = UINT64_MAX / 128,
			.busy_cycles = UINT64_MAX / 4,
			.idle_cycles = UINT64_MAX / 4,
			.punted[VERDICT_punt_arp] = UINT64_MAX / 16};
	}
	reading_take(&r, 1000);

	char *text = written(&r, table_write);

	assert_true(lines_fit(text) <= ROWS - 1);
	free(text);
}

static void
test_table_many_workers(void **state)
{
	struct reading r = {0};

	run();
	world.conf.n_workers = WORLD_WORKERS;
	reading_take(&r, 1);

	char *text = written(&r, table_write);

	assert_int_equal(lines_fit(text), ROWS - 1);
	assert_non_null(strstr(text, "all 64 workers"));
	assert_non_null(strstr(text, "no_route"));
	free(text);
}

static void
test_screen(void **state)
{
	char *text = on_screen("one\ntwo\n", ROWS);

	assert_string_equal(text, "\x1b[Hone\x1b[K\ntwo\x1b[K\n\x1b[J");
	free(text);
	text = on_screen("one\ntwo\nthree\nfour\n", 4);
	assert_string_equal(text,
		"\x1b[Hone\x1b[K\ntwo\x1b[K\n... 2 more lines: the terminal is too small\x1b[K\n\x1b[J");
	free(text);
	text = on_screen("one\ntwo\nthree\n", 4);
	assert_string_equal(text, "\x1b[Hone\x1b[K\ntwo\x1b[K\nthree\x1b[K\n\x1b[J");
	free(text);
}

/* No packets, and no time between two drawings: zeros, never nan or inf. */
static void
test_zero(void **state)
{
	struct reading r = {0};

	reading_take(&r, 0);
	for (int table = 0; table < 2; table++) {
		char *text = written(&r, table ? table_write : plain_write);

		assert_null(strstr(text, "nan"));
		assert_null(strstr(text, "inf\n"));
		assert_null(strstr(text, " inf"));
		free(text);
	}
	run();
	reading_take(&r, 0);

	char *text = written(&r, plain_write);

	assert_line(text, "port.net_fake0.rx_mpps 0.000");
	assert_line(text, "port.net_fake0.rx_gbps 0.000");
	free(text);
	world.conf.n_workers = 0;
	reading_take(&r, 1);
	text = written(&r, table_write);
	assert_null(strstr(text, "nan"));
	free(text);
}

/* What a packet costs, wherever it came from. */
static void
test_rates(void **state)
{
	const struct worker_count count = {
		.rx = 10, .injected = 15, .handoff_in = 25, .bursts = 5, .busy_cycles = 1000};

	assert_float_equal(rate_cycles_per_packet(&count), 20, 0.001);
	assert_float_equal(rate_packets_per_burst(&count), 10, 0.001);
}

static void
test_count_text(void **state)
{
	static const struct {
		uint64_t n;
		const char *text;
	} cases[] = {{0, "0"}, {99999, "99999"}, {100000, "100.0k"}, {999949, "999.9k"}, {999950, "1.00M"},
		{12345678, "12.35M"}, {99995000, "100.0M"}, {999949999, "999.9M"}, {1000000000, "1.00G"},
		{UINT64_MAX, "18.45E"}};
	char text[COUNT_TEXT_LEN];

	for (unsigned int i = 0; i < RTE_DIM(cases); i++)
		assert_string_equal(count_text(cases[i].n, text), cases[i].text);
}

static void
level_assert(unsigned int pool, uint32_t in_use)
{
	struct pool_level level;

	pool_level_read(&world.conf, pool, &level);
	assert_int_equal(level.in_use, in_use);
	assert_int_equal(level.in_use + level.cached + level.depot, WORLD_BUFS);
	assert_int_equal(level.drift, 0);
	assert_int_equal(level.ledger, pool == 1);
}

static void
test_pool_levels(void **state)
{
	void *bufs[40];
	struct pool_level level;

	for (unsigned int pool = 0; pool < 2; pool++) {
		level_assert(pool, 0);
		assert_int_equal(rte_mempool_get_bulk(world.pools[pool], bufs, RTE_DIM(bufs)), 0);
		level_assert(pool, RTE_DIM(bufs));
		rte_mempool_put_bulk(world.pools[pool], bufs, 7);
		level_assert(pool, RTE_DIM(bufs) - 7);
		pool_level_read(&world.conf, pool, &level);
		assert_true(level.cached > 0);
		rte_mempool_put_bulk(world.pools[pool], &bufs[7], RTE_DIM(bufs) - 7);
		level_assert(pool, 0);
	}
}

/* -1 when the key is missing. */
static double
value_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at == NULL ? -1 : strtod(at + strlen(key), NULL);
}

static char *
drawn(struct stats *stats, bool tty)
{
	struct writing writing;

	stats_draw(stats, writing_open(&writing), tty);
	return writing_close(&writing);
}

/* The public way: a drawing shows what came since the one before, a third one nothing new. */
static void
test_draw(void **state)
{
	const struct timespec pause = {.tv_nsec = 100000000};
	struct stats *stats;

	assert_int_equal(stats_create(&world.conf, &stats), 0);
	free(drawn(stats, false));
	run();
	nanosleep(&pause, NULL);

	char *text = drawn(stats, false);
	const double interval = value_of(text, "time.interval_s ");

	assert_true(interval >= 0.1);
	assert_float_equal(value_of(text, "port.net_fake0.rx_mpps ") * interval, 20.0, 0.5);
	free(text);
	text = drawn(stats, false);
	assert_line(text, "port.net_fake0.rx_mpps 0.000");
	assert_line(text, "port.net_fake0.rx_pkts 20000000");
	free(text);
	text = drawn(stats, true);
	assert_int_equal(strncmp(text, "\x1b[HMagpie ", 10), 0);
	assert_null(strstr(text, "too small"));
	free(text);
	stats_destroy(stats);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_sums, world_reset),
		cmocka_unit_test_setup(test_plain, world_reset),
		cmocka_unit_test_setup(test_mirrored, world_reset),
		cmocka_unit_test_setup(test_control, world_reset),
		cmocka_unit_test_setup(test_owners, world_reset),
		cmocka_unit_test_setup(test_plain_magazines, world_reset),
		cmocka_unit_test_setup(test_plain_parses, world_reset),
		cmocka_unit_test_setup(test_table, world_reset),
		cmocka_unit_test_setup(test_table_fits, world_reset),
		cmocka_unit_test_setup(test_table_many_workers, world_reset),
		cmocka_unit_test_setup(test_screen, world_reset),
		cmocka_unit_test_setup(test_zero, world_reset),
		cmocka_unit_test_setup(test_rates, world_reset),
		cmocka_unit_test_setup(test_count_text, world_reset),
		cmocka_unit_test_setup(test_pool_levels, world_reset),
		cmocka_unit_test_setup(test_draw, world_reset),
	};

	world_argc = argc;
	world_argv = argv;
	return cmocka_run_group_tests_name("stats/draw", tests, world_init, world_fini);
}
