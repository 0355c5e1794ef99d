/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference-counted ids with deferred reuse. Control thread only. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "ids.h"

int
ids_init(struct ids *ids, uint16_t n_max)
{
	*ids = (struct ids){.n_max = n_max};
	ids->refs = calloc(n_max, sizeof(*ids->refs));
	ids->hash = calloc(n_max, sizeof(*ids->hash));
	ids->used = calloc(n_max, sizeof(*ids->used));
	if (ids->refs != NULL && ids->hash != NULL && ids->used != NULL)
		return 0;
	ids_fini(ids);
	return -ENOMEM;
}

void
ids_fini(struct ids *ids)
{
	free(ids->refs);
	free(ids->hash);
	free(ids->used);
	*ids = (struct ids){0};
}

uint16_t
ids_find(const struct ids *ids, uint32_t hash, uint16_t from)
{
	for (uint16_t id = from; id < ids->n_high; id++)
		if (ids->hash[id] == hash && ids->used[id])
			return id;
	return IDS_NONE;
}

uint16_t
ids_alloc(struct ids *ids, uint32_t hash)
{
	uint16_t id = ids->n_high;

	if (ids->n_used == ids->n_max)
		return IDS_NONE;
	if (ids->n_used < ids->n_high)
		for (id = 0; ids->used[id]; id++)
			;
	ids->used[id] = true;
	ids->hash[id] = hash;
	ids->refs[id] = 1;
	ids->n_used++;
	if (id == ids->n_high)
		ids->n_high++;
	return id;
}

void
ids_hold(struct ids *ids, uint16_t id)
{
	assert(ids->used[id]);
	if (ids->refs[id]++ == 0)
		ids->n_retired--;
}

bool
ids_release(struct ids *ids, uint16_t id)
{
	assert(ids->used[id] && ids->refs[id] > 0);
	if (--ids->refs[id] > 0)
		return false;
	ids->n_retired++;
	return true;
}

uint16_t
ids_reclaim(struct ids *ids, uint16_t from)
{
	if (ids->n_retired == 0)
		return IDS_NONE;
	for (uint16_t id = from; id < ids->n_high; id++) {
		if (!ids->used[id] || ids->refs[id] > 0)
			continue;
		ids->used[id] = false;
		ids->n_used--;
		ids->n_retired--;
		while (ids->n_high > 0 && !ids->used[ids->n_high - 1])
			ids->n_high--;
		return id;
	}
	return IDS_NONE;
}
