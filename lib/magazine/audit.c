/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The audit: every object by its address. The list of what was seeded is sorted, then every
 * magazine is walked and each round looked up: an object met twice was freed twice, one
 * that was not met is still out, one that is not on the list was never ours.
 */
#include <errno.h>
#include <stdlib.h>

#include "account.h"
#include "debug.h"
#include "magazine.h"
#include "magazine_priv.h"

struct audit {
	const struct magazine_pool *pool;
	void **objects; /* [n], sorted */
	uint8_t *seen;  /* [n], at most 2 */
	uint32_t n;
	void (*found)(void *arg, const struct magazine_finding *finding);
	void *arg;
	int n_found;
};

const char *
magazine_flaw_name(enum magazine_flaw flaw)
{
	static const char *const names[] = {
		[MAGAZINE_MISSING] = "missing",
		[MAGAZINE_DOUBLE] = "doubly present",
		[MAGAZINE_FOREIGN] = "foreign",
	};

	return names[flaw];
}

static void
report(struct audit *audit, enum magazine_flaw flaw, void *object, unsigned int lcore)
{
	struct magazine_finding finding = {.flaw = flaw, .object = object, .last_lcore = lcore};

	audit->n_found++;
	if (!audit->found)
		return;
	if (audit->pool->debugger) {
		const unsigned int known = magazine_debug_history(
			audit->pool->debugger, object, finding.history, sizeof(finding.history));

		finding.last_lcore = known == LCORE_ID_ANY ? lcore : known;
	}
	audit->found(audit->arg, &finding);
}

static int
compare(const void *a, const void *b)
{
	const uintptr_t x = (uintptr_t) * (void *const *)a, y = (uintptr_t) * (void *const *)b;

	return (x > y) - (x < y);
}

static void
rounds_audit(struct audit *audit, const struct magazine *mag, uint32_t n, unsigned int lcore)
{
	for (uint32_t i = 0; i < n; i++) {
		void **at = bsearch(&mag->rounds[i], audit->objects, audit->n, sizeof(*at), compare);

		if (!at) {
			report(audit, MAGAZINE_FOREIGN, mag->rounds[i], lcore);
			continue;
		}
		/* once for each object, however often it is met */
		if (audit->seen[at - audit->objects] == 1)
			report(audit, MAGAZINE_DOUBLE, *at, lcore);
		if (audit->seen[at - audit->objects] < 2)
			audit->seen[at - audit->objects]++;
	}
}

static void
list_audit(struct audit *audit, const struct magazine *mag)
{
	for (uint32_t n = 0; mag && n < audit->pool->n_magazines; mag = mag->next, n++)
		rounds_audit(audit, mag, mag->n, mag->last_lcore);
}

static void
cache_audit(struct audit *audit, unsigned int lcore)
{
	const struct magazine_cache *cache = &audit->pool->cache[lcore];

	rounds_audit(audit, cache->loaded, cache->n_loaded + cache->hidden, lcore);
	rounds_audit(audit, cache->previous, cache->n_previous, lcore);
	for (uint32_t node = 0; node < audit->pool->n_nodes; node++)
		if (cache->foreign[node])
			rounds_audit(audit, cache->foreign[node], cache->foreign[node]->n, lcore);
}

static void
places_audit(struct audit *audit)
{
	for (uint32_t node = 0; node < audit->pool->n_nodes; node++) {
		const struct magazine_depot *depot = audit->pool->depot[node];

		list_audit(audit, depot->full);
		list_audit(audit, depot->inbox);
		rounds_audit(audit, depot->loose, depot->loose->n, LCORE_ID_ANY);
	}
	for (unsigned int lcore = 0; lcore < RTE_MAX_LCORE; lcore++)
		cache_audit(audit, lcore);
	for (uint32_t i = 0; i < audit->n; i++)
		if (audit->seen[i] == 0)
			report(audit, MAGAZINE_MISSING, audit->objects[i], LCORE_ID_ANY);
}

int
magazine_pool_audit(const struct magazine_pool *pool,
	void (*found)(void *arg, const struct magazine_finding *finding), void *arg)
{
	struct audit audit = {.pool = pool, .n = pool->n_seeded, .found = found, .arg = arg};

	audit.objects = malloc((pool->n_seeded + 1) * sizeof(*audit.objects));
	audit.seen = calloc(pool->n_seeded + 1, 1);
	if (audit.objects && audit.seen) {
		memcpy(audit.objects, pool->objects, pool->n_seeded * sizeof(*audit.objects));
		qsort(audit.objects, audit.n, sizeof(*audit.objects), compare);
		places_audit(&audit);
	} else {
		audit.n_found = -ENOMEM;
	}
	free(audit.objects);
	free(audit.seen);
	return audit.n_found;
}
