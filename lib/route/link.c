/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links go and come. Adjacencies and groups follow at once; then the RIB is looked through for prefixes that
 * show something else than before (choice.h), by asking for each of those that may what it showed with the links
 * as they were. So a million routes that have nowhere else to go cost no change at all. Control thread only.
 *
 * This is right because a prefix for which the live FIB has something else than it showed before is noted
 * already: what is stale is settled first.
 */
#include <string.h>

#include "prefix.h"
#include "route_priv.h"

/* The links before a change. */
struct links {
	bool port_down[RTE_MAX_ETHPORTS];
	bool group_down[NEXTHOP_MAX];
};

static void
links_save(const struct route_table *table, struct links *links)
{
	memcpy(links->port_down, table->adjacencies.port_down, sizeof(links->port_down));
	memcpy(links->group_down, table->groups.down, sizeof(links->group_down));
}

/* Notes the prefixes that show something else now than in before. Returns whether there is any. */
static bool
note_changes(const struct choice *choice, const struct choice *before, struct fib_side *side)
{
	struct ip_prefix prefix;
	struct rib_entry entry;
	bool any = side->rebuild;
	uint32_t at = 0;

	/* What is to be built anew needs no further notes. */
	while (!side->rebuild && rib_next(choice->rib, &at, &prefix, &entry)) {
		const uint16_t usable = choice_usable(choice, &entry);

		if (usable != 0 && usable == choice_usable(before, &entry))
			continue;
		if (choice_shown(choice, &prefix, &entry) == choice_shown(before, &prefix, &entry))
			continue;
		fib_side_touch(side, &prefix);
		any = true;
	}
	return any;
}

/* Notes the prefixes in the stale region that have no usable id and do not show what the live FIB does. */
static void
settle_stale(const struct choice *choice, struct fib_side *side)
{
	struct ip_prefix prefix;
	struct rib_entry entry;
	uint32_t n_asked = 0;
	uint32_t at = 0;

	while (!side->rebuild && rib_next(choice->rib, &at, &prefix, &entry)) {
		if (choice_usable(choice, &entry) != 0 || !ip_prefix_covers(&choice->stale, &prefix.addr))
			continue;
		if (++n_asked > FIB_NOTES_MAX)
			fib_side_touch_all(side);
		else if (choice_shown(choice, &prefix, &entry) != fib_side_live(side, &prefix))
			fib_side_touch(side, &prefix);
	}
}

void
link_settle(struct route_table *table)
{
	for (unsigned int i = 0; i < N_FAMILIES; i++) {
		if (table->choices[i].has_stale)
			settle_stale(&table->choices[i], &table->sides[i]);
		table->choices[i].has_stale = false;
	}
}

bool
route_port_link(struct route_table *table, uint16_t port, bool up)
{
	struct links links;
	bool due = false;

	links_save(table, &links);
	link_settle(table);
	if (!adjacency_port_link(&table->adjacencies, port, up))
		return false;
	group_link(&table->groups, &table->adjacencies);
	for (unsigned int i = 0; i < N_FAMILIES; i++) {
		struct choice before = table->choices[i];

		before.port_down = links.port_down;
		before.group_down = links.group_down;
		choice_recount(&table->choices[i]);
		due |= note_changes(&table->choices[i], &before, &table->sides[i]);
	}
	return due;
}
