/* SPDX-License-Identifier: BSD-3-Clause */
/* Charges of packets in more than one buffer, in other people's, and in such of another size: what they take is what is charged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

#define B4 "10.0.1.2"

static int64_t
used(struct rig *rig)
{
	return skb_owner_used(worker_owner(rig_worker(rig, 0), 0));
}

static void
inject(struct rig *rig, const char *dst)
{
	static struct frame f;

	frame_udp(&f, dst, 18);
	rig_inject(rig, &f);
}

/* A chain is charged with all its buffers, whatever headers were moved where, until the last segment is back. */
static void
chains(void **state)
{
	static const enum build_mode builds[] = {BUILD_LATE, BUILD_EARLY};
	static struct frame f;

	for (uint32_t i = 0; i < 2; i++) {
		const struct rig_conf conf = {.build = builds[i], .complete = COMPLETE_COMPLETION};
		struct rig *rig = rig_create(&conf);
		struct rte_mbuf *m;

		frame_udp(&f, B4, 400);
		for (uint32_t at = 0; at <= f.len; at++) {
			const uint32_t cuts[] = {at, (at + f.len) / 2};

			rig_inject_cut(rig, &f, cuts, 2);
			rig_turn(rig);
			assert_int_equal(used(rig), 3 * RIG_TRUESIZE - 2 * (int64_t)sizeof(struct skb));
			m = rig_collect(rig, 1);
			rig_return(m);
			assert_int_equal(used(rig), 0);
		}
		rig_destroy(rig);
	}
}

/* Also where it leaves in other buffers than it came in, for the sake of a port that must not see shared ones. */
static void
copied_chains(void **state)
{
	const struct rig_conf conf = {.complete = COMPLETE_COMPLETION, .exclusive = 1u << 1};
	const uint32_t cut = 150;
	static struct frame f;
	struct rig *rig = rig_create(&conf);

	frame_udp(&f, B4, 400);

	struct rte_mbuf *seen = rig_inject_shared(rig, &f, &cut, 1);

	rig_turn(rig);
	rig_return(seen);
	assert_int_equal(used(rig), 2 * RIG_TRUESIZE - (int64_t)sizeof(struct skb));
	rig_discard(rig, 1);
	assert_int_equal(used(rig), 0);
	rig_destroy(rig);
}

static struct rte_mbuf *
foreign_mbuf(struct rte_mempool *pool, const uint8_t *bytes, uint32_t len)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	assert_non_null(m);
	memcpy(rte_pktmbuf_append(m, (uint16_t)len), bytes, len);
	return m;
}

/* A frame in buffers of 512 bytes, in one or two, shared or not, goes by port 1. What is charged changes as it moves to larger ones. */
static void
one_foreign(const struct rig_conf *conf, struct rte_mempool *pool, bool chain, bool shared)
{
	static struct frame f;
	struct rig *rig = rig_create(conf);
	struct rte_mbuf *m;

	frame_udp(&f, B4, chain ? 400 : 108);
	m = foreign_mbuf(pool, f.bytes, 150);
	if (chain)
		assert_int_equal(rte_pktmbuf_chain(m, foreign_mbuf(pool, f.bytes + 150, f.len - 150)), 0);
	rte_pktmbuf_refcnt_update(m, shared);
	inject(rig, B4);
	rig_inject_mbuf(rig, 0, m);
	inject(rig, B4);
	inject(rig, "10.0.0.1");
	rig_turn(rig);
	assert_int_equal(used(rig), 0);
	assert_int_equal(rig_discard(rig, 1), 3);
	if (shared)
		rig_return(m);
	rig_destroy(rig);
	assert_int_equal(rte_mempool_avail_count(pool), pool->size);
}

static void
buffers_of_another_size(void **state)
{
	static const struct port_policy mirror[RIG_PORTS] = {
		{0, 2, MIRROR_NONE}, {0, MIRROR_NONE, MIRROR_NONE}, {0, MIRROR_NONE, MIRROR_NONE}};
	struct rte_mempool *pool = rte_pktmbuf_pool_create(
		"foreign", 16, 0, SKB_EARLY_PRIV_SIZE, RTE_PKTMBUF_HEADROOM + 384, SOCKET_ID_ANY);

	assert_non_null(pool);
	for (uint32_t k = 0; k < 32; k++) {
		const struct rig_conf conf = {.complete = k % 2 ? COMPLETE_ORPHAN_PACKET : COMPLETE_ORPHAN,
			.policy = (k & 2) != 0 ? mirror : NULL,
			.exclusive = (k & 4) != 0 ? 1u << 1 : 0};

		one_foreign(&conf, pool, (k & 8) != 0, (k & 16) != 0);
	}
	rte_mempool_free(pool);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains),
		cmocka_unit_test(copied_chains),
		cmocka_unit_test(buffers_of_another_size),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
