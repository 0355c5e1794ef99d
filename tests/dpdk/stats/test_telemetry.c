/* SPDX-License-Identifier: BSD-3-Clause */
/* The telemetry commands, asked over EAL's socket as dpdk-telemetry.py does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_eal.h>

#include "world.h"

static int client = -1;

static const char *const bad_pools[] = {"/magazine/pool", "/magazine/pool,", "/magazine/pool,none",
	"/magazine/pool,stock", "/magazine/pool,data,", "/magazine/pool,data,x", "/magazine/pool,data,0x",
	"/magazine/pool,data,1", "/magazine/pool,data,4096",
	"/magazine/pool,a-name-that-is-longer-than-any-mempool-may-have"};

static int
client_open(void **state)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	char hello[1024];

	if (world_init(state) < 0)
		return -1;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/dpdk_telemetry.v2", rte_eal_get_runtime_dir());
	client = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	if (connect(client, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		return -1;
	return read(client, hello, sizeof(hello)) > 0 ? 0 : -1;
}

static int
client_close(void **state)
{
	close(client);
	return world_fini(state);
}

/* Some versions of DPDK write "key":value, some "key": value. */
static void
spaces_delete(char *text)
{
	char *to = text;

	for (; *text != '\0'; text++)
		if (*text != ' ')
			*to++ = *text;
	*to = '\0';
}

static const char *
ask(const char *command)
{
	static char answer[16384];
	ssize_t n;

	assert_int_equal(write(client, command, strlen(command)), strlen(command));
	n = read(client, answer, sizeof(answer) - 1);
	assert_true(n > 0);
	answer[n] = '\0';
	spaces_delete(answer);
	return answer;
}

static void
assert_answer(const char *command, const char *part)
{
	const char *answer = ask(command);

	if (strstr(answer, part) == NULL)
		fail_msg("%s: want %s, got %s", command, part, answer);
}

static void
test_commands(void **state)
{
	struct stats *stats;

	world.worker[0].drops[VERDICT_no_route] = 3;
	world.worker[1].drops[VERDICT_no_route] = 4;
	world.worker[1].stats.punted[VERDICT_punt_arp] = 5;
	world.worker[1].stats.rx = 9;
	world.worker[1].stats.mirrored = 8;
	world.worker[1].port[2].rx_bytes = 540;
	assert_int_equal(stats_create(&world.conf, &stats), 0);
	assert_answer("/magpie/drops", "\"no_route\":7");
	assert_answer("/magpie/drops", "\"punt_full\":0");
	assert_answer("/magpie/punts", "\"punt_arp\":5");
	assert_null(strstr(ask("/magpie/drops"), "\"forward\""));
	assert_null(strstr(ask("/magpie/drops"), "\"punt_arp\""));
	assert_null(strstr(ask("/magpie/punts"), "\"vlan\""));
	assert_answer("/magpie/ports", "[0,2]");
	assert_answer("/magpie/ports,2", "\"rx_bytes\":540");
	assert_answer("/magpie/ports,1", "null");
	assert_answer("/magpie/ports,2x", "null");
	assert_answer("/magpie/workers", "[4,5]");
	assert_answer("/magpie/workers,5", "\"rx\":9");
	assert_answer("/magpie/workers,5", "\"mirrored\":8");
	assert_answer("/magpie/workers,6", "null");
	assert_answer("/magpie/pools", "[0,1,2]");
	assert_answer("/magpie/pools,1", "\"name\":\"data\"");
	assert_answer("/magpie/pools,2", "\"in_use\":0");
	assert_answer("/magpie/pools,3", "null");
	skb_owner_charge(&world.worker[1].owner, 5, 300);
	assert_answer("/magpie/owners", "[0,1,2,3,4]");
	assert_answer(
		"/magpie/owners,1", "{\"name\":\"owned1.0\",\"used\":300,\"limit\":1000,\"refused\":0}");
	assert_answer("/magpie/owners,2", "\"name\":\"punt.host\"");
	assert_answer("/magpie/owners,4", "\"name\":\"punt.error\"");
	assert_answer("/magpie/owners,5", "null");
	assert_answer("/magpie/owners,x", "null");
	assert_answer("/magpie/owners,-1", "null");
	stats_destroy(stats);
	assert_answer("/magpie/drops", "null");
}

static unsigned int
count_of(const char *text, const char *part)
{
	unsigned int n = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		n++;
	return n;
}

static void
test_control(void **state)
{
	const struct control_neigh_view one = {.neigh = {.port = 2,
						       .addr = {.family = AF_INET, .bytes = {10, 0, 0, 2}},
						       .mac.addr_bytes = {2, 0, 0, 0, 0, 0x0a}},
		.state = NEIGH_STATIC,
		.n_held = 3};
	struct stats *stats;

	world.worker[0].stats.told = 5;
	world.worker[1].stats.icmp_limited = 6;
	world.worker[1].stats.injected = 7;
	world.worker[1].stats.fragmented = 8;
	world.control.outcome[CONTROL_nd_advert] = 9;
	world.control.error[ICMP_ERROR_HOST] = 10;
	world.control.neighs = 11;
	world.neighs[0] = one;
	world.n_neighs = 1;
	assert_int_equal(stats_create(&world.conf, &stats), 0);
	assert_answer("/magpie/control", "\"nd_advert\":0");
	assert_answer("/magpie/neighbours", "[]");
	stats_set_control(stats, world_control());
	assert_answer("/magpie/icmp", "\"told\":5,\"limited\":6,\"full\":0");
	assert_answer("/magpie/icmp", "\"sent_host\":10");
	assert_answer("/magpie/workers,5", "\"injected\":7,\"fragmented\":8");
	assert_answer("/magpie/control", "\"nd_advert\":9");
	assert_answer("/magpie/control", "\"neighs\":11");
	assert_answer("/magpie/neighbours", "[\"net_fake210.0.0.202:00:00:00:00:0Astatic3\"]");
	for (unsigned int i = 0; i < WORLD_NEIGHS; i++)
		world.neighs[i] = one;
	world.n_neighs = WORLD_NEIGHS;
	assert_int_equal(count_of(ask("/magpie/neighbours"), "static"), 200);
	assert_int_equal(count_of(ask("/magpie/neighbours,200"), "static"), WORLD_NEIGHS - 200);
	assert_answer("/magpie/neighbours,300", "[]");
	assert_answer("/magpie/neighbours,-1", "null");
	stats_set_control(stats, NULL);
	assert_answer("/magpie/neighbours", "[]");
	assert_answer("/magpie/control", "\"neighs\":11");
	stats_destroy(stats);
}

/* The mempool ops' own commands, which any program with these ops answers. */
static void
test_magazines(void **state)
{
	void *bufs[20];

	assert_int_equal(rte_mempool_get_bulk(world.pools[1], bufs, 20), 0);
	assert_string_equal(ask("/magazine/list"), "{\"/magazine/list\":[\"data\"]}");
	assert_answer("/magazine/pool,data", "\"name\":\"data\",\"population\":255");
	assert_answer("/magazine/pool,data", "\"out\":20,");
	assert_answer("/magazine/pool,data", "\"lcore_0\":{\"gets\":20,\"puts\":0,");
	assert_answer("/magazine/pool,data", "\"depot_0\":{\"size\":32,");
	assert_null(strstr(ask("/magazine/pool,data"), "lcore_1"));
	assert_answer("/magazine/pool,data,0", "{\"gets\":20,\"puts\":0,");
	rte_mempool_put_bulk(world.pools[1], bufs, 20);
	assert_answer("/magazine/pool,data", "\"gets\":20,\"puts\":20,");
	for (size_t i = 0; i < RTE_DIM(bad_pools); i++)
		assert_answer(bad_pools[i], "null");
}

/* What telemetry shows is the struct stats of now, and making one again does not register twice. */
static void
test_again(void **state)
{
	struct stats *stats;

	for (unsigned int round = 1; round <= 100; round++) {
		world.worker[0].drops[VERDICT_vlan] = round;
		assert_int_equal(stats_create(&world.conf, &stats), 0);
		if (round == 100)
			assert_answer("/magpie/drops", "\"vlan\":100");
		stats_destroy(stats);
	}

	const char *listed = strstr(ask("/"), "\"/magpie/drops\"");

	assert_non_null(listed);
	assert_null(strstr(listed + 1, "\"/magpie/drops\""));
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_commands, world_reset),
		cmocka_unit_test_setup(test_control, world_reset),
		cmocka_unit_test_setup(test_magazines, world_reset),
		cmocka_unit_test_setup(test_again, world_reset),
	};

	world_argc = argc;
	world_argv = argv;
	return cmocka_run_group_tests_name("stats/telemetry", tests, client_open, client_close);
}
