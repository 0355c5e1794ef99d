/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The neighbours' states. Times stand apart from the neighbours, in one dense array, and the soonest of them is
 * known: to look whether anything is due costs a comparison, to find out what, a few microseconds for some thousand neighbours.
 */
#include <errno.h>

#include <rte_common.h>

#include "neigh_priv.h"

/* xorshift64* (Vigna): so that neighbours that came together are not asked together for ever. */
static uint64_t
random_next(struct neigh_table *t)
{
	t->random ^= t->random >> 12;
	t->random ^= t->random << 25;
	t->random ^= t->random >> 27;
	return t->random * 0x2545f4914f6cdd1dull;
}

static void
due_set(struct neigh_table *t, const struct neigh *n, uint64_t due)
{
	t->due[n - t->all] = due;
	t->soonest = RTE_MIN(t->soonest, due);
}

static void
state_set(struct neigh_table *t, struct neigh *n, enum neigh_state state, uint64_t due)
{
	neigh_account(t, n, -1);
	n->state = (uint8_t)state;
	n->confirmed |= state == NEIGH_REACHABLE;
	n->n_asked = 0;
	neigh_account(t, n, 1);
	due_set(t, n, due);
}

int
neigh_add_static(struct neigh_table *table, const struct control_neigh *neigh)
{
	if (neigh_find(table, neigh->port, &neigh->addr) != NULL)
		return -EEXIST;
	if (table->n_used - table->n_dynamic == table->n_fixed)
		return -ENOSPC;
	neigh_new(table, neigh->port, &neigh->addr, NEIGH_STATIC, false)->mac = neigh->mac;
	return 0;
}

/* ---- asking ---- */

static void
ask(struct neigh_table *t, struct neigh *n, uint64_t now)
{
	due_set(t, n, now + NEIGH_RETRANS_NS);
	if (n->n_asked < NEIGH_ASK_MAX)
		n->n_asked++;
	t->ops->solicit(t->arg, n, n->state == NEIGH_PROBE);
}

int
neigh_pin(struct neigh_table *table, uint16_t port, const struct ip_addr *addr)
{
	struct neigh *n = neigh_find(table, port, addr);

	if (n != NULL && (n->pinned || n->state == NEIGH_STATIC))
		return 0;
	if (table->n_used - table->n_dynamic == table->n_fixed)
		return -ENOSPC;
	if (n == NULL) {
		neigh_new(table, port, addr, NEIGH_INCOMPLETE, true);
		return 0;
	}
	neigh_account(table, n, -1);
	n->pinned = true;
	neigh_account(table, n, 1);
	return 0;
}

static void
becomes_unknown(struct neigh_table *t, struct neigh *n)
{
	t->ops->unknown(t->arg, n);
	n->mac = (struct rte_ether_addr){0};
}

/* RFC 4861 7.2.2: three questions without an answer. */
static void
gives_up(struct neigh_table *t, struct neigh *n, uint64_t now)
{
	neigh_release_all(t, n, NEIGH_GIVEN_UP);
	if (!n->pinned) {
		neigh_delete(t, n);
		return;
	}
	state_set(t, n, NEIGH_FAILED, NEIGH_NEVER);
	ask(t, n, now);
}

/* RFC 4861 7.3.3: it does not answer at the address where it was. */
static void
is_lost(struct neigh_table *t, struct neigh *n, uint64_t now)
{
	becomes_unknown(t, n);
	if (!n->pinned) {
		neigh_delete(t, n);
		return;
	}
	state_set(t, n, NEIGH_INCOMPLETE, NEIGH_NEVER);
	ask(t, n, now);
}

static void
expire(struct neigh_table *t, struct neigh *n, uint64_t now)
{
	switch (n->state) {
	case NEIGH_INCOMPLETE:
		if (n->n_asked == NEIGH_ASK_MAX)
			gives_up(t, n, now);
		else
			ask(t, n, now);
		break;
	case NEIGH_REACHABLE:
	case NEIGH_STALE:
		state_set(t, n, NEIGH_PROBE, NEIGH_NEVER);
		ask(t, n, now);
		break;
	case NEIGH_PROBE:
		if (n->n_asked == NEIGH_ASK_MAX)
			is_lost(t, n, now);
		else
			ask(t, n, now);
		break;
	default: ask(t, n, now); break;
	}
}

void
neigh_tick(struct neigh_table *table, uint64_t now_ns)
{
	uint64_t soonest = NEIGH_NEVER;

	if (now_ns < table->soonest)
		return;
	for (uint32_t i = 0; i < table->n_high; i++) {
		if (table->due[i] <= now_ns)
			expire(table, &table->all[i], now_ns);
		soonest = RTE_MIN(soonest, table->due[i]);
	}
	table->soonest = soonest;
}

/* ---- who wants to know ---- */

enum neigh_held
neigh_hold(struct neigh_table *table, uint16_t port, const struct ip_addr *addr, struct skb *skb,
	uint64_t now_ns, struct neigh **n)
{
	struct neigh *to = neigh_find(table, port, addr);

	if (to != NULL && neigh_is_known(to)) {
		*n = to;
		return NEIGH_KNOWN;
	}
	if (!table->up[port])
		return NEIGH_NO_LINK;
	if (to == NULL) {
		if (table->n_dynamic == NEIGH_DYNAMIC_MAX || table->n_incomplete >= NEIGH_INCOMPLETE_MAX)
			return NEIGH_FULL;
		to = neigh_new(table, port, addr, NEIGH_INCOMPLETE, false);
		ask(table, to, now_ns);
	}
	/* it is asked once a second anyway: this packet waits for three answers more */
	if (to->state == NEIGH_FAILED)
		state_set(table, to, NEIGH_INCOMPLETE, table->due[to - table->all]);
	if (to->n_held == NEIGH_HELD_MAX)
		neigh_release(table, to, NEIGH_REPLACED);
	else if (table->n_held >= table->hold_max)
		return NEIGH_FULL;
	neigh_append(table, to, skb);
	return NEIGH_HELD;
}

/* ---- who says what ---- */

static void
becomes_reachable(struct neigh_table *t, struct neigh *n, uint64_t now)
{
	/* RFC 4861 6.3.2: MIN_RANDOM_FACTOR .5 to MAX_RANDOM_FACTOR 1.5 */
	state_set(t, n, NEIGH_REACHABLE, now + t->reachable_ns / 2 + random_next(t) % t->reachable_ns);
}

/* Whoever repeats it does not put the probe off. */
static void
becomes_stale(struct neigh_table *t, struct neigh *n, uint64_t now)
{
	if (n->state != NEIGH_STALE)
		state_set(t, n, NEIGH_STALE, now + NEIGH_DELAY_NS);
}

static bool
learn_new(struct neigh_table *t, uint16_t port, const struct ip_addr *addr, const struct neigh_claim *claim,
	uint64_t now)
{
	struct neigh *n;

	if (!claim->create || claim->mac == NULL || t->n_dynamic == NEIGH_DYNAMIC_MAX ||
		t->n_told >= NEIGH_TOLD_MAX)
		return false;
	n = neigh_new(t, port, addr, NEIGH_STALE, false);
	n->mac = *claim->mac;
	due_set(t, n, now + NEIGH_DELAY_NS);
	t->ops->known(t->arg, n);
	return true;
}

/* RFC 4861 7.2.5: "INCOMPLETE state"; the override flag does not matter. */
static bool
learn_first(struct neigh_table *t, struct neigh *n, const struct neigh_claim *claim, uint64_t now)
{
	if (claim->mac == NULL)
		return false;
	n->mac = *claim->mac;
	if (claim->solicited)
		becomes_reachable(t, n, now);
	else
		becomes_stale(t, n, now);
	t->ops->known(t->arg, n);
	neigh_release_all(t, n, NEIGH_READY);
	return true;
}

/* RFC 4861 7.2.5: "in any state other than INCOMPLETE". */
static bool
learn_again(struct neigh_table *t, struct neigh *n, const struct neigh_claim *claim, uint64_t now)
{
	const bool differs = claim->mac != NULL && !rte_is_same_ether_addr(claim->mac, &n->mac);

	if (differs && !claim->override) { /* I */
		if (n->state != NEIGH_REACHABLE)
			return false;
		becomes_stale(t, n, now);
		return true;
	}
	if (differs) /* II */
		n->mac = *claim->mac;
	if (claim->solicited)
		becomes_reachable(t, n, now);
	else if (differs)
		becomes_stale(t, n, now);
	if (differs)
		t->ops->known(t->arg, n);
	return true;
}

bool
neigh_learn(struct neigh_table *table, uint16_t port, const struct ip_addr *addr,
	const struct neigh_claim *claim, uint64_t now_ns)
{
	struct neigh *n = neigh_find(table, port, addr);

	if (!table->up[port] || (n != NULL && n->state == NEIGH_STATIC))
		return false;
	if (n == NULL)
		return learn_new(table, port, addr, claim, now_ns);
	return neigh_is_known(n) ? learn_again(table, n, claim, now_ns)
				 : learn_first(table, n, claim, now_ns);
}

/* ---- links ---- */

static void
goes_down(struct neigh_table *t, struct neigh *n)
{
	if (neigh_is_known(n))
		becomes_unknown(t, n);
	neigh_release_all(t, n, NEIGH_LINK_DOWN);
	if (n->pinned)
		state_set(t, n, NEIGH_INCOMPLETE, NEIGH_NEVER);
	else
		neigh_delete(t, n);
}

void
neigh_link(struct neigh_table *table, uint16_t port, bool up, uint64_t now_ns)
{
	table->up[port] = up;
	for (uint32_t i = 0; i < table->n_high; i++) {
		struct neigh *n = &table->all[i];

		if (!n->used || n->port != port || n->state == NEIGH_STATIC)
			continue;
		if (!up)
			goes_down(table, n);
		else if (table->due[i] == NEIGH_NEVER)
			ask(table, n, now_ns);
	}
}
