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
depot_init(struct magazine_depot *depot, void *mem, uint32_t n, uint32_t size)
{
	char *at = mem;

	rte_spinlock_init(&depot->lock);
	depot->size = size;
	depot->n_magazines = n;
	for (uint32_t i = 0; i < n; i++, at += magazine_stride(size))
		depot_push_empty(depot, (struct magazine *)at);
	depot->loose = depot_pop_empty(depot);
}

void
depot_put_loose(struct magazine_depot *depot, void *const *objs, uint32_t n)
{
	while (n > 0) {
		struct magazine *loose = depot->loose;
		const uint32_t k = RTE_MIN(n, depot->size - loose->n);

		memcpy(&loose->rounds[loose->n], objs, k * sizeof(*objs));
		loose->n += k;
		objs += k;
		n -= k;
		if (loose->n == depot->size) {
			depot_push_full(depot, loose, LCORE_ID_ANY);
			depot->loose = depot_pop_empty(depot);
		}
	}
}

void
depot_get_loose(struct magazine_depot *depot, void **objs, uint32_t n)
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
list_check(const struct magazine *mag, uint32_t length, uint32_t rounds)
{
	for (; mag && length > 0; mag = mag->next, length--)
		if (mag->n != rounds)
			return false;
	return !mag && length == 0;
}

bool
depot_check(const struct magazine_depot *depot)
{
	return list_check(depot->full, depot->n_full, depot->size) &&
	       list_check(depot->empty, depot->n_empty, 0) && depot->loose->n < depot->size;
}
