/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Owners whose packets are charged at home and released elsewhere, at the same time: the balance comes to zero, and whoever
 * was refused is called.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include <rte_pause.h>

#include "bufs.h"

#define N_AWAY   2u
#define BURST    8u
#define BAG_SIZE 64u
#define N_BUFS   512u
#define N_HEADS  512u
#define ROOM     256u
#define TRUESIZE ((int64_t)(sizeof(struct skb) + sizeof(struct rte_mbuf) + ROOM))
#define WAIT_S   20  /* for a call that is overdue at once */
#define N_DELAYS 64u /* of a pause each: as long as it takes the others to let go of a burst, and longer */
#ifdef __SANITIZE_THREAD__
#define N_BURSTS 4000u
#else
#define N_BURSTS 15000u
#endif

static struct rte_mempool *bufs;
static struct skb_pool *heads;
static struct skb_owner owner, other;
static const char *wrong; /* what home found; told when no thread is left */

/* Packets on their way from home to the others. */
static struct {
	pthread_mutex_t lock;
	uint32_t n;
	bool is_over;
	struct skb *skbs[BAG_SIZE];
} bag = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int
setup(void **state)
{
	bufs = bufs_open(N_BUFS, ROOM);
	assert_int_equal(skb_pool_create("heads", N_HEADS, 32, SOCKET_ID_ANY, &heads), 0);
	bag.n = 0;
	bag.is_over = false;
	wrong = NULL;
	return 0;
}

static int
teardown(void **state)
{
	assert_int_equal(bag.n, 0);
	assert_int_equal(skb_owner_used(&owner), 0);
	assert_int_equal(skb_owner_used(&other), 0);
	assert_int_equal(magazine_pool_avail(skb_pool_heads(heads)), N_HEADS);
	assert_int_equal(magazine_pool_check(skb_pool_heads(heads)), 0);
	skb_pool_destroy(heads);
	bufs_close(bufs);
	return 0;
}

/* Returns how many went in; the others stay the caller's. */
static uint32_t
bag_put(struct skb *const *skbs, uint32_t n)
{
	uint32_t i = 0;

	pthread_mutex_lock(&bag.lock);
	while (i < n && bag.n < BAG_SIZE)
		bag.skbs[bag.n++] = skbs[i++];
	pthread_mutex_unlock(&bag.lock);
	return i;
}

static uint32_t
bag_take(struct skb **skbs, uint32_t n, bool *is_over)
{
	uint32_t i = 0;

	pthread_mutex_lock(&bag.lock);
	while (i < n && bag.n > 0)
		skbs[i++] = bag.skbs[--bag.n];
	*is_over = bag.is_over && bag.n == 0;
	pthread_mutex_unlock(&bag.lock);
	return i;
}

static void
bag_close(void)
{
	pthread_mutex_lock(&bag.lock);
	bag.is_over = true;
	pthread_mutex_unlock(&bag.lock);
}

/* Lets a burst go in one of the ways there are. */
static void
let_go(struct skb_cpu *cpu, struct skb **skbs, uint32_t n, uint32_t way)
{
	if (way % 4 == 0)
		skb_orphan_bulk(cpu, skbs, n);
	for (uint32_t i = 0; i < n; i++) {
		if (way % 4 == 1)
			skb_set_owner(cpu, skbs[i], &other);
		if (way % 4 == 2)
			skb_drop(cpu, skbs[i], 3);
		else
			skb_consume(cpu, skbs[i]);
	}
}

static void *
away_main(void *arg)
{
	struct skb_cpu cpu;
	struct skb *skbs[BURST];
	bool is_over = false;

	bufs_be_lcore(*(const unsigned int *)arg);
	skb_cpu_init(&cpu, heads, bufs, *(const unsigned int *)arg);
	for (uint32_t way = 0; !is_over; way++) {
		const uint32_t n = bag_take(skbs, 1 + way % BURST, &is_over);

		if (n == 0)
			sched_yield();
		let_go(&cpu, skbs, n, way);
	}
	return NULL;
}

/* A burst for owner, or as much of it as is admitted. Returns its length. */
static uint32_t
receive(struct skb_cpu *cpu, struct skb **skbs)
{
	struct rte_mbuf *mbufs[BURST];
	uint32_t n;

	if (rte_mempool_avail_count(bufs) < BURST + 3 * 64u)
		return 0; /* the others have the rest in their magazines */
	for (uint32_t i = 0; i < BURST; i++)
		mbufs[i] = bufs_chain(bufs, 0, 1, 60, 0);
	n = skb_owner_admit(&owner, mbufs, BURST);
	skb_drop_raw_bulk(cpu, mbufs + n, BURST - n, 2);
	if (skb_build_bulk(cpu, mbufs, skbs, n, &owner) == 0)
		return n;
	rte_pktmbuf_free_bulk(mbufs, n);
	return 0;
}

/* Runs home() on lcore 1, the owner's, while others release. */
static void
run(void (*home)(struct skb_cpu *cpu))
{
	static const unsigned int lcores[N_AWAY] = {2, LCORE_ID_ANY};
	pthread_t threads[N_AWAY];
	struct skb_cpu cpu;
	uint32_t n = 0;

	skb_cpu_init(&cpu, heads, bufs, 1);
	bufs_be_lcore(1);
	while (n < N_AWAY && pthread_create(&threads[n], NULL, away_main, (void *)(uintptr_t)&lcores[n]) == 0)
		n++;
	if (n == N_AWAY)
		home(&cpu);
	bag_close();
	for (uint32_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(n, N_AWAY);
	if (wrong != NULL)
		fail_msg("%s", wrong);
}

static void
charge_and_hand_over(struct skb_cpu *cpu)
{
	struct skb *skbs[BURST];

	for (uint32_t burst = 0; burst < N_BURSTS; burst++) {
		const uint32_t n = receive(cpu, skbs);
		const uint32_t n_gone = burst % 3 == 0 ? 0 : bag_put(skbs, n);
		int64_t used;

		if (n_gone < n)
			sched_yield();
		let_go(cpu, skbs + n_gone, n - n_gone, burst / 3);
		used = skb_owner_used(&owner);
		if (used < 0 || used > (BAG_SIZE + 3 * BURST) * TRUESIZE)
			wrong = "a balance that no packets account for";
	}
	if (owner.home <= 0)
		wrong = "nothing was released elsewhere";
}

static void
the_balance_comes_to_zero(void **state)
{
	skb_owner_init(&owner, "home", 0, 1);
	skb_owner_init(&other, "nobody's", 0, LCORE_ID_ANY);
	run(charge_and_hand_over);
}

static sem_t space;
static uint32_t n_calls;

static void
write_space(struct skb_owner *o)
{
	__atomic_fetch_add(&n_calls, 1, __ATOMIC_RELAXED);
	sem_post(&space);
}

/* Whether write_space was called in time. */
static bool
is_called(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_S;
	return sem_timedwait(&space, &until) == 0;
}

/*
 * The owner is full, and more comes: in every other round while nobody lets go, and so is refused for certain, else at about the
 * moment when the others do, a little later each time. Returns whether it was refused.
 */
static bool
send_too_much(struct skb_cpu *cpu, uint32_t round)
{
	const bool is_race = round % 2 != 0;
	struct skb *skbs[BURST];
	struct rte_mbuf *more[BURST];
	uint32_t n, n_admitted = 0;

	for (uint32_t i = 0; i < BURST; i++)
		more[i] = bufs_chain(bufs, 0, 1, 60, 0);
	n = receive(cpu, skbs);
	if (n != BURST)
		wrong = "refused though nothing was charged";
	if (!is_race)
		n_admitted = skb_owner_admit(&owner, more, BURST);
	if (n_admitted != 0)
		wrong = "not refused though it was full";
	(void)bag_put(skbs, n);
	for (uint32_t i = is_race ? round / 2 % N_DELAYS : 0; i > 0; i--)
		rte_pause();
	if (is_race)
		n_admitted = skb_owner_admit(&owner, more, BURST);
	skb_drop_raw_bulk(cpu, more, BURST, 2);
	return n_admitted < BURST;
}

/* Whoever is refused waits until he is called: a call that gets lost is waited for in vain. */
static void
send_and_wait(struct skb_cpu *cpu)
{
	uint32_t n_waits = 0;

	for (uint32_t round = 0; round < N_BURSTS && wrong == NULL; round++) {
		if (send_too_much(cpu, round)) {
			n_waits++;
			if (!is_called())
				wrong = "refused and never called";
		}
		while (wrong == NULL && skb_owner_used(&owner) > 0)
			sched_yield();
	}
	/* each refusal was waited for, so there was one call for each */
	if (wrong == NULL && __atomic_load_n(&n_calls, __ATOMIC_RELAXED) != n_waits)
		wrong = "called more than once";
}

static void
nobody_waits_in_vain(void **state)
{
	n_calls = 0;
	sem_init(&space, 0, 0);
	/* a burst: the bag never fills up */
	skb_owner_init(&owner, "limited", BURST * TRUESIZE, 1);
	skb_owner_notify(&owner, write_space, NULL);
	skb_owner_init(&other, "nobody's", 0, LCORE_ID_ANY);
	run(send_and_wait);
	sem_destroy(&space);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_balance_comes_to_zero, setup, teardown),
		cmocka_unit_test_setup_teardown(nobody_waits_in_vain, setup, teardown),
	};

	return cmocka_run_group_tests_name("skb/owner_threads", tests, NULL, NULL);
}
