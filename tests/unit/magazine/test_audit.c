/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The audit names what is wrong: each object that is missing, present twice, or never was the pool's,
 * wherever in the pool that is, and who had it last. The tests break pools by hand, since the pool
 * itself does not let it happen.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "magazine_priv.h"
#include "test_util.h"

#define M           32u
#define FINDING_MAX 16

static struct {
	int n;
	struct magazine_finding at[FINDING_MAX];
} findings;

static void
found(void *arg, const struct magazine_finding *finding)
{
	assert_ptr_equal(arg, &findings);
	assert_true(findings.n < FINDING_MAX);
	findings.at[findings.n++] = *finding;
}

static int
audit(const struct magazine_pool *pool)
{
	findings.n = 0;

	const int n = magazine_pool_audit(pool, found, &findings);

	assert_int_equal(n, findings.n);
	assert_int_equal(magazine_pool_audit(pool, NULL, NULL), n);
	return n;
}

/* The audit found this; order means nothing. */
static void
assert_found(enum magazine_flaw flaw, const void *object, unsigned int lcore, const char *history)
{
	for (int i = 0; i < findings.n; i++) {
		if (findings.at[i].flaw != flaw || findings.at[i].object != object)
			continue;
		assert_int_equal(findings.at[i].last_lcore, lcore);
		assert_string_equal(findings.at[i].history, history);
		return;
	}
	fail_msg("%p is not %s", object, magazine_flaw_name(flaw));
}

/*
 * A pool of two nodes that has objects everywhere: lcore 0's loaded, previous and foreign magazine; full,
 * loose and inbox of node 0.
 */
static struct magazine_pool *
spread_pool(enum magazine_debug debug)
{
	const struct magazine_topology topology = topology_of(2);
	struct magazine_pool *pool = pool_of(
		(struct magazine_conf){.topology = &topology, .size = M, .debug = debug}, 2 * 10 * M + 5);
	void *objs[5 * M];

	get(pool, 0, objs, M + 10);
	get(pool, 1, objs + M + 10, M + 5);
	magazine_put_bulk(pool, 1, objs, M);          /* home, to node 0's inbox */
	magazine_put_bulk(pool, 0, objs + M, M + 15); /* 10 own ones, and a magazine home, and 5 foreign */
	magazine_pool_flush(pool, 0);
	get(pool, LCORE_ID_ANY, objs, 3);
	magazine_put_bulk(pool, LCORE_ID_ANY, objs, 3);
	get(pool, 0, objs, 2 * M + 7);
	get(pool, 1, objs + 2 * M + 7, M + 7);
	magazine_put_bulk(pool, 1, objs, M);
	magazine_put_bulk(pool, 0, objs + M, M + 7);
	magazine_put_bulk(pool, 0, objs + 2 * M + 7, 9);
	magazine_put_bulk(pool, LCORE_ID_ANY, objs + 2 * M + 16, M - 2);
	return pool;
}

/* A round in each place that a pool of two nodes has. */
struct place {
	const char *name;
	void **round;
	unsigned int lcore;
};

#define N_PLACES 6

static void
places_of(struct magazine_pool *pool, struct place *places)
{
	struct magazine_cache *cache = &pool->cache[0];
	struct magazine_depot *depot = pool->depot[0];

	struct magazine_lcore_stats stats;

	assert_int_equal(magazine_pool_lcore_stats(pool, 0, &stats), 0);
	assert_true(stats.loaded > 0 && stats.previous > 0 && stats.foreign > 0);
	assert_true(depot->full && depot->loose->n > 0 && depot->inbox);
	places[0] = (struct place){"loaded", &cache->loaded->rounds[stats.loaded - 1], 0};
	places[1] = (struct place){"previous", &cache->previous->rounds[0], 0};
	places[2] = (struct place){"foreign", &cache->foreign[1]->rounds[cache->foreign[1]->n - 1], 0};
	places[3] = (struct place){"full", &depot->full->rounds[depot->full->n - 1], depot->full->last_lcore};
	places[4] = (struct place){"loose", &depot->loose->rounds[depot->loose->n - 1], LCORE_ID_ANY};
	places[5] = (struct place){"inbox", &depot->inbox->rounds[0], 1};
}

static void
a_whole_pool_has_no_finding(void **state)
{
	struct magazine_pool *pool = spread_pool(MAGAZINE_DEBUG_OFF);
	struct place places[N_PLACES];

	places_of(pool, places);
	assert_int_equal(audit(pool), 0);
	closed_pool(pool);
	pool = spread_pool(MAGAZINE_DEBUG_STATE);
	assert_int_equal(audit(pool), 0);
	closed_pool(pool);
	for (uint32_t n = 1; n < 100; n += 7) {
		pool = filled_pool(n, M);
		assert_int_equal(audit(pool), 0);
		closed_pool(pool);
	}
}

/* What one place has stands in another one too: the first is missing, the other double. */
static void
each_place_is_looked_at(void **state)
{
	struct magazine_pool *pool = spread_pool(MAGAZINE_DEBUG_OFF);
	struct place places[N_PLACES];
	void *stranger = &pool;

	places_of(pool, places);
	for (int to = 0; to < N_PLACES; to++) {
		void *const was = *places[to].round;

		for (int from = 0; from < N_PLACES; from++) {
			if (from == to)
				continue;
			*places[to].round = *places[from].round;
			assert_int_equal(magazine_pool_check(pool), 0); /* by numbers all is well */
			assert_int_equal(audit(pool), 2);
			assert_found(MAGAZINE_MISSING, was, LCORE_ID_ANY, "");
			assert_int_equal(findings.at[findings.at[0].flaw == MAGAZINE_DOUBLE ? 0 : 1].flaw,
				MAGAZINE_DOUBLE);
		}
		*places[to].round = stranger;
		print_message("%s\n", places[to].name);
		assert_int_equal(audit(pool), 2);
		assert_found(MAGAZINE_MISSING, was, LCORE_ID_ANY, "");
		assert_found(MAGAZINE_FOREIGN, stranger, places[to].lcore, "");
		*places[to].round = was;
		assert_int_equal(audit(pool), 0);
	}
	closed_pool(pool);
}

/* What is out is missing: all of it and nothing else. */
static void
what_is_out_is_missing(void **state)
{
	struct magazine_pool *pool = filled_pool(500, M);
	void *objs[12];

	get(pool, 0, objs, 5);
	get(pool, LCORE_ID_ANY, objs + 5, 7);
	assert_int_equal(audit(pool), 12);
	for (int i = 0; i < 12; i++)
		assert_found(MAGAZINE_MISSING, objs[i], LCORE_ID_ANY, "");
	magazine_put_bulk(pool, 0, objs, 12);
	closed_pool(pool);
}

/* A double free that nobody was there to refuse, twice: one finding each, and the last who put it is known. */
static void
doubles_are_found_once(void **state)
{
	struct magazine_pool *pool = filled_pool(500, M);
	void *objs[3];

	get(pool, 2, objs, 3);
	magazine_put_bulk(pool, 2, objs, 3);
	magazine_put_bulk(pool, 3, objs, 2);
	magazine_put_bulk(pool, 3, objs, 1);
	assert_int_equal(audit(pool), 2);
	assert_found(MAGAZINE_DOUBLE, objs[0], 3, "");
	assert_found(MAGAZINE_DOUBLE, objs[1], 3, "");
	magazine_pool_destroy(pool);
}

/* Several flaws at once, each by its address. */
static void
the_set_is_exact(void **state)
{
	struct magazine_pool *pool = filled_pool(1000, M);
	struct magazine_cache *cache = &pool->cache[4];
	void *objs[40], *held[4], *lost, *stranger = &pool;

	get(pool, 4, objs, 40);
	magazine_put_bulk(pool, 4, objs, 20);
	get(pool, 5, held, 4);
	lost = cache->loaded->rounds[0];
	cache->loaded->rounds[0] = objs[30];
	cache->loaded->rounds[1] = stranger;
	magazine_put_bulk(pool, 6, objs + 20, 20);
	assert_int_equal(audit(pool), 8);
	for (int i = 0; i < 4; i++)
		assert_found(MAGAZINE_MISSING, held[i], LCORE_ID_ANY, "");
	assert_found(MAGAZINE_MISSING, lost, LCORE_ID_ANY, "");
	assert_found(MAGAZINE_DOUBLE, objs[30], 6, "");
	assert_found(MAGAZINE_FOREIGN, stranger, 4, "");
	magazine_pool_destroy(pool);
}

/* With records, a missing object has an owner too, and each has a history. */
static void
records_tell_who_had_it(void **state)
{
	struct magazine_pool *pool =
		pool_of((struct magazine_conf){.size = M, .debug = MAGAZINE_DEBUG_STATE}, 500);
	void *objs[3], *was;

	get(pool, 2, objs, 1);
	get(pool, LCORE_ID_ANY, objs + 1, 2);
	magazine_put_bulk(pool, 9, objs + 1, 1);
	was = pool->depot[0]->full->rounds[3];
	pool->depot[0]->full->rounds[3] = objs[1];
	assert_int_equal(audit(pool), 4);
	assert_found(MAGAZINE_MISSING, objs[0], 2, "got by lcore 2, seeded");
	assert_found(MAGAZINE_MISSING, objs[2], LCORE_ID_ANY, "got by a thread, seeded");
	assert_found(MAGAZINE_MISSING, was, LCORE_ID_ANY, "seeded");
	assert_found(MAGAZINE_DOUBLE, objs[1], 9, "put by lcore 9, got by a thread, seeded");
	pool->depot[0]->full->rounds[3] = was;
	magazine_put_bulk(pool, 2, objs, 1);
	magazine_put_bulk(pool, 2, objs + 2, 1);
	closed_pool(pool);
}

static void
flaws_have_names(void **state)
{
	assert_string_equal(magazine_flaw_name(MAGAZINE_MISSING), "missing");
	assert_string_equal(magazine_flaw_name(MAGAZINE_DOUBLE), "doubly present");
	assert_string_equal(magazine_flaw_name(MAGAZINE_FOREIGN), "foreign");
}

/* The check counts: it must see each number that is wrong, in each place. */
static void
the_check_sees_every_number(void **state)
{
	struct magazine_pool *pool = spread_pool(MAGAZINE_DEBUG_OFF);
	struct magazine_cache *cache = &pool->cache[0];
	struct magazine_depot *depot = pool->depot[0];
	uint32_t *const numbers[] = {&cache->n_loaded, &cache->n_previous, &cache->foreign[1]->n,
		&depot->n_full, &depot->n_empty, &depot->n_rounds, &depot->full->n, &depot->loose->n,
		&depot->inbox_rounds, &depot->empty->n, &pool->n_magazines, &pool->n_seeded};
	uint64_t *const ledgers[] = {&cache->gets, &cache->puts, &depot->gets, &depot->puts};
	struct magazine *const full = depot->full, *const empty = depot->empty, *const inbox = depot->inbox;

	for (size_t i = 0; i < RTE_DIM(numbers); i++) {
		++*numbers[i];
		assert_int_equal(magazine_pool_check(pool), -EFAULT);
		/* as when a magazine on its way is seen at both ends */
		assert_true(magazine_pool_avail(pool) <= pool->n_seeded);
		--*numbers[i];
	}
	for (size_t i = 0; i < RTE_DIM(ledgers); i++) {
		++*ledgers[i];
		assert_int_equal(magazine_pool_check(pool), -EFAULT);
		--*ledgers[i];
	}
	depot->full = full->next;
	assert_int_equal(magazine_pool_check(pool), -EFAULT);
	depot->full = full;
	depot->empty = empty->next;
	assert_int_equal(magazine_pool_check(pool), -EFAULT);
	depot->empty = empty;
	depot->inbox = NULL;
	assert_int_equal(magazine_pool_check(pool), -EFAULT);
	depot->inbox = inbox;
	/* a list that bites its tail */
	depot->inbox->next = depot->inbox;
	assert_int_equal(magazine_pool_check(pool), -EFAULT);
	depot->inbox->next = NULL;
	closed_pool(pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_pool_has_no_finding),
		cmocka_unit_test(each_place_is_looked_at),
		cmocka_unit_test(what_is_out_is_missing),
		cmocka_unit_test(doubles_are_found_once),
		cmocka_unit_test(the_set_is_exact),
		cmocka_unit_test(records_tell_who_had_it),
		cmocka_unit_test(flaws_have_names),
		cmocka_unit_test(the_check_sees_every_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
