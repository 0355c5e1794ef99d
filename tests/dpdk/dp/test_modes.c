/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When heads are built and when charges are released must not show: the same stream in every mode gives the same bytes in the same
 * order at each port and at the punt ring, and the same counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus.h"
#include "modes.h"
#include "record.h"
#include "rig.h"

#define N_FRAMES 30000u
#define SEED     0x30de5u

struct trace {
	struct record record;
	struct worker_port port[RIG_PORTS];
};

static void
run(const struct modes *modes, uint32_t room, struct trace *t)
{
	const struct rig_conf conf = {
		.build = modes->build, .complete = modes->complete, .room = room, .n_data = 2048};
	struct rig *rig = rig_create(&conf);
	uint64_t seed = SEED;
	struct frame f;

	record_init(&t->record);
	for (uint32_t done = 0; done < N_FRAMES;) {
		const uint32_t n = 1 + frame_random(&seed, BURST_MAX);

		for (uint32_t i = 0; i < n; i++) {
			corpus_random(&seed, &f);
			rig_inject(rig, &f);
		}
		assert_int_equal(rig_turn(rig), n);
		record_output(&t->record, rig, RIG_PORTS);
		done += n;
	}
	rig_counts(rig, t->record.counts);
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		t->port[p] = *worker_port_stats(rig_worker(rig, 0), p);
	rig_destroy(rig);
}

static void
compare(const struct trace *a, const struct trace *b)
{
	record_compare(&a->record, &b->record);
	for (uint16_t p = 0; p < RIG_PORTS; p++) {
		assert_int_equal(a->port[p].rx_pkts, b->port[p].rx_pkts);
		assert_int_equal(a->port[p].rx_bytes, b->port[p].rx_bytes);
		assert_int_equal(a->port[p].tx_pkts, b->port[p].tx_pkts);
		assert_int_equal(a->port[p].tx_bytes, b->port[p].tx_bytes);
	}
}

static void
modes_do_not_show(void **state)
{
	struct trace first, other;

	run(&all_modes[0], RIG_ROOM, &first);
	assert_in_range(first.record.n_out, N_FRAMES / 5, N_FRAMES);
	for (uint32_t m = 1; m < 2 * N_MODES; m++) {
		/* in buffers of 128 bytes the second time */
		run(&all_modes[m % N_MODES], m < N_MODES ? RIG_ROOM : 128, &other);
		compare(&first, &other);
		record_fini(&other.record);
	}
	record_fini(&first.record);
}

/* A head that was bound early goes with its buffer wherever that goes: dropped raw, refused by the port, never received. */
static void
early_heads_come_home(void **state)
{
	const struct rig_conf conf = {.build = BUILD_EARLY, .n_data = 256, .n_heads = 128};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	frame_udp(&f, "10.0.1.2", 18);
	for (uint32_t round = 0; round < 50; round++) {
		/* more than there are heads: the later ones come without */
		for (uint32_t i = 0; i < 200; i++)
			rig_inject(rig, &f);
		for (uint32_t left = 200; left > 0;)
			left -= rig_turn(rig);
		rig_discard(rig, 1);
		rig_check_home(rig);
	}
	rig_destroy(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modes_do_not_show),
		cmocka_unit_test(early_heads_come_home),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
