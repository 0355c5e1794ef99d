/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every verdict of verdict.h is reached, by one packet each or by what it takes to fill a ring. The last
 * test goes through the table and fails for any verdict that no test before it has seen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "icmp.h"
#include "verdicts.h"

static uint64_t reached[N_VERDICTS];

struct rig *
verdicts_rig(enum build_mode build)
{
	const struct rig_conf conf = {.build = build, .icmp_rate = ICMP_UNLIMITED};

	return rig_create(&conf);
}

void
verdicts_finish(struct rig *rig)
{
	uint64_t counts[N_VERDICTS];

	rig_counts(rig, counts);
	for (uint32_t v = 0; v < N_VERDICTS; v++)
		reached[v] += counts[v];
	rig_destroy(rig);
}

/* One packet in the ring of its class, none in the others. */
static void
expect_punted(struct rig *rig, enum verdict verdict)
{
	const enum punt_class class = verdict == VERDICT_neigh_unresolved ? PUNT_NEIGH : PUNT_HOST;

	if (verdict_info[verdict].kind == VERDICT_KIND_PUNT) {
		struct skb *skb = rig_punted_in(rig, class);

		assert_non_null(skb);
		assert_int_equal(skb->reason, verdict);
		rig_consume(rig, skb);
	}
	assert_null(rig_punted(rig));
}

static void
expect_told(struct rig *rig, enum verdict verdict)
{
	struct skb *skb = rig_told(rig);

	if (verdict_info[verdict].kind != VERDICT_KIND_ERROR) {
		assert_null(skb);
		return;
	}
	assert_non_null(skb);
	assert_int_equal(skb->reason, verdict);
	assert_int_not_equal(punt_info(skb)->error, ICMP_ERROR_NONE);
	rig_consume(rig, skb);
	assert_null(rig_told(rig));
}

void
verdicts_expect(struct rig *rig, const struct frame *f, enum verdict verdict)
{
	uint64_t before[N_VERDICTS], after[N_VERDICTS];

	rig_counts(rig, before);
	rig_inject(rig, f);
	assert_int_equal(rig_turn(rig), 1);
	rig_counts(rig, after);
	for (uint32_t v = 0; v < N_VERDICTS; v++)
		if (after[v] != before[v] + (v == verdict))
			fail_msg("%s: %s moved by %lu", verdict_info[verdict].name, verdict_info[v].name,
				(unsigned long)(after[v] - before[v]));
	assert_int_equal(rig_discard(rig, 0) + rig_discard(rig, 1), verdict == VERDICT_forward);
	expect_punted(rig, verdict);
	expect_told(rig, verdict);
	rig_check_home(rig);
}

/* By one test or another. */
static void
every_verdict_was_reached(void **state)
{
	uint32_t missing = 0;

	for (uint32_t v = 0; v < N_VERDICTS; v++) {
		if (reached[v] > 0)
			continue;
		print_error("never reached: %s\n", verdict_info[v].name);
		missing++;
	}
	assert_int_equal(missing, 0);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_verdict_was_reached)};
	int failed;

	rig_eal(argc, argv);
	failed = verdicts_packets() + verdicts_shortages();
	return failed + cmocka_run_group_tests_name("all", tests, NULL, NULL);
}
