/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The "magazine" rte_mempool ops: a mempool whose objects live in lib/magazine.
 * Every PMD's RX refill and TX completion then goes through the calling
 * lcore's magazines. Other processes of the same EAL that have registered the ops too may
 * use the mempool as well, without magazines of their own.
 */
#ifndef MEMPOOL_MAGAZINE_H
#define MEMPOOL_MAGAZINE_H

#include <stdint.h>

#include <rte_mempool.h>

#include "placement.h"

#ifdef __cplusplus
extern "C" {
#endif

struct magazine_pool;

/*
 * Called by the ops around every bulk operation, on the calling thread:
 * on_get after objs[n] left the pool, on_put before they enter it. Both must not
 * fail, block or call into the same pool. Either may be NULL. Objects that a mempool
 * is populated with are not put; but rte_mempool_free() gets each one a last time:
 * take the hooks away before.
 */
struct mempool_magazine_hooks {
	void (*on_get)(void *arg, void *const *objs, unsigned int n);
	void (*on_put)(void *arg, void *const *objs, unsigned int n);
	void *arg;
};

/*
 * Registers the ops under the name "magazine". Call it after rte_eal_init(), in
 * every process, so that the stock ops keep the indexes they have in processes
 * that do not know ours. Main thread. A second call does nothing.
 * From then on the end of a registered thread (rte_thread_unregister()) empties its magazines.
 * Returns 0, or the negative errno of rte_mempool_register_ops(), rte_lcore_callback_register(),
 * pthread_atfork(), getrandom(2) or rte_telemetry_register_cmd().
 */
int mempool_magazine_register(void);

/*
 * Pins the magazine size of pools made from now on by this process; 0 = adaptive, as at the start. Main thread.
 * Returns 0, or -EINVAL (neither 0 nor a power of two from MAGAZINE_ROUNDS_MIN to _MAX), then nothing is changed.
 */
int mempool_magazine_set_size(uint32_t size);

/* Bounds an adaptive size likewise; 0 = MAGAZINE_ROUNDS_MAX, as at the start. Main thread. Returns as above. */
int mempool_magazine_set_size_max(uint32_t size);

/*
 * The pool behind mp, or NULL when mp's ops are not ours or of another version of the driver. The mempool owns
 * it, and has another one when it is populated again after that failed.
 */
struct magazine_pool *mempool_magazine_pool(const struct rte_mempool *mp);

/* Sets the hooks of mp; *hooks is copied. Before any other thread uses mp. 0 or -EINVAL (no pool, as above). */
int mempool_magazine_set_hooks(struct rte_mempool *mp, const struct mempool_magazine_hooks *hooks);

/*
 * Counts the pages of mp's objects that are not on the node mp was made for; any ops. Slow: it asks the
 * kernel. Returns 0, or -ENOTSUP: no NUMA here, nothing is known.
 */
int mempool_magazine_placement(struct rte_mempool *mp, struct placement *placement);

#ifdef __cplusplus
}
#endif

#endif
