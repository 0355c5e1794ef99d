/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building, updating and swapping the two copies of a FIB.
 *
 * Before the first publication only the RIB fills; the copy is built once, in the order of choice_sort()
 * (covering prefixes first, so that adding a prefix never has to go around longer ones). After that an
 * update of a few prefixes is applied to the standby in place, and any error of the library means: free it,
 * build it from the RIB. A copy is built with room to grow, so builds for want of room come in a geometric
 * row.
 *
 * Invariants between calls: live is what prefixes showed at the last publication; so is
 * standby, if it exists (after a failed fib_side_prepare() it may be ahead, which notes applied twice do not
 * mind).
 *
 * Cost of a copy: 32 MB for tbl24 (64 MB wide), 512 bytes for each tbl8 group (1 kB wide), and what
 * the library's own RIB takes: two nodes of 192 bytes for each route there is room for.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <rte_common.h>

#include "fib.h"

#define FIB_NODE_BYTES 192u

/* Room for n_routes that need n_tbl8 now, and some slack, times 2^doublings. */
static struct fib_size
size_for(const struct fib_ops *ops, uint32_t n_routes, uint32_t n_tbl8, unsigned int doublings)
{
	const uint64_t n_wanted = ((uint64_t)n_tbl8 + n_tbl8 / 4 + ops->slack_tbl8) << doublings;
	struct fib_size size;

	/* Slack alone is no reason for wide entries, unless narrow ones have failed. */
	size.wide = n_tbl8 >= FIB_TBL8_MAX_NARROW || (doublings > 0 && n_wanted > FIB_TBL8_MAX_NARROW);
	size.n_tbl8 = (uint32_t)RTE_MIN(n_wanted, size.wide ? FIB_TBL8_MAX_WIDE : FIB_TBL8_MAX_NARROW);
	size.n_routes = (n_routes + n_routes / 8 + 512) << doublings;
	return size;
}

static int
fill(const struct fib_ops *ops, void *table, const struct rib_route *routes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const int ret = ops->add(table, &routes[i].prefix, routes[i].id);

		if (ret != 0)
			return ret;
	}
	return 0;
}

/* Builds from routes[n], each time with twice the room until they fit. */
static int
build_sorted(struct fib_side *side, struct fib *fib, const struct rib_route *routes, uint32_t n)
{
	const uint32_t n_tbl8 = side->ops->count_tbl8(routes, n);

	for (unsigned int doublings = 0; doublings < 8; doublings++) {
		const struct fib_size size = size_for(side->ops, n, n_tbl8, doublings);
		void *const table = side->ops->create(side->choice->rib->node, &size);

		if (table == NULL)
			return -ENOMEM;
		side->n_builds++;
		if (fill(side->ops, table, routes, n) == 0) {
			*fib = (struct fib){table, size};
			return 0;
		}
		side->ops->free(table);
	}
	return -ENOMEM;
}

static int
fib_build(struct fib_side *side, struct fib *fib)
{
	struct rib_route *routes;
	uint32_t n;
	int ret;

	*fib = (struct fib){0};
	if (side->choice->rib->n_prefixes == 0)
		return 0;
	ret = choice_sort(side->choice, &routes, &n);
	if (ret != 0)
		return ret;
	ret = build_sorted(side, fib, routes, n);
	free(routes);
	return ret;
}

static void
fib_drop(const struct fib_side *side, struct fib *fib)
{
	if (fib->table != NULL)
		side->ops->free(fib->table);
	*fib = (struct fib){0};
}

/* Makes table yield for prefix what it shows. */
static int
apply_note(const struct fib_side *side, void *table, const struct ip_prefix *prefix)
{
	const struct rib_entry entry = rib_get(side->choice->rib, prefix);
	const uint16_t want = choice_shown(side->choice, prefix, &entry);
	const uint16_t have = side->ops->find(table, prefix);
	int ret = 0;

	if (want == have)
		return 0;
	/* Never an add over the old one: that returns 0 in 22.11 even when it failed half way. */
	if (have != 0)
		ret = side->ops->del(table, prefix);
	if (ret == 0 && want != 0)
		ret = side->ops->add(table, prefix, want);
	return ret;
}

static int
apply_notes(const struct fib_side *side, void *table)
{
	for (uint32_t note = 0; note < side->n_notes; note++) {
		const int ret = apply_note(side, table, &side->notes[note]);

		if (ret != 0)
			return ret;
	}
	return 0;
}

int
fib_side_init(struct fib_side *side, const struct choice *choice)
{
	*side = (struct fib_side){
		.ops = choice->rib->family == AF_INET ? &fib4_ops : &fib6_ops,
		.choice = choice,
		.notes = calloc(FIB_NOTES_MAX, sizeof(*side->notes)),
	};
	return side->notes == NULL ? -ENOMEM : 0;
}

void
fib_side_fini(struct fib_side *side)
{
	if (side->ops == NULL)
		return;
	fib_drop(side, &side->live);
	fib_drop(side, &side->standby);
	free(side->notes);
}

void
fib_side_touch(struct fib_side *side, const struct ip_prefix *prefix)
{
	if (side->n_notes == FIB_NOTES_MAX)
		side->rebuild = true;
	else
		side->notes[side->n_notes++] = *prefix;
}

void
fib_side_touch_all(struct fib_side *side)
{
	side->rebuild = true;
}

uint16_t
fib_side_live(const struct fib_side *side, const struct ip_prefix *prefix)
{
	return side->live.table == NULL ? 0 : side->ops->find(side->live.table, prefix);
}

bool
fib_side_changed(const struct fib_side *side)
{
	return side->n_notes > 0 || side->rebuild;
}

int
fib_side_prepare(struct fib_side *side)
{
	if (!fib_side_changed(side))
		return 0;
	if (!side->rebuild && side->standby.table != NULL && apply_notes(side, side->standby.table) == 0)
		return 0;
	fib_drop(side, &side->standby);
	return fib_build(side, &side->standby);
}

void
fib_side_swap(struct fib_side *side)
{
	if (fib_side_changed(side))
		RTE_SWAP(side->live, side->standby);
}

void
fib_side_settle(struct fib_side *side)
{
	if (!fib_side_changed(side))
		return;
	if (side->rebuild || side->standby.table == NULL || apply_notes(side, side->standby.table) != 0)
		fib_drop(side, &side->standby);
	side->n_notes = 0;
	side->rebuild = false;
}

static uint64_t
fib_bytes(const struct fib *fib)
{
	const uint64_t entry_bytes = fib->size.wide ? 4 : 2;

	if (fib->table == NULL)
		return 0;
	return entry_bytes * ((1u << 24) + 256ull * fib->size.n_tbl8) +
	       2ull * FIB_NODE_BYTES * fib->size.n_routes;
}

uint64_t
fib_side_bytes(const struct fib_side *side)
{
	return fib_bytes(&side->live) + fib_bytes(&side->standby);
}
