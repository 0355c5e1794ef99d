/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Neighbours come and go: what is left of them, what becomes of their ids, and that a worker in the middle of
 * its turn never sees a MAC address change under it.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_rcu_qsbr.h>

#include "small.h"

static void
test_del(void **state)
{
	struct route_table *const table = small_create();
	const struct route_counts before = counts_of(table);

	assert_int_equal(neigh(table, 0, "10.0.0.9", 9), 0);
	assert_int_equal(neigh(table, 1, "fd00:0:0:1::9", 9), 0);
	publish(table);
	assert_resolved(adjacency_to(table, "10.0.0.9"), 0, 9);
	assert_int_equal(neigh_del(table, 0, "10.0.0.9"), 0);
	assert_int_equal(kind_to(table, "10.0.0.9"), NEXTHOP_UNRESOLVED); /* at once */
	assert_int_equal(counts_of(table).adjacencies, before.adjacencies + 1);
	assert_int_equal(counts_of(table).routes4, before.routes4);
	publish(table);
	assert_ptr_equal(adjacency_to(table, "10.0.0.9"), adjacency_to(table, "10.0.0.10"));
	assert_resolved(adjacency_to(table, "fd00:0:0:1::9"), 1, 9);
	assert_int_equal(neigh_del(table, 1, "fd00:0:0:1::9"), 0);
	publish(table);
	assert_int_equal(kind_to(table, "fd00:0:0:1::9"), NEXTHOP_UNRESOLVED);
	assert_int_equal(counts_of(table).routes6, before.routes6);
	assert_int_equal(neigh(table, 0, "10.0.0.9", 8), 0);
	publish(table);
	assert_resolved(adjacency_to(table, "10.0.0.9"), 0, 8);
	route_table_destroy(table);
}

static void
test_del_unknown(void **state)
{
	struct route_table *const table = small_create();
	const struct ip_addr no_family = {.family = 99};

	assert_int_equal(add_via(table, "0.0.0.0/0", "10.0.0.8"), 0);
	assert_int_equal(neigh(table, 0, "10.0.0.9", 9), 0);
	assert_int_equal(neigh_del(table, 1, "10.0.0.9"), -ENOENT);
	assert_int_equal(neigh_del(table, 2, "10.0.0.9"), -ENOENT);
	assert_int_equal(neigh_del(table, 0, "10.0.0.8"), -ENOENT); /* a gateway, but not known */
	assert_int_equal(neigh_del(table, 0, "0.0.0.0"), -ENOENT);
	assert_int_equal(route_neigh_del(table, 0, &no_family), -ENOENT);
	assert_int_equal(neigh_del(table, 0, "10.0.0.9"), 0);
	assert_int_equal(neigh_del(table, 0, "10.0.0.9"), -ENOENT);
	route_table_destroy(table);
}

/* A gateway that goes keeps its adjacency: the route waits for it. Gone and back without a publication, it is
 * known again at once, with another MAC address too. */
static void
test_gateway_goes(void **state)
{
	struct route_table *const table = small_create();

	assert_int_equal(neigh(table, 0, "10.0.0.9", 9), 0);
	assert_int_equal(add_via(table, "0.0.0.0/0", "10.0.0.9"), 0);
	publish(table);
	assert_int_equal(neigh_del(table, 0, "10.0.0.9"), 0);
	publish(table);
	assert_int_equal(kind_to(table, "8.8.8.8"), NEXTHOP_UNRESOLVED);
	assert_int_equal(neigh(table, 0, "10.0.0.9", 7), 0);
	assert_resolved(adjacency_to(table, "8.8.8.8"), 0, 7);
	publish(table);
	for (uint8_t last = 1; last < 5; last++) {
		assert_int_equal(neigh_del(table, 0, "10.0.0.9"), 0);
		assert_int_equal(neigh(table, 0, "10.0.0.9", last / 2), 0);
		assert_resolved(adjacency_to(table, "8.8.8.8"), 0, last / 2);
		assert_resolved(adjacency_to(table, "10.0.0.9"), 0, last / 2);
	}
	assert_int_equal(del(table, "0.0.0.0/0"), 0);
	assert_int_equal(neigh_del(table, 0, "10.0.0.9"), 0);
	publish(table);
	assert_int_equal(kind_to(table, "8.8.8.8"), NEXTHOP_NO_ROUTE);
	assert_int_equal(counts_of(table).adjacencies, 4);
	route_table_destroy(table);
}

/* fe80::1 on several ports: when the one with the host route goes, another has it; nobody else's going moves it.
 */
static void
test_host_route_moves(void **state)
{
	struct route_table *const table = small_create();

	assert_int_equal(neigh(table, 1, "fe80::1", 1), 0);
	assert_int_equal(neigh(table, 0, "fe80::1", 2), 0);
	publish(table);
	assert_resolved(adjacency_to(table, "fe80::1"), 1, 1);
	port_setup(table, 2);
	assert_int_equal(neigh(table, 2, "fe80::1", 3), 0);
	assert_int_equal(neigh_del(table, 2, "fe80::1"), 0);
	publish(table);
	assert_resolved(adjacency_to(table, "fe80::1"), 1, 1);
	assert_int_equal(neigh_del(table, 1, "fe80::1"), 0);
	publish(table);
	assert_resolved(adjacency_to(table, "fe80::1"), 0, 2);
	assert_int_equal(neigh(table, 1, "fe80::1", 3), 0);
	assert_int_equal(neigh_del(table, 1, "fe80::1"), 0); /* it does not have it */
	publish(table);
	assert_resolved(adjacency_to(table, "fe80::1"), 0, 2);
	assert_int_equal(neigh_del(table, 0, "fe80::1"), 0);
	publish(table);
	assert_int_equal(kind_to(table, "fe80::1"), NEXTHOP_NO_ROUTE);
	route_table_destroy(table);
}

static void
test_own(void **state)
{
	struct route_table *const table = small_create();
	const struct ip_addr last = addr_of("fd00:0:0:1::1");
	const struct own_addr *own;

	own = route_own(table, 0);
	assert_int_equal(own->port, 0);
	assert_int_equal(own->addr.bytes[3], 1);
	assert_int_equal(own->subnet.addr.bytes[3], 0);
	assert_int_equal(own->subnet.len, 24);
	own = route_own(table, 3);
	assert_int_equal(own->port, 1);
	assert_memory_equal(&own->addr, &last, sizeof(last));
	assert_null(route_own(table, 4));
	assert_null(route_own(table, UINT32_MAX));
	route_table_destroy(table);
}

/* Bit i: gateway 10.0.0.i, 10.0.1.(i - 32), fd00::(i - 64). */
static uint64_t
gateways(const struct route_table *table)
{
	struct route_gateway gateway;
	uint64_t found = 0;
	uint16_t at = 0;

	while (route_gateway_next(table, &at, &gateway)) {
		const bool v6 = gateway.addr.family == AF_INET6;
		const unsigned int bit = gateway.addr.bytes[v6 ? 15 : 3] + 16u * gateway.port + 32u * v6;

		assert_false(found & 1ull << bit); /* each once */
		found |= 1ull << bit;
	}
	assert_false(route_gateway_next(table, &at, &gateway));
	return found;
}

/* Gateways of routes and of groups, as long as any of them is there; not neighbours, not subnets. */
static void
test_gateways(void **state)
{
	struct route_table *const table = small_create();
	const struct ip_prefix group = prefix_of("10.6.0.0/16");
	const struct ip_prefix twin = prefix_of("10.7.0.0/16");
	const struct route_path paths[] = {{addr_of("10.0.0.2"), 1}, {addr_of("10.0.1.3"), 2}};

	assert_int_equal(neigh(table, 0, "10.0.0.9", 9), 0);
	assert_int_equal(onlink(table, "10.8.0.0/16", 1), 0);
	assert_int_equal(gateways(table), 0);
	assert_int_equal(add_via(table, "10.5.0.0/16", "10.0.0.2"), 0);
	assert_int_equal(add_via(table, "10.4.0.0/16", "10.0.0.9"), 0);
	assert_int_equal(add_via(table, "::/0", "fd00:0:0:1::4"), 0);
	assert_int_equal(gateways(table), 1 << 2 | 1 << 9 | 1ull << (4 + 16 + 32));
	assert_int_equal(route_add(table, &group, paths, 2), 0);
	assert_int_equal(route_add(table, &group, paths, 2), 0);
	assert_int_equal(route_add(table, &twin, paths, 2), 0);
	assert_int_equal(special(table, "10.5.0.0/16", NEXTHOP_BLACKHOLE), -EEXIST);
	assert_int_equal(del(table, "10.5.0.0/16"), 0);
	assert_int_equal(del(table, "10.6.0.0/16"), 0);
	assert_int_equal(del(table, "::/0"), 0);
	assert_int_equal(gateways(table), 1 << 2 | 1 << 9 | 1 << (3 + 16));
	assert_int_equal(del(table, "10.7.0.0/16"), 0);
	assert_int_equal(gateways(table), 1 << 9); /* though the group is only retired */
	assert_int_equal(route_add(table, &group, paths, 2), 0);
	assert_int_equal(gateways(table), 1 << 2 | 1 << 9 | 1 << (3 + 16));
	assert_int_equal(del(table, "10.6.0.0/16"), 0);
	assert_int_equal(del(table, "10.4.0.0/16"), 0);
	publish(table);
	assert_int_equal(gateways(table), 0);
	assert_int_equal(counts_of(table).adjacencies, 5); /* four subnets and a neighbour */
	route_table_destroy(table);
}

/* A host that is told to be on a link is its own next hop. Led to the subnet's, as prefixes of more hosts are, its packets would
 * never reach the neighbour, whose host route the configured one covers. */
static void
test_onlink_host(void **state)
{
	struct route_table *const table = small_create();
	const struct route_counts before = counts_of(table);

	assert_int_equal(onlink(table, "10.0.0.77/32", 1), 0);
	assert_int_equal(onlink(table, "fd00::77/128", 1), 0);
	assert_int_equal(onlink(table, "10.0.0.77/32", 1), 0);
	assert_int_equal(onlink(table, "10.0.0.77/32", 0), -EEXIST);
	assert_int_equal(onlink(table, "10.0.0.78/32", 2), -EINVAL);
	publish(table);
	assert_int_equal(kind_to(table, "10.0.0.77"), NEXTHOP_UNRESOLVED);
	assert_int_equal(neigh(table, 1, "10.0.0.77", 7), 0);
	assert_int_equal(neigh(table, 1, "fd00::77", 8), 0);
	publish(table);
	assert_resolved(adjacency_to(table, "10.0.0.77"), 1, 7);
	assert_resolved(adjacency_to(table, "fd00::77"), 1, 8);
	assert_int_equal(neigh_del(table, 1, "10.0.0.77"), 0);
	assert_int_equal(neigh_del(table, 1, "fd00::77"), 0);
	assert_int_equal(kind_to(table, "10.0.0.77"), NEXTHOP_UNRESOLVED);
	assert_int_equal(del(table, "10.0.0.77/32"), 0);
	assert_int_equal(del(table, "fd00::77/128"), 0);
	publish(table);
	assert_int_equal(counts_of(table).adjacencies, before.adjacencies);
	assert_int_equal(kind_to(table, "10.0.0.77"), NEXTHOP_UNRESOLVED);
	route_table_destroy(table);
}

/* A worker that has just read FORWARD. */
struct witness {
	const struct adjacency *adjacency;
	struct rte_rcu_qsbr *qsbr;
	bool ready;
	bool same;
};

static void *
witness_run(void *context)
{
	struct witness *const witness = context;
	uint8_t l2[12];

	rte_rcu_qsbr_thread_register(witness->qsbr, 0);
	rte_rcu_qsbr_thread_online(witness->qsbr, 0);
	memcpy(l2, witness->adjacency->l2, sizeof(l2));
	__atomic_store_n(&witness->ready, true, __ATOMIC_RELEASE);
	rte_delay_us_sleep(50000);
	witness->same = memcmp(l2, witness->adjacency->l2, sizeof(l2)) == 0;
	rte_rcu_qsbr_thread_offline(witness->qsbr, 0);
	rte_rcu_qsbr_thread_unregister(witness->qsbr, 0);
	return NULL;
}

static struct rte_rcu_qsbr *
qsbr_create(void)
{
	const size_t n_bytes = rte_rcu_qsbr_get_memsize(1);
	struct rte_rcu_qsbr *const qsbr = aligned_alloc(64, RTE_ALIGN_CEIL(n_bytes, 64));

	assert_non_null(qsbr);
	assert_int_equal(rte_rcu_qsbr_init(qsbr, 1), 0);
	return qsbr;
}

/* Replaced (go false), or gone and another in its place without a publication: l2 stays as it is for as long
 * as the witness's turn lasts, though it takes 50 ms. */
static void
run_witness(bool go)
{
	struct witness witness = {.qsbr = qsbr_create()};
	struct route_table *table;
	pthread_t thread;

	assert_int_equal(route_table_create(-1, witness.qsbr, &table), 0);
	port_setup(table, 0);
	assert_int_equal(connect_text(table, 0, "10.0.0.1", 24), 0);
	assert_int_equal(neigh(table, 0, "10.0.0.9", 1), 0);
	publish(table);
	witness.adjacency = adjacency_to(table, "10.0.0.9");
	assert_int_equal(pthread_create(&thread, NULL, witness_run, &witness), 0);
	while (!__atomic_load_n(&witness.ready, __ATOMIC_ACQUIRE))
		rte_delay_us_sleep(100);
	if (go)
		assert_int_equal(neigh_del(table, 0, "10.0.0.9"), 0);
	assert_int_equal(neigh(table, 0, "10.0.0.9", 2), 0);
	pthread_join(thread, NULL);
	assert_true(witness.same);
	assert_resolved(witness.adjacency, 0, 2);
	route_table_destroy(table);
	free(witness.qsbr);
}

static void
test_turn_sees_one_mac(void **state)
{
	run_witness(false);
	run_witness(true);
}

#define N_HOSTS 8192u

struct churn {
	struct route_table *table;
	uint8_t family;
	uint8_t mac[N_HOSTS]; /* 0: not known */
	unsigned int n;
};

static struct ip_addr
host_addr(const struct churn *churn, unsigned int host)
{
	if (churn->family == AF_INET)
		return (struct ip_addr){AF_INET, {172, 16, (uint8_t)(host >> 8), (uint8_t)host}};
	return (struct ip_addr){AF_INET6, {0xfd, 0x08, [14] = (uint8_t)(host >> 8), [15] = (uint8_t)host}};
}

static void
toggle(struct churn *churn, struct random *random)
{
	const unsigned int host = 2 + random_below(random, N_HOSTS - 2);
	const struct ip_addr addr = host_addr(churn, host);
	const struct rte_ether_addr mac = mac_of((uint8_t)(1 + random_below(random, 200)));
	const bool known = churn->mac[host] != 0;

	if (known && random_below(random, 4) != 0) {
		assert_int_equal(route_neigh_del(churn->table, 0, &addr), 0);
		churn->mac[host] = 0;
		churn->n--;
		return;
	}
	assert_int_equal(route_neigh_add(churn->table, 0, &addr, &mac), 0);
	churn->mac[host] = mac.addr_bytes[5];
	churn->n += !known;
}

static void
check_host(const struct churn *churn, unsigned int host)
{
	const struct ip_addr addr = host_addr(churn, host);
	const struct adjacency *const adjacency =
		&route_adjacencies(churn->table)[lookup_one(churn->table, &addr)];

	if (churn->mac[host] != 0)
		assert_resolved(adjacency, 0, churn->mac[host]);
	else
		assert_int_equal(adjacency->kind, NEXTHOP_UNRESOLVED);
}

static void
run_churn(uint8_t family, unsigned int n_rounds, unsigned int n_between)
{
	static struct churn churn;
	struct random random;
	uint32_t n_before;

	random_seed(&random, family);
	churn = (struct churn){.table = small_create(), .family = family};
	assert_int_equal(connect_text(churn.table, 0, "172.16.0.1", 16), 0);
	assert_int_equal(connect_text(churn.table, 0, "fd08::1", 64), 0);
	publish(churn.table);
	n_before = counts_of(churn.table).adjacencies;
	for (unsigned int round = 0; round < n_rounds; round++) {
		toggle(&churn, &random);
		if (round % n_between != 0)
			continue;
		publish(churn.table);
		check_host(&churn, 2 + random_below(&random, N_HOSTS - 2));
		assert_int_equal(counts_of(churn.table).adjacencies, n_before + churn.n);
	}
	publish(churn.table);
	for (unsigned int host = 2; host < N_HOSTS; host++) {
		const struct ip_addr addr = host_addr(&churn, host);

		check_host(&churn, host);
		if (churn.mac[host] != 0)
			assert_int_equal(route_neigh_del(churn.table, 0, &addr), 0);
	}
	publish(churn.table);
	assert_int_equal(counts_of(churn.table).adjacencies, n_before);
	route_table_destroy(churn.table);
}

/* 100 000 changes: with few between publications, and with so many that ids run low. */
static void
test_churn(void **state)
{
	run_churn(AF_INET, 50000, 5);
	run_churn(AF_INET, 25000, 3000);
	run_churn(AF_INET6, 25000, 50);
}

static struct ip_addr
numbered(unsigned int round, unsigned int i)
{
	return (struct ip_addr){AF_INET, {172, (uint8_t)(20 + round), (uint8_t)(i >> 8), (uint8_t)i}};
}

static void
fill_and_empty(struct route_table *table, unsigned int round, unsigned int n)
{
	const struct rte_ether_addr mac = mac_of(1);

	for (unsigned int i = 0; i < n; i++) {
		const struct ip_addr addr = numbered(round, i);

		assert_int_equal(route_neigh_add(table, 0, &addr, &mac), 0);
	}
	assert_int_equal(neigh(table, 0, "10.0.0.9", 1), -ENOSPC);
	for (unsigned int i = 0; i < n; i++) {
		const struct ip_addr addr = numbered(round, i);

		assert_int_equal(route_neigh_del(table, 0, &addr), 0);
	}
	assert_int_equal(neigh(table, 0, "10.0.0.9", 1), -ENOSPC);
}

/* Ids of neighbours that went are free after a publication: all of them, more often than there are ids. */
static void
test_ids_reclaimed(void **state)
{
	struct route_table *const table = small_create();

	for (unsigned int round = 0; round < 3; round++) {
		fill_and_empty(table, round, NEXTHOP_MAX - NEXTHOP_ID_FIRST - 4);
		publish(table);
		assert_int_equal(counts_of(table).adjacencies, 4);
		assert_int_equal(counts_of(table).routes4, 6);
	}
	route_table_destroy(table);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_del),
		cmocka_unit_test(test_del_unknown),
		cmocka_unit_test(test_gateway_goes),
		cmocka_unit_test(test_host_route_moves),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_gateways),
		cmocka_unit_test(test_onlink_host),
		cmocka_unit_test(test_turn_sees_one_mac),
		cmocka_unit_test(test_churn),
		cmocka_unit_test(test_ids_reclaimed),
	};
	int failed;

	if (rte_eal_init(argc, argv) < 0)
		return EXIT_FAILURE;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rte_eal_cleanup();
	return failed;
}
