/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the FIB of one family shows for each prefix of the RIB, given which ports are down.
 *
 * An id is usable if it does not lead over ports that are down only (a fixed id, an adjacency over a port that
 * is up, a group with such an adjacency). What a prefix shows:
 *
 *   the first of its ids, in order of precedence, that is usable;
 *   otherwise, if some shorter prefix that covers it has a usable id: nothing, so that lookups fall to that;
 *   otherwise its first id (and packets go to NEXTHOP_PORT_DOWN).
 *
 * Nothing is stored: it follows from the RIB and the links (those of now, or a copy from before a change), and
 * is worked out again whenever one of them has changed. A change to one prefix can also change what longer ones show, if these have no usable id; the smallest
 * prefix around all such changes is kept (stale), and whoever publishes looks at the longer ones in it once.
 * Control thread only.
 */
#ifndef CHOICE_H
#define CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "adjacency.h"
#include "group.h"
#include "rib.h"

struct choice {
	const struct rib *rib;
	const struct adjacency_table *adjacencies;
	const bool *port_down;  /* [RTE_MAX_ETHPORTS] */
	const bool *group_down; /* [NEXTHOP_MAX]: all of its ports are */
	uint32_t n_usable[129]; /* prefixes of each length that have a usable id */
	struct ip_prefix stale; /* valid if has_stale */
	bool has_stale;
};

/* The first usable id, 0 if there is none. */
uint16_t choice_usable(const struct choice *choice, const struct rib_entry *entry);

/* What prefix, which has entry in the RIB, shows; 0: nothing. */
uint16_t choice_shown(
	const struct choice *choice, const struct ip_prefix *prefix, const struct rib_entry *entry);

/* What prefix has in the RIB goes from before to after. Returns whether what it shows can have changed. */
bool choice_changed(struct choice *choice, const struct ip_prefix *prefix, const struct rib_entry *before,
	const struct rib_entry *after);

/* Links have changed: n_usable is counted anew, by looking at the whole RIB. */
void choice_recount(struct choice *choice);

/* A prefix that shows something. */
struct rib_route {
	struct ip_prefix prefix;
	uint8_t cover_len; /* length of the longest shorter such prefix that covers this one, 0 if none */
	bool usable;
	uint16_t id;
};

/*
 * All prefixes that show something, in order of address, a covering prefix before those it covers:
 * *routes[*n], to be freed by the caller. *n is 0 only if the RIB is empty. Returns 0, -ENOMEM.
 */
int choice_sort(const struct choice *choice, struct rib_route **routes, uint32_t *n);

#endif
