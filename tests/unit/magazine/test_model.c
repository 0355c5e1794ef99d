/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pool against a counting set: random gets and puts of several lcores and of
 * threads that are no lcore, all from one thread, so that the set knows for every
 * object whether the pool or somebody has it, and for every get whether it must
 * succeed. Pools of every kind: one node and several, sizes pinned and changing, plain,
 * under debugging (where some puts are wrong, and must be refused) and with injected faults.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "fault.h"
#include "magazine_priv.h"
#include "test_util.h"

#define N_ACTORS 6 /* five lcores, and one that is none */
#ifdef __SANITIZE_ADDRESS__
#define N_STEPS 10000
#else
#define N_STEPS 30000
#endif

/* What kind of pool. */
struct kind {
	uint32_t population, size;
	uint32_t n_nodes; /* 0 = 1 */
	enum magazine_debug debug;
	const char *fault; /* NULL = none */
	uint64_t seed;
};

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
	uint32_t n_wrong; /* puts that were wrong */
	uint32_t n_reports;
};

static void
report(void *arg, const char *line)
{
	struct model *model = arg;

	model->n_reports++;
}

static void
model_init(struct model *model, const struct kind *kind)
{
	const unsigned int lcores[N_ACTORS] = {0, 1, 2, 63, RTE_MAX_LCORE - 1, LCORE_ID_ANY};
	const struct magazine_topology topology = topology_of(RTE_MAX(kind->n_nodes, 1u));
	const struct magazine_conf conf = {.size = kind->size,
		.topology = &topology,
		.debug = kind->debug,
		.touched = kind->seed % 2 ? OBJECT_BYTES : 0,
		.poison_len = OBJECT_BYTES,
		.report = report,
		.report_arg = model};

	*model = (struct model){.population = kind->population, .random = kind->seed};
	objects_begin(kind->population);
	if (kind->fault)
		assert_int_equal(setenv("MAGAZINE_FAULT", kind->fault, 1), 0);
	model->pool = pool_of(conf, kind->population);
	unsetenv("MAGAZINE_FAULT");
	model->out = calloc(kind->population, 1);
	for (int a = 0; a < N_ACTORS; a++) {
		model->actors[a].lcore = lcores[a];
		model->actors[a].held = calloc(kind->population, sizeof(void *));
	}
}

/* Its own magazines, also the foreign ones, and the depots. */
static uint32_t
within_reach(const struct model *model, const struct actor *actor)
{
	struct magazine_lcore_stats own = {0};
	struct magazine_stats stats;

	magazine_pool_stats(model->pool, &stats);
	assert_int_equal(stats.cached + stats.depot + model->n_out, model->population);
	if (actor->lcore == LCORE_ID_ANY)
		return stats.depot;
	(void)magazine_pool_lcore_stats(model->pool, actor->lcore, &own);
	return stats.depot + own.loaded + own.previous + own.foreign;
}

static uint64_t
n_fired(const struct model *model)
{
	return model->pool->fault ? model->pool->fault->n_fired : 0;
}

static void
model_get(struct model *model, struct actor *actor, uint32_t n)
{
	const uint32_t reach = within_reach(model, actor);
	const uint64_t fired = n_fired(model);
	void **objs = calloc(n + 1, sizeof(*objs));
	const int ret = magazine_get_bulk(model->pool, actor->lcore, objs, n);

	assert_int_equal(ret, n <= reach && n_fired(model) == fired ? 0 : -ENOENT);
	for (uint32_t i = 0; ret == 0 && i < n; i++) {
		assert_in_range(index_of(objs[i]), 0, model->population - 1);
		assert_int_equal(model->out[index_of(objs[i])], 0);
		model->out[index_of(objs[i])] = 1;
		model->n_out++;
		actor->held[actor->n_held++] = objs[i];
		memset(objs[i], actor->lcore, OBJECT_BYTES); /* who has it may write to it */
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

/* An object that is in the pool, one that is in nobody's, or both in one call with good ones. */
static void
model_put_wrong(struct model *model, struct actor *actor)
{
	void *objs[3] = {&objs, actor->n_held > 0 ? actor->held[--actor->n_held] : &objs[1], &objs[2]};
	const uint32_t in_pool = random_below(&model->random, model->population);
	const bool is_held = objs[1] != &objs[1];

	if (!model->out[in_pool])
		objs[2] = object_of(in_pool);
	magazine_put_bulk(model->pool, actor->lcore, objs, 3);
	if (is_held) {
		model->out[index_of(objs[1])] = 0;
		model->n_out--;
	}
	model->n_wrong += is_held ? 2 : 3;
	assert_int_equal(model->n_reports, model->n_wrong);
}

/* M changes, now and then, to any that it may have. */
static void
model_resize(struct model *model)
{
	for (uint32_t node = 0; node < model->pool->n_nodes; node++) {
		struct magazine_depot *depot = model->pool->depot[node];

		depot->size = depot->size_min << random_below(&model->random, 5);
		depot->size = RTE_MIN(depot->size, depot->size_max);
	}
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
	const uint32_t what = random_below(&model->random, 204);

	if (what < 95)
		model_get(model, actor, random_n(model));
	else if (what < 190)
		model_put(model, actor, random_n(model));
	else if (what < 199)
		model_hand_over(model, actor);
	else if (what < 200)
		model_resize(model);
	else if (what < 201 && model->pool->debugger)
		model_put_wrong(model, actor);
	else if (what < 202 && actor->lcore != LCORE_ID_ANY)
		magazine_pool_flush(model->pool, actor->lcore);
	else if (actor->lcore != LCORE_ID_ANY)
		magazine_poll(model->pool, actor->lcore);
}

static void
model_fini(struct model *model)
{
	for (int a = 0; a < N_ACTORS; a++) {
		model_put(model, &model->actors[a], model->actors[a].n_held);
		free(model->actors[a].held);
	}
	assert_int_equal(model->n_out, 0);
	assert_int_equal(model->n_reports, model->n_wrong);
	assert_true(!model->pool->debugger || model->n_wrong > 0);
	assert_true(!model->pool->fault || model->pool->fault->n_fired > 0);
	free(model->out);
	closed_pool(model->pool);
	objects_end();
}

static void
run(const struct kind *kind)
{
	struct model model;

	print_message("population %u, M %u, %u node(s), debug %d, fault %s, seed %#llx\n", kind->population,
		kind->size, RTE_MAX(kind->n_nodes, 1u), (int)kind->debug, kind->fault ? kind->fault : "none",
		(unsigned long long)kind->seed);
	model_init(&model, kind);
	for (int step = 0; step < N_STEPS; step++) {
		model_step(&model);
		if (step % 16 == 0)
			assert_int_equal(magazine_pool_check(model.pool), 0);
	}
	model_fini(&model);
}

static void
run_all(const struct kind *kinds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		run(&kinds[i]);
}

static void
small_magazines(void **state)
{
	const struct kind kinds[] = {
		{.population = 1, .size = 32, .seed = 0x9e3779b97f4a7c15},
		{.population = 33, .size = 32, .seed = 0x9e3779b97f4a7c16},
		{.population = 777, .size = 32, .seed = 0x9e3779b97f4a7c17},
		{.population = 4096, .size = 64, .seed = 0x9e3779b97f4a7c18},
	};

	run_all(kinds, RTE_DIM(kinds));
}

static void
adaptive_magazines(void **state)
{
	const struct kind kinds[] = {
		{.population = 1, .seed = 0xd1b54a32d192ed02}, /* no caches */
		{.population = 129, .seed = 0xd1b54a32d192ed03},
		{.population = 4095, .seed = 0xd1b54a32d192ed04},
	};

	run_all(kinds, RTE_DIM(kinds));
}

static void
large_magazines(void **state)
{
	const struct kind kinds[] = {
		{.population = 500, .size = 512, .seed = 0x8cb92ba72f3d8dd7},
		{.population = 513, .size = 512, .seed = 0x8cb92ba72f3d8dd9},
		{.population = 5001, .size = 512, .seed = 0x8cb92ba72f3d8dd8},
	};

	run_all(kinds, RTE_DIM(kinds));
}

static void
several_nodes(void **state)
{
	const struct kind kinds[] = {
		{.population = 1, .n_nodes = 2, .size = 32, .seed = 0xaef17502108ef2d1},
		{.population = 33, .n_nodes = 3, .size = 32, .seed = 0xaef17502108ef2d2},
		{.population = 2500, .n_nodes = 2, .seed = 0xaef17502108ef2d3},
		{.population = 3001, .n_nodes = 3, .seed = 0xaef17502108ef2d4},
		{.population = 3001, .n_nodes = 8, .size = 64, .seed = 0xaef17502108ef2d5},
	};

	run_all(kinds, RTE_DIM(kinds));
}

static void
under_debugging(void **state)
{
	const struct kind kinds[] = {
		{.population = 33, .size = 32, .debug = MAGAZINE_DEBUG_STATE, .seed = 0xb492b66fbe98f271},
		{.population = 2000, .debug = MAGAZINE_DEBUG_STATE, .seed = 0xb492b66fbe98f272},
		{.population = 2000, .debug = MAGAZINE_DEBUG_POISON, .seed = 0xb492b66fbe98f273},
		{.population = 1500,
			.n_nodes = 3,
			.debug = MAGAZINE_DEBUG_POISON,
			.seed = 0xb492b66fbe98f274},
	};

	run_all(kinds, RTE_DIM(kinds));
}

#ifndef NDEBUG
static void
with_faults(void **state)
{
	const struct kind kinds[] = {
		{.population = 777, .size = 32, .fault = "exchange,every=2", .seed = 0xe220a8397b1dcdaf},
		{.population = 3000, .fault = "exchange,every=3", .seed = 0xe220a8397b1dcdb0},
		{.population = 3000, .n_nodes = 3, .fault = "exchange,every=5", .seed = 0xe220a8397b1dcdb1},
		{.population = 3000, .fault = "exchange", .seed = 0xe220a8397b1dcdb2},
		{.population = 3000, .fault = "chance=0.2,after=1000", .seed = 0xe220a8397b1dcdb3},
		{.population = 1000,
			.n_nodes = 2,
			.debug = MAGAZINE_DEBUG_POISON,
			.fault = "exchange,chance=0.3",
			.seed = 0xe220a8397b1dcdb4},
	};

	run_all(kinds, RTE_DIM(kinds));
}
#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_magazines),
		cmocka_unit_test(adaptive_magazines),
		cmocka_unit_test(large_magazines),
		cmocka_unit_test(several_nodes),
		cmocka_unit_test(under_debugging),
#ifndef NDEBUG
		cmocka_unit_test(with_faults),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
