/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Telemetry's thread asks for pools that come and go. With a first argument, the plugin, the driver is
 * there twice, as in a Magpie that was started with `-d`: the copy that makes the pools answers.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include <rte_eal.h>
#include <rte_mempool.h>

#include "mempool_magazine.h"

static struct rte_mempool *
pool_create(const char *name, uint32_t n)
{
	struct rte_mempool *mp = rte_mempool_create_empty(name, n, 64, 0, 0, SOCKET_ID_ANY, 0);

	assert_non_null(mp);
	assert_int_equal(rte_mempool_set_ops_byname(mp, "magazine", NULL), 0);
	assert_int_equal(rte_mempool_populate_default(mp), n);
	return mp;
}

struct client {
	int socket;
	char answer[16384];
};

static bool
client_open(struct client *client)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/dpdk_telemetry.v2", rte_eal_get_runtime_dir());
	client->socket = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	return connect(client->socket, (struct sockaddr *)&addr, sizeof(addr)) == 0 &&
	       read(client->socket, client->answer, sizeof(client->answer)) > 0;
}

/* Returns the answer without spaces, which some versions of DPDK write, or NULL. */
static const char *
client_ask(struct client *client, const char *command)
{
	ssize_t n = write(client->socket, command, strlen(command));
	char *to = client->answer;

	n = n < 0 ? n : read(client->socket, client->answer, sizeof(client->answer));
	if (n <= 0)
		return NULL;
	for (ssize_t i = 0; i < n; i++)
		if (client->answer[i] != ' ')
			*to++ = client->answer[i];
	client->answer[to - client->answer - (to == client->answer + sizeof(client->answer))] = '\0';
	return client->answer;
}

static void
assert_answer(struct client *client, const char *command, const char *part)
{
	const char *answer = client_ask(client, command);

	assert_non_null(answer);
	if (!strstr(answer, part))
		fail_msg("%s: %s has no %s", command, answer, part);
}

/* Two copies of the driver must not both offer the commands: which of them is asked would be up to the EAL. */
static void
commands_are_there_once(void **state)
{
	struct client client;
	const char *first;

	assert_true(client_open(&client));
	first = client_ask(&client, "/");
	assert_non_null(first);
	first = strstr(first, "/magazine/pool");
	assert_non_null(first);
	assert_null(strstr(first + 1, "/magazine/pool"));
	close(client.socket);
}

static void
pools_are_listed(void **state)
{
	struct rte_mempool *small, *large;
	struct client client;

	assert_true(client_open(&client));
	small = pool_create("small", 127);
	large = pool_create("large", 1000);
	assert_answer(&client, "/magazine/list", "[\"large\",\"small\"]");
	assert_answer(&client, "/magazine/pool,small", "\"uncached\":1,");
	assert_answer(&client, "/magazine/pool,large", "\"uncached\":0,");
	assert_answer(&client, "/magazine/pool,large", "\"population\":1000,");
	rte_mempool_free(small);
	assert_answer(&client, "/magazine/list", "[\"large\"]");
	assert_answer(&client, "/magazine/pool,small", ":null");
	rte_mempool_free(large);
	assert_answer(&client, "/magazine/list", "[]");
	close(client.socket);
}

#define N_ASKERS 4
#define N_POOLS  20000 /* more where askers get no CPU: each is to see a pool N_SEEN times */
#define N_SEEN   10

struct asker {
	struct client client;
	pthread_t thread;
	uint32_t n_pools; /* answers that had one */
};

static bool stop;

static void *
ask_on(void *arg)
{
	struct asker *asker = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		const char *answer = client_ask(&asker->client, "/magazine/pool,again");

		if (!answer)
			break;
		if (strstr(answer, "\"name\":\"again\","))
			__atomic_add_fetch(&asker->n_pools, 1, __ATOMIC_RELAXED);
		else if (!strstr(answer, ":null"))
			break;
		if (!client_ask(&asker->client, "/magazine/list"))
			break;
	}
	return NULL;
}

static bool
all_have_seen(const struct asker *askers)
{
	for (int i = 0; i < N_ASKERS; i++)
		if (__atomic_load_n(&askers[i].n_pools, __ATOMIC_RELAXED) < N_SEEN)
			return false;
	return true;
}

/* A pool that ends while it is looked at shows, mostly, as a crash. */
static void
pools_come_and_go(void **state)
{
	static struct asker askers[N_ASKERS];

	for (int i = 0; i < N_ASKERS; i++) {
		assert_true(client_open(&askers[i].client));
		assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_on, &askers[i]), 0);
	}
	for (int i = 0; i < N_POOLS || (i < 50 * N_POOLS && !all_have_seen(askers)); i++)
		rte_mempool_free(pool_create("again", 128));
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < N_ASKERS; i++) {
		pthread_join(askers[i].thread, NULL);
		close(askers[i].client.socket);
	}
	assert_true(all_have_seen(askers));
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_are_there_once),
		cmocka_unit_test(pools_are_listed),
		cmocka_unit_test(pools_come_and_go),
	};

	if (argc > 1 && argv[1][0] != '-') {
		if (!dlopen(argv[1], RTLD_NOW)) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		argv[1] = argv[0];
		argc--;
		argv++;
	}
	if (rte_eal_init(argc, argv) < 0 || mempool_magazine_register() < 0)
		return 1;

	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	rte_eal_cleanup();
	return failed;
}
