/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links that go and come under a changing table, against a model that has the rule written out: what an address
 * gets is worked out from lists of slots and links at each look, with no memory of what was before.
 */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_cycles.h>
#include <rte_eal.h>

#include "small.h"

#define N_PORTS 3u
#define N_HOPS  9u /* gateways, also neighbours; hop i is on port i % N_PORTS */
#define N_SLOTS 4u /* per prefix: own, configured, connected, neighbour */
#define N_BASES 9u

enum { OWN, CONFIGURED, CONNECTED, NEIGHBOUR };

/* Where packets go. via: a bit for each hop; without any, kind says what, for FORWARD an on-link host of port. */
struct target {
	bool present;
	enum nexthop_kind kind;
	uint16_t port;
	unsigned int via;
	bool host; /* on-link, and only one: its own next hop */
};

struct entry {
	linear_addr_t addr;
	uint8_t len;
	struct target slot[N_SLOTS];
};

struct present {
	linear_addr_t addr, mask;
	uint8_t len;
	const struct target *usable; /* NULL: nothing is */
	const struct target *first;
};

struct model {
	struct route_table *table;
	uint8_t family;
	struct entry entries[400];
	unsigned int n;
	struct present present[400];
	unsigned int n_present;
	bool up[N_PORTS];
	bool known[N_HOPS];
	struct ip_addr hop[N_HOPS];
	struct random random;
	unsigned int n_withdrawn, n_port_down, n_group_partly, n_links;
};

/* The same world in both families: 32 bits of address behind 2001:db8::/32. */
static linear_addr_t
embed(const struct model *model, uint32_t addr)
{
	if (model->family == AF_INET)
		return (linear_addr_t)addr << 96;
	return (linear_addr_t)0x20010db8 << 96 | (linear_addr_t)addr << 64;
}

static uint8_t
embed_len(const struct model *model, uint8_t len)
{
	if (model->family == AF_INET || len == 0)
		return len;
	return len == 32 ? 128 : (uint8_t)(len + 32);
}

/* Port p has 10.p.0.1/16; port 0 also 10.1.128.1/17, inside the subnet of port 1. */
static uint32_t
hop_addr(unsigned int hop)
{
	return 10u << 24 | (hop % N_PORTS) << 16 | (10 + hop / N_PORTS);
}

/* All prefixes of a run lie around these. */
static const uint32_t bases[N_BASES] = {10u << 24, 10u << 24 | 1u << 16, 10u << 24 | 1u << 16 | 128u << 8,
	10u << 24 | 10, 10u << 24 | 1u << 16 | 10, 10u << 24 | 2u << 16 | 11, 10u << 24 | 1, 77u << 24,
	77u << 24 | 5u << 16 | 3u << 8 | 200};
static const uint8_t lens[] = {0, 12, 13, 16, 17, 24, 25, 30, 31, 32};

static struct entry *
model_entry(struct model *model, uint32_t addr, uint8_t len)
{
	const uint8_t bits = embed_len(model, len);
	const linear_addr_t value = embed(model, addr) & linear_mask(bits);
	unsigned int i = 0;

	while (i < model->n && (model->entries[i].addr != value || model->entries[i].len != bits))
		i++;
	assert_true(i < RTE_DIM(model->entries));
	if (i == model->n)
		model->entries[model->n++] = (struct entry){.addr = value, .len = bits};
	return &model->entries[i];
}

static struct ip_prefix
prefix_at(const struct model *model, const struct entry *entry)
{
	return linear_to_prefix(model->family, entry->addr, entry->len);
}

static struct ip_addr
addr_at(const struct model *model, uint32_t addr)
{
	return linear_to_addr(model->family, embed(model, addr));
}

static void
claim(struct model *model, uint32_t addr, uint8_t len, unsigned int slot, struct target target)
{
	struct entry *const entry = model_entry(model, addr, len);

	target.present = true;
	if (!entry->slot[slot].present)
		entry->slot[slot] = target;
}

static void
connect_to(struct model *model, uint16_t port, uint32_t addr, uint8_t len)
{
	const struct ip_addr own = addr_at(model, addr);

	assert_int_equal(route_add_connected(model->table, port, &own, embed_len(model, len)), 0);
	claim(model, addr, 32, OWN, (struct target){.kind = NEXTHOP_LOCAL});
	claim(model, addr, len, CONNECTED, (struct target){.kind = NEXTHOP_FORWARD, .port = port});
	if (model->family == AF_INET)
		claim(model, addr | ((1u << (32 - len)) - 1), 32, CONNECTED,
			(struct target){.kind = NEXTHOP_BROADCAST});
}

static void
model_create(struct model *model, uint8_t family, uint64_t seed)
{
	memset(model, 0, sizeof(*model));
	model->family = family;
	random_seed(&model->random, seed);
	assert_int_equal(route_table_create(-1, NULL, &model->table), 0);
	for (uint16_t port = 0; port < N_PORTS; port++) {
		port_setup(model->table, port);
		model->up[port] = true;
		connect_to(model, port, 10u << 24 | (uint32_t)port << 16 | 1, 16);
	}
	connect_to(model, 0, 10u << 24 | 1u << 16 | 128u << 8 | 1, 17);
	/* All prefixes that can ever have anything. */
	for (unsigned int base = 0; base < N_BASES; base++)
		for (unsigned int i = 0; i < sizeof(lens); i++)
			model_entry(model, bases[base], lens[i]);
	for (unsigned int hop = 0; hop < N_HOPS; hop++) {
		model->hop[hop] = addr_at(model, hop_addr(hop));
		model_entry(model, hop_addr(hop), 32);
	}
}

/* The rule. */
static bool
usable(const struct model *model, const struct target *target)
{
	if (!target->present || (target->via == 0 && target->kind == NEXTHOP_FORWARD))
		return target->present && model->up[target->port];
	for (unsigned int hop = 0; hop < N_HOPS; hop++)
		if (target->via & 1u << hop && model->up[hop % N_PORTS])
			return true;
	return target->via == 0;
}

static const struct target *
first_slot(const struct model *model, const struct entry *entry, bool only_usable)
{
	for (unsigned int slot = 0; slot < N_SLOTS; slot++)
		if (only_usable ? usable(model, &entry->slot[slot]) : entry->slot[slot].present)
			return &entry->slot[slot];
	return NULL;
}

/* Prefixes that have anything, at this moment. */
static void
snapshot(struct model *model)
{
	model->n_present = 0;
	for (unsigned int i = 0; i < model->n; i++) {
		const struct entry *const entry = &model->entries[i];
		const struct present present = {entry->addr, linear_mask(entry->len), entry->len,
			first_slot(model, entry, true), first_slot(model, entry, false)};

		if (present.first != NULL)
			model->present[model->n_present++] = present;
	}
}

/* The longest prefix shorter than len that covers addr; only usable ones, or any. */
static const struct present *
longest(const struct model *model, linear_addr_t addr, int len, bool only_usable)
{
	const struct present *best = NULL;

	for (unsigned int i = 0; i < model->n_present; i++) {
		const struct present *const present = &model->present[i];

		if (present->len < len && ((present->addr ^ addr) & present->mask) == 0 &&
			(best == NULL || present->len > best->len) &&
			(!only_usable || present->usable != NULL))
			best = present;
	}
	return best;
}

static const struct target *
model_lookup(struct model *model, linear_addr_t addr)
{
	const struct present *present = longest(model, addr, 129, false);

	for (; present != NULL; present = longest(model, addr, present->len, false)) {
		if (present->usable != NULL)
			return present->usable;
		if (longest(model, addr, present->len, true) == NULL)
			return present->first;
		model->n_withdrawn++;
	}
	return NULL;
}

static enum nexthop_kind
hop_kind(const struct model *model, unsigned int hop)
{
	if (!model->up[hop % N_PORTS])
		return NEXTHOP_PORT_DOWN;
	return model->known[hop] ? NEXTHOP_FORWARD : NEXTHOP_UNRESOLVED;
}

/* Which hop an adjacency is. */
static unsigned int
hop_of(const struct model *model, const struct adjacency *adjacency)
{
	for (unsigned int hop = 0; hop < N_HOPS; hop++) {
		if (adjacency->port == hop % N_PORTS && adjacency->family == model->family &&
			memcmp(adjacency->addr, model->hop[hop].bytes, sizeof(adjacency->addr)) == 0)
			return hop;
	}
	return N_HOPS;
}

/* All buckets lead to living hops of the group, or to all of its hops if none lives. */
static bool
group_is(struct model *model, uint16_t id, unsigned int via)
{
	unsigned int alive = 0, found = 0;

	for (unsigned int hop = 0; hop < N_HOPS; hop++)
		if (via & 1u << hop && hop_kind(model, hop) == NEXTHOP_FORWARD)
			alive |= 1u << hop;
	for (unsigned int i = 0; i < NEXTHOP_BUCKETS; i++) {
		const uint16_t bucket = route_groups(model->table)[id & ~NEXTHOP_GROUP].bucket[i];
		const struct adjacency *const adjacency = &route_adjacencies(model->table)[bucket];
		const unsigned int hop = hop_of(model, adjacency);

		if (hop == N_HOPS || adjacency->kind != hop_kind(model, hop))
			return false;
		found |= 1u << hop;
	}
	model->n_group_partly += alive != 0 && alive != via;
	return found == (alive != 0 ? alive : via);
}

static bool
answer_is(struct model *model, uint16_t id, const struct target *want)
{
	const struct adjacency *const adjacency = &route_adjacencies(model->table)[id % NEXTHOP_GROUP];
	const unsigned int hop = hop_of(model, adjacency);

	if (want == NULL)
		return id == NEXTHOP_ID_NO_ROUTE;
	if (want->via & (want->via - 1))
		return id & NEXTHOP_GROUP && group_is(model, id, want->via);
	if (id & NEXTHOP_GROUP)
		return false;
	model->n_port_down += adjacency->kind == NEXTHOP_PORT_DOWN;
	if (want->via != 0)
		return 1u << hop == want->via && adjacency->kind == hop_kind(model, hop);
	if (want->kind != NEXTHOP_FORWARD)
		return adjacency->kind == want->kind;
	if (want->host && hop < N_HOPS)
		return adjacency->port == want->port && adjacency->kind == hop_kind(model, hop);
	return adjacency->port == want->port && (adjacency->addr[0] != 0) == want->host &&
	       adjacency->kind == (model->up[want->port] ? NEXTHOP_UNRESOLVED : NEXTHOP_PORT_DOWN);
}

static void
check(struct model *model, linear_addr_t addr)
{
	const struct ip_addr value = linear_to_addr(model->family, addr);
	const uint16_t id = lookup_one(model->table, &value);
	const struct target *const want = model_lookup(model, addr);
	char text[INET6_ADDRSTRLEN];

	if (answer_is(model, id, want))
		return;
	inet_ntop(model->family, value.bytes, text, sizeof(text));
	if (want == NULL)
		fail_msg("%s: id %#x, but there is no route", text, id);
	else
		fail_msg("%s: id %#x, but kind %u port %u via %#x", text, id, want->kind, want->port,
			want->via);
}

/* Both ends of every prefix, and somewhere in it. */
static void
check_all(struct model *model)
{
	snapshot(model);
	for (unsigned int i = 0; i < model->n; i++) {
		const struct entry *const entry = &model->entries[i];
		const linear_addr_t host = ~linear_mask(entry->len);

		check(model, entry->addr);
		check(model, entry->addr | host);
		check(model, entry->addr | ((linear_addr_t)random_next(&model->random) << 64 & host));
	}
}

/* One to three gateways, an on-link port, or a special. */
static struct target
pick_target(struct model *model)
{
	static const enum nexthop_kind special[] = {NEXTHOP_BLACKHOLE, NEXTHOP_UNREACHABLE, NEXTHOP_PROHIBIT};
	const unsigned int what = random_below(&model->random, 10);
	struct target target = {.present = true, .kind = NEXTHOP_FORWARD};

	if (what == 0)
		target.kind = special[random_below(&model->random, 3)];
	else if (what < 3)
		target.port = (uint16_t)random_below(&model->random, N_PORTS);
	else
		for (unsigned int i = 0; i < 1 + what % 3; i++)
			target.via |= 1u << random_below(&model->random, N_HOPS);
	return target;
}

static int
add_target(const struct model *model, const struct ip_prefix *prefix, const struct target *target)
{
	struct route_path paths[N_HOPS];
	unsigned int n = 0;

	for (unsigned int hop = 0; hop < N_HOPS; hop++)
		if (target->via & 1u << hop)
			paths[n++] = (struct route_path){addr_at(model, hop_addr(hop)), 1 + hop % 2};
	if (n > 0)
		return route_add(model->table, prefix, paths, n);
	if (target->kind != NEXTHOP_FORWARD)
		return route_add_special(model->table, prefix, target->kind);
	return route_add_onlink(model->table, prefix, target->port);
}

/* The default route is taken less often: it costs the FIB 32 MB each time. */
static uint8_t
pick_len(struct model *model)
{
	const uint8_t len = lens[random_below(&model->random, sizeof(lens))];

	return len == 0 && random_below(&model->random, 3) != 0 ? 16 : len;
}

static void
change_route(struct model *model)
{
	const uint32_t base = bases[random_below(&model->random, N_BASES)];
	struct entry *const entry = model_entry(model, base, pick_len(model));
	const struct ip_prefix prefix = prefix_at(model, entry);
	struct target target;

	if (entry->slot[CONFIGURED].present) {
		assert_int_equal(route_del(model->table, &prefix), 0);
		entry->slot[CONFIGURED].present = false;
		return;
	}
	target = pick_target(model);
	target.host = entry->len == embed_len(model, 32);
	assert_int_equal(add_target(model, &prefix, &target), 0);
	entry->slot[CONFIGURED] = target;
}

static void
change_neighbour(struct model *model)
{
	const unsigned int hop = random_below(&model->random, N_HOPS);
	const struct ip_addr addr = addr_at(model, hop_addr(hop));
	struct target *const slot = &model_entry(model, hop_addr(hop), 32)->slot[NEIGHBOUR];
	const struct rte_ether_addr mac = mac_of((uint8_t)random_below(&model->random, 200));

	model->known[hop] = random_below(&model->random, 3) != 0;
	if (model->known[hop])
		assert_int_equal(route_neigh_add(model->table, hop % N_PORTS, &addr, &mac), 0);
	else
		route_neigh_del(model->table, hop % N_PORTS, &addr);
	*slot = (struct target){model->known[hop], NEXTHOP_FORWARD, 0, 1u << hop};
}

static void
change_link(struct model *model)
{
	const uint16_t port = (uint16_t)random_below(&model->random, N_PORTS);

	model->up[port] = random_below(&model->random, 2) == 0;
	route_port_link(model->table, port, model->up[port]);
	model->n_links++;
}

static void
change(struct model *model)
{
	const unsigned int what = random_below(&model->random, 8);

	if (what == 0)
		change_link(model);
	else if (what < 4)
		change_neighbour(model);
	else
		change_route(model);
}

/* Every change alone, or many between two publications; before the first, too. */
static void
run_model(uint8_t family, uint64_t seed, unsigned int n_changes)
{
	static struct model model;

	printf("family %u seed %lu\n", family, seed);
	model_create(&model, family, seed);
	for (unsigned int i = 0; i < n_changes;) {
		unsigned int n = 1;

		if (random_below(&model.random, 3) == 0)
			n += random_below(&model.random, 12);
		for (i += n; n > 0; n--)
			change(&model);
		publish(model.table);
		check_all(&model);
	}
	/* Enough of everything to mean something. */
	assert_in_range(model.n_withdrawn, n_changes, UINT32_MAX);
	assert_in_range(model.n_port_down, n_changes / 4, UINT32_MAX);
	assert_in_range(model.n_group_partly, n_changes / 4, UINT32_MAX);
	assert_in_range(model.n_links, n_changes / 16, UINT32_MAX);
	route_table_destroy(model.table);
}

static void
test_model(void **state)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		run_model(AF_INET, seed, 1000);
		run_model(AF_INET6, seed, 1000);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
	};
	int failed;

	if (rte_eal_init(argc, argv) < 0)
		return EXIT_FAILURE;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rte_eal_cleanup();
	return failed;
}
