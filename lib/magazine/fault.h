/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An injector of failed gets, for tests of whatever uses a pool. Only in builds with
 * asserts (without NDEBUG); there the environment variable MAGAZINE_FAULT holds
 *
 *   [pool=NAME,][after=N,][every=N|chance=P][,exchange]
 *
 *   pool      only the pool of this name; else all
 *   after     the first N gets succeed
 *   every     then every N-th get fails; 1 = each, which is also what after alone means
 *   chance    or each fails with this probability, 0 to 1
 *   exchange  gets that the cache itself can serve do not count and do not fail
 *
 * as MAGAZINE_FAULT=pool=data0,after=5000,every=7. A get counts once, whatever its n.
 */
#ifndef MAGAZINE_FAULT_H
#define MAGAZINE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

struct magazine_fault {
	uint64_t after, every;
	uint64_t chance; /* of 2^32 */
	bool by_chance;  /* else every */
	bool exchange;
	uint64_t n_gets;
	uint64_t n_fired;
};

/*
 * Reads text for the pool of this name. Returns 0 and *fault, -ENOENT (it is for another pool),
 * -EINVAL (it makes no sense) or -ENOTSUP (a build without faults).
 */
int magazine_fault_parse(const char *text, const char *pool, struct magazine_fault *fault);

#ifdef NDEBUG

static inline bool
magazine_fault_fires(struct magazine_fault *fault)
{
	return false;
}

static inline bool
magazine_fault_fires_exchange(struct magazine_fault *fault)
{
	return false;
}

#else

/* Whether the get that is just being made fails. fault may be NULL. Any thread. */
bool magazine_fault_fires(struct magazine_fault *fault);

/* The same, for a get that needs a depot. */
bool magazine_fault_fires_exchange(struct magazine_fault *fault);

#endif

#endif
