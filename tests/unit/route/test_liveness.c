/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups whose next hops come and go, against the rule: a bucket whose path lives is never moved, the others
 * are shared out among those that live, by weight, the same way every time; if none lives, nothing is moved.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include <rte_common.h>

#include "group.h"

#define N_PORTS  3u
#define N_HOPS   8u
#define N_GROUPS 12u

struct lab {
	struct adjacency_table adjacencies;
	struct group_table groups;
	uint16_t hop[N_HOPS]; /* hop i is on port i % N_PORTS */
	bool known[N_HOPS];
	bool up[N_PORTS];
	uint16_t group[N_GROUPS];
	struct nexthop_group first[N_GROUPS]; /* all living */
	struct nexthop_group seen[N_GROUPS][1 << N_HOPS];
	bool was_seen[N_GROUPS][1 << N_HOPS];
};

static void
lab_create(struct lab *lab)
{
	const struct rte_ether_addr mac = {{2, 0, 0, 0, 0, 1}};

	memset(lab, 0, sizeof(*lab));
	assert_int_equal(adjacency_init(&lab->adjacencies, -1, NULL), 0);
	assert_int_equal(group_init(&lab->groups, -1), 0);
	for (uint16_t port = 0; port < N_PORTS; port++) {
		assert_int_equal(adjacency_port_set(&lab->adjacencies, port, &mac, 1500), 0);
		lab->up[port] = true;
	}
	for (unsigned int i = 0; i < N_HOPS; i++) {
		const struct ip_addr addr = {AF_INET, {10, 0, 0, (uint8_t)(1 + i)}};

		assert_int_equal(adjacency_hold(&lab->adjacencies, i % N_PORTS, &addr, &lab->hop[i]), 0);
	}
}

static void
lab_destroy(struct lab *lab)
{
	group_fini(&lab->groups);
	adjacency_fini(&lab->adjacencies);
}

static bool
lives(const struct lab *lab, unsigned int hop)
{
	return lab->known[hop] && lab->up[hop % N_PORTS];
}

static void
set_known(struct lab *lab, unsigned int hop, bool known)
{
	const struct rte_ether_addr mac = {{2, 0, 0, 0, 1, (uint8_t)hop}};

	if (lab->known[hop] == known)
		return;
	lab->known[hop] = known;
	if (known)
		adjacency_resolve(&lab->adjacencies, lab->hop[hop], &mac);
	else
		adjacency_unresolve(&lab->adjacencies, lab->hop[hop]);
	group_adjacency_changed(&lab->groups, &lab->adjacencies, lab->hop[hop]);
}

static void
set_up(struct lab *lab, uint16_t port, bool up)
{
	assert_int_equal(adjacency_port_link(&lab->adjacencies, port, up), lab->up[port] != up);
	lab->up[port] = up;
	group_link(&lab->groups, &lab->adjacencies);
}

/* Group g over the hops in mask, hop i with weight[i]; its nominal buckets are seen while all live. */
static void
add_group(struct lab *lab, unsigned int g, unsigned int mask, const unsigned int *weight)
{
	struct group_path paths[N_HOPS];
	unsigned int n = 0;

	for (unsigned int i = 0; i < N_HOPS; i++)
		if (mask & 1u << i)
			paths[n++] = (struct group_path){lab->hop[i], weight[i]};
	assert_int_equal(group_hold(&lab->groups, &lab->adjacencies, paths, n, &lab->group[g]), 0);
	lab->group[g] &= (uint16_t)~NEXTHOP_GROUP;
	group_share(paths, n, lab->first[g].bucket, NEXTHOP_BUCKETS);
}

static unsigned int
hop_of(const struct lab *lab, uint16_t adjacency)
{
	for (unsigned int i = 0; i < N_HOPS; i++)
		if (lab->hop[i] == adjacency)
			return i;
	fail_msg("%u is no hop", adjacency);
	return 0;
}

/* Each living path has of the n_lent buckets its part by weight, exact to less than one. */
static void
check_lent(const unsigned int *own, const unsigned int *lent, unsigned int n_own, unsigned int n_lent)
{
	for (unsigned int i = 0; i < N_HOPS; i++) {
		const double exact = n_own == 0 ? 0 : (double)n_lent * own[i] / n_own;

		if (lent[i] > 0 || own[i] > 0)
			assert_true(lent[i] > exact - 1 && lent[i] < exact + 1);
	}
}

static void
check_group(struct lab *lab, unsigned int g)
{
	const struct nexthop_group *const now = &lab->groups.entries[lab->group[g]];
	unsigned int own[N_HOPS] = {0}, lent[N_HOPS] = {0};
	unsigned int n_own = 0, n_lent = 0, alive = 0;
	bool down = true;

	for (unsigned int i = 0; i < NEXTHOP_BUCKETS; i++) {
		const unsigned int hop = hop_of(lab, lab->first[g].bucket[i]);

		own[hop] += lives(lab, hop);
		n_own += lives(lab, hop);
		alive |= (unsigned int)lives(lab, hop) << hop;
		down &= !lab->up[hop % N_PORTS];
	}
	for (unsigned int i = 0; i < NEXTHOP_BUCKETS; i++) {
		const unsigned int hop = hop_of(lab, lab->first[g].bucket[i]);

		if (n_own == 0 || lives(lab, hop)) {
			assert_int_equal(now->bucket[i], lab->first[g].bucket[i]);
			continue;
		}
		assert_true(own[hop_of(lab, now->bucket[i])] > 0);
		lent[hop_of(lab, now->bucket[i])]++;
		n_lent++;
	}
	check_lent(own, lent, n_own, n_lent);
	assert_int_equal(lab->groups.down[lab->group[g]], down);
	if (lab->was_seen[g][alive])
		assert_memory_equal(now, &lab->seen[g][alive], sizeof(*now));
	lab->was_seen[g][alive] = true;
	lab->seen[g][alive] = *now;
}

static void
test_two_paths(void **state)
{
	static struct lab lab;
	const unsigned int weight[N_HOPS] = {3, 1};

	lab_create(&lab);
	set_known(&lab, 0, true);
	set_known(&lab, 1, true);
	add_group(&lab, 0, 3, weight);
	assert_memory_equal(&lab.groups.entries[lab.group[0]], &lab.first[0], sizeof(lab.first[0]));
	assert_int_equal(lab.first[0].bucket[191], lab.hop[0]);
	assert_int_equal(lab.first[0].bucket[192], lab.hop[1]);
	set_known(&lab, 0, false);
	for (unsigned int i = 0; i < NEXTHOP_BUCKETS; i++)
		assert_int_equal(lab.groups.entries[lab.group[0]].bucket[i], lab.hop[1]);
	set_up(&lab, 1, false); /* nobody is left */
	assert_memory_equal(&lab.groups.entries[lab.group[0]], &lab.first[0], sizeof(lab.first[0]));
	set_known(&lab, 0, true);
	for (unsigned int i = 0; i < NEXTHOP_BUCKETS; i++)
		assert_int_equal(lab.groups.entries[lab.group[0]].bucket[i], lab.hop[0]);
	set_up(&lab, 1, true);
	assert_memory_equal(&lab.groups.entries[lab.group[0]], &lab.first[0], sizeof(lab.first[0]));
	lab_destroy(&lab);
}

/* Groups that share their next hops; some are made while nobody is known. */
static void
test_random(void **state)
{
	static struct lab lab;
	uint32_t random = 1;

	lab_create(&lab);
	for (unsigned int g = 0; g < N_GROUPS; g++) {
		unsigned int weight[N_HOPS];
		unsigned int mask = 0;

		for (unsigned int i = 0; i < N_HOPS; i++) {
			random = random * 1664525 + 1013904223;
			weight[i] = 1 + (random >> 8) % (g < 4 ? 1 : 7);
			mask |= (random >> 16 & 1) << i;
		}
		add_group(&lab, g, mask | 1u << g % N_HOPS | 1u << (g + 3) % N_HOPS, weight);
	}
	for (unsigned int round = 0; round < 5000; round++) {
		random = random * 1664525 + 1013904223;
		if (random >> 28 == 0)
			set_up(&lab, (random >> 8) % N_PORTS, random >> 16 & 1);
		else
			set_known(&lab, (random >> 8) % N_HOPS, random >> 16 & 1);
		for (unsigned int g = 0; g < N_GROUPS; g++)
			check_group(&lab, g);
	}
	lab_destroy(&lab);
}

/* A group that nothing holds any more is still read, until it is reclaimed; then it lets its next hops go. */
static void
test_retired(void **state)
{
	static struct lab lab;
	const unsigned int weight[N_HOPS] = {1, 1};

	lab_create(&lab);
	set_known(&lab, 0, true);
	set_known(&lab, 1, true);
	add_group(&lab, 0, 3, weight);
	group_unref(&lab.groups, &lab.adjacencies, lab.group[0] | NEXTHOP_GROUP);
	set_known(&lab, 1, false);
	check_group(&lab, 0);
	add_group(&lab, 1, 3, weight);
	assert_int_equal(lab.group[1], lab.group[0]);
	set_known(&lab, 1, true);
	check_group(&lab, 1);
	group_unref(&lab.groups, &lab.adjacencies, lab.group[1] | NEXTHOP_GROUP);
	group_reclaim(&lab.groups, &lab.adjacencies);
	assert_int_equal(lab.adjacencies.uses[lab.hop[0]].n_groups, 0);
	assert_int_equal(lab.adjacencies.uses[lab.hop[0]].n_leads, 0);
	assert_int_equal(lab.adjacencies.ids.refs[lab.hop[0] - NEXTHOP_ID_FIRST], 1);
	lab_destroy(&lab);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_paths),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_retired),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
