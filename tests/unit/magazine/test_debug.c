/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What debugging finds: double frees, frees of what never was the pool's, writes after free. Each
 * must be reported with the object, who did it and what happened before, counted, and refused: the
 * pool is as whole after it as it was before.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "debug.h"
#include "magazine_priv.h"
#include "test_util.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#define POPULATION 300u
#define OFFSET     16u
#define LEN        40u

static struct {
	uint32_t n;
	char line[512]; /* the last one */
} reports;

static void
report(void *arg, const char *line)
{
	assert_ptr_equal(arg, &reports);
	reports.n++;
	snprintf(reports.line, sizeof(reports.line), "%s", line);
}

static const struct magazine_conf watched = {.name = "watched",
	.size = 32,
	.debug = MAGAZINE_DEBUG_STATE,
	.poison_offset = OFFSET,
	.poison_len = LEN,
	.report = report,
	.report_arg = &reports};

static struct magazine_pool *
watched_pool(enum magazine_debug level)
{
	struct magazine_conf conf = watched;

	conf.debug = level;
	reports.n = 0;
	objects_begin(POPULATION);
	return pool_of(conf, POPULATION);
}

static void
watched_end(struct magazine_pool *pool)
{
	closed_pool(pool);
	objects_end();
}

/* There is one report more, and it says this. */
static void
assert_reported(const struct magazine_pool *pool, uint32_t n, const char *expected)
{
	struct magazine_stats stats;

	assert_int_equal(reports.n, n);
	assert_string_equal(reports.line, expected);
	magazine_pool_stats(pool, &stats);
	assert_int_equal(stats.errors, n);
	assert_int_equal(magazine_pool_check(pool), 0);
}

static void
double_free_is_refused(void **state)
{
	struct magazine_pool *pool = watched_pool(MAGAZINE_DEBUG_STATE);
	char expected[512];
	void *objs[3];

	get(pool, 1, objs, 3);
	magazine_put_bulk(pool, 2, objs, 3);
	magazine_put_bulk(pool, 3, &objs[1], 1);
	snprintf(expected, sizeof(expected),
		"magazine watched: double free of %p by lcore 3; before: put by lcore 2, got by lcore 1, "
		"seeded",
		objs[1]);
	assert_reported(pool, 1, expected);
	assert_whole(pool);

	/* in the midst of good ones, and by a thread that is no lcore */
	get(pool, LCORE_ID_ANY, objs, 2);
	objs[2] = objs[0];
	magazine_put_bulk(pool, LCORE_ID_ANY, objs, 3);
	snprintf(expected, sizeof(expected),
		"magazine watched: double free of %p by a thread; before: put by a thread, got by a thread, "
		"seeded",
		objs[0]);
	assert_reported(pool, 2, expected);
	watched_end(pool);
}

static void
foreign_pointers_are_refused(void **state)
{
	struct magazine_pool *pool = watched_pool(MAGAZINE_DEBUG_STATE);
	int here;
	void *const strangers[] = {NULL, &here, object_of(POPULATION), (char *)object_of(5) + 8};
	char expected[512];
	void *objs[10];

	for (uint32_t i = 0; i < RTE_DIM(strangers); i++) {
		magazine_put_bulk(pool, 7, &strangers[i], 1);
		snprintf(expected, sizeof(expected), "magazine watched: free of the foreign %p by lcore 7",
			strangers[i]);
		assert_reported(pool, i + 1, expected);
	}
	get(pool, 7, objs, 9);
	objs[9] = objs[4];
	objs[4] = strangers[1];
	magazine_put_bulk(pool, 7, objs, 10);
	assert_int_equal(reports.n, RTE_DIM(strangers) + 1);
	watched_end(pool);
}

/* Which bytes are watched, and that it is every one of them. */
static void
write_after_free_is_found(void **state)
{
	struct magazine_pool *pool = watched_pool(MAGAZINE_DEBUG_POISON);
	char expected[512];
	uint8_t *bytes;
	uint32_t n = 0;

	for (uint32_t at = 0; at < OBJECT_BYTES; at++) {
		const bool is_watched = at >= OFFSET && at < OFFSET + LEN;

		get(pool, 4, (void **)&bytes, 1);
		memset(bytes, 0, OBJECT_BYTES);
		magazine_put_bulk(pool, 5, (void **)&bytes, 1);
#ifdef __SANITIZE_ADDRESS__
		assert_int_equal(__asan_address_is_poisoned(&bytes[at]), is_watched);
		__asan_unpoison_memory_region(bytes, OBJECT_BYTES);
#endif
		bytes[at] ^= 1;
		get(pool, 5, (void **)&bytes, 1);
		n += is_watched;
		assert_int_equal(reports.n, n);
		magazine_put_bulk(pool, 4, (void **)&bytes, 1);
		magazine_pool_flush(pool, 4);
		magazine_pool_flush(pool, 5);
	}
	assert_int_equal(n, LEN);
	get(pool, 9, (void **)&bytes, 1);
	magazine_put_bulk(pool, 9, (void **)&bytes, 1);
#ifdef __SANITIZE_ADDRESS__
	__asan_unpoison_memory_region(bytes, OBJECT_BYTES);
#endif
	bytes[OFFSET] = 0;
	get(pool, 9, (void **)&bytes, 1);
	snprintf(expected, sizeof(expected),
		"magazine watched: write after free of %p by lcore 9; before: put by lcore 9, got by lcore "
		"9, ",
		bytes);
	assert_memory_equal(reports.line, expected, strlen(expected));

	/* who overwrites all of it alike is found too */
	magazine_put_bulk(pool, 9, (void **)&bytes, 1);
#ifdef __SANITIZE_ADDRESS__
	__asan_unpoison_memory_region(bytes, OBJECT_BYTES);
#endif
	memset(bytes, 0, OBJECT_BYTES);
	get(pool, 9, (void **)&bytes, 1);
	assert_int_equal(reports.n, n + 2);
	magazine_put_bulk(pool, 9, (void **)&bytes, 1);
	watched_end(pool);
}

#ifdef __SANITIZE_ADDRESS__

/* AddressSanitizer stops whoever reads or writes them, at once; nothing else is forbidden, and nothing stays so. */
static void
freed_bytes_are_forbidden_under_asan(void **state)
{
	struct magazine_pool *pool = watched_pool(MAGAZINE_DEBUG_POISON);
	char *objs[POPULATION];

	for (uint32_t i = 0; i < POPULATION; i++)
		assert_int_equal(__asan_address_is_poisoned((char *)object_of(i) + OFFSET), 1);
	get(pool, 0, (void **)objs, POPULATION);
	for (uint32_t i = 0; i < POPULATION; i++)
		assert_null(__asan_region_is_poisoned(objs[i], OBJECT_BYTES));
	magazine_put_bulk(pool, 0, (void **)objs, 1);
	assert_null(__asan_region_is_poisoned(objs[0], OFFSET));
	assert_ptr_equal(__asan_region_is_poisoned(objs[0], OBJECT_BYTES), objs[0] + OFFSET);
	for (uint32_t at = 0; at < LEN; at++)
		assert_int_equal(__asan_address_is_poisoned(objs[0] + OFFSET + at), 1);
	assert_null(__asan_region_is_poisoned(objs[0] + OFFSET + LEN, OBJECT_BYTES - OFFSET - LEN));
	magazine_put_bulk(pool, 0, (void **)objs + 1, POPULATION - 1);
	closed_pool(pool);
	for (uint32_t i = 0; i < POPULATION; i++)
		assert_null(__asan_region_is_poisoned(object_of(i), OBJECT_BYTES));
	objects_end();
}

#endif

/* State does not touch objects, and poison without bytes to poison is the same. */
static void
state_leaves_objects_alone(void **state)
{
	struct magazine_conf conf = watched;
	struct magazine_pool *pool;
	void *one;

	reports.n = 0;
	conf.poison_len = 0;
	for (int level = MAGAZINE_DEBUG_STATE; level <= MAGAZINE_DEBUG_POISON; level++) {
		conf.debug = (enum magazine_debug)level;
		pool = pool_of(conf, POPULATION); /* of objects that are no memory */
		get(pool, 0, &one, 1);
		magazine_put_bulk(pool, 0, &one, 1);
		magazine_put_bulk(pool, 0, &one, 1);
		closed_pool(pool);
	}
	assert_int_equal(reports.n, 2);
}

/* The latest first, eight of them. */
static void
history_keeps_the_last_eight(void **state)
{
	struct magazine_pool *pool = watched_pool(MAGAZINE_DEBUG_STATE);
	char text[512];
	void *one, *again;

	get(pool, 1, &one, 1);
	assert_int_equal(magazine_debug_history(pool->debugger, one, text, sizeof(text)), 1);
	assert_string_equal(text, "got by lcore 1, seeded");
	magazine_put_bulk(pool, LCORE_ID_ANY, &one, 1);
	assert_int_equal(magazine_debug_history(pool->debugger, one, text, sizeof(text)), LCORE_ID_ANY);
	assert_string_equal(text, "put by a thread, got by lcore 1, seeded");
	magazine_pool_flush(pool, 1);
	for (unsigned int lcore = 100; lcore < 100 + 300; lcore++) {
		get(pool, lcore % RTE_MAX_LCORE, &again, 1);
		magazine_put_bulk(pool, lcore % RTE_MAX_LCORE, &again, 1);
		magazine_pool_flush(pool, lcore % RTE_MAX_LCORE);
		if (lcore == 100)
			one = again;
		assert_ptr_equal(again, one);
	}
	assert_int_equal(
		magazine_debug_history(pool->debugger, one, text, sizeof(text)), 399 % RTE_MAX_LCORE);
	assert_string_equal(text, "put by lcore 15, got by lcore 15, put by lcore 14, got by lcore 14, "
				  "put by lcore 13, got by lcore 13, put by lcore 12, got by lcore 12");
	/* what does not fit is cut */
	assert_int_equal(magazine_debug_history(pool->debugger, one, text, 10), 15);
	assert_string_equal(text, "put by lc");
	assert_int_equal(magazine_debug_history(pool->debugger, &one, text, sizeof(text)), LCORE_ID_ANY);
	assert_string_equal(text, "");
	watched_end(pool);
}

/* What went wrong before debugging could refuse it: the pool itself is broken, and says so when the object is got. */
static void
a_broken_pool_is_noticed(void **state)
{
	struct magazine_pool *pool = watched_pool(MAGAZINE_DEBUG_STATE);
	struct magazine_cache *cache = &pool->cache[0];
	struct magazine_lcore_stats stats;
	char expected[512];
	void *objs[20], *one, *stranger = &one;

	get(pool, 0, objs, 20);
	magazine_put_bulk(pool, 0, objs, 20);
	assert_int_equal(magazine_pool_lcore_stats(pool, 0, &stats), 0);
	cache->loaded->rounds[stats.loaded - 1] = stranger;
	get(pool, 0, &one, 1);
	assert_ptr_equal(one, stranger);
	snprintf(expected, sizeof(expected),
		"magazine watched: the pool itself holds the foreign %p by lcore 0", stranger);
	assert_reported(pool, 1, expected);

	/* the same one twice */
	one = cache->loaded->rounds[stats.loaded - 2];
	cache->loaded->rounds[stats.loaded - 3] = one;
	get(pool, 0, objs, 2);
	assert_ptr_equal(objs[0], objs[1]);
	snprintf(expected, sizeof(expected),
		"magazine watched: the pool itself holds twice %p by lcore 0; before: "
		"got by lcore 0, put by lcore 0, got by lcore 0, seeded",
		one);
	assert_reported(pool, 2, expected);
	magazine_pool_destroy(pool);
	objects_end();
}

static void
level_in(const char *text, int ret, enum magazine_debug expected, const struct magazine_conf *conf)
{
	struct magazine_pool *pool = NULL;
	enum magazine_debug level = MAGAZINE_DEBUG_OFF;
	struct magazine_conf any = *conf;
	const char *name = NULL;

	any.population = 10;
	if (text)
		assert_int_equal(setenv("MAGAZINE_DEBUG", text, 1), 0);
	else
		unsetenv("MAGAZINE_DEBUG");
	if (any.debug == MAGAZINE_DEBUG_DEFAULT)
		assert_int_equal(magazine_environment_check(&name), ret);
	if (ret < 0)
		assert_string_equal(name, "MAGAZINE_DEBUG");
	objects_begin(10);
	assert_int_equal(magazine_pool_create(&any, &pool), ret);
	if (pool && pool->debugger) {
		void *const one = object_of(0);

		/* only poison writes to objects */
		assert_int_equal(magazine_pool_seed(pool, &one, 1), 0);
#ifdef __SANITIZE_ADDRESS__
		__asan_unpoison_memory_region(one, OBJECT_BYTES);
#endif
		level = ((uint8_t *)one)[OFFSET] ? MAGAZINE_DEBUG_POISON : MAGAZINE_DEBUG_STATE;
	}
	if (ret == 0)
		assert_int_equal(level, expected);
	magazine_pool_destroy(pool);
	objects_end();
	unsetenv("MAGAZINE_DEBUG");
}

static void
the_level_comes_from_conf_then_environment_then_build(void **state)
{
	struct magazine_conf conf = watched;

	conf.debug = MAGAZINE_DEBUG_DEFAULT;
	level_in(NULL, 0, magazine_debug_level(MAGAZINE_DEBUG_BUILD), &conf);
	level_in("off", 0, MAGAZINE_DEBUG_OFF, &conf);
	level_in("state", 0, MAGAZINE_DEBUG_STATE, &conf);
	level_in("poison", 0, MAGAZINE_DEBUG_POISON, &conf);
	level_in("", -EINVAL, 0, &conf);
	level_in("on", -EINVAL, 0, &conf);
	level_in("State", -EINVAL, 0, &conf);
	level_in("poison ", -EINVAL, 0, &conf);
	conf.debug = MAGAZINE_DEBUG_OFF;
	level_in("poison", 0, MAGAZINE_DEBUG_OFF, &conf);
	level_in("nonsense", 0, MAGAZINE_DEBUG_OFF, &conf);
	conf.debug = MAGAZINE_DEBUG_STATE;
	level_in("off", 0, MAGAZINE_DEBUG_STATE, &conf);
	conf.debug = MAGAZINE_DEBUG_POISON;
	level_in(NULL, 0, MAGAZINE_DEBUG_POISON, &conf);
}

/* Off costs nothing: the inline halves serve, and no error can be counted. */
static void
off_by_default(void **state)
{
	struct magazine_pool *pool;
	struct magazine_stats stats;
	void *objs[8];

	unsetenv("MAGAZINE_DEBUG");
	if (strcmp(MAGAZINE_DEBUG_BUILD, "off") != 0)
		return; /* not in this build */
	pool = filled_pool(POPULATION, 32);
	assert_null(pool->debugger);
	assert_false(pool->is_veiled);
	get(pool, 0, objs, 8);
	assert_true(pool->cache[0].n_loaded > 0);
	assert_int_equal(pool->cache[0].size, 32);
	magazine_put_bulk(pool, 0, objs, 8);
	magazine_pool_stats(pool, &stats);
	assert_int_equal(stats.errors, 0);
	closed_pool(pool);
}

/* Under debugging the inline halves never do, whatever is in the cache, and the stats are the true ones all the same. */
static void
a_veil_hides_the_cache(void **state)
{
	struct magazine_pool *pool = watched_pool(MAGAZINE_DEBUG_STATE);
	struct magazine_cache *cache = &pool->cache[0];
	struct magazine_lcore_stats stats;
	void *objs[POPULATION + 1];

	assert_true(pool->is_veiled);
	for (uint32_t n = 1; n < POPULATION; n += 7) {
		get(pool, 0, objs, n);
		assert_int_equal(cache->n_loaded + cache->size, 0);
		magazine_put_bulk(pool, 0, objs, n);
		assert_int_equal(cache->n_loaded + cache->size, 0);
		assert_int_equal(magazine_pool_lcore_stats(pool, 0, &stats), 0);
		assert_int_equal(stats.size, 32);
		assert_true(stats.loaded + stats.previous >= RTE_MIN(n, 33u));
		assert_int_equal(magazine_pool_check(pool), 0);
	}
	assert_int_equal(magazine_get_bulk(pool, 0, objs, POPULATION + 1), -ENOENT);
	assert_int_equal(cache->n_loaded + cache->size, 0);
	magazine_poll(pool, 0);
	pool->epoch++;
	magazine_poll(pool, 0);
	assert_int_equal(cache->n_loaded + cache->size, 0);
	magazine_pool_flush(pool, 0);
	assert_int_equal(magazine_pool_lcore_stats(pool, 0, &stats), 0);
	assert_int_equal(cache->n_loaded + cache->size + stats.loaded + stats.size, 0);
	assert_int_equal(reports.n, 0);
	watched_end(pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(double_free_is_refused),
		cmocka_unit_test(foreign_pointers_are_refused),
		cmocka_unit_test(write_after_free_is_found),
#ifdef __SANITIZE_ADDRESS__
		cmocka_unit_test(freed_bytes_are_forbidden_under_asan),
#endif
		cmocka_unit_test(state_leaves_objects_alone),
		cmocka_unit_test(history_keeps_the_last_eight),
		cmocka_unit_test(a_broken_pool_is_noticed),
		cmocka_unit_test(the_level_comes_from_conf_then_environment_then_build),
		cmocka_unit_test(off_by_default),
		cmocka_unit_test(a_veil_hides_the_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
