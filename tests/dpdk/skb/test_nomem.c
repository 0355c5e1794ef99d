/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every verb that takes heads or data buffers, with only so many of them left, from none on: as long as there are too few it
 * says -ENOMEM, has changed nothing and lost nothing; with as many as it needs it works. So each of its allocations is once
 * the one that fails.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_eal.h>

#include "mempool_magazine.h"
#include "skb_frags.h"
#include "skb_share.h"
#include "snapshot.h"

#define N_HEADS 64u
#define N_DATA  48u
#define ROOM    256u
#define LEN     120u /* in three segments of 40 */
#define BULK    5u
#define TOO_FEW 10u /* of anything; nothing here needs as many */

/* What a verb is tried on and what it gave, in any of them; NULL = none. All end with the scene. */
struct scene {
	struct skb *skb, *other, *result[BULK];
	struct rte_mbuf *mbufs[BULK];
	struct skb_owner *owner;
};

static struct world w;
static uint8_t bytes[LEN];
static const uint16_t lens[] = {40, 40, 40};

static int
setup(void **state)
{
	const struct world_conf conf = {"magazine", 64, N_DATA, N_HEADS, ROOM, ROOM};

	for (uint32_t i = 0; i < LEN; i++)
		bytes[i] = (uint8_t)(3 * i + 1);
	world_open(&w, &conf);
	return 0;
}

static int
teardown(void **state)
{
	world_close(&w);
	return 0;
}

static void
make_none(struct scene *s)
{
}

static void
make_mbufs(struct scene *s)
{
	for (uint32_t i = 0; i < BULK; i++)
		s->mbufs[i] = world_chain(&w, 0, lens, 3, bytes);
}

static void
make_single(struct scene *s)
{
	s->skb = world_packet(&w, 16, lens, 1, bytes);
}

static void
make_chain(struct scene *s)
{
	s->skb = world_packet(&w, 16, lens, 3, bytes);
}

/* Nothing fits behind the first segment. */
static void
make_tight_chain(struct scene *s)
{
	s->skb = world_packet(&w, ROOM - 40, lens, 3, bytes);
}

static void
make_clone(struct scene *s)
{
	make_chain(s);
	assert_int_equal(skb_clone(&w.cpu, s->skb, &s->other), 0);
}

static void
make_single_clone(struct scene *s)
{
	make_single(s);
	assert_int_equal(skb_clone(&w.cpu, s->skb, &s->other), 0);
}

static void
make_shared(struct scene *s)
{
	make_chain(s);
	s->other = skb_get(s->skb);
}

static void
list_add(struct scene *s)
{
	for (int i = 0; i < 2; i++)
		skb_frag_list_add(s->skb, world_packet(&w, 0, lens, 2, bytes));
}

static void
make_list(struct scene *s)
{
	make_chain(s);
	list_add(s);
}

static void
make_shared_list(struct scene *s)
{
	make_shared(s);
	list_add(s);
}

/* The clone was made before, so that it has no list itself. */
static void
make_clone_list(struct scene *s)
{
	make_clone(s);
	list_add(s);
}

static void
make_clone_and_mbuf(struct scene *s)
{
	make_clone(s);
	s->mbufs[0] = world_chain(&w, 0, lens, 1, bytes);
}

static int
run_alloc(struct scene *s)
{
	return skb_alloc(&w.cpu, 100, &s->result[0]);
}

static int
run_build(struct scene *s)
{
	const int ret = skb_build_bulk(&w.cpu, s->mbufs, s->result, BULK, NULL);

	if (ret == 0)
		memset(s->mbufs, 0, sizeof(s->mbufs));
	else
		memset(s->result, 0, sizeof(s->result));
	return ret;
}

static int
run_clone(struct scene *s)
{
	return skb_clone(&w.cpu, s->skb, &s->result[0]);
}

static int
run_copy(struct scene *s)
{
	return skb_copy(&w.cpu, s->skb, &s->result[0]);
}

static int
run_pskb_copy(struct scene *s)
{
	return pskb_copy(&w.cpu, s->skb, &s->result[0]);
}

static int
run_unshare(struct scene *s)
{
	const struct skb *const before = s->skb;
	const int ret = skb_unshare(&w.cpu, &s->skb);

	assert_int_equal(s->skb != before, ret == 0);
	return ret;
}

static int
run_share_check(struct scene *s)
{
	const struct skb *const before = s->skb;
	const int ret = skb_share_check(&w.cpu, &s->skb);

	assert_int_equal(s->skb != before, ret == 0);
	return ret;
}

static int
run_cow(struct scene *s)
{
	return skb_cow(&w.cpu, s->skb, 10);
}

static int
run_cow_more(struct scene *s)
{
	return skb_cow(&w.cpu, s->skb, 17);
}

static int
run_expand_head(struct scene *s)
{
	return skb_expand_head(&w.cpu, s->skb, 50, 50);
}

static int
run_add_frag(struct scene *s)
{
	const int ret = skb_add_frag(&w.cpu, s->skb, s->mbufs[0]);

	if (ret == 0)
		s->mbufs[0] = NULL;
	return ret;
}

static int
run_pull_head(struct scene *s)
{
	return skb_pull_head(&w.cpu, s->skb, 60);
}

static int
run_linearize(struct scene *s)
{
	return skb_linearize(&w.cpu, s->skb);
}

static int
run_trim(struct scene *s)
{
	return pskb_trim(&w.cpu, s->skb, 50);
}

static int
run_release(struct scene *s)
{
	const int ret = skb_release(&w.cpu, s->skb, &s->mbufs[0]);

	if (ret == 0)
		s->skb = NULL;
	return ret;
}

static void
scene_end(struct scene *s)
{
	struct skb *const skbs[] = {s->skb, s->other};

	for (uint32_t i = 0; i < RTE_DIM(skbs); i++)
		if (skbs[i] != NULL)
			skb_consume(&w.cpu, skbs[i]);
	for (uint32_t i = 0; i < BULK; i++) {
		rte_pktmbuf_free(s->mbufs[i]);
		if (s->result[i] != NULL)
			skb_consume(&w.cpu, s->result[i]);
	}
}

/* Runs run() on a new scene with only so many heads and data buffers left. Returns what it did. */
static int
with_only(void (*make)(struct scene *), int (*run)(struct scene *), uint32_t heads, uint32_t data)
{
	static struct snapshot before, other;
	void *held_data[N_DATA];
	struct skb *held_heads[N_HEADS];
	struct scene s = {0};
	struct world_stock stock;
	int ret;

	make(&s);
	stock = world_stock(&w);
	assert_int_equal(skb_heads_alloc_bulk(&w.cpu, held_heads, stock.heads - heads), 0);
	assert_int_equal(rte_mempool_get_bulk(w.data, held_data, stock.data - data), 0);
	snapshot_take(&before, &w, s.skb);
	snapshot_take(&other, &w, s.other);
	ret = run(&s);
	if (ret != 0) {
		snapshot_assert(&before, &w);
		snapshot_assert(&other, &w);
	}
	rte_mempool_put_bulk(w.data, held_data, stock.data - data);
	skb_heads_free_bulk(&w.cpu, held_heads, stock.heads - heads);
	scene_end(&s);
	world_assert_whole(&w);
	return ret;
}

static const struct {
	const char *name;
	void (*make)(struct scene *s);
	int (*run)(struct scene *s);
	uint32_t heads, data; /* what it needs */
} cases[] = {
	{"alloc", make_none, run_alloc, 1, 1},
	{"build", make_mbufs, run_build, BULK, 0},
	{"clone", make_chain, run_clone, 1, 0},
	{"clone of a list", make_list, run_clone, 3, 0},
	{"copy", make_chain, run_copy, 1, 3},
	{"copy of a single one", make_single, run_copy, 1, 1},
	{"pskb_copy", make_chain, run_pskb_copy, 1, 3},
	{"unshare", make_clone, run_unshare, 1, 3},
	{"unshare a list", make_clone_list, run_unshare, 3, 3},
	{"share_check", make_shared, run_share_check, 1, 0},
	{"share_check of a list", make_shared_list, run_share_check, 3, 0},
	{"cow", make_clone, run_cow, 0, 3},
	{"cow of a single one", make_single_clone, run_cow, 0, 1},
	{"cow for headroom", make_chain, run_cow_more, 0, 1},
	{"cow for nothing", make_chain, run_cow, 0, 0},
	{"expand_head", make_chain, run_expand_head, 0, 1},
	{"expand_head of a clone", make_clone, run_expand_head, 0, 3},
	{"add_frag", make_clone_and_mbuf, run_add_frag, 0, 3},
	{"pull_head", make_clone, run_pull_head, 0, 3},
	{"pull_head, no room", make_tight_chain, run_pull_head, 0, 1},
	{"pull_head, room", make_chain, run_pull_head, 0, 0},
	{"linearize", make_clone, run_linearize, 0, 3},
	{"linearize, no room", make_tight_chain, run_linearize, 0, 1},
	{"pskb_trim", make_clone, run_trim, 0, 3},
	{"pskb_trim of its own", make_chain, run_trim, 0, 0},
	{"release", make_clone, run_release, 0, 1},
	{"release of its own", make_chain, run_release, 0, 0},
};

static void
each_allocation_fails_once(void **state)
{
	for (uint32_t c = 0; c < RTE_DIM(cases); c++) {
		print_message("%s: %u heads, %u buffers\n", cases[c].name, cases[c].heads, cases[c].data);
		for (uint32_t heads = 0; heads <= cases[c].heads; heads++) {
			for (uint32_t data = 0; data <= cases[c].data; data++)
				assert_int_equal(with_only(cases[c].make, cases[c].run, heads, data),
					heads < cases[c].heads || data < cases[c].data ? -ENOMEM : 0);
		}
	}
}

/* What a thread that has no pool of data buffers cannot do. */
static void
without_a_pool(void **state)
{
	for (uint32_t c = 0; c < RTE_DIM(cases); c++) {
		print_message("%s\n", cases[c].name);
		w.cpu.data = NULL;
		assert_int_equal(with_only(cases[c].make, cases[c].run, TOO_FEW, TOO_FEW),
			cases[c].data > 0 ? -ENOMEM : 0);
		w.cpu.data = w.data;
	}
}

static int
too_long_alloc(struct scene *s)
{
	return skb_alloc(&w.cpu, ROOM + 1, &s->result[0]);
}

static int
too_long_cow(struct scene *s)
{
	return skb_cow(&w.cpu, s->skb, ROOM - 39);
}

static int
too_long_expand_head(struct scene *s)
{
	return skb_expand_head(&w.cpu, s->skb, 100, ROOM - 139);
}

static int
huge_expand_head(struct scene *s)
{
	return skb_expand_head(&w.cpu, s->skb, UINT32_MAX, UINT32_MAX);
}

static int
fitting_alloc(struct scene *s)
{
	return skb_alloc(&w.cpu, ROOM, &s->result[0]);
}

static int
fitting_cow(struct scene *s)
{
	const int ret = skb_cow(&w.cpu, s->skb, ROOM - 40);

	assert_int_equal(skb_headroom(s->skb), ROOM - 40);
	return ret;
}

static int
fitting_expand_head(struct scene *s)
{
	const int ret = skb_expand_head(&w.cpu, s->skb, 100, ROOM - 140);

	assert_int_equal(skb_headroom(s->skb), 100);
	return ret;
}

/* 240 bytes in two segments, and 16 before them: that fills a buffer; one more does not fit. */
static void
make_long(struct scene *s)
{
	static const uint8_t zeros[ROOM];
	const uint16_t long_lens[] = {120, ROOM - 16 - 120};

	s->skb = world_packet(&w, 16, long_lens, 2, zeros);
	skb_set_mac_header(s->skb, -16);
}

static void
make_longer(struct scene *s)
{
	static const uint8_t zero[1];
	const uint16_t one = 1;

	make_long(s);
	assert_int_equal(skb_add_frag(&w.cpu, s->skb, world_chain(&w, 0, &one, 1, zero)), 0);
}

static void
what_is_too_long(void **state)
{
	const struct {
		void (*make)(struct scene *s);
		int (*run)(struct scene *s);
		int ret;
	} lengths[] = {
		{make_none, fitting_alloc, 0},
		{make_none, too_long_alloc, -EMSGSIZE},
		{make_clone, fitting_cow, 0},
		{make_clone, too_long_cow, -EMSGSIZE},
		{make_clone, fitting_expand_head, 0},
		{make_clone, too_long_expand_head, -EMSGSIZE},
		{make_clone, huge_expand_head, -EMSGSIZE},
		{make_long, run_linearize, 0},
		{make_longer, run_linearize, -EMSGSIZE},
	};

	for (uint32_t c = 0; c < RTE_DIM(lengths); c++)
		assert_int_equal(
			with_only(lengths[c].make, lengths[c].run, TOO_FEW, TOO_FEW), lengths[c].ret);
}

/* Heads come all or none, and those that were not filled go back as they are. */
static void
heads_without_packets(void **state)
{
	struct skb *skbs[N_HEADS + 1];

	assert_int_equal(skb_heads_alloc_bulk(&w.cpu, skbs, N_HEADS + 1), -ENOMEM);
	world_assert_whole(&w);
	for (uint32_t n = 0; n <= N_HEADS; n++) {
		assert_int_equal(skb_heads_alloc_bulk(&w.cpu, skbs, n), 0);
		assert_int_equal(world_stock(&w).heads, N_HEADS - n);
		assert_int_equal(skb_heads_alloc_bulk(&w.cpu, skbs + n, N_HEADS - n + 1), -ENOMEM);
		assert_int_equal(world_stock(&w).heads, N_HEADS - n);
		skb_heads_free_bulk(&w.cpu, skbs, n);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_allocation_fails_once, setup, teardown),
		cmocka_unit_test_setup_teardown(without_a_pool, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_too_long, setup, teardown),
		cmocka_unit_test_setup_teardown(heads_without_packets, setup, teardown),
	};

	if (rte_eal_init(argc, argv) < 0 || mempool_magazine_register() < 0)
		return 1;

	const int failed = cmocka_run_group_tests_name("skb/nomem", tests, NULL, NULL);

	rte_eal_cleanup();
	return failed;
}
