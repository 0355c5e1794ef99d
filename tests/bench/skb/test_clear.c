/* SPDX-License-Identifier: BSD-3-Clause */
/* All ways to initialise a head make the hot line that lib/skb makes, whatever was in it before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clear.h"
#include "skb_priv.h"

#define HOT   offsetof(struct skb, next)
#define LCORE 3u

static struct rte_mbuf bufs[BURST];
static uint8_t rooms[BURST][256];
static struct skb heads[2 * BURST], expected[BURST];
static struct rte_mbuf *mbufs[BURST];
static struct skb *skbs[BURST];

/* Heads in two runs that lie side by side, and between them some that do not. */
static int
setup(void **state)
{
	memset(heads, 0xa5, sizeof(heads));
	memset(expected, 0x5a, sizeof(expected));
	for (uint32_t i = 0; i < BURST; i++) {
		const uint32_t place = i >= 8 && i < 16 ? 62 - 2 * i : i;

		bufs[i] = (struct rte_mbuf){.buf_addr = rooms[i],
			.data_off = 100,
			.port = (uint16_t)(i + 1),
			.nb_segs = (uint16_t)(i % 5 ? 1 : 3),
			.refcnt = 1,
			.pkt_len = 100 + i,
			.data_len = (uint16_t)(i % 5 ? 100 + i : 90),
			.buf_len = 256,
			.ol_flags = i % 2 ? RTE_MBUF_F_RX_RSS_HASH : 0,
			.hash.rss = 0xabcd0000 + i};
		mbufs[i] = &bufs[i];
		skbs[i] = &heads[place];
		skb_write_hot(&expected[i], mbufs[i], LCORE, NULL);
	}
	return 0;
}

static void
assert_same(void)
{
	for (uint32_t i = 0; i < BURST; i++)
		assert_memory_equal(skbs[i], &expected[i], HOT);
}

static void
test_cleared(void **state)
{
	for (int clear = VECTORS; clear <= ADJACENT_STOSB; clear++) {
		memset(heads, 0xa5, sizeof(heads));
		heads_init_cleared(skbs, mbufs, LCORE, (enum clear)clear);
		assert_same();
	}
}

static void
test_ahead(void **state)
{
	for (uint32_t distance = 1; distance <= 8; distance *= 2) {
		memset(heads, 0xa5, sizeof(heads));
		heads_init_ahead(skbs, mbufs, LCORE, distance);
		assert_same();
	}
}

/* What lies between the heads is somebody else's. */
static void
test_neighbours_are_left_alone(void **state)
{
	bool used[2 * BURST] = {false};

	for (uint32_t i = 0; i < BURST; i++)
		used[skbs[i] - heads] = true;
	for (int clear = VECTORS; clear <= ADJACENT_STOSB; clear++)
		heads_init_cleared(skbs, mbufs, LCORE, (enum clear)clear);
	for (uint32_t i = 0; i < 2 * BURST; i++)
		for (uint32_t k = 0; !used[i] && k < sizeof(struct skb); k++)
			assert_int_equal(((uint8_t *)&heads[i])[k], 0xa5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_cleared, setup),
		cmocka_unit_test_setup(test_ahead, setup),
		cmocka_unit_test_setup(test_neighbours_are_left_alone, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
