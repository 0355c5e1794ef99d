/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Charges that go with the data buffer: released when it comes back to its mempool, however it does and on whatever
 * thread, and once, also if there are clones, copies and indirect mbufs of it.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rte_eal.h>

#include "mempool_magazine.h"
#include "skb_share.h"
#include "world.h"

#define ROOM     256u
#define N        6u
#define TRUESIZE ((int64_t)(sizeof(struct skb) + sizeof(struct rte_mbuf) + ROOM))

static struct world w;
static struct skb_owner owner, other;
static const uint16_t lens[] = {60, 50, 40};
static const uint8_t bytes[150];

static void
hooks_set(bool on)
{
	const struct mempool_magazine_hooks hooks = {.on_put = on ? skb_owner_put_hook : NULL};

	assert_int_equal(mempool_magazine_set_hooks(w.rx, &hooks), 0);
}

static int
setup(void **state)
{
	const struct world_conf conf = {.ops = "magazine", .n_rx = 256, .n_heads = 128, .rx_room = ROOM};

	world_open(&w, &conf);
	/* a second time does nothing */
	assert_int_equal(skb_owner_defer_init(), 0);
	assert_int_equal(skb_owner_defer_init(), 0);
	hooks_set(true);
	skb_owner_init(&owner, "owner", 0, rte_lcore_id());
	skb_owner_init(&other, "other", 0, LCORE_ID_ANY);
	return 0;
}

static int
teardown(void **state)
{
	assert_int_equal(skb_owner_used(&owner), 0);
	assert_int_equal(skb_owner_used(&other), 0);
	hooks_set(false);
	world_close(&w);
	return 0;
}

static struct skb *
packet(uint32_t n_segs, struct skb_owner *charged)
{
	struct skb *const skb = world_packet(&w, 64, lens, n_segs, bytes);

	if (charged != NULL)
		skb_set_owner(&w.cpu, skb, charged);
	return skb;
}

/* n packets of one segment on their way: as mbufs, their heads are gone. */
static void
send(struct rte_mbuf **mbufs, struct skb_owner *const *owners, uint32_t n)
{
	struct skb *skbs[N];

	for (uint32_t i = 0; i < n; i++) {
		skbs[i] = packet(1, owners[i]);
		mbufs[i] = skbs[i]->mbuf;
		skb_sync(skbs[i]);
	}
	skb_owner_defer_bulk(&w.cpu, skbs, n);
	for (uint32_t i = 0; i < n; i++)
		assert_null(skbs[i]->owner);
	skb_release_bulk(&w.cpu, skbs, n);
}

static struct rte_mbuf *
send_one(struct skb_owner *charged)
{
	struct rte_mbuf *mbuf;

	send(&mbuf, &charged, 1);
	return mbuf;
}

static void
until_it_is_back(void **state)
{
	struct skb_owner *const owners[N] = {&owner, &owner, &owner, &owner, &owner, &owner};
	struct rte_mbuf *mbufs[N];

	send(mbufs, owners, N);
	assert_int_equal(skb_owner_used(&owner), N * TRUESIZE);
	rte_pktmbuf_free(mbufs[0]);
	assert_int_equal(skb_owner_used(&owner), 5 * TRUESIZE);
	rte_pktmbuf_free_bulk(mbufs + 1, 2);
	assert_int_equal(skb_owner_used(&owner), 3 * TRUESIZE);
	rte_mbuf_raw_free(mbufs[3]);
	assert_int_equal(skb_owner_used(&owner), 2 * TRUESIZE);
	rte_mempool_put_bulk(w.rx, (void **)&mbufs[4], 2);
	assert_int_equal(skb_owner_used(&owner), 0);
	assert_int_equal(owner.away, 0);
}

/* Whose charge is whose, whatever comes back with what. */
static void
many_owners(void **state)
{
	struct skb_owner *const owners[N] = {&owner, NULL, &other, &other, NULL, &owner};
	struct rte_mbuf *mbufs[N];

	for (uint32_t first = 0; first < N; first++) {
		for (uint32_t n = 0; first + n <= N; n++) {
			int64_t mine = 2 * TRUESIZE, others = 2 * TRUESIZE;

			send(mbufs, owners, N);
			for (uint32_t i = first; i < first + n; i++) {
				mine -= owners[i] == &owner ? TRUESIZE : 0;
				others -= owners[i] == &other ? TRUESIZE : 0;
			}
			rte_mempool_put_bulk(w.rx, (void **)&mbufs[first], n);
			assert_int_equal(skb_owner_used(&owner), mine);
			assert_int_equal(skb_owner_used(&other), others);
			rte_mempool_put_bulk(w.rx, (void **)mbufs, first);
			rte_mempool_put_bulk(w.rx, (void **)&mbufs[first + n], N - first - n);
			assert_int_equal(skb_owner_used(&owner) + skb_owner_used(&other), 0);
		}
	}
}

/* All of a chain's memory, with its first buffer. */
static void
a_chain(void **state)
{
	struct skb *skb = packet(3, &owner);
	struct rte_mbuf *mbuf;
	const int64_t truesize = TRUESIZE + 2 * (int64_t)(sizeof(struct rte_mbuf) + ROOM);

	skb_owner_defer_bulk(&w.cpu, &skb, 1);
	assert_int_equal(skb_release(&w.cpu, skb, &mbuf), 0);
	assert_int_equal(skb_owner_used(&owner), truesize);
	rte_pktmbuf_free(mbuf);
	assert_int_equal(skb_owner_used(&owner), 0);
}

/* A buffer that has been charged once is nobody's afterwards. */
static void
no_stale_charge(void **state)
{
	struct rte_mbuf *const mbuf = send_one(&owner);
	struct rte_mbuf *again;

	rte_pktmbuf_free(mbuf);
	assert_int_equal(skb_owner_used(&owner), 0);
	for (int i = 0; i < 3; i++) {
		again = send_one(NULL);
		assert_ptr_equal(again, mbuf);
		rte_pktmbuf_free(again);
		assert_int_equal(skb_owner_used(&owner), 0);
	}
}

static void *
free_there(void *mbuf)
{
	assert(rte_lcore_id() == LCORE_ID_ANY);
	rte_pktmbuf_free(mbuf);
	return NULL;
}

static void
by_another_thread(void **state)
{
	struct rte_mbuf *const mbuf = send_one(&owner);
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, free_there, mbuf), 0);
	pthread_join(thread, NULL);
	assert_int_equal(owner.home, TRUESIZE);
	assert_int_equal(owner.away, -TRUESIZE);
}

/* By the last of those who hold it. */
static void
more_references(void **state)
{
	struct rte_mbuf *const mbuf = send_one(&owner);

	rte_mbuf_refcnt_update(mbuf, 2);
	rte_pktmbuf_free(mbuf);
	rte_pktmbuf_free(mbuf);
	assert_int_equal(skb_owner_used(&owner), TRUESIZE);
	rte_pktmbuf_free(mbuf);
	assert_int_equal(skb_owner_used(&owner), 0);
}

/* Sent while somebody has a clone: an indirect mbuf goes to the port, and the buffer stays. */
static void
a_clone_stays(void **state)
{
	for (int clone_first = 0; clone_first < 2; clone_first++) {
		struct skb *skb = packet(2, &owner), *clone;
		const int64_t truesize = skb->truesize;
		struct rte_mbuf *mbuf;

		assert_int_equal(skb_clone(&w.cpu, skb, &clone), 0);
		skb_owner_defer_bulk(&w.cpu, &skb, 1);
		assert_int_equal(skb_release(&w.cpu, skb, &mbuf), 0);
		assert_int_equal(skb_owner_used(&owner), truesize);
		if (clone_first)
			skb_consume(&w.cpu, clone);
		else
			rte_pktmbuf_free(mbuf);
		assert_in_range(skb_owner_used(&owner), 0, truesize);
		if (clone_first)
			rte_pktmbuf_free(mbuf);
		else
			skb_consume(&w.cpu, clone);
		assert_int_equal(skb_owner_used(&owner), 0);
	}
}

/* Two heads of the same data that both are sent, for two owners. */
static void
both_are_sent(void **state)
{
	struct skb *skbs[2] = {packet(1, &owner)};
	struct rte_mbuf *mbufs[2];

	assert_int_equal(skb_clone(&w.cpu, skbs[0], &skbs[1]), 0);
	skb_set_owner(&w.cpu, skbs[1], &other);
	skb_owner_defer_bulk(&w.cpu, skbs, 2);
	assert_int_equal(skb_release(&w.cpu, skbs[0], &mbufs[0]), 0);
	assert_int_equal(skb_release(&w.cpu, skbs[1], &mbufs[1]), 0);
	rte_pktmbuf_free_bulk(mbufs, 2);
}

/* What a port or a capture makes of an mbuf has the same dynamic fields, and comes back to the same pool. */
static void
made_by_others(void **state)
{
	struct rte_mbuf *const mbuf = send_one(&owner);
	struct rte_mbuf *const clone = rte_pktmbuf_clone(mbuf, w.rx);
	struct rte_mbuf *const copy = rte_pktmbuf_copy(mbuf, w.rx, 0, UINT32_MAX);

	assert_non_null(clone);
	assert_non_null(copy);
	rte_pktmbuf_free(copy);
	assert_int_equal(skb_owner_used(&owner), TRUESIZE);
	rte_pktmbuf_free(clone);
	assert_int_equal(skb_owner_used(&owner), TRUESIZE);
	rte_pktmbuf_free(mbuf);
	assert_int_equal(skb_owner_used(&owner), 0);
}

/* Another process of the EAL has no hooks: what it puts back is released when the buffer is next sent. */
static void
put_without_the_hook(void **state)
{
	struct rte_mbuf *const mbuf = send_one(&owner);

	hooks_set(false);
	rte_pktmbuf_free(mbuf);
	hooks_set(true);
	assert_int_equal(skb_owner_used(&owner), TRUESIZE);
	assert_ptr_equal(send_one(&other), mbuf);
	assert_int_equal(skb_owner_used(&owner), 0);
	assert_int_equal(skb_owner_used(&other), TRUESIZE);
	rte_pktmbuf_free(mbuf);
}

static uint32_t n_calls;

static void
write_space(struct skb_owner *o)
{
	n_calls++;
}

static void
there_is_space_again(void **state)
{
	struct skb_owner *const owners[] = {&owner, &owner};
	struct rte_mbuf *mbufs[2];
	struct skb *const waiting = packet(1, NULL);

	skb_owner_init(&owner, "limited", 2 * TRUESIZE, rte_lcore_id());
	skb_owner_notify(&owner, write_space, NULL);
	n_calls = 0;
	send(mbufs, owners, 2);
	assert_true(skb_try_set_owner(&w.cpu, waiting, &owner) < 0);
	assert_int_equal(n_calls, 0);
	rte_pktmbuf_free_bulk(mbufs, 1);
	assert_int_equal(n_calls, 1);
	rte_pktmbuf_free_bulk(mbufs + 1, 1);
	assert_int_equal(n_calls, 1);
	skb_consume(&w.cpu, waiting);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(until_it_is_back, setup, teardown),
		cmocka_unit_test_setup_teardown(many_owners, setup, teardown),
		cmocka_unit_test_setup_teardown(a_chain, setup, teardown),
		cmocka_unit_test_setup_teardown(no_stale_charge, setup, teardown),
		cmocka_unit_test_setup_teardown(by_another_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(more_references, setup, teardown),
		cmocka_unit_test_setup_teardown(a_clone_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(both_are_sent, setup, teardown),
		cmocka_unit_test_setup_teardown(made_by_others, setup, teardown),
		cmocka_unit_test_setup_teardown(put_without_the_hook, setup, teardown),
		cmocka_unit_test_setup_teardown(there_is_space_again, setup, teardown),
	};

	if (rte_eal_init(argc, argv) < 0 || mempool_magazine_register() < 0)
		return 1;

	const int failed = cmocka_run_group_tests_name("skb/defer", tests, NULL, NULL);

	rte_eal_cleanup();
	return failed;
}
