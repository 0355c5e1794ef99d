/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links go and come. Adjacencies and groups follow at once; then the RIB is looked through for prefixes that
 * show something else now (choice.h). Those that lead over the port, or have nothing usable, can; whether one
 * does is decided by comparing with the live FIB, so a million routes that have nowhere else to go cost no
 * change at all. Control thread only.
 */
#include "prefix.h"
#include "route_priv.h"

#define NO_PORT RTE_MAX_ETHPORTS

/* Does the link of port decide whether some id of entry is usable? */
static bool
hangs_on(const struct route_table *table, const struct rib_entry *entry, uint16_t port)
{
	if (port == NO_PORT)
		return false;
	for (unsigned int source = 0; source < RIB_N_SOURCES; source++) {
		const uint16_t id = entry->id[source];

		if (id & NEXTHOP_GROUP
				? table->groups.turned[id & ~NEXTHOP_GROUP]
				: id >= NEXTHOP_ID_FIRST && table->adjacencies.entries[id].port == port)
			return true;
	}
	return false;
}

/* Notes the prefixes in region that do not show what the live FIB does, of those that hang on port or have no
 * usable id. Returns whether there is any. */
static bool
recheck(struct route_table *table, unsigned int family, const struct ip_prefix *region, uint16_t port)
{
	const struct choice *const choice = &table->choices[family];
	struct fib_side *const side = &table->sides[family];
	struct ip_prefix prefix;
	struct rib_entry entry;
	bool any = side->rebuild;
	uint32_t at = 0;

	/* What is to be built anew needs no further notes. */
	while (!side->rebuild && rib_next(choice->rib, &at, &prefix, &entry)) {
		if (!ip_prefix_covers(region, &prefix.addr))
			continue;
		if (!hangs_on(table, &entry, port) && choice_usable(choice, &entry) != 0)
			continue;
		if (choice_shown(choice, &prefix, &entry) == fib_side_live(side, &prefix))
			continue;
		fib_side_touch(side, &prefix);
		any = true;
	}
	return any;
}

bool
route_port_link(struct route_table *table, uint16_t port, bool up)
{
	bool due = false;

	if (!adjacency_port_link(&table->adjacencies, port, up))
		return false;
	group_link(&table->groups, &table->adjacencies);
	for (unsigned int i = 0; i < N_FAMILIES; i++) {
		const struct ip_prefix everything = {.addr.family = table->ribs[i].family};

		choice_recount(&table->choices[i]);
		due |= recheck(table, i, &everything, port);
	}
	return due;
}

void
link_settle(struct route_table *table)
{
	for (unsigned int i = 0; i < N_FAMILIES; i++) {
		if (table->choices[i].has_stale)
			recheck(table, i, &table->choices[i].stale, NO_PORT);
		table->choices[i].has_stale = false;
	}
}
