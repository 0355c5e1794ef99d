/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which ids of a table are in use, and by how many. Life of an id:
 *
 *   free --ids_alloc--> held --last ids_release--> retired --ids_reclaim--> free
 *                         ^                           |
 *                         +-------- ids_hold ---------+
 *
 * A retired id still has its table entry, because a worker may be about to read it; only after a quiescent
 * state may ids_reclaim() set it free. Finding is by a 32-bit hash, one linear scan over dense words: next
 * hops are few (thousands) and only the control thread looks for them.
 */
#ifndef IDS_H
#define IDS_H

#include <stdbool.h>
#include <stdint.h>

struct ids {
	uint32_t *refs;
	uint32_t *hash;
	bool *used; /* held or retired */
	uint16_t n_max;
	uint16_t n_high; /* no id at or above is used */
	uint16_t n_used;
	uint16_t n_retired; /* used, but refs is 0 */
};

#define IDS_NONE UINT16_MAX

/* Makes n_max free ids, 0 to n_max - 1. Returns 0, -ENOMEM. */
int ids_init(struct ids *ids, uint16_t n_max);
void ids_fini(struct ids *ids);

/* The next used id at or after from with this hash (the caller compares the rest), or IDS_NONE. */
uint16_t ids_find(const struct ids *ids, uint32_t hash, uint16_t from);

/* Takes the lowest free id, with one reference. IDS_NONE: none is free. */
uint16_t ids_alloc(struct ids *ids, uint32_t hash);

void ids_hold(struct ids *ids, uint16_t id);
/* Gives one reference back; returns true if it was the last. */
bool ids_release(struct ids *ids, uint16_t id);

/* Sets a retired id at or after from free and returns it; IDS_NONE: there is none. After a quiescent state
 * only. */
uint16_t ids_reclaim(struct ids *ids, uint16_t from);

#endif
