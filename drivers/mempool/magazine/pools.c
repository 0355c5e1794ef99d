/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pools that this process has made, for whoever comes to them on another way than through
 * their mempools: telemetry's thread, and the end of a thread that was an lcore.
 *
 *   lock   mutex of this process: the list, and that its members stay
 *   use    spinlock of each member: that its pool stays. rte_mempool_free() in another
 *          process ends the pool, but can neither take our mutex nor change our list: it
 *          leaves the member to us, without a pool, and we drop it at the next look
 *
 * Both are held while a pool is used from here; lock is taken first. The EAL's lock of
 * lcores may be held before them, and so must not be wanted behind them.
 *
 * A child by fork() is another process: its threads have the numbers of our lcores.
 * It has made nothing yet, and what it inherits it uses as other processes do.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/random.h>

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "magazine.h"
#include "mempool_magazine_priv.h"

uint64_t mempool_magazine_self;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(, mempool_magazine) pools = LIST_HEAD_INITIALIZER(pools);

bool
mempool_magazine_is_known(const struct mempool_magazine *m)
{
	return m && m->magic == MEMPOOL_MAGAZINE_MAGIC && m->layout == MEMPOOL_MAGAZINE_LAYOUT &&
	       m->pool_bytes == sizeof(struct magazine_pool);
}

void
mempool_magazine_enter(struct mempool_magazine *m)
{
	pthread_mutex_lock(&lock);
	LIST_INSERT_HEAD(&pools, m, entry);
	pthread_mutex_unlock(&lock);
}

struct magazine_pool *
mempool_magazine_exchange(struct mempool_magazine *m, struct magazine_pool *pool)
{
	struct magazine_pool *old;

	rte_spinlock_lock(&m->use);
	old = m->pool;
	m->pool = pool;
	rte_spinlock_unlock(&m->use);
	return old;
}

struct magazine_pool *
mempool_magazine_leave(struct mempool_magazine *m)
{
	struct magazine_pool *pool = m->pool;

	if (m->maker != mempool_magazine_self)
		return mempool_magazine_exchange(m, NULL);
	pthread_mutex_lock(&lock);
	LIST_REMOVE(m, entry);
	pthread_mutex_unlock(&lock);
	rte_free(m);
	return pool;
}

void
mempool_magazine_each(void (*use)(struct magazine_pool *pool, void *arg), void *arg)
{
	struct mempool_magazine *m, *next;
	bool is_left;

	pthread_mutex_lock(&lock);
	for (m = LIST_FIRST(&pools); m; m = next) {
		next = LIST_NEXT(m, entry);
		rte_spinlock_lock(&m->use);
		is_left = m->pool == NULL;
		if (!is_left)
			use(m->pool, arg);
		rte_spinlock_unlock(&m->use);
		if (is_left) {
			LIST_REMOVE(m, entry);
			rte_free(m);
		}
	}
	pthread_mutex_unlock(&lock);
}

static void
flush(struct magazine_pool *pool, void *lcore)
{
	magazine_pool_flush(pool, *(const unsigned int *)lcore);
}

/* By the thread that is about to be no lcore any more. */
static void
on_lcore_end(unsigned int lcore, void *arg)
{
	mempool_magazine_each(flush, &lcore);
}

static int
self_draw(void)
{
	mempool_magazine_self = 0;
	return getrandom(&mempool_magazine_self, sizeof(mempool_magazine_self), 0) < 0 ? -errno : 0;
}

static void
before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void
after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* Without a number it cannot make pools, see ops_alloc(); there is nobody here to tell. */
static void
after_fork_in_child(void)
{
	(void)self_draw();
	LIST_INIT(&pools);
	pthread_mutex_unlock(&lock);
}

int
mempool_magazine_process_init(void)
{
	int ret;

	if (mempool_magazine_self != 0)
		return 0;
	if (!rte_lcore_callback_register("mempool.magazine", NULL, on_lcore_end, NULL))
		return -rte_errno;
	ret = pthread_atfork(before_fork, after_fork, after_fork_in_child);
	return ret > 0 ? -ret : self_draw();
}
