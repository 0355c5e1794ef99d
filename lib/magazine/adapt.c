/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The size of magazines, M, follows the load of the depot.
 *
 * An exchange costs an lcore some 150 to 200 ns, most of it waiting for lines that
 * another core wrote; M objects share that. Larger magazines are therefore better
 * wherever objects cross cores, and worse where they do not: the LIFO of an lcore spreads
 * over more memory, and more objects lie about on lcores that have no use for them. So:
 *
 *   busy:  exchanges take more than 0.5 % of one lcore's time, or more than 2 % of them
 *          found the lock taken. Busy at three looks in a row: M doubles.
 *   calm:  less than a sixteenth of that. Calm for a second: M halves.
 *   starving: an lcore has found nothing since the last look. M halves: what others hold back is what it
 *          lacks, and the exchanges that giving it up costs are no reason to hold back more.
 *
 * libumem, where this comes from, looks at contention only, purges every cache to change the
 * size, and never shrinks. Here a magazine carries its own number of rounds, so that
 * sizes mix: caches learn M at their next exchange and nothing is moved. Each depot has its own M.
 *
 * The look is taken by whoever makes every sixteenth exchange, so that a pool adapts in
 * any program; a depot that is not visited at all has no need to.
 */
#include <time.h>

#include "magazine_priv.h"

#define SECOND_NS          UINT64_C(1000000000)
#define LOOK_NS            (SECOND_NS / 100)
#define CALM_NS            SECOND_NS
#define EXCHANGE_NS        175u
#define BUSY_FRACTION      200u /* of a lcore: 0.5 % */
#define CALM_FRACTION      16u  /* of busy */
#define CONTENDED_FRACTION 50u  /* of exchanges: 2 % */
#define CONTENDED_MIN      64u  /* exchanges, below which a fraction means nothing */
#define BUSY_LOOKS         3u

/* Coarse is a few ms, which is what it costs least to know. */
uint64_t
magazine_adapt_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static void
grow(struct magazine_depot *depot)
{
	depot->n_busy = 0;
	if (2 * depot->size > depot->size_limit)
		return;
	depot->size *= 2;
	depot->grown++;
}

static void
shrink(struct magazine_depot *depot)
{
	if (depot->size == depot->size_min)
		return;
	depot->size /= 2;
	depot->shrunk++;
}

/* One halving for each second of calm, however long nobody has looked. */
static void
calm_down(struct magazine_depot *depot, uint64_t now)
{
	for (; now - depot->calm_since >= CALM_NS && depot->size > depot->size_min;
		depot->calm_since += CALM_NS)
		shrink(depot);
	if (depot->size == depot->size_min)
		depot->calm_since = now;
}

void
magazine_depot_adapt(struct magazine_depot *depot, uint64_t now)
{
	const uint64_t elapsed = now - depot->looked_at;
	const uint64_t exchanges = depot->exchanges - depot->last_exchanges;
	const uint64_t contended = depot->contended - depot->last_contended;
	const uint64_t busy = exchanges * EXCHANGE_NS * BUSY_FRACTION;

	if (depot->looked_at == 0) {
		depot->looked_at = depot->calm_since = now;
		return;
	}
	if (elapsed < LOOK_NS)
		return;
	depot->looked_at = now;
	depot->last_exchanges = depot->exchanges;
	depot->last_contended = depot->contended;
	if (__atomic_exchange_n(&depot->starved, 0, __ATOMIC_RELAXED)) {
		depot->n_busy = 0;
		depot->calm_since = now;
		shrink(depot);
		return;
	}
	if (busy > elapsed || (exchanges >= CONTENDED_MIN && contended * CONTENDED_FRACTION > exchanges)) {
		depot->calm_since = now;
		if (++depot->n_busy >= BUSY_LOOKS)
			grow(depot);
		return;
	}
	depot->n_busy = 0;
	if (busy * CALM_FRACTION > elapsed)
		depot->calm_since = now;
	else
		calm_down(depot, now);
}

uint32_t
magazine_adapt_bound(uint32_t population, uint32_t n_lcores, uint32_t n_nodes)
{
	return population / 2 / (1 + n_nodes) / RTE_MAX(n_lcores, 1u);
}

static void
depot_limit(struct magazine_depot *depot, uint32_t bound)
{
	depot_lock(depot, NULL);
	depot->size_limit = depot->size_min;
	while (2 * depot->size_limit <= RTE_MIN(bound, depot->size_max))
		depot->size_limit *= 2;
	while (depot->size > depot->size_limit)
		shrink(depot);
	depot_unlock(depot);
}

void
magazine_adapt_limit(struct magazine_pool *pool, uint32_t n_open)
{
	const uint32_t bound =
		magazine_adapt_bound(pool->population, RTE_MAX(n_open, pool->n_lcores), pool->n_nodes);

	for (uint32_t node = 0; node < pool->n_nodes && pool->size_min < pool->size_max; node++)
		depot_limit(pool->depot[node], bound);
}

void
magazine_pool_adapt(struct magazine_pool *pool)
{
	for (uint32_t node = 0; node < pool->n_nodes; node++) {
		struct magazine_depot *depot = pool->depot[node];

		if (depot->size_min == depot->size_max)
			continue;
		depot_lock(depot, NULL);
		magazine_depot_adapt(depot, magazine_adapt_now());
		depot_unlock(depot);
	}
}
