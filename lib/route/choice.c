/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ids prefixes show, one by one as changes come in, or all of them in order. Control thread only. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "prefix.h"

static bool
id_usable(const struct choice *choice, uint16_t id)
{
	if (id < NEXTHOP_ID_FIRST)
		return true;
	if (id & NEXTHOP_GROUP)
		return !choice->group_down[id & ~NEXTHOP_GROUP];
	return !choice->port_down[choice->adjacencies->entries[id].port];
}

uint16_t
choice_usable(const struct choice *choice, const struct rib_entry *entry)
{
	for (unsigned int source = 0; source < RIB_N_SOURCES; source++)
		if (entry->id[source] != 0 && id_usable(choice, entry->id[source]))
			return entry->id[source];
	return 0;
}

static bool
has_usable_cover(const struct choice *choice, const struct ip_prefix *prefix)
{
	for (uint8_t len = prefix->len; len-- > 0;) {
		struct ip_prefix cover;
		struct rib_entry entry;

		if (choice->n_usable[len] == 0)
			continue;
		cover = ip_prefix_from(&prefix->addr, len);
		entry = rib_get(choice->rib, &cover);
		if (choice_usable(choice, &entry) != 0)
			return true;
	}
	return false;
}

uint16_t
choice_shown(const struct choice *choice, const struct ip_prefix *prefix, const struct rib_entry *entry)
{
	const uint16_t usable = choice_usable(choice, entry);
	const uint16_t first = rib_entry_best(entry);

	if (usable != 0 || first == 0)
		return usable;
	return has_usable_cover(choice, prefix) ? 0 : first;
}

static void
add_stale(struct choice *choice, const struct ip_prefix *prefix)
{
	/* No link is down, so no prefix is without a usable id; or there is no longer one. */
	if (choice->adjacencies->n_down == 0 || prefix->len == ip_family_bits(prefix->addr.family))
		return;
	choice->stale = choice->has_stale ? ip_prefix_join(&choice->stale, prefix) : *prefix;
	choice->has_stale = true;
}

bool
choice_changed(struct choice *choice, const struct ip_prefix *prefix, const struct rib_entry *before,
	const struct rib_entry *after)
{
	const uint16_t was = choice_usable(choice, before);
	const uint16_t is = choice_usable(choice, after);

	choice->n_usable[prefix->len] += (is != 0) - (was != 0);
	if ((is != 0) != (was != 0))
		add_stale(choice, prefix);
	return is != was || (is == 0 && rib_entry_best(after) != rib_entry_best(before));
}

void
choice_recount(struct choice *choice)
{
	struct ip_prefix prefix;
	struct rib_entry entry;
	uint32_t at = 0;

	memset(choice->n_usable, 0, sizeof(choice->n_usable));
	while (rib_next(choice->rib, &at, &prefix, &entry))
		choice->n_usable[prefix.len] += choice_usable(choice, &entry) != 0;
}

/* Byte by byte in memory: family (the same for all), address, length. */
static int
compare_routes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct ip_prefix));
}

static_assert(offsetof(struct rib_route, prefix) == 0 && offsetof(struct ip_prefix, len) == 17,
	"compare_routes() sorts by address, then length");

/*
 * Drops those of routes[n] that show nothing; returns how many stay. The prefixes that cover a route, each
 * covering the next, are a chain of earlier routes. It is enough to ask the last: one that shows something
 * without being usable has no usable one above it.
 */
static uint32_t
find_covers(struct rib_route *routes, uint32_t n)
{
	const struct rib_route *chain[129];
	unsigned int depth = 0;
	uint32_t n_shown = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct rib_route route = routes[i];

		while (depth > 0 && !ip_prefix_covers(&chain[depth - 1]->prefix, &route.prefix.addr))
			depth--;
		if (depth > 0 && chain[depth - 1]->usable && !route.usable)
			continue;
		route.cover_len = depth > 0 ? chain[depth - 1]->prefix.len : 0;
		routes[n_shown] = route;
		chain[depth++] = &routes[n_shown++];
	}
	return n_shown;
}

int
choice_sort(const struct choice *choice, struct rib_route **routes, uint32_t *n)
{
	struct rib_route *const sorted = calloc(choice->rib->n_prefixes + 1, sizeof(*sorted));
	struct rib_entry entry;
	uint32_t at = 0;

	*n = 0;
	if (sorted == NULL)
		return -ENOMEM;
	while (rib_next(choice->rib, &at, &sorted[*n].prefix, &entry)) {
		const uint16_t usable = choice_usable(choice, &entry);

		sorted[*n].id = usable != 0 ? usable : rib_entry_best(&entry);
		sorted[*n].usable = usable != 0;
		++*n;
	}
	qsort(sorted, *n, sizeof(*sorted), compare_routes);
	*n = find_covers(sorted, *n);
	*routes = sorted;
	return 0;
}
