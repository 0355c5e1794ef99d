/* SPDX-License-Identifier: BSD-3-Clause */
/* Owners by one thread: whose balance moves when, what the limit admits, and who is called when there is room again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bufs.h"
#include "skb_frags.h"
#include "skb_share.h"

#define HOME     3u /* the lcore of cpu */
#define N_BUFS   128u
#define N_HEADS  64u
#define ROOM     256u
#define TRUESIZE ((int64_t)(sizeof(struct skb) + sizeof(struct rte_mbuf) + ROOM)) /* of a single segment */
#define MORE     ((int64_t)(sizeof(struct rte_mbuf) + ROOM))                      /* of each further one */

static struct rte_mempool *bufs;
static struct skb_pool *heads;
static struct skb_cpu cpu, elsewhere;
static struct skb_owner owner, other;

static int
setup(void **state)
{
	bufs = bufs_open(N_BUFS, ROOM);
	assert_int_equal(skb_pool_create("heads", N_HEADS, 32, SOCKET_ID_ANY, &heads), 0);
	skb_cpu_init(&cpu, heads, bufs, HOME);
	skb_cpu_init(&elsewhere, heads, bufs, HOME + 1);
	skb_owner_init(&owner, "owner", 0, HOME);
	skb_owner_init(&other, "other", 0, LCORE_ID_ANY);
	return 0;
}

static int
teardown(void **state)
{
	assert_int_equal(skb_owner_used(&owner), 0);
	assert_int_equal(skb_owner_used(&other), 0);
	assert_int_equal(magazine_pool_avail(skb_pool_heads(heads)), N_HEADS);
	assert_int_equal(magazine_pool_check(skb_pool_heads(heads)), 0);
	skb_pool_destroy(heads);
	bufs_close(bufs);
	return 0;
}

static struct skb *
packet(uint32_t n_segs, struct skb_owner *charged)
{
	struct rte_mbuf *const mbuf = bufs_chain(bufs, 0, n_segs, 50, 1);
	struct skb *skb;

	assert_int_equal(skb_build_bulk(&cpu, &mbuf, &skb, 1, charged), 0);
	return skb;
}

static void
assert_balance(int64_t home, int64_t away)
{
	assert_int_equal(owner.home, home);
	assert_int_equal(owner.away, away);
	assert_int_equal(skb_owner_used(&owner), home + away);
}

static void
the_name_is_cut(void **state)
{
	struct skb_owner named;
	char name[SKB_OWNER_NAME_LEN + 10];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	skb_owner_init(&named, name, 5, 7);
	assert_int_equal(strlen(named.name), SKB_OWNER_NAME_LEN - 1);
	assert_int_equal(named.limit, 5);
	assert_int_equal(named.lcore, 7);
	assert_int_equal(skb_owner_used(&named), 0);
	assert_int_equal(skb_owner_refused(&named), 0);
}

/* Only its own lcore writes to the home half. */
static void
home_and_away(void **state)
{
	skb_owner_charge(&owner, HOME, 100);
	assert_balance(100, 0);
	skb_owner_charge(&owner, HOME + 1, 30);
	assert_balance(100, 30);
	skb_owner_charge(&owner, LCORE_ID_ANY, 4);
	assert_balance(100, 34);
	skb_owner_release(&owner, HOME, 70);
	assert_balance(30, 34);
	/* charged here, released there: only the sum means something */
	skb_owner_release(&owner, HOME + 1, 64);
	assert_balance(30, -30);

	/* many threads are LCORE_ID_ANY: it is no home */
	skb_owner_charge(&other, LCORE_ID_ANY, 9);
	assert_int_equal(other.home, 0);
	assert_int_equal(other.away, 9);
	skb_owner_release(&other, LCORE_ID_ANY, 9);
}

static void
build_charges_once(void **state)
{
	struct rte_mbuf *mbufs[5];
	struct skb *skbs[5];

	for (uint32_t i = 0; i < 5; i++)
		mbufs[i] = bufs_chain(bufs, 0, 1 + i, 50, 1);
	assert_int_equal(skb_build_bulk(&cpu, mbufs, skbs, 5, &owner), 0);
	assert_balance(5 * TRUESIZE + (0 + 1 + 2 + 3 + 4) * MORE, 0);
	for (uint32_t i = 0; i < 5; i++) {
		assert_ptr_equal(skbs[i]->owner, &owner);
		assert_int_equal(skbs[i]->truesize, TRUESIZE + i * MORE);
	}
	skb_consume(&cpu, skbs[4]);
	assert_balance(4 * TRUESIZE + (0 + 1 + 2 + 3) * MORE, 0);
	skb_drop(&elsewhere, skbs[3], 1);
	assert_int_equal(owner.away, -(TRUESIZE + 3 * MORE));
	skb_orphan_bulk(&cpu, skbs, 3);
	for (uint32_t i = 0; i < 3; i++)
		skb_consume(&cpu, skbs[i]);
}

/* The last user releases it; clones and copies are nobody's. */
static void
one_charge_for_one_head(void **state)
{
	struct skb *const skb = packet(2, &owner);
	struct skb *clone, *copy, *pcopy;

	assert_int_equal(skb_clone(&cpu, skb, &clone), 0);
	assert_int_equal(skb_copy(&cpu, skb, &copy), 0);
	assert_int_equal(pskb_copy(&cpu, skb, &pcopy), 0);
	assert_null(clone->owner);
	assert_null(copy->owner);
	assert_null(pcopy->owner);
	assert_balance(TRUESIZE + MORE, 0);
	skb_get(skb);
	skb_consume(&cpu, skb);
	assert_balance(TRUESIZE + MORE, 0);
	skb_consume(&cpu, skb);
	assert_balance(0, 0);
	skb_consume(&cpu, copy);
	skb_consume(&cpu, pcopy);
	skb_consume(&cpu, clone);
}

static void
a_fragment_is_charged(void **state)
{
	struct skb *const skb = packet(1, &owner);
	struct rte_mbuf *mbuf;

	assert_int_equal(skb_add_frag(&cpu, skb, bufs_chain(bufs, 0, 2, 50, 51)), 0);
	assert_int_equal(skb->truesize, TRUESIZE + 2 * MORE);
	assert_balance(TRUESIZE + 2 * MORE, 0);
	assert_int_equal(skb_release(&cpu, skb, &mbuf), 0);
	assert_balance(0, 0);
	rte_pktmbuf_free(mbuf);
}

static void
set_owner_moves_the_charge(void **state)
{
	struct skb *const skb = packet(1, NULL);

	skb_orphan(&cpu, skb);
	skb_set_owner(&cpu, skb, &owner);
	assert_balance(TRUESIZE, 0);
	skb_set_owner(&cpu, skb, &owner);
	assert_balance(TRUESIZE, 0);
	skb_set_owner(&cpu, skb, &other);
	assert_balance(0, 0);
	assert_int_equal(skb_owner_used(&other), TRUESIZE);
	assert_ptr_equal(skb->owner, &other);
	skb_set_owner(&cpu, skb, NULL);
	assert_null(skb->owner);
	assert_int_equal(skb_owner_used(&other), 0);
	skb_set_owner(&elsewhere, skb, &owner);
	assert_balance(0, TRUESIZE);
	skb_orphan(&cpu, skb);
	assert_balance(-TRUESIZE, TRUESIZE);
	skb_orphan(&cpu, skb);
	assert_balance(-TRUESIZE, TRUESIZE);
	skb_consume(&cpu, skb);
}

/* What fits exactly is admitted; a byte less of limit, and it is not. */
static void
admit_takes_what_fits(void **state)
{
	struct rte_mbuf *mbufs[6];
	int64_t sum = 0;

	for (uint32_t i = 0; i < 6; i++)
		mbufs[i] = bufs_chain(bufs, 0, 1 + i % 3, 50, 1);
	assert_int_equal(skb_owner_admit(&owner, mbufs, 6), 6);
	for (uint32_t n = 0; n <= 6; n++) {
		for (int64_t less = 0; less < 2 && sum > less; less++) {
			const uint32_t fit = n - (uint32_t)less;
			uint64_t n_refused;

			skb_owner_init(&owner, "limited", 1000 + sum - less, HOME);
			skb_owner_charge(&owner, HOME, 600);
			skb_owner_charge(&owner, HOME + 1, 400);
			n_refused = skb_owner_refused(&owner);
			assert_int_equal(skb_owner_admit(&owner, mbufs, n), fit);
			assert_int_equal(skb_owner_refused(&owner), n_refused + (n - fit));
			assert_int_equal(skb_owner_admit(&owner, mbufs, 6), fit);
			assert_int_equal(skb_owner_refused(&owner), n_refused + (n - fit) + (6 - fit));
			/* asked, not charged */
			assert_balance(600, 400);
		}
		sum += n < 6 ? TRUESIZE + n % 3 * MORE : 0;
	}
	assert_int_equal(skb_owner_admit(&owner, mbufs, 0), 0);
	skb_owner_release(&owner, HOME, 1000);
	rte_pktmbuf_free_bulk(mbufs, 6);
}

/* Whoever does not ask may go over the limit; nothing more is admitted then. */
static void
over_the_limit(void **state)
{
	struct rte_mbuf *const mbuf = bufs_chain(bufs, 0, 1, 50, 1);
	struct skb *skb;

	skb_owner_init(&owner, "limited", TRUESIZE, HOME);
	skb_owner_charge(&owner, HOME, 10 * TRUESIZE);
	assert_int_equal(skb_owner_admit(&owner, &mbuf, 1), 0);
	assert_int_equal(skb_build_bulk(&cpu, &mbuf, &skb, 1, &owner), 0);
	assert_balance(11 * TRUESIZE, 0);
	skb_owner_release(&owner, HOME, 10 * TRUESIZE);
	skb_consume(&cpu, skb);
}

static void
try_set_owner_at_the_limit(void **state)
{
	struct skb *const skb = packet(1, &other);

	for (int64_t room = TRUESIZE - 1; room <= TRUESIZE + 1; room++) {
		const bool fits = room >= TRUESIZE;

		skb_owner_init(&owner, "limited", 5000, HOME);
		skb_owner_charge(&owner, HOME + 1, 5000 - room);
		assert_int_equal(skb_try_set_owner(&cpu, skb, &owner), fits ? 0 : -ENOBUFS);
		assert_ptr_equal(skb->owner, fits ? &owner : &other);
		assert_balance(fits ? TRUESIZE : 0, 5000 - room);
		assert_int_equal(skb_owner_refused(&owner), fits ? 0 : 1);
		assert_int_equal(skb_owner_used(&other), fits ? 0 : TRUESIZE);
		/* it has it already: no room is asked for */
		if (fits)
			assert_int_equal(skb_try_set_owner(&cpu, skb, &owner), 0);
		skb_set_owner(&cpu, skb, &other);
		skb_owner_release(&owner, HOME + 1, 5000 - room);
	}
	skb_owner_init(&owner, "unlimited", 0, HOME);
	assert_int_equal(skb_try_set_owner(&cpu, skb, &owner), 0);
	assert_int_equal(skb_try_set_owner(&cpu, skb, NULL), 0);
	assert_null(skb->owner);
	skb_consume(&cpu, skb);
}

static void
orphan_bulk_in_runs(void **state)
{
	struct skb_owner third, *const owners[] = {
					&owner, &owner, &third, NULL, &owner, NULL, NULL, &third, &other};
	struct skb *skbs[RTE_DIM(owners)];

	skb_owner_init(&third, "third", 0, HOME + 1);
	for (uint32_t n = 0; n <= RTE_DIM(owners); n++) {
		int64_t left = 0;

		for (uint32_t i = 0; i < RTE_DIM(owners); i++) {
			skbs[i] = packet(1 + i % 3, owners[i]);
			left += i >= n && owners[i] == &owner ? skbs[i]->truesize : 0;
		}
		skb_orphan_bulk(&cpu, skbs, n);
		assert_int_equal(skb_owner_used(&owner), left);
		for (uint32_t i = 0; i < RTE_DIM(owners); i++) {
			assert_ptr_equal(skbs[i]->owner, i < n ? NULL : owners[i]);
			skb_consume(&cpu, skbs[i]);
		}
		assert_int_equal(skb_owner_used(&third), 0);
	}
}

static uint32_t n_calls;

static void
write_space(struct skb_owner *o)
{
	assert_ptr_equal(o->arg, &n_calls);
	n_calls++;
}

static void
limited(int64_t limit)
{
	n_calls = 0;
	skb_owner_init(&owner, "limited", limit, HOME);
	skb_owner_notify(&owner, write_space, &n_calls);
}

static void
refused_at(int64_t used)
{
	struct rte_mbuf *const mbuf = bufs_chain(bufs, 0, 1, 50, 1);

	assert_balance(used, 0);
	assert_int_equal(skb_owner_admit(&owner, &mbuf, 1), 0);
	rte_pktmbuf_free(mbuf);
}

/* Once, when half of the limit is free again, and only if somebody was refused. */
static void
write_space_is_called(void **state)
{
	limited(2000);
	skb_owner_charge(&owner, HOME, 2000);
	skb_owner_release(&owner, HOME, 1500);
	assert_int_equal(n_calls, 0);
	skb_owner_charge(&owner, HOME, 1500);

	refused_at(2000);
	assert_int_equal(n_calls, 0);
	skb_owner_release(&owner, HOME, 999);
	assert_int_equal(n_calls, 0);
	skb_owner_release(&owner, HOME, 1);
	assert_int_equal(n_calls, 1);
	skb_owner_release(&owner, HOME, 500);
	skb_owner_charge(&owner, HOME, 1500);
	skb_owner_release(&owner, HOME, 1000);
	assert_int_equal(n_calls, 1);

	/* again after another refusal; two in a row are one */
	skb_owner_charge(&owner, HOME, 1000);
	refused_at(2000);
	refused_at(2000);
	skb_owner_release(&owner, HOME + 1, 1000);
	assert_int_equal(n_calls, 2);
	skb_owner_release(&owner, HOME, 1000);
	assert_int_equal(n_calls, 2);
	assert_int_equal(skb_owner_refused(&owner), 3);
}

/* Nothing will be released that could be waited for: what is refused is too large. */
static void
refused_below_half(void **state)
{
	limited(TRUESIZE - 1);
	refused_at(0);
	assert_int_equal(n_calls, 1);
	assert_int_equal(skb_owner_refused(&owner), 1);
}

/* However it lets go. */
static void
let_go(int way, struct skb *skb)
{
	struct rte_mbuf *mbuf;

	switch (way) {
	case 0: skb_orphan(&cpu, skb); break;
	case 1: skb_orphan_bulk(&cpu, &skb, 1); break;
	case 2: skb_set_owner(&elsewhere, skb, &other); break;
	case 3: skb_drop(&elsewhere, skb, 0); return;
	case 4:
		assert_int_equal(skb_release(&cpu, skb, &mbuf), 0);
		rte_pktmbuf_free(mbuf);
		return;
	default: break;
	}
	skb_consume(&cpu, skb);
}

static void
write_space_by_every_release(void **state)
{
	for (int way = 0; way < 6; way++) {
		struct skb *skb, *waiting;

		limited(TRUESIZE);
		skb = packet(1, &owner);
		waiting = packet(1, &other);
		assert_int_equal(skb_try_set_owner(&cpu, waiting, &owner), -ENOBUFS);
		assert_int_equal(n_calls, 0);
		let_go(way, skb);
		assert_int_equal(n_calls, 1);
		assert_int_equal(skb_try_set_owner(&cpu, waiting, &owner), 0);
		skb_consume(&cpu, waiting);
		assert_int_equal(n_calls, 1);
	}
}

/* The two ways to release differ in the line they read, not in what they do. */
static void
far_does_the_same(void **state)
{
	struct skb_owner o;

	skb_owner_init(&o, "far", 0, 3);
	skb_owner_charge(&o, 3, 1000);
	skb_owner_release_far(&o, 3, 300);
	assert_int_equal(o.home, 700);
	skb_owner_release_far(&o, 4, 200);
	skb_owner_release_far(&o, LCORE_ID_ANY, 100);
	assert_int_equal(o.home, 700);
	assert_int_equal(o.away, -300);
	assert_int_equal(skb_owner_used(&o), 400);
	skb_owner_init(&o, "nobody's", 0, LCORE_ID_ANY);
	skb_owner_release_far(&o, LCORE_ID_ANY, 100);
	assert_int_equal(o.home, 0);
	assert_int_equal(o.away, -100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(far_does_the_same),
		cmocka_unit_test(the_name_is_cut),
		cmocka_unit_test_setup_teardown(home_and_away, setup, teardown),
		cmocka_unit_test_setup_teardown(build_charges_once, setup, teardown),
		cmocka_unit_test_setup_teardown(one_charge_for_one_head, setup, teardown),
		cmocka_unit_test_setup_teardown(a_fragment_is_charged, setup, teardown),
		cmocka_unit_test_setup_teardown(set_owner_moves_the_charge, setup, teardown),
		cmocka_unit_test_setup_teardown(admit_takes_what_fits, setup, teardown),
		cmocka_unit_test_setup_teardown(over_the_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(try_set_owner_at_the_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(orphan_bulk_in_runs, setup, teardown),
		cmocka_unit_test_setup_teardown(write_space_is_called, setup, teardown),
		cmocka_unit_test_setup_teardown(refused_below_half, setup, teardown),
		cmocka_unit_test_setup_teardown(write_space_by_every_release, setup, teardown),
	};

	return cmocka_run_group_tests_name("skb/owner", tests, NULL, NULL);
}
