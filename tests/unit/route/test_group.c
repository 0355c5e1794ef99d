/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of an ECMP group: all buckets given out, each path exact to less than one bucket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "group.h"

static void
check_shares(const struct group_path *paths, unsigned int n)
{
	struct nexthop_group group;
	unsigned int n_got[NEXTHOP_GROUP_MAX] = {0};
	uint64_t sum = 0;

	for (unsigned int path = 0; path < n; path++)
		sum += paths[path].weight;
	group_share(paths, n, group.bucket, NEXTHOP_BUCKETS);
	for (unsigned int i = 0; i < NEXTHOP_BUCKETS; i++) {
		assert_in_range(group.bucket[i], 100, 100 + n - 1);
		n_got[group.bucket[i] - 100]++;
	}
	for (unsigned int path = 0; path < n; path++) {
		const double exact = (double)paths[path].weight * NEXTHOP_BUCKETS / (double)sum;

		if (n_got[path] <= exact - 1 || n_got[path] >= exact + 1)
			fail_msg("path %u of %u: %u buckets, exact %f", path, n, n_got[path], exact);
	}
}

static void
test_random_weights(void **state)
{
	static const uint32_t weight_max[] = {1, 3, 100, 65535, UINT32_MAX};
	struct group_path paths[NEXTHOP_GROUP_MAX];
	uint32_t random = 1;

	for (unsigned int round = 0; round < 5000; round++) {
		const unsigned int n = 1 + round % NEXTHOP_GROUP_MAX;

		for (unsigned int path = 0; path < n; path++) {
			random = random * 1664525 + 1013904223;
			paths[path] = (struct group_path){
				(uint16_t)(100 + path), 1 + (random >> 8) % weight_max[round % 5]};
		}
		check_shares(paths, n);
	}
}

static void
test_extremes(void **state)
{
	struct group_path paths[NEXTHOP_GROUP_MAX];

	for (unsigned int path = 0; path < NEXTHOP_GROUP_MAX; path++)
		paths[path] = (struct group_path){(uint16_t)(100 + path), UINT32_MAX};
	check_shares(paths, NEXTHOP_GROUP_MAX);
	for (unsigned int path = 1; path < NEXTHOP_GROUP_MAX; path++)
		paths[path].weight = 1;
	check_shares(paths, NEXTHOP_GROUP_MAX);
}

/* Equal weights that do not divide: the first ones get the buckets that are left. */
static void
test_ties(void **state)
{
	const struct group_path paths[] = {{1, 5}, {2, 5}, {3, 5}};
	struct nexthop_group group;

	group_share(paths, 3, group.bucket, NEXTHOP_BUCKETS);
	assert_int_equal(group.bucket[0], 1);
	assert_int_equal(group.bucket[85], 1);
	assert_int_equal(group.bucket[86], 2);
	assert_int_equal(group.bucket[170], 2);
	assert_int_equal(group.bucket[171], 3);
	assert_int_equal(group.bucket[255], 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_weights),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_ties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
