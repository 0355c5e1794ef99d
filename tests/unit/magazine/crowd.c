/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of crowd.h, their rounds, and the bag. */
#include "crowd.h"

#include <pthread.h>
#include <sched.h>

#include "test_util.h"

#ifdef __SANITIZE_THREAD__
#define SLOWER 8u /* it sees a race whether or not it happened, so fewer rounds will do */
#elif defined(__SANITIZE_ADDRESS__)
#define SLOWER 3u
#else
#define SLOWER 1u
#endif

struct thread {
	struct crowd *crowd;
	pthread_t id;
	unsigned int lcore;
	uint32_t number; /* from 1 */
	uint64_t random;
	uint32_t n_held;
	void **held; /* [held_max] */
	uint64_t n_calls, n_objects, n_failed;
	uint32_t n_wrong;
};

/* One crowd at a time. */
static pthread_barrier_t start;
static uint32_t n_running;
static uint32_t *owner; /* [population]; 0 = the pool */

static struct {
	pthread_mutex_t lock;
	uint32_t n;
	void **objs; /* [population] */
} bag = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* It is mine now: who had it before? */
static void
object_take(struct thread *t, void *object, uint32_t from)
{
	if (__atomic_exchange_n(&owner[index_of(object)], t->number, __ATOMIC_RELAXED) != from)
		t->n_wrong++;
	if (object_base)
		memset(object, (int)t->number, OBJECT_BYTES);
}

static void
object_leave(struct thread *t, const void *object)
{
	const uint8_t *const bytes = object;

	if (object_base && (bytes[0] != t->number || memcmp(bytes, bytes + 1, OBJECT_BYTES - 1) != 0))
		t->n_wrong++;
	if (__atomic_exchange_n(&owner[index_of(object)], 0, __ATOMIC_RELAXED) != t->number)
		t->n_wrong++;
}

static void
thread_get(struct thread *t)
{
	const uint32_t n = random_below(&t->random, t->crowd->burst_max + 1);

	if (t->n_held + n > t->crowd->held_max)
		return;
	t->n_calls++;
	if (magazine_get_bulk(t->crowd->pool, t->lcore, &t->held[t->n_held], n) < 0) {
		t->n_failed++;
		return;
	}
	for (uint32_t i = t->n_held; i < t->n_held + n; i++)
		object_take(t, t->held[i], 0);
	t->n_held += n;
	t->n_objects += n;
}

static void
thread_put(struct thread *t, uint32_t n)
{
	n = RTE_MIN(n, t->n_held);
	t->n_held -= n;
	for (uint32_t i = t->n_held; i < t->n_held + n; i++)
		object_leave(t, t->held[i]);
	magazine_put_bulk(t->crowd->pool, t->lcore, &t->held[t->n_held], n);
	t->n_calls++;
}

/* Leaves what it has in the bag, or takes what is there. */
static void
thread_trade(struct thread *t)
{
	pthread_mutex_lock(&bag.lock);
	if (bag.n == 0) {
		while (t->n_held > 0) {
			object_leave(t, t->held[--t->n_held]);
			bag.objs[bag.n++] = t->held[t->n_held];
		}
	} else {
		while (bag.n > 0 && t->n_held < t->crowd->held_max) {
			object_take(t, bag.objs[--bag.n], 0);
			t->held[t->n_held++] = bag.objs[bag.n];
		}
	}
	pthread_mutex_unlock(&bag.lock);
}

static void
thread_round(struct thread *t)
{
	struct magazine_pool *const pool = t->crowd->pool;
	const uint32_t what = random_below(&t->random, 32);

	if (what == 0)
		thread_trade(t);
	else if (what < 17)
		thread_get(t);
	else
		thread_put(t, random_below(&t->random, t->crowd->burst_max + 1));
	/* Never more than is there, whoever looks and when. */
	if (what == 1 && magazine_pool_avail(pool) > pool->population)
		t->n_wrong++;
	if (t->lcore == LCORE_ID_ANY)
		return;
	if (t->crowd->polls)
		magazine_poll(pool, t->lcore);
	if (t->crowd->stops && random_below(&t->random, 256) == 0)
		magazine_pool_flush(pool, t->lcore);
}

static void *
thread_main(void *arg)
{
	struct thread *t = arg;

	pthread_barrier_wait(&start);
	for (uint32_t round = 0; round < t->crowd->n_rounds / SLOWER; round++) {
		thread_round(t);
		if (__atomic_load_n(&t->crowd->is_over, __ATOMIC_RELAXED))
			break;
	}
	thread_put(t, t->n_held);
	if (t->crowd->stops && t->lcore != LCORE_ID_ANY)
		magazine_pool_flush(t->crowd->pool, t->lcore);
	__atomic_sub_fetch(&n_running, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void
thread_start(struct crowd *crowd, struct thread *t, uint32_t i)
{
	*t = (struct thread){.crowd = crowd,
		.lcore = i < crowd->n_lcores ? i : LCORE_ID_ANY,
		.number = i + 1,
		.random = crowd->seed + i,
		.held = calloc(crowd->held_max, sizeof(void *))};
	assert_non_null(t->held);
	assert_int_equal(pthread_create(&t->id, NULL, thread_main, t), 0);
}

static void
thread_end(struct crowd *crowd, struct thread *t)
{
	assert_int_equal(t->n_wrong, 0);
	crowd->n_calls += t->n_calls;
	crowd->n_objects += t->n_objects;
	crowd->n_failed += t->n_failed;
	free(t->held);
}

static void
bag_return(struct magazine_pool *pool)
{
	magazine_put_bulk(pool, LCORE_ID_ANY, bag.objs, bag.n);
	bag.n = 0;
	for (uint32_t i = 0; i < pool->population; i++)
		assert_int_equal(owner[i], 0);
}

void
crowd_run(struct crowd *crowd)
{
	const uint32_t n = crowd->n_lcores + crowd->n_others;
	struct thread threads[CROWD_MAX];

	assert_in_range(n, 1, CROWD_MAX);
	crowd->n_calls = crowd->n_objects = crowd->n_failed = 0;
	owner = calloc(crowd->pool->population, sizeof(*owner));
	bag.objs = calloc(crowd->pool->population, sizeof(*bag.objs));
	n_running = n;
	pthread_barrier_init(&start, NULL, n);
	for (uint32_t i = 0; i < n; i++)
		thread_start(crowd, &threads[i], i);
	while (crowd->aside && __atomic_load_n(&n_running, __ATOMIC_ACQUIRE) > 0)
		crowd->aside(crowd->aside_arg);
	for (uint32_t i = 0; i < n; i++)
		pthread_join(threads[i].id, NULL);
	for (uint32_t i = 0; i < n; i++)
		thread_end(crowd, &threads[i]);
	pthread_barrier_destroy(&start);
	bag_return(crowd->pool);
	free(owner);
	free(bag.objs);
}
