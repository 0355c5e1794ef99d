/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this directory share: what a mempool's pool_data points to, and the list of those that this
 * process has made. Any process of the EAL may hold such a mempool, with this version of the driver or another
 * one: whoever looks into it from outside of the list asks mempool_magazine_is_known() first.
 */
#ifndef MEMPOOL_MAGAZINE_PRIV_H
#define MEMPOOL_MAGAZINE_PRIV_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rte_spinlock.h>

#include "magazine.h"
#include "mempool_magazine.h"

#define MEMPOOL_MAGAZINE_OPS   "magazine"
#define MEMPOOL_MAGAZINE_MAGIC 0x656e697a6167616dull /* "magazine" */
#define MEMPOOL_MAGAZINE_LAYOUT \
	1 /* plus one with every change to the struct below or to those of lib/magazine */

struct mempool_magazine {
	alignas(RTE_CACHE_LINE_SIZE) uint64_t magic; /* these three are first in every version */
	uint32_t layout;
	uint32_t pool_bytes; /* of struct magazine_pool, which the build's options change */
	uint64_t straight;   /* the maker, while its lcores just put and get; 0 = populating or hooks */
	struct magazine_pool *pool; /* NULL = freed by another process than the maker */
	uint64_t maker;             /* process that made it, see mempool_magazine_self */
	bool populating;
	uint32_t size, size_max; /* as in struct magazine_conf */
	struct mempool_magazine_hooks hooks;
	rte_spinlock_t use; /* of pool, by whoever is not its user: another process may end it */
	LIST_ENTRY(mempool_magazine) entry; /* of the maker's list */
};

/*
 * This process, for struct mempool_magazine: a random number, because pids are not unique
 * where processes have pid namespaces of their own. A child by fork() gets another one. 0 = there is none.
 */
extern __attribute__((visibility("hidden"))) uint64_t mempool_magazine_self;

/* Whether m has the layout that this copy of the driver has. NULL is allowed. */
bool mempool_magazine_is_known(const struct mempool_magazine *m);

/* Gives this process its number and its callbacks. A second call does nothing. Main thread. 0 or a negative errno. */
int mempool_magazine_process_init(void);

/* Puts m, complete, on the list of this process. */
void mempool_magazine_enter(struct mempool_magazine *m);

/* Replaces m->pool, of any process, and returns the old one: as below. */
struct magazine_pool *mempool_magazine_exchange(struct mempool_magazine *m, struct magazine_pool *pool);

/*
 * Ends m: takes it from the list and frees it, or, in another process than the maker's, has that do it later.
 * Returns its pool, which the callbacks of no process use any more: the caller's to destroy.
 */
struct magazine_pool *mempool_magazine_leave(struct mempool_magazine *m);

/* Calls use() for every pool that this process has made, none of which is ended meanwhile. Any thread. */
void mempool_magazine_each(void (*use)(struct magazine_pool *pool, void *arg), void *arg);

/*
 * Says which node new objects in mem[bytes] are at home on: the one that the memory was asked for. One that the
 * pool has no room to note (magazine_pool_range()) may be cached on another node, which is slower and otherwise harmless.
 */
void mempool_magazine_chunk_add(struct magazine_pool *pool, const void *mem, size_t bytes);

/* Registers the ops alone: telemetry follows when a pool is made. As mempool_magazine_register(). */
int mempool_magazine_register_ops(void);

/*
 * Adds /magazine/list and /magazine/pool. A second call does nothing.
 * Returns 0 or the negative errno of rte_telemetry_register_cmd().
 */
int mempool_magazine_telemetry(void);

#endif
