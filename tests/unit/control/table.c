/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static struct skb packets[PACKETS];

static uint32_t
number(const struct neigh *n)
{
	const uint8_t *b = n->addr.bytes + (n->addr.family == AF_INET ? 0 : 12);

	return (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void note(struct table *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void
note(struct table *w, const char *format, ...)
{
	va_list args;

	if (w->quiet)
		return;
	if (w->n_log > 0)
		w->n_log += (unsigned int)snprintf(w->log + w->n_log, sizeof(w->log) - w->n_log, "; ");
	va_start(args, format);
	w->n_log += (unsigned int)vsnprintf(w->log + w->n_log, sizeof(w->log) - w->n_log, format, args);
	va_end(args);
	assert_true(w->n_log < sizeof(w->log));
}

static void
on_solicit(void *arg, const struct neigh *n, bool unicast)
{
	struct table *w = arg;

	w->n_asked++;
	note(w, "ask %u%s", number(n), unicast ? " itself" : "");
}

static void
on_known(void *arg, struct neigh *n)
{
	note(arg, "known %u %02x", number(n), n->mac.addr_bytes[5]);
}

static void
on_unknown(void *arg, struct neigh *n)
{
	note(arg, "unknown %u %02x", number(n), n->mac.addr_bytes[5]);
}

static void
on_release(void *arg, const struct neigh *n, struct skb *skb, enum neigh_fate fate)
{
	static const char *const names[] = {"ready", "failed", "replaced", "down", "stopped"};
	struct table *w = arg;
	const unsigned int packet = (unsigned int)(skb - packets);

	assert_true(w->inside[packet]);
	w->inside[packet] = false;
	w->n_released++;
	w->fates[fate]++;
	note(w, "%s %u", names[fate], packet);
}

static const struct neigh_ops ops = {
	.solicit = on_solicit, .known = on_known, .unknown = on_unknown, .release = on_release};

struct table *
table_open(uint32_t n_fixed, uint32_t hold_max, uint32_t reachable_ms)
{
	struct table *w = calloc(1, sizeof(*w));
	const struct neigh_conf conf = {.n_fixed = n_fixed,
		.hold_max = hold_max,
		.reachable_ms = reachable_ms,
		.seed = 0x5eed,
		.ops = &ops,
		.arg = w};

	assert_non_null(w);
	w->now_ns = 1000000000000ull;
	assert_int_equal(neigh_table_create(&conf, &w->t), 0);
	return w;
}

void
table_close(struct table *w)
{
	const uint32_t n_held = neigh_n_held(w->t);

	table_check(w);
	w->quiet = true;
	neigh_table_destroy(w->t);
	assert_int_equal(w->fates[NEIGH_STOPPED], n_held);
	for (unsigned int i = 0; i < PACKETS; i++)
		assert_false(w->inside[i]);
	free(w);
}

struct ip_addr
addr4(uint32_t n)
{
	return (struct ip_addr){
		.family = AF_INET, .bytes = {10, (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n}};
}

struct ip_addr
addr6(uint32_t n)
{
	return (struct ip_addr){.family = AF_INET6,
		.bytes = {0xfe, 0x80, [13] = (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n}};
}

enum neigh_held
hold(struct table *w, uint32_t n, unsigned int packet)
{
	const struct ip_addr addr = addr4(n);
	struct neigh *found = NULL;
	enum neigh_held held;

	assert_false(w->inside[packet]);
	/* before it can come out again */
	w->inside[packet] = true;
	held = neigh_hold(w->t, 0, &addr, &packets[packet], w->now_ns, &found);
	if (held != NEIGH_HELD)
		w->inside[packet] = false;
	assert_int_equal(found != NULL, held == NEIGH_KNOWN);
	return held;
}

bool
learn(struct table *w, uint32_t n, int mac, const char *say)
{
	const struct ip_addr addr = addr4(n);
	const struct rte_ether_addr bytes = {{2, 0, 0, 0, 0, (uint8_t)mac}};
	const struct neigh_claim claim = {.mac = mac < 0 ? NULL : &bytes,
		.create = strchr(say, 'c') != NULL,
		.solicited = strchr(say, 's') != NULL,
		.override = strchr(say, 'o') != NULL};

	return neigh_learn(w->t, 0, &addr, &claim, w->now_ns);
}

static const struct neigh *
find(const struct table *w, uint32_t n)
{
	const struct ip_addr addr = addr4(n);

	return neigh_find(w->t, 0, &addr);
}

int
state_of(const struct table *w, uint32_t n)
{
	return find(w, n) == NULL ? -1 : find(w, n)->state;
}

int
mac_of(const struct table *w, uint32_t n)
{
	assert_non_null(find(w, n));
	return find(w, n)->mac.addr_bytes[5];
}

void
later(struct table *w, uint64_t ms)
{
	for (uint64_t step; ms > 0; ms -= step) {
		step = ms < 10 ? ms : 10;
		w->now_ns += step * 1000000;
		neigh_tick(w->t, w->now_ns);
	}
}

void
log_is(struct table *w, const char *expected)
{
	assert_string_equal(w->log, expected);
	w->log[0] = '\0';
	w->n_log = 0;
}

void
table_check(const struct table *w)
{
	static struct control_neigh_view views[16384];
	const uint32_t n = neigh_dump(w->t, views, 16384);
	uint32_t n_held = 0, n_inside = 0;

	assert_true(n <= 16384);
	assert_int_equal(neigh_n(w->t), n);
	for (uint32_t i = 0; i < n; i++) {
		const struct control_neigh_view *v = &views[i];
		const struct neigh *found = neigh_find(w->t, v->neigh.port, &v->neigh.addr);
		const bool known = v->state != NEIGH_INCOMPLETE && v->state != NEIGH_FAILED;

		assert_non_null(found);
		assert_int_equal(found->state, v->state);
		assert_int_equal(!rte_is_zero_ether_addr(&v->neigh.mac), known);
		assert_true(v->n_held <= (known ? 0 : NEIGH_HELD_MAX));
		n_held += v->n_held;
	}
	for (unsigned int i = 0; i < PACKETS; i++)
		n_inside += w->inside[i];
	assert_int_equal(neigh_n_held(w->t), n_held);
	assert_int_equal(n_inside, n_held);
}
