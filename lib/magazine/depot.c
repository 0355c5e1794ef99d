/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The depot's lists and its loose magazine. The lists are one pointer swap each
 * and live in magazine_priv.h; here is what copies objects one by one: for
 * threads that are no lcore, for filling a pool, and for the rare get of more
 * than a cache and one magazine hold. The lock is held throughout; see the
 * invariants in magazine_priv.h.
 */
#include <string.h>

#include "magazine_priv.h"

void
magazine_depot_init(struct magazine_depot *depot, void *mem, uint32_t n, uint32_t size, uint32_t size_min,
	uint32_t size_max)
{
	char *at = mem;

	rte_spinlock_init(&depot->lock);
	depot->size = size;
	depot->size_min = size_min;
	depot->size_max = depot->size_limit = size_max;
	for (uint32_t i = 0; i < n; i++, at += magazine_stride(size_max))
		depot_push_empty(depot, (struct magazine *)at);
	depot->loose = depot_pop_empty(depot);
}

uint32_t
magazine_depot_put_loose(struct magazine_depot *depot, void *const *objs, uint32_t n)
{
	struct magazine *loose = depot->loose;
	/* more than M only if M has just shrunk */
	const uint32_t room = loose->n < depot->size ? depot->size - loose->n : 0;
	const uint32_t k = RTE_MIN(n, room);

	memcpy(&loose->rounds[loose->n], objs, k * sizeof(*objs));
	loose->n += k;
	if (k == room) {
		depot_push_full(depot, loose, loose->n, LCORE_ID_ANY);
		depot->loose = depot_pop_empty(depot);
	}
	return k;
}

void
magazine_depot_get_loose(struct magazine_depot *depot, void **objs, uint32_t n)
{
	assert(n <= depot_avail(depot));
	while (n > 0) {
		if (depot->loose->n == 0) {
			depot_push_empty(depot, depot->loose);
			depot->loose = depot_pop_full(depot);
		}

		struct magazine *loose = depot->loose;
		const uint32_t k = RTE_MIN(n, loose->n);

		loose->n -= k;
		memcpy(objs, &loose->rounds[loose->n], k * sizeof(*objs));
		objs += k;
		n -= k;
	}
}

static bool
full_check(const struct magazine_depot *depot)
{
	uint32_t n = 0, rounds = 0;

	for (const struct magazine *mag = depot->full; mag && n <= depot->n_full; mag = mag->next, n++) {
		if (mag->n < depot->size_min || mag->n > depot->size_max)
			return false;
		rounds += mag->n;
	}
	return n == depot->n_full && rounds == depot->n_rounds;
}

static bool
empty_check(const struct magazine_depot *depot)
{
	uint32_t n = 0;

	for (const struct magazine *mag = depot->empty; mag && n <= depot->n_empty; mag = mag->next, n++)
		if (mag->n != 0)
			return false;
	return n == depot->n_empty;
}

bool
magazine_depot_check(const struct magazine_depot *depot)
{
	return full_check(depot) && empty_check(depot) && depot->loose->n < depot->size_max;
}
