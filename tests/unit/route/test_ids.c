/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of an id, against a model that keeps one state per id. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ids.h"

#define N 50u

static void
test_life(void **state)
{
	struct ids ids;

	assert_int_equal(ids_init(&ids, 2), 0);
	assert_int_equal(ids_alloc(&ids, 7), 0);
	assert_int_equal(ids_alloc(&ids, 7), 1);
	assert_int_equal(ids_alloc(&ids, 7), IDS_NONE);
	assert_int_equal(ids_find(&ids, 7, IDS_NONE), 1);
	assert_int_equal(ids_find(&ids, 7, 1), 0);
	assert_int_equal(ids_find(&ids, 7, 0), IDS_NONE);
	assert_int_equal(ids_find(&ids, 8, IDS_NONE), IDS_NONE);
	assert_int_equal(ids_find(&ids, 9, IDS_NONE), IDS_NONE); /* the same chain as 7 */
	assert_true(ids_release(&ids, 0));
	assert_int_equal(ids_alloc(&ids, 9), IDS_NONE); /* retired, not free */
	assert_int_equal(ids_find(&ids, 7, 1), 0);
	ids_hold(&ids, 0);
	assert_int_equal(ids_reclaim(&ids, 0), IDS_NONE);
	ids_hold(&ids, 0);
	assert_false(ids_release(&ids, 0));
	assert_true(ids_release(&ids, 0));
	assert_int_equal(ids_reclaim(&ids, 0), 0);
	assert_int_equal(ids_reclaim(&ids, 0), IDS_NONE);
	assert_int_equal(ids_find(&ids, 7, IDS_NONE), 1);
	assert_int_equal(ids_find(&ids, 7, 1), IDS_NONE);
	assert_int_equal(ids_alloc(&ids, 9), 0);
	assert_int_equal(ids_find(&ids, 9, IDS_NONE), 0);
	assert_int_equal(ids_find(&ids, 7, IDS_NONE), 1);
	ids_fini(&ids);
}

/* Every used id is found by its hash and no other, each once. */
static void
check_found(const struct ids *ids, const bool *used, const uint32_t *hash, uint32_t hash_max)
{
	for (uint32_t wanted = 0; wanted < hash_max; wanted++) {
		unsigned int n_found = 0, n_wanted = 0;

		for (uint16_t id = ids_find(ids, wanted, IDS_NONE); id != IDS_NONE;
			id = ids_find(ids, wanted, id)) {
			assert_true(used[id] && hash[id] == wanted);
			n_found++;
		}
		for (unsigned int id = 0; id < N; id++)
			n_wanted += used[id] && hash[id] == wanted;
		assert_int_equal(n_found, n_wanted);
	}
}

static void
test_random(void **state)
{
	unsigned int refs[N] = {0};
	bool used[N] = {false};
	uint32_t hash[N] = {0};
	uint32_t random = 1;
	struct ids ids;

	assert_int_equal(ids_init(&ids, N), 0);
	for (unsigned int round = 0; round < 200000; round++) {
		unsigned int id, n_used = 0, n_retired = 0;
		uint32_t random_hash;

		random = random * 1664525 + 1013904223;
		id = (random >> 20) % N;
		switch (random >> 8 & 3) {
		case 0:
			/* 64 chains: some hold two hashes, some hashes several ids. */
			random_hash = id * 13 % 80;
			id = ids_alloc(&ids, random_hash);
			if (id == IDS_NONE)
				break;
			hash[id] = random_hash;
			assert_false(used[id]);
			for (unsigned int lower = 0; lower < id; lower++)
				assert_true(used[lower]);
			used[id] = true;
			refs[id] = 1;
			break;
		case 1:
			if (!used[id])
				break;
			refs[id]++;
			ids_hold(&ids, (uint16_t)id);
			break;
		case 2:
			if (used[id] && refs[id] > 0)
				assert_int_equal(ids_release(&ids, (uint16_t)id), --refs[id] == 0);
			break;
		default:
			if (round % 7 != 0)
				break;
			for (id = ids_reclaim(&ids, 0); id != IDS_NONE;
				id = ids_reclaim(&ids, (uint16_t)id)) {
				assert_true(used[id] && refs[id] == 0);
				used[id] = false;
			}
			for (unsigned int i = 0; i < N; i++)
				assert_false(used[i] && refs[i] == 0);
		}
		for (unsigned int i = 0; i < N; i++) {
			n_used += used[i];
			n_retired += used[i] && refs[i] == 0;
		}
		assert_int_equal(ids.n_used, n_used);
		assert_int_equal(ids.n_retired, n_retired);
		if (round % 50 == 0)
			check_found(&ids, used, hash, 80);
	}
	ids_fini(&ids);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
