/* SPDX-License-Identifier: BSD-3-Clause */
/* What the table of neighbours does not do, however much is asked of it: grow, forget those it knows, ask without end, lose a packet. */
#include <stdlib.h>
#include <string.h>

#include "table.h"

/* One that the table does not hold, from packet on. */
static unsigned int
outside(const struct table *w, unsigned int packet)
{
	while (w->inside[packet % PACKETS])
		packet++;
	return packet % PACKETS;
}

/* RFC 4861 7.2.2: "the oldest packet" gives way. */
static void
rfc4861_7_2_2_oldest_is_replaced(void **state)
{
	struct table *w = table_open(0, 100, 0);

	for (unsigned int i = 0; i < NEIGH_HELD_MAX; i++)
		assert_int_equal(hold(w, 2, i), NEIGH_HELD);
	log_is(w, "ask 2");
	assert_int_equal(hold(w, 2, 100), NEIGH_HELD);
	log_is(w, "replaced 0");
	assert_int_equal(hold(w, 2, 101), NEIGH_HELD);
	log_is(w, "replaced 1");
	learn(w, 2, 0x0a, "so");
	log_is(w, "known 2 0a; ready 2; ready 3; ready 4; ready 5; ready 6; ready 7; ready 100; ready 101");
	table_close(w);
}

static void
hold_max(void **state)
{
	struct table *w = table_open(0, 10, 0);

	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(hold(w, 2, i), NEIGH_HELD);
	assert_int_equal(hold(w, 3, 8), NEIGH_HELD);
	assert_int_equal(hold(w, 3, 9), NEIGH_HELD);
	assert_int_equal(hold(w, 3, 10), NEIGH_FULL);
	/* replacing needs no more room; asking does without a packet */
	assert_int_equal(hold(w, 2, 11), NEIGH_HELD);
	assert_int_equal(hold(w, 4, 12), NEIGH_FULL);
	log_is(w, "ask 2; ask 3; replaced 0; ask 4");
	assert_int_equal(neigh_n_held(w->t), 10);
	learn(w, 2, 0x0a, "so");
	assert_int_equal(hold(w, 4, 12), NEIGH_HELD);
	table_close(w);
}

/* A scan of 65 536 addresses, again and again, with nobody there: neighbours that are known stay, and nothing grows. */
static void
scan(void **state)
{
	struct table *w = table_open(2, 500, 0);
	const struct ip_addr gateway = addr4(0x20000);
	uint64_t asked = 0;
	uint32_t n = 0;

	w->quiet = true;
	neigh_pin(w->t, 0, &gateway);
	neigh_link(w->t, 0, true, w->now_ns);
	for (uint32_t i = 0; i < 100; i++)
		learn(w, 0x10000 + i, 0x0a, "co"), learn(w, 0x10000 + i, 0x0a, "so");
	for (unsigned int ms = 0; ms < 10000; ms += 10) {
		for (unsigned int i = 0; i < 256; i++, n++)
			hold(w, n % 0x10000, outside(w, n));
		assert_true(neigh_n(w->t) <= 101 + NEIGH_INCOMPLETE_MAX);
		assert_true(neigh_n_held(w->t) <= 500);
		later(w, 10);
		if (ms % 1000 == 990) {
			/* each once, and those that take their places in the same second */
			assert_true(w->n_asked - asked <= 2 * NEIGH_INCOMPLETE_MAX + 1);
			asked = w->n_asked;
		}
	}
	assert_true(n > 3 * 0x10000);
	/* 512 in the first second, each three times in 3 s */
	assert_true(w->n_asked <= 11 * (NEIGH_INCOMPLETE_MAX + 1));
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(state_of(w, 0x10000 + i), NEIGH_REACHABLE);
	/* the gateway is still asked, and believed */
	assert_true(learn(w, 0x20000, 0x0b, "so"));
	table_close(w);
}

static void
incomplete_max(void **state)
{
	struct table *w = table_open(0, PACKETS, 0);

	w->quiet = true;
	for (uint32_t i = 0; i < NEIGH_INCOMPLETE_MAX; i++)
		assert_int_equal(hold(w, i, i), NEIGH_HELD);
	assert_int_equal(hold(w, NEIGH_INCOMPLETE_MAX, 1000), NEIGH_FULL);
	assert_int_equal(state_of(w, NEIGH_INCOMPLETE_MAX), -1);
	/* one that is answered makes room */
	learn(w, 7, 0x0a, "so");
	assert_int_equal(hold(w, NEIGH_INCOMPLETE_MAX, 1000), NEIGH_HELD);
	assert_int_equal(hold(w, NEIGH_INCOMPLETE_MAX + 1, 1001), NEIGH_FULL);
	table_close(w);
}

/* Senders that somebody has invented: at most so many, and only until they do not answer. */
static void
told_max(void **state)
{
	struct table *w = table_open(0, 100, 0);

	w->quiet = true;
	for (uint32_t i = 0; i < NEIGH_TOLD_MAX; i++)
		assert_true(learn(w, i, 0x0a, "co"));
	assert_false(learn(w, NEIGH_TOLD_MAX, 0x0a, "co"));
	assert_int_equal(neigh_n(w->t), NEIGH_TOLD_MAX);
	/* whoever a packet goes to is not one of them */
	assert_int_equal(hold(w, NEIGH_TOLD_MAX, 1), NEIGH_HELD);
	/* nor is who has answered */
	learn(w, 3, 0x0a, "s");
	assert_true(learn(w, NEIGH_TOLD_MAX + 1, 0x0a, "co"));
	assert_false(learn(w, NEIGH_TOLD_MAX + 2, 0x0a, "co"));
	/* being asked is not to have answered */
	later(w, 5500);
	assert_int_equal(state_of(w, 0), NEIGH_PROBE);
	assert_false(learn(w, NEIGH_TOLD_MAX + 2, 0x0a, "co"));
	later(w, 2500);
	assert_int_equal(neigh_n(w->t), 1);
	table_close(w);
}

static void
dynamic_max(void **state)
{
	struct table *w = table_open(1, 100, 0);
	const struct ip_addr gateway = addr4(0x20000);

	w->quiet = true;
	for (uint32_t i = 0; i < NEIGH_DYNAMIC_MAX; i++) {
		assert_int_equal(hold(w, i, 0), NEIGH_HELD);
		assert_true(learn(w, i, 0x0a, "so"));
	}
	assert_int_equal(hold(w, NEIGH_DYNAMIC_MAX, 0), NEIGH_FULL);
	assert_false(learn(w, NEIGH_DYNAMIC_MAX, 0x0a, "co"));
	assert_int_equal(neigh_n(w->t), NEIGH_DYNAMIC_MAX);
	/* there is a place for what is configured */
	assert_int_equal(neigh_pin(w->t, 0, &gateway), 0);
	/* all of them are asked over 30 s, and none twice in one */
	w->n_asked = 0;
	later(w, 15000);
	for (unsigned int s = 0; s < 30; s++) {
		const uint64_t before = w->n_asked;

		later(w, 1000);
		assert_true(w->n_asked - before <= 3 * 200);
	}
	later(w, 4000);
	assert_int_equal(w->n_asked, 3 * NEIGH_DYNAMIC_MAX);
	assert_int_equal(neigh_n(w->t), 1);
	table_close(w);
}

static void
stopped(void **state)
{
	struct table *w = table_open(0, 100, 0);

	for (unsigned int i = 0; i < 20; i++)
		hold(w, i % 3, i);
	assert_int_equal(neigh_n_held(w->t), 20);
	table_close(w);
}

/* ---- anything ---- */

#define N_STEPS 100000u
#define SEED    0x826u

static void
random_step(struct table *w, unsigned short x[3])
{
	static const char *const says[] = {"", "s", "o", "so", "co", "c"};
	const uint32_t n = (uint32_t)(nrand48(x) % 8 == 0 ? nrand48(x) % 6000 : nrand48(x) % 40);

	switch (nrand48(x) % 16) {
	case 0: later(w, (uint64_t)nrand48(x) % 200); break;
	case 1:
		learn(w, n, nrand48(x) % 4 == 0 ? -1 : (int)(1 + nrand48(x) % 3), says[nrand48(x) % 6]);
		break;
	case 2:
		if (nrand48(x) % 50 == 0)
			neigh_link(w->t, 0, nrand48(x) % 2, w->now_ns);
		break;
	default: hold(w, n, outside(w, (unsigned int)nrand48(x)));
	}
}

static void
anything(void **state)
{
	struct table *w = table_open(20, 1000, 3000);
	unsigned short x[3] = {SEED, 0, 0};
	uint64_t fates = 0;

	w->quiet = true;
	for (uint32_t i = 0; i < 10; i++) {
		const struct ip_addr addr = addr4(i);
		const struct control_neigh one = {.addr = addr4(10 + i), .mac = {{2, 0, 0, 0, 0, 1}}};

		assert_int_equal(neigh_pin(w->t, 0, &addr), 0);
		assert_int_equal(neigh_add_static(w->t, &one), 0);
	}
	for (uint32_t i = 0; i < N_STEPS; i++) {
		random_step(w, x);
		if (i % 500 == 0)
			table_check(w);
		if (i % 5000 == 0)
			neigh_link(w->t, 0, true, w->now_ns);
	}
	for (unsigned int i = 0; i < 20; i++)
		assert_int_not_equal(state_of(w, i), -1);
	/* everything has happened */
	for (unsigned int i = 0; i < 4; i++) {
		assert_true(w->fates[i] > 100);
		fates += w->fates[i];
	}
	assert_int_equal(fates, w->n_released);
	table_close(w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rfc4861_7_2_2_oldest_is_replaced),
		cmocka_unit_test(hold_max),
		cmocka_unit_test(scan),
		cmocka_unit_test(incomplete_max),
		cmocka_unit_test(told_max),
		cmocka_unit_test(dynamic_max),
		cmocka_unit_test(stopped),
		cmocka_unit_test(anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
