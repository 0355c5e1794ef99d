/* SPDX-License-Identifier: BSD-3-Clause */
/* The final account: balanced, and every kind of imbalance named. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mempool_magazine.h"
#include "world.h"

/* Settles the accounts; the last line must be line. Returns what was printed, to be freed. */
static char *
settle(int rc, const char *line)
{
	struct writing writing;
	struct stats *stats;

	assert_int_equal(stats_create(&world.conf, &stats), 0);
	stats_set_control(stats, world_control());
	stats_set_control(stats, NULL);
	stats_control_ended(stats, &world.control);

	const int got = stats_final(stats, writing_open(&writing));
	char *text = writing_close(&writing);

	stats_destroy(stats);

	const size_t len = strlen(text);
	char *last = text;

	assert_true(len > 0 && text[len - 1] == '\n');
	for (char *at = text; (at = strchr(at, '\n')) != NULL && at[1] != '\0'; last = ++at)
		;
	if (strncmp(last, line, strlen(line)) != 0 || strcmp(last + strlen(line), "\n") != 0)
		fail_msg("want \"%s\", got \"%s\"", line, last);
	assert_int_equal(got, rc);
	return text;
}

static void
assert_balanced(void)
{
	free(settle(0, "ledger balanced"));
}

static void
assert_unbalanced(const char *what)
{
	char line[512];

	snprintf(line, sizeof(line), "ledger NOT balanced: %s", what);
	free(settle(-EFAULT, line));
}

static void
test_balanced(void **state)
{
	struct worker *a = &world.worker[0], *b = &world.worker[1];

	a->stats = (struct worker_stats){.rx = 1000,
		.tx = 900,
		.handoff_out = 50,
		.bursts = 100,
		.busy_cycles = 50000,
		.idle_cycles = 150000};
	a->drops[VERDICT_no_route] = 40;
	a->stats.punted[VERDICT_punt_local] = 10;
	world.control.outcome[CONTROL_echo_reply] = 10;
	b->stats = (struct worker_stats){.handoff_in = 50, .tx = 45};
	b->drops[VERDICT_tx_full] = 5;
	a->port[0] = (struct worker_port){.rx_pkts = 1000, .rx_bytes = 60000};
	a->port[2] = (struct worker_port){.tx_pkts = 900, .tx_bytes = 54000};
	b->port[2] = (struct worker_port){.tx_pkts = 45, .tx_bytes = 2700};

	char *text = settle(0, "ledger balanced");

	assert_non_null(strstr(text, "port net_fake0: rx 1000 packets 60000 bytes, tx 0 packets 0 bytes\n"));
	assert_non_null(strstr(text, "port net_fake2: rx 0 packets 0 bytes, tx 945 packets 56700 bytes\n"));
	assert_non_null(
		strstr(text, "lcore 4: rx 1000, 50.0 cycles/packet, 10.0 packets/burst, idle 75.0 %\n"));
	assert_non_null(strstr(text, "lcore 5: rx 0, 0.0 cycles/packet, 0.0 packets/burst, idle 0.0 %\n"));
	assert_non_null(strstr(text, "dropped no_route: 40 (no route)\n"));
	assert_non_null(strstr(text, "punted punt_local: 10 "));
	assert_non_null(strstr(text, "packets: rx 1000 = tx 945 + dropped 45 + punted 10\n"));
	assert_non_null(strstr(text, "pool data: 255 of 255 buffers home\n"));
	assert_non_null(strstr(text, "heads: 128 of 128 home\n"));
	assert_null(strstr(text, "net_fake1"));
	assert_null(strstr(text, "the device itself"));
	free(text);
}

static void
test_packets(void **state)
{
	struct worker_stats *a = &world.worker[0].stats, *b = &world.worker[1].stats;

	*a = (struct worker_stats){.rx = 10, .tx = 9};
	assert_unbalanced("1 packets missing");
	world.worker[1].drops[VERDICT_tx_full] = 1;
	assert_balanced();
	a->punted[VERDICT_punt_arp] = 2;
	world.control.outcome[CONTROL_arp_learned] = 2;
	assert_unbalanced("2 packets too many");
	a->rx = 15;
	a->handoff_out = 3;
	assert_unbalanced("3 packets left in hand-off rings");
	b->handoff_in = 4;
	b->tx = 4;
	assert_unbalanced("1 packets taken from hand-off rings that nobody put there");
	b->handoff_in = 3;
	b->tx = 3;
	assert_balanced();
}

static void
test_mirrored(void **state)
{
	char *text;

	world.worker[0].stats = (struct worker_stats){.rx = 10, .mirrored = 7, .tx = 15};
	world.worker[1].drops[VERDICT_mirror_full] = 2;
	text = settle(0, "ledger balanced");
	assert_non_null(strstr(text, "packets: rx 10 + mirrored 7 = tx 15 + dropped 2 + punted 0\n"));
	free(text);
	world.worker[0].stats.mirrored = 8;
	assert_unbalanced("1 packets missing");
}

/* What the control thread gave back, and what became several packets, came in, too. */
static void
test_injected_and_fragmented(void **state)
{
	char *text;

	world.worker[0].stats = (struct worker_stats){.rx = 10, .injected = 4, .tx = 14};
	world.worker[1].stats = (struct worker_stats){.rx = 1, .fragmented = 6, .tx = 7};
	text = settle(0, "ledger balanced");
	assert_non_null(
		strstr(text, "packets: rx 11 + injected 4 + fragmented 6 = tx 21 + dropped 0 + punted 0\n"));
	free(text);
	world.worker[0].stats.injected = 5;
	assert_unbalanced("1 packets missing");
	world.worker[1].stats.fragmented = 4;
	assert_unbalanced("1 packets too many");
}

/* Each packet that went to the control thread has come to one end there. */
static void
test_control(void **state)
{
	struct worker_stats *a = &world.worker[0].stats;
	char *text;

	*a = (struct worker_stats){.rx = 9, .told = 4, .icmp_limited = 2, .icmp_full = 1};
	a->punted[VERDICT_punt_arp] = 2;
	world.worker[0].drops[VERDICT_ip4_ttl] = 7;
	world.control = (struct control_counts){.made = 5, .made_lost = 3};
	world.control.outcome[CONTROL_arp_reply] = 2;
	world.control.outcome[CONTROL_error_sent] = 3;
	world.control.outcome[CONTROL_stopped] = 1;
	world.control.error[ICMP_ERROR_TTL] = 3;
	text = settle(0, "ledger balanced");
	assert_non_null(strstr(text, "control arp_reply: 2 (ARP request for an own address: answered)\n"));
	assert_non_null(strstr(text, "control stopped: 1 ("));
	assert_null(strstr(text, "neigh_failed"));
	assert_non_null(strstr(text, "icmp sent ttl: 3\n"));
	assert_non_null(strstr(text, "icmp: told of 4, limited 2, no room for 1\n"));
	assert_non_null(strstr(text, "control made 5 packets, had no room for 3 more\n"));
	free(text);
	world.control.outcome[CONTROL_stopped] = 0;
	assert_unbalanced("1 punted packets without an outcome");
	world.control.held = 1;
	assert_unbalanced("1 packets still held by the control thread");
	world.control.held = 0;
	world.control.outcome[CONTROL_neigh_sent] = 3;
	assert_unbalanced("2 outcomes of packets that nobody punted");
}

/* What was read last is shown on when the control thread has gone, and at last what it ended with. */
static void
test_control_ends(void **state)
{
	struct control_counts last = {.made = 3}, counts;
	struct stats *stats;

	world.control.made = 1;
	assert_int_equal(stats_create(&world.conf, &stats), 0);
	counts_read_control(&stats->control, &counts);
	assert_int_equal(counts.made, 0);
	stats_set_control(stats, world_control());
	counts_read_control(&stats->control, &counts);
	assert_int_equal(counts.made, 1);
	world.control.made = 2;
	stats_set_control(stats, NULL);
	world.control.made = 99;
	counts_read_control(&stats->control, &counts);
	assert_int_equal(counts.made, 2);
	stats_control_ended(stats, &last);
	counts_read_control(&stats->control, &counts);
	assert_int_equal(counts.made, 3);
	stats_destroy(stats);
}

static void
test_owners(void **state)
{
	struct skb_owner *owner = &world.worker[1].owner;
	char *text;

	text = settle(0, "ledger balanced");
	assert_non_null(strstr(text, "owners: 5, charged with 0 bytes\n"));
	free(text);
	skb_owner_charge(owner, 5, 500);
	assert_unbalanced("owner owned1.0 is charged with 500 bytes");
	skb_owner_release(owner, 5, 600);
	assert_unbalanced("owner owned1.0 is charged with -100 bytes");
	skb_owner_charge(owner, 6, 100);
	skb_owner_charge(&world.punt.owner[PUNT_ERROR], LCORE_ID_ANY, 1);
	assert_unbalanced("owner punt.error is charged with 1 bytes");
	/* a driver that forgets buffers leaves their owners charged, and no more than that */
	world.port[0].forgets = true;
	world.port[0].rxd = 1;
	assert_balanced();
	skb_owner_release(&world.punt.owner[PUNT_ERROR], LCORE_ID_ANY, 2);
	assert_unbalanced("owner punt.error is charged with -1 bytes");
	world.punt.charges = false;
	assert_balanced();
	world.punt.charges = true;
	world.conf.punt = NULL;
	assert_balanced();
}

static void
test_buffers(void **state)
{
	static const char *const what[] = {
		"3 of 255 buffers of pool stock missing", "3 of 255 buffers of pool data missing"};
	void *bufs[3];

	for (unsigned int pool = 0; pool < 2; pool++) {
		assert_balanced();
		assert_int_equal(rte_mempool_get_bulk(world.pools[pool], bufs, RTE_DIM(bufs)), 0);
		assert_unbalanced(what[pool]);
		rte_mempool_put_bulk(world.pools[pool], bufs, RTE_DIM(bufs));
		assert_balanced();
	}
}

static uint32_t
count_text_of(const char *text, const char *part)
{
	uint32_t n = 0;

	while ((text = strstr(text, part)) != NULL) {
		n++;
		text++;
	}
	return n;
}

/* A pool of its own, with a mempool cache in front. */
static struct rte_mempool *
only_pool(const char *name, uint32_t cache)
{
	static struct rte_mempool *pool;
	static struct magazine_pool *magazines;

	pool = rte_pktmbuf_pool_create_by_ops(name, 1023, cache, 0, 256, SOCKET_ID_ANY, "magazine");
	assert_non_null(pool);
	magazines = mempool_magazine_pool(pool);
	world.conf.pools = &pool;
	world.conf.magazines = &magazines;
	world.conf.n_pools = 1;
	return pool;
}

/* What lies in the mempool's cache is not missing; what is missing is named. */
static void
test_audit(void **state)
{
	struct rte_mempool *pool = only_pool("cached", 32);
	char line[64], *text;
	void *bufs[40];

	assert_int_equal(rte_mempool_get_bulk(pool, bufs, 40), 0);
	rte_mempool_put_bulk(pool, bufs, 20);
	rte_mempool_put_bulk(pool, bufs + 20, 20);
	assert_true(rte_mempool_default_cache(pool, rte_lcore_id())->len > 0);
	text = settle(0, "ledger balanced");
	assert_int_equal(count_text_of(text, "audit"), 0);
	free(text);

	assert_int_equal(rte_mempool_get_bulk(pool, bufs, 20), 0);
	rte_mempool_put_bulk(pool, bufs + 2, 18);
	text = settle(-EFAULT, "ledger NOT balanced: 2 of 1023 buffers of pool cached missing");
	assert_int_equal(count_text_of(text, "audit: pool cached 0x"), 2);
	for (int i = 0; i < 2; i++) {
		snprintf(line, sizeof(line), "audit: pool cached %p is missing\n", bufs[i]);
		assert_int_equal(count_text_of(text, line), 1);
	}
	free(text);
	rte_mempool_put_bulk(pool, bufs, 2);
	rte_mempool_free(pool);
}

/* Many missing ones are a number; and with records, it is known who had them. */
static void
test_audit_with_records(void **state)
{
	struct rte_mempool *pool;
	void *bufs[20];
	char *text;

	setenv("MAGAZINE_DEBUG", "state", 1);
	pool = only_pool("watched", 0);
	unsetenv("MAGAZINE_DEBUG");
	assert_int_equal(rte_mempool_get_bulk(pool, bufs, 20), 0);
	text = settle(-EFAULT, "ledger NOT balanced: 20 of 1023 buffers of pool watched missing");
	assert_int_equal(count_text_of(text, "is missing, last with lcore 0: got by lcore 0, seeded\n"), 16);
	assert_int_equal(count_text_of(text, "audit: 4 more of pool watched\n"), 1);
	free(text);
	rte_mempool_put_bulk(pool, bufs, 20);
	assert_balanced();
	rte_mempool_put_bulk(pool, bufs, 1);
	assert_unbalanced("1 errors with objects of pool watched");
	rte_mempool_free(pool);
}

/* A driver that forgets its rings' buffers at close is spared as many as those hold, and not one more. */
static void
test_forgotten(void **state)
{
	struct port *const port = &world.port[0];
	void *bufs[4];

	port->forgets = true;
	port->rxd = 2;
	port->txd = 1;
	assert_int_equal(port->n_rxq * port->rxd + port->n_txq * port->txd, 3);
	assert_int_equal(rte_mempool_get_bulk(world.pools[1], bufs, 3), 0);
	assert_balanced();
	assert_int_equal(rte_mempool_get(world.pools[1], &bufs[3]), 0);
	assert_unbalanced("4 of 255 buffers of pool data missing");
	rte_mempool_put_bulk(world.pools[1], bufs, RTE_DIM(bufs));
	assert_balanced();
}

/* A buffer freed twice: one too many is as bad as one too few. */
static void
test_buffer_twice(void **state)
{
	void *buf;

	assert_int_equal(rte_mempool_get(world.pools[1], &buf), 0);
	rte_mempool_put(world.pools[1], buf);
	rte_mempool_put(world.pools[1], buf);
	assert_unbalanced("1 buffers of pool data too many");
	assert_int_equal(rte_mempool_get(world.pools[1], &buf), 0);
	assert_balanced();
}

static void
test_head(void **state)
{
	struct magazine_pool *heads = skb_pool_heads(world.heads);
	void *head;

	assert_int_equal(magazine_get_bulk(heads, 0, &head, 1), 0);
	assert_unbalanced("1 of 128 heads missing");
	magazine_put_bulk(heads, 0, &head, 1);
	assert_balanced();
}

/* Objects are all home, but a ledger disagrees: a get that was never put, then a put that was never got. */
static void
test_ledgers(void **state)
{
	struct magazine_pool *heads = skb_pool_heads(world.heads);

	world.magazines[1]->cache[1].gets++;
	assert_unbalanced("the magazines of pool data do not add up");
	world.magazines[1]->cache[1].gets--;
	heads->cache[1].puts++;
	assert_unbalanced("the magazines of heads do not add up");
	heads->cache[1].puts--;
	assert_balanced();
}

static void
test_all_at_once(void **state)
{
	struct magazine_pool *heads = skb_pool_heads(world.heads);
	void *buf, *head;

	world.worker[0].stats.rx = 1;
	assert_int_equal(rte_mempool_get(world.pools[1], &buf), 0);
	assert_int_equal(magazine_get_bulk(heads, 0, &head, 1), 0);
	assert_unbalanced("1 packets missing; 1 of 255 buffers of pool data missing; 1 of 128 heads missing");
	magazine_put_bulk(heads, 0, &head, 1);
	rte_mempool_put(world.pools[1], buf);
}

static void
test_no_magazines(void **state)
{
	world.conf.magazines = NULL;
	assert_balanced();
}

static void
test_devices(void **state)
{
	struct writing writing;
	struct stats *stats;

	world_device[2].imissed = 11;
	world_device[2].rx_nombuf = 12;
	assert_int_equal(stats_create(&world.conf, &stats), 0);
	stats_read_devices(stats);
	/* The ports are closed now: what was read before must be printed. */
	world_device[2].imissed = 0;
	assert_int_equal(stats_final(stats, writing_open(&writing)), 0);

	char *text = writing_close(&writing);

	assert_non_null(strstr(text,
		"port net_fake2: the device itself lost 11 (no descriptor), 0 (errors), 12 (no buffer)\n"));
	free(text);
	stats_destroy(stats);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_balanced, world_reset),
		cmocka_unit_test_setup(test_packets, world_reset),
		cmocka_unit_test_setup(test_mirrored, world_reset),
		cmocka_unit_test_setup(test_injected_and_fragmented, world_reset),
		cmocka_unit_test_setup(test_control, world_reset),
		cmocka_unit_test_setup(test_control_ends, world_reset),
		cmocka_unit_test_setup(test_owners, world_reset),
		cmocka_unit_test_setup(test_buffers, world_reset),
		cmocka_unit_test_setup(test_audit, world_reset),
		cmocka_unit_test_setup(test_audit_with_records, world_reset),
		cmocka_unit_test_setup(test_forgotten, world_reset),
		cmocka_unit_test_setup(test_buffer_twice, world_reset),
		cmocka_unit_test_setup(test_head, world_reset),
		cmocka_unit_test_setup(test_ledgers, world_reset),
		cmocka_unit_test_setup(test_all_at_once, world_reset),
		cmocka_unit_test_setup(test_no_magazines, world_reset),
		cmocka_unit_test_setup(test_devices, world_reset),
	};

	world_argc = argc;
	world_argv = argv;
	return cmocka_run_group_tests_name("stats/final", tests, world_init, world_fini);
}
