/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which ids of a table are in use, and by how many. Life of an id:
 *
 *   free --ids_alloc--> held --last ids_release--> retired --ids_reclaim--> free
 *                         ^                           |
 *                         +-------- ids_hold ---------+
 *
 * A retired id still has its table entry, because a worker may be about to read it; only after a quiescent
 * state may ids_reclaim() set it free. Used ids are found by a 32-bit hash, each in the chain of its last bits
 * (a scan took 20 us among 8192 neighbours, and they come and go by the thousand).
 */
#ifndef IDS_H
#define IDS_H

#include <stdbool.h>
#include <stdint.h>

struct ids {
	uint32_t *refs;
	uint32_t *hash;
	bool *used;     /* held or retired */
	uint16_t *head; /* [n_heads]: first id of each chain */
	uint16_t *next; /* [n_max]: the id behind this one in its chain */
	uint32_t n_heads;
	uint16_t n_max;
	uint16_t n_low;  /* every id below is used */
	uint16_t n_high; /* no id at or above is used */
	uint16_t n_used;
	uint16_t n_retired; /* used, but refs is 0 */
};

#define IDS_NONE UINT16_MAX

/* Makes n_max free ids, 0 to n_max - 1; n_max >= 1. Returns 0, -ENOMEM. */
int ids_init(struct ids *ids, uint16_t n_max);
void ids_fini(struct ids *ids);

/* The used id with this hash that follows after, IDS_NONE: the first (in no order; the caller compares the
 * rest). Returns IDS_NONE behind the last. */
uint16_t ids_find(const struct ids *ids, uint32_t hash, uint16_t after);

/* Takes the lowest free id, with one reference. IDS_NONE: none is free. */
uint16_t ids_alloc(struct ids *ids, uint32_t hash);

void ids_hold(struct ids *ids, uint16_t id);
/* Gives one reference back; returns true if it was the last. */
bool ids_release(struct ids *ids, uint16_t id);

/* Sets a retired id at or after from free and returns it; IDS_NONE: there is none. After a quiescent state
 * only. */
uint16_t ids_reclaim(struct ids *ids, uint16_t from);

#endif
