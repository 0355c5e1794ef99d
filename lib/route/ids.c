/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference-counted ids with deferred reuse. Control thread only. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>

#include "ids.h"

int
ids_init(struct ids *ids, uint16_t n_max)
{
	*ids = (struct ids){.n_max = n_max, .n_heads = rte_align32pow2(n_max)};
	ids->refs = calloc(n_max, sizeof(*ids->refs));
	ids->hash = calloc(n_max, sizeof(*ids->hash));
	ids->used = calloc(n_max, sizeof(*ids->used));
	ids->next = calloc(n_max, sizeof(*ids->next));
	ids->head = calloc(ids->n_heads, sizeof(*ids->head));
	if (ids->refs == NULL || ids->hash == NULL || ids->used == NULL || ids->next == NULL ||
		ids->head == NULL) {
		ids_fini(ids);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < ids->n_heads; i++)
		ids->head[i] = IDS_NONE;
	return 0;
}

void
ids_fini(struct ids *ids)
{
	free(ids->refs);
	free(ids->hash);
	free(ids->used);
	free(ids->next);
	free(ids->head);
	*ids = (struct ids){0};
}

static uint16_t *
head_of(const struct ids *ids, uint32_t hash)
{
	return &ids->head[hash & (ids->n_heads - 1)];
}

uint16_t
ids_find(const struct ids *ids, uint32_t hash, uint16_t after)
{
	uint16_t id = after == IDS_NONE ? *head_of(ids, hash) : ids->next[after];

	while (id != IDS_NONE && ids->hash[id] != hash)
		id = ids->next[id];
	return id;
}

uint16_t
ids_alloc(struct ids *ids, uint32_t hash)
{
	uint16_t *const head = head_of(ids, hash);
	uint16_t id = ids->n_low;

	if (ids->n_used == ids->n_max)
		return IDS_NONE;
	while (ids->used[id])
		id++;
	ids->used[id] = true;
	ids->hash[id] = hash;
	ids->refs[id] = 1;
	ids->next[id] = *head;
	*head = id;
	ids->n_used++;
	ids->n_low = id + 1;
	ids->n_high = RTE_MAX(ids->n_high, ids->n_low);
	return id;
}

static void
set_free(struct ids *ids, uint16_t id)
{
	uint16_t *link = head_of(ids, ids->hash[id]);

	while (*link != id)
		link = &ids->next[*link];
	*link = ids->next[id];
	ids->used[id] = false;
	ids->n_used--;
	ids->n_low = RTE_MIN(ids->n_low, id);
	while (ids->n_high > 0 && !ids->used[ids->n_high - 1])
		ids->n_high--;
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
		set_free(ids, id);
		ids->n_retired--;
		return id;
	}
	return IDS_NONE;
}
