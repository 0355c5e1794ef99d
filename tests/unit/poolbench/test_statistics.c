/* SPDX-License-Identifier: BSD-3-Clause */
/* Quartiles and percentiles of numbers whose answers are known without a program. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "statistics.h"

static struct histogram histogram;

static int
histogram_clear(void **state)
{
	memset(&histogram, 0, sizeof(histogram));
	return 0;
}

static void
assert_summary(double *values, uint32_t n, const double expected[5])
{
	struct summary s;

	summary_make(values, n, &s);

	const double got[5] = {s.min, s.q1, s.median, s.q3, s.max};

	for (uint32_t i = 0; i < 5; i++)
		assert_true(fabs(got[i] - expected[i]) < 1e-12);
}

static void
quartiles(void **state)
{
	assert_summary((double[]){7}, 1, (double[]){7, 7, 7, 7, 7});
	assert_summary((double[]){4, 1}, 2, (double[]){1, 1.75, 2.5, 3.25, 4});
	assert_summary((double[]){10, -1, 3}, 3, (double[]){-1, 1, 3, 6.5, 10});
	assert_summary((double[]){4, 3, 2, 1}, 4, (double[]){1, 1.75, 2.5, 3.25, 4});
	assert_summary((double[]){5, 3, 9, 1, 7, 2, 8, 6, 4}, 9, (double[]){1, 3, 5, 7, 9});
}

static void
percentiles_of_small_values_are_exact(void **state)
{
	for (uint64_t value = 1; value <= 200; value++)
		histogram_add(&histogram, value);
	assert_int_equal(histogram_percentile(&histogram, 0.5), 100);
	assert_int_equal(histogram_percentile(&histogram, 0.505), 101);
	assert_int_equal(histogram_percentile(&histogram, 0.99), 198);
	assert_int_equal(histogram_percentile(&histogram, 1), 200);
	assert_int_equal(histogram_percentile(&histogram, 0.001), 1);
}

static void
one_in_ten_thousand(void **state)
{
	for (uint32_t i = 0; i < 9999; i++)
		histogram_add(&histogram, 20);
	histogram_add(&histogram, 4096);
	assert_int_equal(histogram_percentile(&histogram, 0.9999), 20);
	histogram_add(&histogram, 4096);
	assert_int_equal(histogram_percentile(&histogram, 0.9999), 4096);
}

/* Every bucket begins where the one before it ends, and is as narrow as promised. */
static void
buckets_are_narrow_and_without_gaps(void **state)
{
	uint64_t values[] = {0, 1, 127, 128, 255, 256, 257, 511, 512, 1023, 65535, 65536, 999999937,
		(UINT64_C(1) << HISTOGRAM_MAX_BITS) - 1};

	for (uint32_t i = 0; i < RTE_DIM(values); i++) {
		histogram_clear(NULL);
		histogram_add(&histogram, values[i]);

		const uint64_t floor = histogram_percentile(&histogram, 1);

		assert_true(floor <= values[i]);
		assert_true((double)(values[i] - floor) <= 0.008 * (double)values[i]);
		assert_true(values[i] > 255 || floor == values[i]);
		if (floor > 0)
			assert_int_equal(histogram_bucket(floor - 1) + 1, histogram_bucket(floor));
	}
}

static void
no_value_is_too_large(void **state)
{
	histogram_add(&histogram, UINT64_MAX);
	assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_N_BUCKETS - 1);
	assert_true(histogram_percentile(&histogram, 0.5) >= (UINT64_C(1) << HISTOGRAM_MAX_BITS) / 256 * 255);
}

static void
nothing_was_counted(void **state)
{
	assert_int_equal(histogram_percentile(&histogram, 0.5), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quartiles),
		cmocka_unit_test_setup(percentiles_of_small_values_are_exact, histogram_clear),
		cmocka_unit_test_setup(one_in_ten_thousand, histogram_clear),
		cmocka_unit_test_setup(buckets_are_narrow_and_without_gaps, histogram_clear),
		cmocka_unit_test_setup(no_value_is_too_large, histogram_clear),
		cmocka_unit_test_setup(nothing_was_counted, histogram_clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
