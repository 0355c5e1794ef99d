/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Days of use in a minute: pools of random kinds, one after the other, each used by crowds (crowd.h)
 * of random lcores and threads, while M is pushed up and down and others read the books. About every
 * half second all come to rest; then check and audit must find nothing. Everything that is rare in a
 * router (calls for objects, lcores that stop, borrowed magazines, faults) happens all the time.
 *
 *   soak SECONDS [SEED]
 *
 * Says what it has done, and how long a router that forwards 10000 packets a second, all day and night,
 * would need for as much: 864 million objects are a day.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "crowd.h"
#include "fault.h"
#include "test_util.h"

#define OBJECTS_PER_HOUR (UINT64_C(10000) * 3600)
#define RUN_NS           UINT64_C(400000000)
#define RUNS_PER_POOL    3
#define PROGRESS_NS      UINT64_C(10000000000)

static struct {
	uint64_t seconds, random;
	uint64_t run_ends_ns;
	uint64_t n_pools, n_runs, n_calls, n_objects, n_failed, n_complaints;
	uint64_t n_exchanges, n_epochs, n_reclaimed, n_sent_home, n_fired;
} soak;

static uint64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static uint32_t
pick(uint32_t limit)
{
	return random_below(&soak.random, limit);
}

static bool
one_in(uint32_t n)
{
	return pick(n) == 0;
}

static void
complain(void *arg, const char *line)
{
	fprintf(stderr, "%s\n", line);
	__atomic_add_fetch(&soak.n_complaints, 1, __ATOMIC_RELAXED);
}

/* Mostly thousands of objects, now and then a handful. */
static uint32_t
random_population(void)
{
	return one_in(4) ? 1 + pick(600) : 1 + pick(20000);
}

static void
fault_set(void)
{
#ifdef NDEBUG
	unsetenv("MAGAZINE_FAULT");
#else
	const char *const texts[] = {
		"every=7", "exchange,every=2", "exchange,chance=0.3", "chance=0.01,after=1000"};

	unsetenv("MAGAZINE_FAULT");
	if (one_in(3))
		assert_int_equal(setenv("MAGAZINE_FAULT", texts[pick(RTE_DIM(texts))], 1), 0);
#endif
}

static struct magazine_pool *
random_pool(void)
{
	const uint32_t population = random_population();
	const struct magazine_topology topology = topology_of(one_in(2) ? 1 : 2 + pick(7));
	const struct magazine_conf conf = {
		.size = one_in(3) ? MAGAZINE_ROUNDS_MIN << pick(5) : 0,
		.n_lcores = 1 + pick(4),
		.node = (int)pick(topology.n_nodes),
		.topology = &topology,
		.debug = one_in(4) ? (enum magazine_debug)(MAGAZINE_DEBUG_STATE + pick(2))
				   : MAGAZINE_DEBUG_OFF,
		.touched = one_in(2) ? OBJECT_BYTES : 0,
		.poison_len = OBJECT_BYTES,
		.report = complain,
	};
	struct magazine_pool *pool;

	fault_set();
	objects_begin(population);
	pool = pool_of(conf, population);
	printf("pool %" PRIu64 ": population %u, M %u..%u, %u node(s), debug %d, fault %s\n", soak.n_pools,
		population, pool->size_min, pool->size_max, topology.n_nodes, (int)conf.debug,
		pool->fault ? getenv("MAGAZINE_FAULT") : "none");
	return pool;
}

/* What a control thread does, and more often. */
static void
aside(void *arg)
{
	struct crowd *crowd = arg;
	struct magazine_pool *pool = crowd->pool;
	struct magazine_stats stats;

	if (now_ns() > soak.run_ends_ns)
		__atomic_store_n(&crowd->is_over, 1, __ATOMIC_RELAXED);
	if (one_in(2))
		magazine_pool_adapt(pool);
	else
		size_force(pool, RTE_MIN(pool->size_min << pick(5), pool->size_max));
	magazine_pool_stats(pool, &stats);
	assert_true(magazine_pool_avail(pool) <= pool->population);
	usleep(100);
}

static void
run(struct magazine_pool *pool)
{
	struct crowd crowd = {.pool = pool,
		.n_lcores = 1 + pick(one_in(4) ? 16 : 4),
		.n_others = pick(4),
		.held_max = 1 + pick(one_in(2) ? 100 : 2000),
		.burst_max = 1 + pick(one_in(2) ? 64 : 700),
		.polls = !one_in(4),
		.stops = one_in(2),
		.n_rounds = UINT32_MAX,
		.seed = soak.random,
		.aside = aside,
		.aside_arg = &crowd};

	soak.run_ends_ns = now_ns() + RUN_NS;
	crowd_run(&crowd);
	assert_whole(pool);
	assert_int_equal(soak.n_complaints, 0);
	soak.n_runs++;
	soak.n_calls += crowd.n_calls;
	soak.n_objects += crowd.n_objects;
	soak.n_failed += crowd.n_failed;
}

static void
pool_end(struct magazine_pool *pool)
{
	struct magazine_stats stats;

	magazine_pool_stats(pool, &stats);
	soak.n_exchanges += stats.counts.exchanges;
	soak.n_epochs += stats.epoch;
	soak.n_reclaimed += stats.counts.reclaimed;
	soak.n_sent_home += stats.counts.sent_home;
	soak.n_fired += pool->fault ? pool->fault->n_fired : 0;
	flush_all(pool);
	closed_pool(pool);
	objects_end();
	soak.n_pools++;
}

static void
summary(void)
{
	printf("%" PRIu64 " pools, %" PRIu64 " audits, %" PRIu64 " calls, %" PRIu64
	       " objects got and put (%" PRIu64 " hours at 10000 packets/s), %" PRIu64
	       " gets failed (%" PRIu64 " by faults), %" PRIu64 " exchanges, %" PRIu64
	       " calls for objects, %" PRIu64 " reclaimed, %" PRIu64 " sent home\n",
		soak.n_pools, soak.n_runs, soak.n_calls, soak.n_objects, soak.n_objects / OBJECTS_PER_HOUR,
		soak.n_failed, soak.n_fired, soak.n_exchanges, soak.n_epochs, soak.n_reclaimed,
		soak.n_sent_home);
	fflush(stdout);
}

static void
days_of_use(void **state)
{
	const uint64_t end = now_ns() + soak.seconds * UINT64_C(1000000000);
	uint64_t progress = now_ns() + PROGRESS_NS;

	while (now_ns() < end) {
		struct magazine_pool *pool = random_pool();

		for (int i = 0; i < RUNS_PER_POOL && (i == 0 || now_ns() < end); i++)
			run(pool);
		pool_end(pool);
		if (now_ns() > progress) {
			summary();
			progress += PROGRESS_NS;
		}
	}
	summary();
	assert_true(soak.n_objects > 0);
}

static bool
number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *value > 0;
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(days_of_use)};

	soak.random = (uint64_t)time(NULL) * UINT64_C(0x9e3779b97f4a7c15);
	if (argc < 2 || argc > 3 || !number(argv[1], &soak.seconds) ||
		(argc == 3 && !number(argv[2], &soak.random))) {
		fprintf(stderr, "usage: soak SECONDS [SEED]\n");
		return 2;
	}
	printf("seed %#" PRIx64 "\n", soak.random);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
