/* SPDX-License-Identifier: BSD-3-Clause */
/* The states of neighbours, one transition after the other. Each test is named after what RFC 4861 says about it, where it does. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

/* 7.2.2: MAX_MULTICAST_SOLICIT times, RetransTimer apart; then the packets have failed. */
static void
rfc4861_7_2_2_asks_three_times(void **state)
{
	struct table *w = table_open(0, 100, 0);

	assert_int_equal(hold(w, 2, 1), NEIGH_HELD);
	log_is(w, "ask 2");
	assert_int_equal(state_of(w, 2), NEIGH_INCOMPLETE);
	later(w, 990);
	assert_int_equal(hold(w, 2, 2), NEIGH_HELD);
	log_is(w, "");
	later(w, 10);
	log_is(w, "ask 2");
	later(w, 1000);
	log_is(w, "ask 2");
	later(w, 990);
	log_is(w, "");
	later(w, 10);
	log_is(w, "failed 1; failed 2");
	assert_int_equal(state_of(w, 2), -1);
	assert_int_equal(neigh_n(w->t), 0);
	later(w, 100000);
	log_is(w, "");
	/* the next packet begins anew */
	assert_int_equal(hold(w, 2, 1), NEIGH_HELD);
	log_is(w, "ask 2");
	table_close(w);
}

/* 7.2.5: "it sends any packets queued for the neighbor", in their order. */
static void
rfc4861_7_2_5_answer_releases(void **state)
{
	struct table *w = table_open(0, 100, 0);

	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(hold(w, 2, i), NEIGH_HELD);
	log_is(w, "ask 2");
	assert_true(learn(w, 2, 0x0a, "so"));
	log_is(w, "known 2 0a; ready 0; ready 1; ready 2");
	assert_int_equal(state_of(w, 2), NEIGH_REACHABLE);
	assert_int_equal(hold(w, 2, 4), NEIGH_KNOWN);
	later(w, 14000);
	log_is(w, "");
	table_close(w);
}

/* ---- 7.2.5, every combination ---- */

/* What the section says; told in the RFC's order. */
static bool
rfc_advert(enum neigh_state *state, int *mac, int told, bool s, bool o)
{
	const bool differs = told >= 0 && told != *mac;

	if (*state == NEIGH_INCOMPLETE) {
		if (told < 0) /* "SHOULD silently discard" */
			return false;
		*mac = told;
		*state = s ? NEIGH_REACHABLE : NEIGH_STALE;
		return true;
	}
	if (!o && differs) {                   /* I */
		if (*state != NEIGH_REACHABLE) /* b: "MUST NOT update the cache" */
			return false;
		*state = NEIGH_STALE; /* a: "set it to STALE, but do not update the entry in any other way" */
		return true;
	}
	if (differs) /* II */
		*mac = told;
	if (s)
		*state = NEIGH_REACHABLE;
	else if (differs)
		*state = NEIGH_STALE;
	return true;
}

/* A table whose 10.0.0.2 is in state and has MAC 0a. */
static struct table *
table_in(enum neigh_state state)
{
	struct table *w = table_open(0, 100, 0);

	if (state == NEIGH_INCOMPLETE) {
		hold(w, 2, 1);
	} else {
		learn(w, 2, 0x0a, "co");
		if (state == NEIGH_REACHABLE)
			learn(w, 2, 0x0a, "so");
		if (state == NEIGH_PROBE)
			later(w, 5000);
	}
	assert_int_equal(state_of(w, 2), state);
	w->log[0] = '\0';
	w->n_log = 0;
	return w;
}

static void
rfc4861_7_2_5_every_combination(void **unused)
{
	static const enum neigh_state states[] = {
		NEIGH_INCOMPLETE, NEIGH_REACHABLE, NEIGH_STALE, NEIGH_PROBE};
	static const int macs[] = {-1, 0x0a, 0x0b};
	static const char *const says[] = {"", "s", "o", "so"};

	for (unsigned int i = 0; i < 4 * 3 * 4; i++) {
		struct table *w = table_in(states[i / 12]);
		const char *say = says[i % 4];
		enum neigh_state state = states[i / 12];
		const int told = macs[i / 4 % 3];
		int mac = state == NEIGH_INCOMPLETE ? 0 : 0x0a;
		const int before = mac;
		const bool heard =
			rfc_advert(&state, &mac, told, strchr(say, 's') != NULL, strchr(say, 'o') != NULL);

		assert_int_equal(learn(w, 2, told, say), heard);
		assert_int_equal(state_of(w, 2), state);
		assert_int_equal(mac_of(w, 2), mac);
		/* whoever uses the MAC address is told when it is another one, and then only */
		assert_int_equal(strstr(w->log, "known 2 0") != NULL, mac != before);
		table_close(w);
	}
}

/* "If no entry exists, the advertisement SHOULD be silently discarded." */
static void
rfc4861_7_2_5_creates_none(void **state)
{
	struct table *w = table_open(0, 100, 0);

	assert_false(learn(w, 2, 0x0a, ""));
	assert_false(learn(w, 2, 0x0a, "o"));
	assert_false(learn(w, 2, 0x0a, "so"));
	assert_int_equal(neigh_n(w->t), 0);
	log_is(w, "");
	table_close(w);
}

/* 7.2.3: a solicitation makes an entry, STALE; without a link-layer address it does not. */
static void
rfc4861_7_2_3_creates(void **state)
{
	struct table *w = table_open(0, 100, 0);

	assert_false(learn(w, 2, -1, "co"));
	assert_int_equal(neigh_n(w->t), 0);
	assert_true(learn(w, 2, 0x0a, "co"));
	log_is(w, "known 2 0a");
	assert_int_equal(state_of(w, 2), NEIGH_STALE);
	assert_int_equal(hold(w, 2, 1), NEIGH_KNOWN);
	table_close(w);
}

/* 7.3.3, DELAY_FIRST_PROBE_TIME: repeating it does not put the probe off. */
static void
rfc4861_7_3_3_stale_is_probed(void **state)
{
	struct table *w = table_open(0, 100, 0);

	learn(w, 2, 0x0a, "co");
	later(w, 3000);
	learn(w, 2, 0x0a, "co");
	learn(w, 2, 0x0b, "co");
	log_is(w, "known 2 0a; known 2 0b");
	later(w, 1990);
	log_is(w, "");
	later(w, 10);
	log_is(w, "ask 2 itself");
	assert_int_equal(state_of(w, 2), NEIGH_PROBE);
	/* one that is there already is not put back to STALE by repeating itself */
	learn(w, 2, 0x0b, "co");
	assert_int_equal(state_of(w, 2), NEIGH_PROBE);
	table_close(w);
}

/* 7.3.3: MAX_UNICAST_SOLICIT times, RetransTimer apart, then it is gone. */
static void
rfc4861_7_3_3_probe_fails(void **state)
{
	struct table *w = table_open(0, 100, 0);

	learn(w, 2, 0x0a, "co");
	later(w, 5000);
	log_is(w, "known 2 0a; ask 2 itself");
	later(w, 2990);
	log_is(w, "ask 2 itself; ask 2 itself");
	assert_int_equal(hold(w, 2, 1), NEIGH_KNOWN); /* until then it is used */
	later(w, 10);
	log_is(w, "unknown 2 0a");
	assert_int_equal(neigh_n(w->t), 0);
	/* and asked for when a packet needs it */
	assert_int_equal(hold(w, 2, 1), NEIGH_HELD);
	log_is(w, "ask 2");
	table_close(w);
}

static void
rfc4861_7_3_3_probe_answered(void **state)
{
	struct table *w = table_open(0, 100, 0);

	learn(w, 2, 0x0a, "co");
	later(w, 6500);
	log_is(w, "known 2 0a; ask 2 itself; ask 2 itself");
	learn(w, 2, 0x0a, "so");
	assert_int_equal(state_of(w, 2), NEIGH_REACHABLE);
	later(w, 14900);
	log_is(w, "");
	/* the next probe has three questions again */
	later(w, 33200);
	log_is(w, "ask 2 itself; ask 2 itself; ask 2 itself; unknown 2 0a");
	table_close(w);
}

/* 6.3.2: ReachableTime times a random factor of MIN_RANDOM_FACTOR .5 to MAX_RANDOM_FACTOR 1.5. */
static void
rfc4861_6_3_2_reachable_time(void **state)
{
	struct table *w = table_open(0, 100, 2000);
	unsigned int n_at[40] = {0};

	w->quiet = true;
	for (unsigned int n = 0; n < 400; n++) {
		hold(w, n, 0);
		learn(w, n, 0x0a, "so");
	}
	for (unsigned int tenth = 1; tenth < 40; tenth++) {
		later(w, 100);
		for (unsigned int n = 0; n < 400; n++)
			n_at[tenth] += state_of(w, n) == NEIGH_PROBE;
	}
	assert_int_equal(n_at[9], 0);
	assert_int_equal(n_at[30], 400);
	/* even over the time between: 20 in each tenth of a second, on average */
	for (unsigned int tenth = 11; tenth < 30; tenth++)
		assert_in_range(n_at[tenth] - n_at[tenth - 1], 5, 40);
	table_close(w);
}

/* REACHABLE_TIME 30 000 milliseconds, unless told otherwise. */
static void
rfc4861_10_reachable_time(void **state)
{
	struct table *w = table_open(0, 100, 0);
	unsigned int n_probe = 0;

	w->quiet = true;
	for (unsigned int n = 0; n < 400; n++) {
		hold(w, n, 0);
		learn(w, n, 0x0a, "so");
	}
	later(w, 14900);
	assert_int_equal(w->n_asked, 400);
	/* more than one a second is asked then, so that they do not come to an end together */
	later(w, 15100);
	for (unsigned int n = 0; n < 400; n++)
		n_probe += state_of(w, n) != NEIGH_REACHABLE;
	assert_in_range(n_probe, 150, 250);
	later(w, 15000);
	for (unsigned int n = 0; n < 400; n++)
		assert_true(state_of(w, n) != NEIGH_REACHABLE);
	table_close(w);
}

/* One that goes back from REACHABLE to STALE is probed after 5 s, and keeps its MAC address meanwhile. */
static void
rfc4861_7_2_5_doubt(void **state)
{
	struct table *w = table_in(NEIGH_REACHABLE);

	assert_true(learn(w, 2, 0x0b, ""));
	assert_int_equal(state_of(w, 2), NEIGH_STALE);
	later(w, 4990);
	log_is(w, "");
	later(w, 10);
	log_is(w, "ask 2 itself");
	assert_int_equal(mac_of(w, 2), 0x0a);
	table_close(w);
}

/* ---- static ones ---- */

static const struct control_neigh fixed = {
	.addr = {.family = 2 /* AF_INET */, .bytes = {10, 0, 0, 2}}, .mac = {{2, 0, 0, 0, 0, 0x0a}}};

static void
static_wins(void **state)
{
	struct table *w = table_open(1, 100, 0);

	assert_int_equal(neigh_add_static(w->t, &fixed), 0);
	assert_int_equal(neigh_add_static(w->t, &fixed), -EEXIST);
	assert_int_equal(neigh_pin(w->t, 0, &fixed.addr), 0);
	assert_int_equal(neigh_pin(w->t, 1, &fixed.addr), -ENOSPC);
	assert_false(learn(w, 2, 0x0b, "co"));
	assert_false(learn(w, 2, 0x0b, "so"));
	assert_false(learn(w, 2, -1, "s"));
	assert_int_equal(hold(w, 2, 1), NEIGH_KNOWN);
	neigh_link(w->t, 0, false, w->now_ns);
	neigh_link(w->t, 0, true, w->now_ns);
	later(w, 100000);
	log_is(w, "");
	assert_int_equal(state_of(w, 2), NEIGH_STATIC);
	assert_int_equal(mac_of(w, 2), 0x0a);
	table_close(w);
}

/* ---- pinned ones ---- */

static struct table *
table_pinned(void)
{
	struct table *w = table_open(1, 100, 0);
	const struct ip_addr addr = addr4(2);

	assert_int_equal(neigh_pin(w->t, 0, &addr), 0);
	assert_int_equal(neigh_pin(w->t, 0, &addr), 0);
	later(w, 2000);
	log_is(w, ""); /* links have not been told yet */
	neigh_link(w->t, 0, true, w->now_ns);
	log_is(w, "ask 2");
	return w;
}

static void
pinned_is_asked_once_a_second(void **state)
{
	struct table *w = table_pinned();

	later(w, 990);
	neigh_link(w->t, 0, true, w->now_ns);
	log_is(w, "");
	later(w, 2010);
	log_is(w, "ask 2; ask 2; ask 2");
	assert_int_equal(state_of(w, 2), NEIGH_FAILED);
	w->quiet = true;
	w->n_asked = 0;
	later(w, 100000);
	assert_int_equal(w->n_asked, 100);
	w->quiet = false;
	assert_true(learn(w, 2, 0x0a, "so"));
	log_is(w, "known 2 0a");
	assert_int_equal(state_of(w, 2), NEIGH_REACHABLE);
	table_close(w);
}

/* Packets for one that has failed wait for three questions more, which come no faster. */
static void
pinned_failed_holds(void **state)
{
	struct table *w = table_pinned();

	assert_int_equal(hold(w, 2, 1), NEIGH_HELD);
	later(w, 3500);
	log_is(w, "ask 2; ask 2; failed 1; ask 2");
	assert_int_equal(hold(w, 2, 2), NEIGH_HELD);
	assert_int_equal(state_of(w, 2), NEIGH_INCOMPLETE);
	log_is(w, "");
	later(w, 3490);
	log_is(w, "ask 2; ask 2; ask 2");
	later(w, 10);
	log_is(w, "failed 2; ask 2");
	table_close(w);
}

/* Lost: unknown at once, and everybody is asked at once. */
static void
pinned_lost(void **state)
{
	struct table *w = table_pinned();

	learn(w, 2, 0x0a, "o"); /* gratuitous: not confirmed */
	later(w, 8000);
	log_is(w, "known 2 0a; ask 2 itself; ask 2 itself; ask 2 itself; unknown 2 0a; ask 2");
	assert_int_equal(state_of(w, 2), NEIGH_INCOMPLETE);
	assert_int_equal(mac_of(w, 2), 0);
	later(w, 2990);
	log_is(w, "ask 2; ask 2");
	table_close(w);
}

static void
pinned_of_a_known_one(void **state)
{
	struct table *w = table_open(1, 100, 0);
	const struct ip_addr addr = addr4(2), other = addr4(3);

	learn(w, 2, 0x0a, "co");
	assert_int_equal(neigh_pin(w->t, 0, &addr), 0);
	assert_int_equal(neigh_pin(w->t, 0, &other), -ENOSPC);
	assert_int_equal(neigh_add_static(w->t, &(struct control_neigh){.addr = other}), -ENOSPC);
	later(w, 8000);
	assert_int_equal(state_of(w, 2), NEIGH_INCOMPLETE);
	table_close(w);
}

/* ---- links ---- */

static void
link_down_forgets(void **state)
{
	struct table *w = table_pinned();
	const struct ip_addr elsewhere = addr4(9);
	const struct rte_ether_addr mac = {{2, 0, 0, 0, 0, 9}};
	const struct neigh_claim claim = {.mac = &mac, .create = true};

	assert_true(neigh_learn(w->t, 1, &elsewhere, &claim, w->now_ns));
	learn(w, 2, 0x0a, "so");
	learn(w, 3, 0x0b, "co");
	hold(w, 4, 1);
	hold(w, 4, 2);
	log_is(w, "known 9 09; known 2 0a; known 3 0b; ask 4");
	neigh_link(w->t, 0, false, w->now_ns);
	log_is(w, "unknown 2 0a; unknown 3 0b; down 1; down 2");
	assert_int_equal(state_of(w, 2), NEIGH_INCOMPLETE);
	assert_int_equal(state_of(w, 3), -1);
	assert_int_equal(state_of(w, 4), -1);
	assert_int_equal(neigh_n(w->t), 2);
	/* nobody is asked, nor believed, nor waited for */
	assert_int_equal(hold(w, 2, 1), NEIGH_NO_LINK);
	assert_int_equal(hold(w, 4, 1), NEIGH_NO_LINK);
	assert_false(learn(w, 5, 0x0c, "co"));
	assert_false(learn(w, 2, 0x0c, "so"));
	later(w, 4000);
	log_is(w, "");
	neigh_link(w->t, 0, true, w->now_ns);
	log_is(w, "ask 2");
	table_close(w);
}

/* ---- keys ---- */

/* The same number in both families and on two ports is four neighbours. */
static void
keys(void **state)
{
	struct table *w = table_open(0, 100, 0);
	const struct ip_addr addrs[2] = {addr4(2), addr6(2)};
	struct control_neigh_view views[4];

	for (unsigned int i = 0; i < 4; i++) {
		const struct rte_ether_addr mac = {{2, 0, 0, 0, 0, (uint8_t)(i + 1)}};
		const struct neigh_claim claim = {.mac = &mac, .create = true};

		assert_true(neigh_learn(w->t, (uint16_t)(i / 2), &addrs[i % 2], &claim, w->now_ns));
	}
	assert_int_equal(neigh_n(w->t), 4);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(
			neigh_find(w->t, (uint16_t)(i / 2), &addrs[i % 2])->mac.addr_bytes[5], i + 1);
	/* of an IPv4 address only four bytes count */
	struct ip_addr dirty = addrs[0];

	memset(dirty.bytes + 4, 0xff, 12);
	assert_ptr_equal(neigh_find(w->t, 0, &dirty), neigh_find(w->t, 0, &addrs[0]));
	memset(views, 0x5a, sizeof(views));
	assert_int_equal(neigh_dump(w->t, views, 3), 4);
	assert_int_equal(views[3].n_held, 0x5a5a5a5a);
	table_close(w);
}

/* Also of those that share a bucket. */
static void
keys_of_one_bucket(void **state)
{
	struct table *w = table_open(0, 100, 0);

	w->quiet = true;
	for (uint32_t n = 0; n < NEIGH_TOLD_MAX; n++)
		learn(w, n, 0x0a, "co");
	for (uint32_t n = 0; n < NEIGH_TOLD_MAX; n++) {
		const struct ip_addr addr = addr4(n);

		for (uint16_t port = 1; port < 100; port++)
			assert_null(neigh_find(w->t, port, &addr));
	}
	table_close(w);
}

static void
state_names(void **state)
{
	static const char *const names[] = {"incomplete", "reachable", "stale", "probe", "failed", "static"};

	for (unsigned int i = 0; i < 6; i++)
		assert_string_equal(neigh_state_name(i), names[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rfc4861_7_2_2_asks_three_times),
		cmocka_unit_test(rfc4861_7_2_5_answer_releases),
		cmocka_unit_test(rfc4861_7_2_5_every_combination),
		cmocka_unit_test(rfc4861_7_2_5_creates_none),
		cmocka_unit_test(rfc4861_7_2_3_creates),
		cmocka_unit_test(rfc4861_7_3_3_stale_is_probed),
		cmocka_unit_test(rfc4861_7_3_3_probe_fails),
		cmocka_unit_test(rfc4861_7_3_3_probe_answered),
		cmocka_unit_test(rfc4861_6_3_2_reachable_time),
		cmocka_unit_test(rfc4861_10_reachable_time),
		cmocka_unit_test(rfc4861_7_2_5_doubt),
		cmocka_unit_test(static_wins),
		cmocka_unit_test(pinned_is_asked_once_a_second),
		cmocka_unit_test(pinned_failed_holds),
		cmocka_unit_test(pinned_lost),
		cmocka_unit_test(pinned_of_a_known_one),
		cmocka_unit_test(link_down_forgets),
		cmocka_unit_test(keys),
		cmocka_unit_test(keys_of_one_bucket),
		cmocka_unit_test(state_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
