/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stalled direction must not starve the others. Flow A goes from port 0 to port 1, whose other side takes nothing any more but has a
 * ring for more packets than there are buffers; flow B goes from port 1 to port 0. As buffers are released in TX completion only, A's
 * packets would keep them all. A limit on what a port may hold is what keeps B going.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rig.h"

#define N_DATA   512u
#define N_TURNS  200u
#define RATE     32u /* packets of either flow a turn, as far as there are buffers to receive them in */
#define LIMIT    (64u * RIG_TRUESIZE)
#define TX_SLOTS 1024u

static void
flow_frame(struct frame *f, uint16_t port)
{
	frame_udp(f, port == 0 ? "10.0.1.2" : "10.0.0.2", 18);
	frame_mac(f->bytes, (uint8_t)(port + 1));
}

/* A driver receives what it has buffers for, alternating between ports; the rest never comes in. */
static void
arrivals(struct rig *rig, bool a)
{
	static struct frame f[2];

	flow_frame(&f[0], 0);
	flow_frame(&f[1], 1);
	for (uint32_t i = 0; i < RATE; i++)
		for (uint16_t p = a ? 0 : 1; p < 2; p++)
			if (rte_mempool_avail_count(rig_pool(rig)) > 0)
				rig_inject_at(rig, p, 0, &f[p]);
}

/* Packets that B delivers, with or without A, with this limit. What A did goes to counts. */
static uint32_t
delivered(bool a, uint64_t limit, uint64_t counts[N_VERDICTS])
{
	const struct rig_conf conf = {
		.complete = COMPLETE_COMPLETION, .n_data = N_DATA, .owner_limit = limit, .burst = 64};
	struct rig *rig = rig_create(&conf);
	uint32_t n = 0;

	for (uint32_t turn = 0; turn < N_TURNS; turn++) {
		arrivals(rig, a);
		rig_turn(rig);
		n += rig_discard(rig, 0);
	}
	rig_counts(rig, counts);
	rig_destroy(rig);
	return n;
}

static void
without_limit_it_starves(void **state)
{
	uint64_t counts[N_VERDICTS];
	const uint32_t alone = delivered(false, 0, counts);

	assert_int_equal(alone, N_TURNS * RATE);
	assert_true(delivered(true, 0, counts) < alone / 2);
	assert_int_equal(counts[VERDICT_owner_limit], 0);
}

static void
with_limit_it_does_not(void **state)
{
	uint64_t counts[N_VERDICTS];
	const uint32_t alone = delivered(false, LIMIT, counts);
	const uint32_t n = delivered(true, LIMIT, counts);

	assert_int_equal(alone, N_TURNS * RATE);
	assert_true(n >= alone / 100 * 95);
	/* A sends what its port may hold, and the rest goes under its name */
	assert_int_equal(counts[VERDICT_forward], n + LIMIT / RIG_TRUESIZE);
	assert_int_equal(counts[VERDICT_owner_limit], N_TURNS * RATE - LIMIT / RIG_TRUESIZE);
	assert_int_equal(counts[VERDICT_tx_full], 0);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_limit_it_starves),
		cmocka_unit_test(with_limit_it_does_not),
	};

	rig_eal_with(argc, argv, TX_SLOTS);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
