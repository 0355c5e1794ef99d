/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Four lcores that are plain threads with made-up indexes, and two threads that
 * are none, get and put at random and pass objects to each other through a bag.
 * Each object has a word that says who has it: two owners at once are seen at
 * once. At the end everything is put back and the books must balance.
 */
#include <pthread.h>
#include <stdio.h>

#include "test_util.h"

#define POPULATION 3001
#define N_THREADS  6
#define N_ROUNDS   50000
#define HELD_MAX   400
#define BURST_MAX  96
#define SEED       0x2545f4914f6cdd1d

static struct magazine_pool *pool;
static pthread_barrier_t start;
static uint32_t owner[POPULATION]; /* 0 = the pool */

static struct {
	pthread_mutex_t lock;
	uint32_t n;
	void *objs[POPULATION];
} bag = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct thread {
	pthread_t id;
	unsigned int lcore;
	uint32_t number; /* from 1 */
	uint64_t random;
	uint32_t n_held;
	uint64_t n_got;
	uint32_t n_doubled;
	void *held[POPULATION];
};

static void
thread_get(struct thread *t)
{
	const uint32_t n = random_below(&t->random, BURST_MAX + 1);

	if (t->n_held + n > HELD_MAX || magazine_get_bulk(pool, t->lcore, &t->held[t->n_held], n) < 0)
		return;
	for (uint32_t i = t->n_held; i < t->n_held + n; i++)
		t->n_doubled +=
			__atomic_exchange_n(&owner[index_of(t->held[i])], t->number, __ATOMIC_RELAXED) != 0;
	t->n_held += n;
	t->n_got += n;
}

static void
thread_put(struct thread *t, uint32_t n)
{
	n = RTE_MIN(n, t->n_held);
	t->n_held -= n;
	for (uint32_t i = t->n_held; i < t->n_held + n; i++)
		t->n_doubled +=
			__atomic_exchange_n(&owner[index_of(t->held[i])], 0, __ATOMIC_RELAXED) != t->number;
	magazine_put_bulk(pool, t->lcore, &t->held[t->n_held], n);
}

/* Leaves what it has in the bag, or takes what is there. */
static void
thread_trade(struct thread *t)
{
	pthread_mutex_lock(&bag.lock);
	if (bag.n == 0) {
		while (t->n_held > 0)
			bag.objs[bag.n++] = t->held[--t->n_held];
	} else {
		for (; bag.n > 0 && t->n_held < HELD_MAX; t->n_held++) {
			t->held[t->n_held] = bag.objs[--bag.n];
			__atomic_store_n(&owner[index_of(t->held[t->n_held])], t->number, __ATOMIC_RELAXED);
		}
	}
	pthread_mutex_unlock(&bag.lock);
}

static void *
thread_main(void *arg)
{
	struct thread *t = arg;

	pthread_barrier_wait(&start);
	for (int round = 0; round < N_ROUNDS; round++) {
		const uint32_t what = random_below(&t->random, 32);

		if (what == 0)
			thread_trade(t);
		else if (what < 17)
			thread_get(t);
		else
			thread_put(t, random_below(&t->random, BURST_MAX + 1));
		/* Never more than is there, whoever looks and when. */
		t->n_doubled += what == 1 && magazine_pool_avail(pool) > POPULATION;
	}
	thread_put(t, t->n_held);
	return NULL;
}

static void
stress(uint32_t size)
{
	static struct thread threads[N_THREADS];
	const unsigned int lcores[N_THREADS] = {0, 1, 2, 3, LCORE_ID_ANY, LCORE_ID_ANY};
	uint64_t n_got = 0;

	pool = filled_pool(POPULATION, size);
	pthread_barrier_init(&start, NULL, N_THREADS);
	for (uint32_t i = 0; i < N_THREADS; i++) {
		threads[i] = (struct thread){.lcore = lcores[i], .number = i + 1, .random = SEED + i};
		assert_int_equal(pthread_create(&threads[i].id, NULL, thread_main, &threads[i]), 0);
	}
	for (uint32_t i = 0; i < N_THREADS; i++) {
		pthread_join(threads[i].id, NULL);
		assert_int_equal(threads[i].n_doubled, 0);
		n_got += threads[i].n_got;
	}
	pthread_barrier_destroy(&start);
	magazine_put_bulk(pool, LCORE_ID_ANY, bag.objs, bag.n);
	bag.n = 0;
	for (uint32_t i = 0; i < POPULATION; i++)
		owner[i] = 0;
	assert_true(n_got > POPULATION);

	/* Nothing lost, nothing doubled: each object once. */
	for (unsigned int lcore = 0; lcore < 4; lcore++)
		magazine_pool_flush(pool, lcore);
	assert_int_equal(magazine_get_bulk(pool, LCORE_ID_ANY, bag.objs, POPULATION), 0);
	for (uint32_t i = 0; i < POPULATION; i++)
		assert_int_equal(owner[index_of(bag.objs[i])]++, 0);
	magazine_put_bulk(pool, LCORE_ID_ANY, bag.objs, POPULATION);
	for (uint32_t i = 0; i < POPULATION; i++)
		owner[i] = 0;
	closed_pool(pool);
}

static void
stress_small_magazines(void **state)
{
	stress(32);
}

static void
stress_default_magazines(void **state)
{
	stress(0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stress_small_magazines),
		cmocka_unit_test(stress_default_magazines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
