/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every verb on packets of every kind, a million times at random, against packets that are nothing but bytes
 * (model.h): cloned and copied, in chains and lists, owned and orphaned, with buffers that run out and are too short, and in
 * builds with asserts with allocations that fail by chance.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_eal.h>

#include "mempool_magazine.h"
#include "verbs.h"

#ifdef __SANITIZE_ADDRESS__
#define N_STEPS 280000u
#define N_CALLS 1000000u
#else
#define N_STEPS 56000u /* what they read and write besides is seen where it counts */
#define N_CALLS 200000u
#endif
#define ALL_EVERY 32u /* steps between looks at all packets */
#define VERBS_MAX 40u

struct kind {
	const char *name;
	struct world_conf conf;
	uint64_t seed;
	const char *fault; /* NULL = none */
};

static const struct verb *verbs[VERBS_MAX];
static uint32_t n_verbs, weight_sum;
static struct tally tallies[VERBS_MAX]; /* of all kinds together */

/* What to tell when it ends badly. */
static const struct kind *now_kind; /* NULL = nothing runs */
static uint32_t now_step;
static const char *now_verb;

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void
tell(void)
{
	if (now_kind != NULL)
		fprintf(stderr, "kind %s, seed %#llx, operation %u: %s\n", now_kind->name,
			(unsigned long long)now_kind->seed, now_step, now_verb);
}

static void
on_abort(int number)
{
	tell();
	signal(number, SIG_DFL);
	raise(number);
}

static void
verbs_add(const struct verb *table)
{
	for (; table->name != NULL; table++) {
		assert_in_range(n_verbs, 0, VERBS_MAX - 1);
		verbs[n_verbs++] = table;
		weight_sum += table->weight;
	}
}

static int
setup(void **state)
{
	verbs_add(verbs_of_life);
	verbs_add(verbs_of_change);
	signal(SIGABRT, on_abort);
	if (__sanitizer_set_death_callback != NULL)
		__sanitizer_set_death_callback(tell);
	return 0;
}

static int
teardown(void **state)
{
	tell();
	return 0;
}

static uint32_t
choose(struct herd *h)
{
	uint32_t at = herd_random(h, weight_sum), k = 0;

	for (; at >= verbs[k]->weight; k++)
		at -= verbs[k]->weight;
	return k;
}

static void
step(struct herd *h)
{
	/* without packets only a new one can be had; alloc and build ignore the slot */
	const uint32_t k = h->n == 0 ? now_step % 2 : choose(h);
	const uint32_t i = herd_random(h, h->n);
	struct packet *const p = h->n > 0 ? h->slot[i] : NULL;

	now_verb = verbs[k]->name;
	h->tally = &tallies[k];
	verbs[k]->run(h, i);
	/* it may have gone, or another have come to its place: either way it must be what it should */
	if (p != NULL && i < h->n)
		packet_assert(h->slot[i]);
	if (h->n > 0)
		packet_assert(h->slot[h->n - 1]);
	if (now_step % ALL_EVERY == 0)
		herd_assert(h);
}

static void
run(const struct kind *kind)
{
	static struct herd h;

	now_kind = kind;
	now_verb = "open";
	if (kind->fault != NULL)
		assert_int_equal(setenv("MAGAZINE_FAULT", kind->fault, 1), 0);
	herd_open(&h, &kind->conf, kind->seed);
	unsetenv("MAGAZINE_FAULT");
	for (now_step = 0; now_step < N_STEPS; now_step++)
		step(&h);
	now_verb = "close";
	herd_close(&h);
	now_kind = NULL;
}

static void
random_verbs(void **state)
{
	const struct kind kinds[] = {
		{"one pool", {"magazine", 160, 0, 48, 384, 0}, 0x9e3779b97f4a7c15, NULL},
		{"two pools, scarce", {"ring_mp_mc", 96, 24, 40, 384, 384}, 0xd1b54a32d192ed03, NULL},
		{"copies in smaller buffers", {"magazine", 128, 48, 60, 384, 256}, 0x8cb92ba72f3d8dd7, NULL},
		{"copies in larger buffers", {"magazine", 128, 48, 60, 384, 701}, 0xaef17502108ef2d9, NULL},
#ifdef NDEBUG
		{"few heads", {"stack", 160, 64, 24, 384, 384}, 0xf1357aea2e62a9c5, NULL},
#else
		{"with faults", {"magazine", 160, 64, 48, 384, 384}, 0xf1357aea2e62a9c5, "chance=0.05"},
#endif
	};

	for (uint32_t k = 0; k < RTE_DIM(kinds); k++)
		run(&kinds[k]);
}

/* Each verb has done what it is for, and failed in each way that it may. */
static void
every_verb_was_tried(void **state)
{
	uint64_t n_calls = 0;

	for (uint32_t k = 0; k < n_verbs; k++) {
		const struct tally *const t = &tallies[k];

		print_message("%-15s %7llu good, %6llu without memory, %6llu too long, %6llu invalid\n",
			verbs[k]->name, (unsigned long long)t->n_good, (unsigned long long)t->n_no_memory,
			(unsigned long long)t->n_too_long, (unsigned long long)t->n_invalid);
		assert_true(t->n_good > 100);
		assert_int_equal(t->n_no_memory > 10, (verbs[k]->may & MAY_LACK_MEMORY) != 0);
		assert_int_equal(t->n_too_long > 10, (verbs[k]->may & MAY_BE_TOO_LONG) != 0);
		assert_int_equal(t->n_invalid > 10, (verbs[k]->may & MAY_BE_INVALID) != 0);
		n_calls += t->n_good + t->n_no_memory + t->n_too_long + t->n_invalid;
	}
	assert_true(n_calls >= N_CALLS);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(random_verbs, teardown),
		cmocka_unit_test(every_verb_was_tried),
	};

	if (rte_eal_init(argc, argv) < 0 || mempool_magazine_register() < 0)
		return 1;

	const int failed = cmocka_run_group_tests_name("skb/model", tests, setup, NULL);

	rte_eal_cleanup();
	return failed;
}
