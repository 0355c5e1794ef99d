/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pool against a counting set: random gets and puts of several lcores and of
 * threads that are no lcore, all from one thread, so that the set knows for every
 * object whether the pool or somebody has it, and for every get whether it must
 * succeed.
 */
#include <errno.h>
#include <stdio.h>

#include "test_util.h"

#define N_ACTORS 6 /* five lcores, and one that is none */
#define N_STEPS  30000

struct actor {
	unsigned int lcore;
	uint32_t n_held;
	void **held;
};

struct model {
	struct magazine_pool *pool;
	uint32_t population;
	uint8_t *out; /* by object: whether somebody has it */
	uint32_t n_out;
	struct actor actors[N_ACTORS];
	uint64_t random;
};

static void
model_init(struct model *model, uint32_t population, uint32_t size, uint64_t seed)
{
	const unsigned int lcores[N_ACTORS] = {0, 1, 2, 63, RTE_MAX_LCORE - 1, LCORE_ID_ANY};

	*model = (struct model){.population = population, .random = seed};
	model->pool = filled_pool(population, size);
	model->out = calloc(population, 1);
	for (int a = 0; a < N_ACTORS; a++) {
		model->actors[a].lcore = lcores[a];
		model->actors[a].held = calloc(population, sizeof(void *));
	}
}

static uint32_t
within_reach(const struct model *model, const struct actor *actor)
{
	const struct magazine_cache *cache = &model->pool->cache[actor->lcore];
	struct magazine_stats stats;

	magazine_pool_stats(model->pool, &stats);
	assert_int_equal(stats.cached + stats.depot + model->n_out, model->population);
	if (actor->lcore == LCORE_ID_ANY)
		return stats.depot;
	return stats.depot + cache->n_loaded + cache->n_previous;
}

static void
model_get(struct model *model, struct actor *actor, uint32_t n)
{
	const int expected = n <= within_reach(model, actor) ? 0 : -ENOENT;
	void **objs = calloc(n + 1, sizeof(*objs));

	assert_int_equal(magazine_get_bulk(model->pool, actor->lcore, objs, n), expected);
	for (uint32_t i = 0; expected == 0 && i < n; i++) {
		assert_in_range(index_of(objs[i]), 0, model->population - 1);
		assert_int_equal(model->out[index_of(objs[i])], 0);
		model->out[index_of(objs[i])] = 1;
		model->n_out++;
		actor->held[actor->n_held++] = objs[i];
	}
	free(objs);
}

/* Any n of the held ones, not the last n. */
static void
model_put(struct model *model, struct actor *actor, uint32_t n)
{
	void **objs = calloc(n + 1, sizeof(*objs));

	n = RTE_MIN(n, actor->n_held);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at = random_below(&model->random, actor->n_held);

		objs[i] = actor->held[at];
		actor->held[at] = actor->held[--actor->n_held];
		model->out[index_of(objs[i])] = 0;
		model->n_out--;
	}
	magazine_put_bulk(model->pool, actor->lcore, objs, n);
	free(objs);
}

/* What one got, another puts. */
static void
model_hand_over(struct model *model, struct actor *from)
{
	struct actor *to = &model->actors[random_below(&model->random, N_ACTORS)];

	while (to != from && from->n_held > 0)
		to->held[to->n_held++] = from->held[--from->n_held];
}

/* Mostly bursts of up to 64, now and then as much as two magazines and a half, or an RX ring. */
static uint32_t
random_n(struct model *model)
{
	switch (random_below(&model->random, 8)) {
	case 0: return random_below(&model->random, model->pool->size_max * 5 / 2 + 1);
	case 1: return random_below(&model->random, model->population + 2);
	case 2: return 1;
	default: return random_below(&model->random, 65);
	}
}

static void
model_step(struct model *model)
{
	struct actor *actor = &model->actors[random_below(&model->random, N_ACTORS)];
	const uint32_t what = random_below(&model->random, 200);

	if (what < 95)
		model_get(model, actor, random_n(model));
	else if (what < 190)
		model_put(model, actor, random_n(model));
	else if (what < 199)
		model_hand_over(model, actor);
	else if (actor->lcore != LCORE_ID_ANY)
		magazine_pool_flush(model->pool, actor->lcore);
}

static void
model_fini(struct model *model)
{
	for (int a = 0; a < N_ACTORS; a++) {
		model_put(model, &model->actors[a], model->actors[a].n_held);
		free(model->actors[a].held);
	}
	assert_int_equal(model->n_out, 0);
	free(model->out);
	closed_pool(model->pool);
}

static void
run(uint32_t population, uint32_t size, uint64_t seed)
{
	struct model model;

	print_message("population %u, M %u, seed %#llx\n", population, size, (unsigned long long)seed);
	model_init(&model, population, size, seed);
	for (int step = 0; step < N_STEPS; step++) {
		model_step(&model);
		if (step % 16 == 0)
			assert_int_equal(magazine_pool_check(model.pool), 0);
	}
	model_fini(&model);
}

static void
small_magazines(void **state)
{
	run(1, 32, 0x9e3779b97f4a7c15);
	run(33, 32, 0x9e3779b97f4a7c16);
	run(777, 32, 0x9e3779b97f4a7c17);
	run(4096, 64, 0x9e3779b97f4a7c18);
}

static void
default_magazines(void **state)
{
	run(129, 0, 0xd1b54a32d192ed03);
	run(4095, 0, 0xd1b54a32d192ed04);
}

static void
large_magazines(void **state)
{
	run(500, 512, 0x8cb92ba72f3d8dd7);
	run(5001, 512, 0x8cb92ba72f3d8dd8);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_magazines),
		cmocka_unit_test(default_magazines),
		cmocka_unit_test(large_magazines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
