/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The FIB against the linear oracle: random tables, random changes, and the sequences that break rte_fib and
 * rte_fib6 of DPDK 22.11 when they are used directly. MAGPIE_ROUTE_ROUNDS sets the length of the long run.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <cmocka.h>

#include <rte_cycles.h>
#include <rte_eal.h>

#include "route_priv.h"
#include "world.h"

/* The release build has time for more of the same. */
#ifdef __SANITIZE_ADDRESS__
#define N_STATIC  20000u
#define N_CHANGES 40u
#define N_LONG    10000u
#else
#define N_STATIC  120000u
#define N_CHANGES 120u
#define N_LONG    60000u
#endif

static const uint64_t seeds[] = {1, 20240229, 0xfeedface};

static unsigned int
bits_of(unsigned int family)
{
	return family == 0 ? 32 : 128;
}

/* Any length is as likely as any other; near an existing prefix as often as anywhere, so that they nest. */
static struct ip_prefix
pick_prefix(const struct linear *linear, struct random *random)
{
	const unsigned int bits = linear->family == AF_INET ? 32 : 128;
	const uint8_t len = (uint8_t)random_below(random, bits + 1);
	linear_addr_t addr = (linear_addr_t)random_next(random) << 64 | random_next(random);

	if (random_below(random, 2) == 0) {
		const struct linear_entry *const near = &linear->entries[random_below(random, linear->n)];
		const unsigned int n_same = random_below(random, bits + 1);

		addr = (near->addr & linear_mask((uint8_t)n_same)) | (addr & ~linear_mask((uint8_t)n_same));
	}
	return linear_to_prefix(linear->family, addr, len);
}

static void
add(struct world *world, unsigned int family, const struct ip_prefix *prefix, unsigned int gateway)
{
	const struct route_path path = {.via = world->gateway[family][gateway], .weight = 1};
	const int ret = route_add(world->table, prefix, &path, 1);

	assert_int_equal(ret, 0);
	linear_set(&world->linear[family], prefix, world->gateway_id[family][gateway]);
}

static void
del(struct world *world, unsigned int family, const struct ip_prefix *prefix)
{
	assert_int_equal(route_del(world->table, prefix), 0);
	linear_remove(&world->linear[family], (unsigned int)linear_find(&world->linear[family], prefix));
}

static void
add_random(struct world *world, unsigned int family, struct random *random)
{
	const struct ip_prefix prefix = pick_prefix(&world->linear[family], random);

	if (linear_find(&world->linear[family], &prefix) < 0)
		add(world, family, &prefix, random_below(random, WORLD_GATEWAYS));
}

/* The first n_fixed entries are the world's own. */
static void
del_random(struct world *world, unsigned int family, struct random *random, unsigned int n_fixed)
{
	struct linear *const linear = &world->linear[family];
	struct linear_entry *entry;
	struct ip_prefix prefix;

	if (linear->n == n_fixed)
		return;
	entry = &linear->entries[n_fixed + random_below(random, linear->n - n_fixed)];
	prefix = linear_to_prefix(linear->family, entry->addr, entry->len);
	del(world, family, &prefix);
}

static void
publish(struct world *world)
{
	assert_int_equal(route_publish(world->table), 0);
}

/* One build of n prefixes, then lookups. */
static void
run_static(unsigned int family, uint64_t seed, unsigned int n)
{
	struct world world;
	struct random random;

	random_seed(&random, seed);
	world_create(&world);
	for (unsigned int i = 0; i < n; i++)
		add_random(&world, family, &random);
	publish(&world);
	world_verify(&world, family, &random, N_STATIC);
	world_destroy(&world);
}

static void
test_static(void **state)
{
	for (unsigned int family = 0; family < 2; family++) {
		for (unsigned int i = 0; i < RTE_DIM(seeds); i++) {
			printf("family %u seed %lu\n", family, seeds[i]);
			run_static(family, seeds[i], i == 0 ? 30 : 700);
		}
	}
}

/* Changes in batches of 1 to 30, a publication and lookups after each. */
static void
run_changes(unsigned int family, uint64_t seed)
{
	struct world world;
	struct random random;
	unsigned int n_fixed;

	random_seed(&random, seed);
	world_create(&world);
	n_fixed = world.linear[family].n;
	for (unsigned int round = 0; round < N_CHANGES; round++) {
		for (unsigned int n = 1 + random_below(&random, 30); n > 0; n--) {
			if (random_below(&random, 400) > world.linear[family].n)
				add_random(&world, family, &random);
			else
				del_random(&world, family, &random, n_fixed);
		}
		publish(&world);
		world_verify(&world, family, &random, 150);
	}
	while (world.linear[family].n > n_fixed)
		del_random(&world, family, &random, n_fixed);
	publish(&world);
	world_verify(&world, family, &random, 1000);
	world_destroy(&world);
}

static void
test_changes(void **state)
{
	for (unsigned int family = 0; family < 2; family++) {
		for (unsigned int i = 0; i < RTE_DIM(seeds); i++) {
			printf("family %u seed %lu\n", family, seeds[i]);
			run_changes(family, seeds[i]);
		}
	}
}

/* DPDK Bugzilla 1731: a route beyond /24 with its cover's next hop, deleted, breaks every later one. */
static void
test_bug_1731(void **state)
{
	const struct ip_prefix cover = prefix_of("10.0.0.0/8");
	const struct ip_prefix first = prefix_of("10.1.1.0/25");
	const struct ip_prefix second = prefix_of("10.2.2.0/25");
	struct random random;
	struct world world;

	random_seed(&random, 1);
	world_create(&world);
	add(&world, 0, &cover, 0);
	publish(&world);
	for (unsigned int round = 0; round < 50; round++) {
		add(&world, 0, &first, 0);
		publish(&world);
		del(&world, 0, &first);
		publish(&world);
		add(&world, 0, &second, round % 2);
		publish(&world);
		world_verify(&world, 0, &random, 200);
		del(&world, 0, &second);
		publish(&world);
	}
	/* Two copies, built once each: the bug is avoided, not only survived. */
	assert_int_equal(world.table->sides[V4].n_builds, 2);
	world_destroy(&world);
}

static void
test_fib6_leak(void **state)
{
	const struct ip_prefix cover = prefix_of("2001:db8::/32");
	const struct ip_prefix longer = prefix_of("2001:db8:5::/48");
	struct random random;
	struct world world;

	random_seed(&random, 1);
	world_create(&world);
	add(&world, 1, &cover, 0);
	publish(&world);
	for (unsigned int round = 0; round < 40; round++) {
		add(&world, 1, &longer, 1);
		publish(&world);
		world_verify(&world, 1, &random, 100);
		del(&world, 1, &longer);
		publish(&world);
		world_verify(&world, 1, &random, 100);
	}
	world_destroy(&world);
}

static void
test_many_hosts(void **state)
{
	struct random random;
	struct world world;

	for (unsigned int family = 0; family < 2; family++) {
		random_seed(&random, 7);
		world_create(&world);
		for (unsigned int i = 0; i < 2000; i++) {
			const linear_addr_t addr =
				(linear_addr_t)random_next(&random) << 64 | random_next(&random);
			const struct ip_prefix host =
				linear_to_prefix(world.linear[family].family, addr, (uint8_t)bits_of(family));

			add(&world, family, &host, i % WORLD_GATEWAYS);
			if (i % 500 == 0)
				publish(&world);
		}
		publish(&world);
		world_verify(&world, family, &random, 20000);
		world_destroy(&world);
	}
}

/* More tbl8 groups than 2-byte entries can name, so 4-byte entries; then changes to such a table. */
static void
test_wide(void **state)
{
	static const unsigned int n_hosts[2] = {33000, 2600};
	struct random random;
	struct world world;

	for (unsigned int family = 0; family < 2; family++) {
		random_seed(&random, 8);
		world_create(&world);
		for (unsigned int i = 0; i < n_hosts[family]; i++) {
			const linear_addr_t addr = (linear_addr_t)(0x64000000u + i * 0x100u + i % 256) << 96;
			const struct ip_prefix host = linear_to_prefix(
				world.linear[family].family, addr | i, (uint8_t)bits_of(family));

			add(&world, family, &host, i % WORLD_GATEWAYS);
		}
		publish(&world);
		assert_true(world.table->sides[family].live.size.wide);
		world_verify(&world, family, &random, 3000);
		for (unsigned int round = 0; round < 10; round++) {
			del_random(&world, family, &random, 30);
			add_random(&world, family, &random);
			publish(&world);
			world_verify(&world, family, &random, 500);
		}
		world_destroy(&world);
	}
}

/* A table that does not fit in memory leaves the published one as it was, and can be made to fit. */
static void
test_no_memory(void **state)
{
	const struct ip_prefix cover = prefix_of("fd00::/8");
	const unsigned int n_hosts = 100000;
	struct random random;
	struct world world;

	random_seed(&random, 9);
	world_create(&world);
	add(&world, 1, &cover, 2);
	publish(&world);
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < n_hosts; i++) {
			const struct route_path path = {.via = world.gateway[1][3], .weight = 1};
			const struct ip_prefix host = linear_to_prefix(
				AF_INET6, ((linear_addr_t)i * 0x9e3779b97f4a7c15u << 40) | i, 128);

			assert_int_equal(pass == 0 ? route_add(world.table, &host, &path, 1)
						   : route_del(world.table, &host),
				0);
		}
		assert_int_equal(route_publish(world.table), pass == 0 ? -ENOMEM : 0);
		world_verify(&world, 1, &random, 1000);
	}
	world_destroy(&world);
}

/* Two halves adjoin up to the last address; the default route that comes or goes above them must not
 * overwrite them. */
static void
test_last_address(void **state)
{
	static const char *const text[2][3] = {
		{"0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1"},
		{"::/0", "::/1", "8000::/1"},
	};
	struct random random;
	struct world world;

	for (unsigned int family = 0; family < 2; family++) {
		const struct ip_prefix all = prefix_of(text[family][0]);
		const struct ip_prefix low = prefix_of(text[family][1]);
		const struct ip_prefix high = prefix_of(text[family][2]);

		random_seed(&random, 3);
		world_create(&world);
		add(&world, family, &low, 1);
		add(&world, family, &high, 2);
		publish(&world);
		for (unsigned int round = 0; round < 3; round++) {
			add(&world, family, &all, 3);
			publish(&world);
			world_verify(&world, family, &random, 1000);
			del(&world, family, &all);
			publish(&world);
			world_verify(&world, family, &random, 1000);
		}
		world_destroy(&world);
	}
}

/* The same few prefixes come and go for ever, at depths where both libraries lose tbl8 groups. */
static void
test_long_run(void **state)
{
	static const char *const text[2][6] = {
		{"10.0.0.0/8", "10.1.1.0/25", "10.1.1.128/26", "10.1.1.7/32", "10.2.2.0/31", "10.1.0.0/16"},
		{"2001:db8::/32", "2001:db8:5::/48", "2001:db8:5:8::/61", "2001:db8:5::1/128",
			"2001:db8:5::2/127", "2001:db8:5:8::/64"},
	};
	const char *const setting = getenv("MAGPIE_ROUTE_ROUNDS");
	const unsigned long n_rounds = setting != NULL ? strtoul(setting, NULL, 10) : N_LONG;
	const uint64_t start = rte_get_timer_cycles();
	struct random random;
	struct world world;

	random_seed(&random, 5);
	world_create(&world);
	for (unsigned long round = 0; round < n_rounds; round++) {
		const unsigned int family = random_below(&random, 2);
		const struct ip_prefix prefix = prefix_of(text[family][random_below(&random, 6)]);

		if (linear_find(&world.linear[family], &prefix) < 0)
			add(&world, family, &prefix, random_below(&random, 2));
		else
			del(&world, family, &prefix);
		publish(&world);
		world_verify(&world, family, &random, 8);
	}
	printf("%lu rounds in %.1f s\n", n_rounds,
		(double)(rte_get_timer_cycles() - start) / (double)rte_get_timer_hz());
	world_destroy(&world);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_static),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_bug_1731),
		cmocka_unit_test(test_fib6_leak),
		cmocka_unit_test(test_many_hosts),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_last_address),
		cmocka_unit_test(test_long_run),
	};
	int failed;

	if (rte_eal_init(argc, argv) < 0)
		return EXIT_FAILURE;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rte_eal_cleanup();
	return failed;
}
