/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tables cost: TSC cycles per lookup in bursts of 32, scalar and AVX-512 side by side, and the CPU
 * time and memory to load, publish and change tables. Arguments after --: numbers of prefixes (default 1
 * 1000 10000 100000). A million needs -m 3072.
 *
 * The addresses of a run are drawn from 65536 that the table's prefixes cover, so with many prefixes the walk
 * through memory is as bad as it gets; a real packet stream is kinder.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_fib.h>
#include <rte_fib6.h>
#include <rte_vect.h>

#include "linear.h"
#include "route.h"

#define BURST      32u
#define N_ADDRS    65536u
#define N_ROUNDS   11u
#define N_GATEWAYS 16u

static void
check(int ret, const char *what)
{
	if (ret == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(-ret));
	exit(EXIT_FAILURE);
}

/* CPU time, so that it means something on a machine that does other work as well. */
static double
cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static struct route_table *
table_make(void)
{
	const struct rte_ether_addr mac = {{2, 0, 0, 0, 0, 1}};
	const struct ip_addr own4 = {AF_INET, {192, 0, 2, 254}};
	const struct ip_addr own6 = {AF_INET6, {0x20, 0x01, 0x0d, 0xb8, [15] = 0xfe}};
	struct route_table *table;

	check(route_table_create(-1, NULL, &table), "create");
	check(route_port_set(table, 0, &mac, 1500), "port");
	check(route_add_connected(table, 0, &own4, 24), "own address");
	check(route_add_connected(table, 0, &own6, 64), "own address");
	return table;
}

static struct route_path
path_to(uint8_t family, unsigned int i)
{
	if (family == AF_INET)
		return (struct route_path){{family, {192, 0, 2, (uint8_t)(1 + i)}}, 1};
	return (struct route_path){{family, {0x20, 0x01, 0x0d, 0xb8, [15] = (uint8_t)(1 + i)}}, 1};
}

/* Lengths roughly as in the Internet's tables: most at /24 and /48, few beyond. */
static uint8_t
pick_len(uint8_t family, struct random *random)
{
	const unsigned int percent = random_below(random, 100);

	if (family == AF_INET) {
		if (percent < 60)
			return 24;
		return percent < 98 ? (uint8_t)(16 + random_below(random, 8))
				    : (uint8_t)(25 + random_below(random, 8));
	}
	if (percent < 48)
		return 48;
	if (percent < 98)
		return (uint8_t)(29 + random_below(random, 19));
	return (uint8_t)(49 + random_below(random, 80));
}

/* Fills table with n prefixes; addrs[] are hit by them. */
static void
load(struct route_table *table, uint8_t family, unsigned int n, linear_addr_t *addrs)
{
	struct random random;
	unsigned int n_added = 0;

	random_seed(&random, 1);
	while (n_added < n) {
		linear_addr_t addr = (linear_addr_t)random_next(&random) << 64 | random_next(&random);
		const uint8_t len = pick_len(family, &random);
		const struct route_path path = path_to(family, random_below(&random, N_GATEWAYS));
		struct ip_prefix prefix;

		if (family == AF_INET6) /* 2000::/10, about as crowded as what is allocated */
			addr = (addr >> 10) | (linear_addr_t)1 << 125;
		prefix = linear_to_prefix(family, addr, len);
		if (route_add(table, &prefix, &path, 1) != 0)
			continue;
		addrs[n_added % N_ADDRS] = addr;
		n_added++;
	}
	/* Few prefixes: other hosts in the same. */
	for (unsigned int i = n; i < N_ADDRS; i++)
		addrs[i] = addrs[random_below(&random, n)] ^ (linear_addr_t)random_below(&random, 1u << 12)
								     << (family == AF_INET ? 96 : 0);
}

static double
cycles_per_lookup(const struct route_table *table, uint8_t family, const linear_addr_t *addrs)
{
	static uint32_t addrs4[N_ADDRS];
	static uint8_t addrs6[N_ADDRS][16];
	const struct route_view *const view = route_view(table);
	uint64_t ids[BURST];
	uint64_t start;

	for (unsigned int i = 0; i < N_ADDRS; i++) {
		addrs4[i] = (uint32_t)(addrs[i] >> 96);
		memcpy(addrs6[i], linear_to_addr(AF_INET6, addrs[i]).bytes, 16);
	}
	start = rte_rdtsc_precise();
	for (unsigned int i = 0; i < N_ADDRS; i += BURST) {
		if (family == AF_INET)
			route_lookup4_bulk(view, &addrs4[i], ids, BURST);
		else
			route_lookup6_bulk(view, (const uint8_t(*)[16])addrs6[i], ids, BURST);
	}
	return (double)(rte_rdtsc_precise() - start) / N_ADDRS;
}

static int
compare_double(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns 0 if this lookup exists here. */
static int
select_lookup(const struct route_table *table, uint8_t family, bool vector)
{
	const struct route_view *const view = route_view(table);

	if (family == AF_INET)
		return rte_fib_select_lookup(view->fib4,
			vector ? RTE_FIB_LOOKUP_DIR24_8_VECTOR_AVX512 : RTE_FIB_LOOKUP_DIR24_8_SCALAR_MACRO);
	return rte_fib6_select_lookup(
		view->fib6, vector ? RTE_FIB6_LOOKUP_TRIE_VECTOR_AVX512 : RTE_FIB6_LOOKUP_TRIE_SCALAR);
}

/* n_dests of addrs[], again and again. */
static void
bench_lookups(
	const struct route_table *table, uint8_t family, const linear_addr_t *addrs, unsigned int n_dests)
{
	static const char *const name[] = {"scalar", "AVX-512"};
	static linear_addr_t dests[N_ADDRS];
	double cycles[2][N_ROUNDS];
	bool present[2] = {true, true};

	for (unsigned int i = 0; i < N_ADDRS; i++)
		dests[i] = addrs[i % n_dests];
	cycles_per_lookup(table, family, dests);
	for (unsigned int round = 0; round < N_ROUNDS; round++) {
		for (unsigned int vector = 0; vector < 2; vector++) {
			present[vector] = select_lookup(table, family, vector) == 0;
			cycles[vector][round] = cycles_per_lookup(table, family, dests);
		}
	}
	printf("  %5u destinations:", n_dests);
	for (unsigned int vector = 0; vector < 2; vector++) {
		qsort(cycles[vector], N_ROUNDS, sizeof(double), compare_double);
		if (present[vector])
			printf("  %s %.2f (%.2f - %.2f)", name[vector], cycles[vector][N_ROUNDS / 2],
				cycles[vector][0], cycles[vector][N_ROUNDS - 1]);
	}
	printf(" cycles/lookup\n");
}

static void
bench_changes(struct route_table *table, uint8_t family)
{
	const struct ip_prefix prefix = {.addr = {family, {0x3f, 0xff, 0x3}}, .len = 32};
	const struct route_path path = path_to(family, 0);
	double start = cpu_seconds();

	check(route_add(table, &prefix, &path, 1), "add");
	check(route_publish(table), "publish");
	printf("  first change %.3f s", (cpu_seconds() - start));
	start = cpu_seconds();
	for (unsigned int i = 0; i < 500; i++) {
		check(route_del(table, &prefix), "del");
		check(route_publish(table), "publish");
		check(route_add(table, &prefix, &path, 1), "add");
		check(route_publish(table), "publish");
	}
	printf(", then %.1f us each with its publication\n", (cpu_seconds() - start) * 1e6 / 1000);
}

static void
bench(uint8_t family, unsigned int n)
{
	static linear_addr_t addrs[N_ADDRS];
	struct route_table *const table = table_make();
	struct route_counts counts;
	double start = cpu_seconds();

	load(table, family, n, addrs);
	printf("IPv%u, %u prefixes: RIB %.2f s", family == AF_INET ? 4 : 6, n, (cpu_seconds() - start));
	start = cpu_seconds();
	check(route_publish(table), "publish");
	route_counts(table, &counts);
	printf(", publish %.2f s, FIBs %.1f MB\n", (cpu_seconds() - start), (double)counts.fib_bytes / 1e6);
	for (unsigned int n_dests = 1; n_dests <= N_ADDRS; n_dests *= 8)
		bench_lookups(table, family, addrs, n_dests);
	bench_lookups(table, family, addrs, N_ADDRS);
	bench_changes(table, family);
	start = cpu_seconds();
	route_table_destroy(table);
	printf("  destroy %.2f s\n", (cpu_seconds() - start));
}

int
main(int argc, char **argv)
{
	static const unsigned int defaults[] = {1, 1000, 10000, 100000};
	const int n_eal = rte_eal_init(argc, argv);

	if (n_eal < 0)
		return EXIT_FAILURE;
	rte_vect_set_max_simd_bitwidth(RTE_VECT_SIMD_512);
	for (int arg = n_eal + 1; arg < argc; arg++) {
		bench(AF_INET, (unsigned int)strtoul(argv[arg], NULL, 10));
		bench(AF_INET6, (unsigned int)strtoul(argv[arg], NULL, 10));
	}
	for (unsigned int i = 0; argc <= n_eal + 1 && i < RTE_DIM(defaults); i++) {
		bench(AF_INET, defaults[i]);
		bench(AF_INET6, defaults[i]);
	}
	rte_eal_cleanup();
	return EXIT_SUCCESS;
}
