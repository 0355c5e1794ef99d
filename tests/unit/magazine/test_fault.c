/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The injector of failed gets: its little language, and which gets it makes fail, to the one. A build
 * without asserts has none, and refuses to make a pool rather than ignore who asks for it.
 */
#include <errno.h>
#include <stdio.h>

#include "fault.h"
#include "test_util.h"

#ifdef NDEBUG

static void
a_build_without_faults_says_so(void **state)
{
	const struct magazine_conf conf = {.name = "release", .population = 10};
	const char *const texts[] = {"every=2", "pool=other,every=2", "nonsense", ""};
	struct magazine_pool *pool = NULL;
	struct magazine_fault fault;
	const char *name = NULL;

	for (size_t i = 0; i < RTE_DIM(texts); i++) {
		assert_int_equal(setenv("MAGAZINE_FAULT", texts[i], 1), 0);
		assert_int_equal(magazine_pool_create(&conf, &pool), -ENOTSUP);
		assert_int_equal(magazine_environment_check(&name), -ENOTSUP);
		assert_string_equal(name, "MAGAZINE_FAULT");
		assert_int_equal(magazine_fault_parse(texts[i], "release", &fault), -ENOTSUP);
		assert_null(pool);
	}
	unsetenv("MAGAZINE_FAULT");
	assert_int_equal(magazine_environment_check(&name), 0);
	assert_int_equal(magazine_pool_create(&conf, &pool), 0);
	assert_null(pool->fault);
	closed_pool(pool);
}

#else

/* Which of the first 64 gets of pool "data0" fail: bit i is get i + 1. */
static uint64_t
fired(const char *text)
{
	struct magazine_fault fault;
	uint64_t bits = 0;

	assert_int_equal(magazine_fault_parse(text, "data0", &fault), 0);
	for (int i = 0; i < 64; i++)
		bits |= (uint64_t)(fault.exchange ? magazine_fault_fires_exchange(&fault)
						  : magazine_fault_fires(&fault))
			<< i;
	assert_int_equal(fault.n_gets, 64);
	assert_int_equal(fault.n_fired, __builtin_popcountll(bits));
	return bits;
}

static void
words_say_which_gets_fail(void **state)
{
	assert_int_equal(fired("every=1"), UINT64_MAX);
	assert_int_equal(fired("every=2"), UINT64_C(0xaaaaaaaaaaaaaaaa));
	assert_int_equal(fired("every=7"), UINT64_C(0x4081020408102040));
	assert_int_equal(fired("every=64"), UINT64_C(1) << 63);
	assert_int_equal(fired("every=65"), 0);
	assert_int_equal(fired("every=18446744073709551615"), 0);
	assert_int_equal(fired("after=60"), UINT64_C(0xf000000000000000));
	assert_int_equal(fired("after=0"), UINT64_MAX);
	assert_int_equal(fired("after=64"), 0);
	assert_int_equal(fired("after=10,every=50"), UINT64_C(1) << 59);
	assert_int_equal(fired("every=50,after=10"), UINT64_C(1) << 59);
	assert_int_equal(fired("exchange"), UINT64_MAX);
	assert_int_equal(fired("exchange,every=32"), UINT64_C(0x8000000080000000));
	assert_int_equal(fired("pool=data0"), UINT64_MAX);
	assert_int_equal(fired("pool=data0,after=62,every=2,exchange"), UINT64_C(1) << 63);
	assert_int_equal(fired("chance=1"), UINT64_MAX);
	assert_int_equal(fired("chance=1.0,after=63"), UINT64_C(1) << 63);
	assert_int_equal(fired("chance=0"), 0);
	assert_int_equal(fired("chance=0.0"), 0);
}

/* As often as it says, and in the same gets in every run. */
static void
chance_is_a_fraction(void **state)
{
	const char *const texts[] = {"chance=0.01", "chance=0.25", "chance=.5", "chance=0.9", "chance=1e-3"};
	const uint32_t expected[] = {1000, 25000, 50000, 90000, 100};

	for (size_t i = 0; i < RTE_DIM(texts); i++) {
		struct magazine_fault one, two;

		assert_int_equal(magazine_fault_parse(texts[i], "x", &one), 0);
		assert_int_equal(magazine_fault_parse(texts[i], "x", &two), 0);
		for (int k = 0; k < 100000; k++)
			assert_int_equal(magazine_fault_fires(&one), magazine_fault_fires(&two));
		assert_in_range(one.n_fired, expected[i] * 3 / 4, expected[i] * 5 / 4);
	}
	assert_true(fired("chance=0.5") != fired("chance=0.4"));
}

static void
nonsense_is_refused(void **state)
{
	const char *const texts[] = {"", ",", "every", "every=", "every=0", "every=x", "every=-1", "every=3x",
		"every= 3", "every=18446744073709551616", "after=", "after=-1", "after",
		"chance=", "chance=1.01", "chance=-0.1", "chance=x", "chance=0.5x", "chance=nan",
		"exchange=1", "exchanges", "pool", "nonsense", "every=2;after=3", "every=2 after=3",
		"other=1", "=", "every=2,chance=0.5", "pool=elsewhere,every=0",
		"every=1,every=1,every=1,every=1,every=1,every=1,every=1,every=1,every=1,every=1,every=1,"
		"every=1,every=1,"
		"every=1,every=1,every=1,every=1"};
	struct magazine_pool *pool = NULL;
	struct magazine_fault fault;
	const char *name = NULL;

	for (size_t i = 0; i < RTE_DIM(texts); i++) {
		const struct magazine_conf conf = {.name = "data0", .population = 10};

		print_message("\"%s\"\n", texts[i]);
		assert_int_equal(magazine_fault_parse(texts[i], "data0", &fault), -EINVAL);
		assert_int_equal(setenv("MAGAZINE_FAULT", texts[i], 1), 0);
		assert_int_equal(magazine_pool_create(&conf, &pool), -EINVAL);
		assert_int_equal(magazine_environment_check(&name), -EINVAL);
		assert_string_equal(name, "MAGAZINE_FAULT");
	}
	unsetenv("MAGAZINE_FAULT");
	assert_null(pool);
}

static struct magazine_pool *
faulty_pool(const char *text, uint32_t population)
{
	struct magazine_pool *pool;

	assert_int_equal(setenv("MAGAZINE_FAULT", text, 1), 0);
	pool = pool_of((struct magazine_conf){.name = "data0", .size = 32}, population);
	unsetenv("MAGAZINE_FAULT");
	return pool;
}

static void
one_pool_is_meant_or_all(void **state)
{
	struct magazine_pool *pool = faulty_pool("pool=data1,every=2", 100);
	void *one;

	assert_null(pool->fault);
	assert_false(pool->is_veiled);
	closed_pool(pool);
	for (int i = 0; i < 2; i++) {
		pool = faulty_pool(i ? "every=2" : "pool=data0,every=2", 100);
		assert_non_null(pool->fault);
		get(pool, 0, &one, 1);
		magazine_put_bulk(pool, 0, &one, 1);
		assert_int_equal(magazine_get_bulk(pool, 0, &one, 1), -ENOENT);
		closed_pool(pool);
	}
}

/* A get counts once, whoever makes it and however many it asks for; puts never fail. */
static void
every_third_get_fails(void **state)
{
	struct magazine_pool *pool = faulty_pool("every=3", 1000);
	const unsigned int lcores[] = {0, 1, LCORE_ID_ANY, 2};
	static void *objs[1000];
	struct magazine_stats stats;

	for (uint32_t i = 1; i <= 3000; i++) {
		const uint32_t n = i % 100 + 1;
		const unsigned int lcore = lcores[i % 4];

		assert_int_equal(magazine_get_bulk(pool, lcore, objs, n), i % 3 == 0 ? -ENOENT : 0);
		if (i % 3 != 0)
			magazine_put_bulk(pool, lcore, objs, n);
		assert_int_equal(magazine_pool_check(pool), 0);
	}
	assert_int_equal(pool->fault->n_gets, 3000);
	assert_int_equal(pool->fault->n_fired, 1000);
	magazine_pool_stats(pool, &stats);
	assert_int_equal(stats.epoch, 0); /* nobody starved */
	closed_pool(pool);
}

/* Only gets that need a depot count: one in 32 of an lcore's, all of a thread's. */
static void
exchanges_fail_by_themselves(void **state)
{
	struct magazine_pool *pool = faulty_pool("exchange,every=2", 1000);
	void *objs[1000];
	uint32_t n = 0;

	for (uint32_t i = 1; n < 640; i++)
		n += magazine_get_bulk(pool, 0, &objs[n], 1) == 0;
	assert_int_equal(pool->fault->n_gets, 2 * 640 / 32 - 1);
	assert_int_equal(pool->fault->n_fired, 640 / 32 - 1);
	assert_int_equal(pool->cache[0].exchange_fails, 640 / 32 - 1);
	assert_int_equal(magazine_pool_check(pool), 0);

	for (uint32_t i = 0; i < 10; i++) {
		const int ret = magazine_get_bulk(pool, LCORE_ID_ANY, &objs[n], 1);

		assert_int_equal(ret, i % 2 == 0 ? -ENOENT : 0);
		n += ret == 0;
	}
	magazine_put_bulk(pool, 0, objs, n);
	closed_pool(pool);
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef NDEBUG
		cmocka_unit_test(a_build_without_faults_says_so),
#else
		cmocka_unit_test(words_say_which_gets_fail),
		cmocka_unit_test(chance_is_a_fraction),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(one_pool_is_meant_or_all),
		cmocka_unit_test(every_third_get_fails),
		cmocka_unit_test(exchanges_fail_by_themselves),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
