/* SPDX-License-Identifier: BSD-3-Clause */
/* The sizing equation: worked examples, both sides of the border, and numbers that would wrap. */
#include <errno.h>

#include "sizing.h"
#include "test_util.h"

/* Two lcores, four ports with 1024 RX and 1024 TX descriptors, two rings of 1023 between the lcores. */
static const struct sizing_demand example = {
	.rxd = 4 * 1024, .txd = 4 * 1024, .handoff = 2 * 1023, .burst = 32, .n_lcores = 2};

static void
the_example_in_numbers(void **state)
{
	struct sizing s;

	assert_int_equal(sizing_check(&example, 128, 16384, &s), 0);
	assert_int_equal(s.rings, 8192);
	assert_int_equal(s.handoff, 2046);
	assert_int_equal(s.in_flight, 192);
	assert_int_equal(s.private_max, 512);
	assert_int_equal(s.reserve, 512);
	assert_int_equal(s.size, 128);
	assert_int_equal(s.want, 8192 + 2046 + 192 + 512 + 512);
	assert_int_equal(s.have, 16384);
}

/* (16384 - 10430) / 8 = 744 and (12288 - 10430) / 8 = 232: the powers of two below. */
static void
the_largest_magazine_that_fits(void **state)
{
	assert_int_equal(sizing_fit(&example, 512, 16384), 512);
	assert_int_equal(sizing_fit(&example, 512, 12288), 128);
	assert_int_equal(sizing_fit(&example, 511, 16384), 256);
	assert_int_equal(sizing_fit(&example, 64, 16384), 64);
	assert_int_equal(sizing_fit(&example, 31, 16384), 0);
	assert_int_equal(sizing_fit(&example, UINT32_MAX, UINT32_MAX), 512);
}

static void
one_object_decides(void **state)
{
	struct sizing s;

	for (uint32_t size = 32; size <= 512; size *= 2) {
		const uint32_t exact = 10430 + 8 * size;

		assert_int_equal(sizing_check(&example, size, exact, &s), 0);
		assert_int_equal(sizing_check(&example, size, exact - 1, &s), -ENOSPC);
		assert_int_equal(sizing_fit(&example, 512, exact), size);
		assert_int_equal(sizing_fit(&example, 512, exact - 1), size == 32 ? 0 : size / 2);
	}
}

/* A refusal must name what is wanted and what is there. */
static void
a_refusal_has_the_numbers(void **state)
{
	struct sizing s;

	assert_int_equal(sizing_check(&example, 512, 4096, &s), -ENOSPC);
	assert_int_equal(s.want, 10430 + 8 * 512);
	assert_int_equal(s.have, 4096);
	assert_int_equal(s.private_max, 2 * 2 * 512);
	assert_int_equal(s.reserve, 2 * 2 * 512);
}

/* An lcore keeps one magazine more for each foreign node; the reserve is as before. */
static void
nodes_cost_a_magazine_each(void **state)
{
	struct sizing_demand demand = example;
	struct sizing s;

	for (uint32_t n = 1; n <= 8; n++) {
		demand.n_nodes = n;
		assert_int_equal(sizing_check(&demand, 64, 16384, &s), 0);
		assert_int_equal(s.private_max, 2 * (1 + n) * 64);
		assert_int_equal(s.reserve, 2 * 2 * 64);
		assert_int_equal(s.want, 10430 + s.private_max + s.reserve);
	}
}

/* rte_mempool's cache flushes at floor(1.5 * size), so that many may lie in it on each lcore. */
static void
a_mempool_cache_costs_one_and_a_half(void **state)
{
	struct sizing_demand demand = example;
	struct sizing without, with;

	assert_int_equal(sizing_check(&demand, 64, 16384, &without), 0);
	demand.mempool_cache = 33;
	assert_int_equal(sizing_check(&demand, 64, 16384, &with), 0);
	assert_int_equal(with.private_max - without.private_max, 2 * 49);
	assert_int_equal(with.want - without.want, 2 * 49);
	assert_int_equal(with.reserve, without.reserve);
}

static void
nothing_wraps(void **state)
{
	const struct sizing_demand huge = {
		.rxd = UINT32_MAX, .txd = 2, .burst = UINT32_MAX, .n_lcores = UINT32_MAX};
	struct sizing s;

	assert_int_equal(sizing_check(&huge, 32, UINT32_MAX, &s), -ENOSPC);
	assert_int_equal(s.rings, UINT32_MAX);
	assert_int_equal(s.in_flight, UINT32_MAX);
	assert_true(s.want > UINT32_MAX);
	assert_int_equal(sizing_fit(&huge, 512, UINT32_MAX), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_in_numbers),
		cmocka_unit_test(the_largest_magazine_that_fits),
		cmocka_unit_test(one_object_decides),
		cmocka_unit_test(a_refusal_has_the_numbers),
		cmocka_unit_test(nodes_cost_a_magazine_each),
		cmocka_unit_test(a_mempool_cache_costs_one_and_a_half),
		cmocka_unit_test(nothing_wraps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
