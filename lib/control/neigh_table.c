/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the neighbours are: one array, found by (port, address) with a hash whose seed nobody outside knows, or whoever
 * chooses the addresses that are asked for could choose them for one bucket.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_common.h>
#include <rte_jhash.h>

#include "control_priv.h"
#include "neigh_priv.h"

int
neigh_table_create(const struct neigh_conf *conf, struct neigh_table **table)
{
	const uint32_t n_max = NEIGH_DYNAMIC_MAX + conf->n_fixed;
	struct neigh_table *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return -ENOMEM;
	t->mask = rte_align32pow2(n_max) - 1;
	t->all = calloc(n_max, sizeof(*t->all));
	t->due = calloc(n_max, sizeof(*t->due));
	t->buckets = malloc((t->mask + 1ull) * sizeof(*t->buckets));
	if (t->all == NULL || t->due == NULL || t->buckets == NULL) {
		neigh_table_destroy(t);
		return -ENOMEM;
	}
	memset(t->buckets, 0xff, (t->mask + 1ull) * sizeof(*t->buckets));
	t->ops = conf->ops;
	t->arg = conf->arg;
	t->n_max = n_max;
	t->n_fixed = conf->n_fixed;
	t->free = NEIGH_NONE;
	t->hold_max = conf->hold_max;
	t->hash_seed = (uint32_t)conf->seed;
	t->random = conf->seed | 1;
	t->reachable_ns = (conf->reachable_ms != 0 ? conf->reachable_ms : NEIGH_REACHABLE_MS) * NS_PER_MS;
	t->soonest = NEIGH_NEVER;
	memset(t->up, true, sizeof(t->up));
	*table = t;
	return 0;
}

/* ---- packets ---- */

void
neigh_release(struct neigh_table *t, struct neigh *n, enum neigh_fate fate)
{
	struct skb *skb = n->held;

	n->held = skb->next;
	n->n_held--;
	t->n_held--;
	t->ops->release(t->arg, n, skb, fate);
}

void
neigh_release_all(struct neigh_table *t, struct neigh *n, enum neigh_fate fate)
{
	while (n->n_held > 0)
		neigh_release(t, n, fate);
}

void
neigh_append(struct neigh_table *t, struct neigh *n, struct skb *skb)
{
	skb->next = NULL;
	if (n->n_held == 0)
		n->held = skb;
	else
		n->newest->next = skb;
	n->newest = skb;
	n->n_held++;
	t->n_held++;
}

void
neigh_table_destroy(struct neigh_table *table)
{
	if (table == NULL)
		return;
	for (uint32_t i = 0; i < table->n_high; i++)
		neigh_release_all(table, &table->all[i], NEIGH_STOPPED);
	free(table->buckets);
	free(table->due);
	free(table->all);
	free(table);
}

/* ---- who there is ---- */

static uint32_t *
bucket_of(const struct neigh_table *t, uint16_t port, const struct ip_addr *addr)
{
	uint32_t words[4] = {0};

	memcpy(words, addr->bytes, addr->family == AF_INET ? 4 : 16);
	return &t->buckets[rte_jhash_32b(words, RTE_DIM(words),
				   t->hash_seed ^ ((uint32_t)port << 8 | addr->family)) &
			   t->mask];
}

static bool
has_key(const struct neigh *n, uint16_t port, const struct ip_addr *addr)
{
	return n->port == port && n->addr.family == addr->family &&
	       memcmp(n->addr.bytes, addr->bytes, addr->family == AF_INET ? 4 : 16) == 0;
}

struct neigh *
neigh_find(const struct neigh_table *table, uint16_t port, const struct ip_addr *addr)
{
	for (uint32_t i = *bucket_of(table, port, addr); i != NEIGH_NONE; i = table->all[i].next)
		if (has_key(&table->all[i], port, addr))
			return &table->all[i];
	return NULL;
}

void
neigh_account(struct neigh_table *t, const struct neigh *n, uint32_t by)
{
	t->n_used += by;
	if (n->pinned || n->state == NEIGH_STATIC)
		return;
	t->n_dynamic += by;
	if (n->state == NEIGH_INCOMPLETE)
		t->n_incomplete += by;
	else if (!n->confirmed)
		t->n_told += by;
}

struct neigh *
neigh_new(
	struct neigh_table *t, uint16_t port, const struct ip_addr *addr, enum neigh_state state, bool pinned)
{
	uint32_t *bucket = bucket_of(t, port, addr);
	const uint32_t i = t->free != NEIGH_NONE ? t->free : t->n_high++;
	struct neigh *n = &t->all[i];

	if (t->free != NEIGH_NONE)
		t->free = n->next;
	*n = (struct neigh){.addr.family = addr->family,
		.port = port,
		.state = (uint8_t)state,
		.used = true,
		.pinned = pinned,
		.next = *bucket};
	memcpy(n->addr.bytes, addr->bytes, addr->family == AF_INET ? 4 : 16);
	*bucket = i;
	t->due[i] = NEIGH_NEVER;
	neigh_account(t, n, 1);
	return n;
}

void
neigh_delete(struct neigh_table *t, struct neigh *n)
{
	const uint32_t i = (uint32_t)(n - t->all);
	uint32_t *at = bucket_of(t, n->port, &n->addr);

	while (*at != i)
		at = &t->all[*at].next;
	*at = n->next;
	neigh_account(t, n, -1);
	n->used = false;
	n->next = t->free;
	t->free = i;
	t->due[i] = NEIGH_NEVER;
}

/* ---- for people ---- */

uint32_t
neigh_n(const struct neigh_table *table)
{
	return table->n_used;
}

uint32_t
neigh_n_held(const struct neigh_table *table)
{
	return table->n_held;
}

uint32_t
neigh_dump(const struct neigh_table *table, struct control_neigh_view *views, uint32_t n)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < table->n_high && k < n; i++) {
		const struct neigh *one = &table->all[i];

		if (!one->used)
			continue;
		views[k++] = (struct control_neigh_view){
			.neigh = {.port = one->port, .addr = one->addr, .mac = one->mac},
			.state = one->state,
			.n_held = one->n_held};
	}
	return table->n_used;
}

const char *
neigh_state_name(enum neigh_state state)
{
	static const char *const names[] = {
		[NEIGH_INCOMPLETE] = "incomplete",
		[NEIGH_REACHABLE] = "reachable",
		[NEIGH_STALE] = "stale",
		[NEIGH_PROBE] = "probe",
		[NEIGH_FAILED] = "failed",
		[NEIGH_STATIC] = "static",
	};

	return names[state];
}
