/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The geometry verbs at each of their limits: one byte further, those for lengths from outside say -EINVAL and change
 * nothing, in any build; the others stop a debug build, after a dump of the packet to stderr.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "skb.h"
#include "skb_frags.h"

#define BUF_LEN  256u
#define FRAG_LEN 30u

static uint8_t buf[BUF_LEN], frag_buf[FRAG_LEN];
static struct rte_mbuf mbuf, frag;

/* headlen bytes of packet with so many before it, and FRAG_LEN more in a fragment if it is to be nonlinear. */
static struct skb
packet(uint32_t headroom, uint32_t headlen, bool nonlinear)
{
	mbuf = (struct rte_mbuf){.buf_addr = buf, .buf_len = BUF_LEN, .nb_segs = 1, .refcnt = 1};
	if (nonlinear) {
		frag = (struct rte_mbuf){.buf_addr = frag_buf,
			.buf_len = FRAG_LEN,
			.nb_segs = 1,
			.refcnt = 1,
			.data_len = FRAG_LEN};
		mbuf.next = &frag;
		mbuf.nb_segs = 2;
	}
	return (struct skb){.mbuf = &mbuf,
		.data = buf + headroom,
		.len = headlen + (nonlinear ? FRAG_LEN : 0),
		.data_len = nonlinear ? FRAG_LEN : 0,
		.mac_header = SKB_UNSET,
		.network_header = (uint16_t)(headroom + 14),
		.transport_header = SKB_UNSET,
		.users = 1};
}

static int
try_reserve(struct skb *skb, uint32_t len, void **start)
{
	*start = skb->data + len;
	return skb_try_reserve(skb, len);
}

/* start is NULL. */
static int
try_put_only(struct skb *skb, uint32_t len, void **start)
{
	*start = skb->data + skb->len;
	return skb_try_put(skb, len, NULL);
}

static int
try_push_only(struct skb *skb, uint32_t len, void **start)
{
	*start = skb->data - len;
	return skb_try_push(skb, len, NULL);
}

static int
try_pull_only(struct skb *skb, uint32_t len, void **start)
{
	*start = skb->data + len;
	return skb_try_pull(skb, len, NULL);
}

/* What a verb makes of a packet: where it starts, how many bytes come and go; the most that it may be told, -1 = nothing. */
struct verb {
	const char *name;
	int (*run)(struct skb *skb, uint32_t len, void **start);
	int data_by, len_by; /* times len */
	int start;           /* 1: where the packet ended; 0: where it then starts */
	int64_t (*most)(uint32_t headroom, uint32_t headlen, bool nonlinear);
};

static int64_t
most_reserve(uint32_t headroom, uint32_t headlen, bool nonlinear)
{
	return headlen == 0 && !nonlinear ? (int64_t)BUF_LEN - headroom : -1;
}

static int64_t
most_put(uint32_t headroom, uint32_t headlen, bool nonlinear)
{
	return nonlinear ? 0 : BUF_LEN - headroom - headlen;
}

static int64_t
most_push(uint32_t headroom, uint32_t headlen, bool nonlinear)
{
	return headroom;
}

static int64_t
most_pull(uint32_t headroom, uint32_t headlen, bool nonlinear)
{
	return headlen;
}

static const struct verb verbs[] = {
	{"reserve", try_reserve, 1, 0, 0, most_reserve},
	{"put", skb_try_put, 0, 1, 1, most_put},
	{"put only", try_put_only, 0, 1, 1, most_put},
	{"push", skb_try_push, -1, 1, 0, most_push},
	{"push only", try_push_only, -1, 1, 0, most_push},
	{"pull", skb_try_pull, 1, -1, 0, most_pull},
	{"pull only", try_pull_only, 1, -1, 0, most_pull},
};

static void
try(const struct verb *verb, const struct skb *like, uint32_t len, bool is_good)
{
	struct skb skb = *like;
	uint8_t *const end = skb.data + skb.len;
	void *start = &skb;

	assert_int_equal(verb->run(&skb, len, &start), is_good ? 0 : -EINVAL);
	if (!is_good) {
		assert_memory_equal(&skb, like, sizeof(skb));
		return;
	}
	assert_ptr_equal(skb.data, like->data + verb->data_by * (int64_t)len);
	assert_int_equal(skb.len, like->len + verb->len_by * (int64_t)len);
	assert_int_equal(skb.data_len, like->data_len);
	/* where a packet ends that goes on elsewhere, nothing may be put anyway */
	if (!verb->start || !skb_is_nonlinear(like))
		assert_ptr_equal(start, verb->start ? end : skb.data);
	assert_int_equal(skb.network_header, like->network_header);
}

/* The most, one less, one more, and lengths that would come out right if they were added up carelessly. */
static void
try_around(const struct verb *verb, uint32_t headroom, uint32_t headlen, bool nonlinear)
{
	const struct skb skb = packet(headroom, headlen, nonlinear);
	const int64_t most = verb->most(headroom, headlen, nonlinear);
	const uint32_t huge[] = {
		UINT32_MAX, UINT32_MAX - headroom, UINT32_MAX - headlen, 1u << 31, 0x10000, BUF_LEN + 1};

	for (int64_t len = RTE_MAX(most - 1, 0); len <= most; len++)
		try(verb, &skb, (uint32_t)len, true);
	try(verb, &skb, (uint32_t)(most + 1), false);
	for (uint32_t i = 0; i < RTE_DIM(huge); i++)
		try(verb, &skb, huge[i], false);
}

static void
every_limit(void **state)
{
	const uint32_t rooms[] = {0, 1, 50, BUF_LEN - 1, BUF_LEN};

	for (uint32_t v = 0; v < RTE_DIM(verbs); v++) {
		print_message("%s\n", verbs[v].name);
		for (uint32_t i = 0; i < RTE_DIM(rooms); i++) {
			for (uint32_t k = 0; k < RTE_DIM(rooms) && rooms[i] + rooms[k] <= BUF_LEN; k++) {
				try_around(&verbs[v], rooms[i], rooms[k], false);
				try_around(&verbs[v], rooms[i], rooms[k], true);
			}
		}
	}
}

static void
trim_has_no_limit(void **state)
{
	struct skb skb = packet(10, 100, false);
	const struct skb nonlinear = packet(10, 100, true);

	assert_int_equal(skb_try_trim(&skb, UINT32_MAX), 0);
	assert_int_equal(skb_try_trim(&skb, 101), 0);
	assert_int_equal(skb_try_trim(&skb, 100), 0);
	assert_int_equal(skb.len, 100);
	assert_int_equal(skb_try_trim(&skb, 99), 0);
	assert_int_equal(skb.len, 99);
	assert_int_equal(skb_try_trim(&skb, 0), 0);
	assert_int_equal(skb.len, 0);
	assert_ptr_equal(skb.data, buf + 10);

	/* but only for one segment */
	for (uint32_t len = 0; len < 140; len += 10) {
		skb = nonlinear;
		assert_int_equal(skb_try_trim(&skb, len), -EINVAL);
		assert_memory_equal(&skb, &nonlinear, sizeof(skb));
	}
}

static bool
contains(const char *text, const char *part)
{
	const bool is_there = strstr(text, part) != NULL;

	if (!is_there)
		print_message("no \"%s\" in: %s\n", part, text);
	return is_there;
}

/* Everything that helps to find out who did it. */
static void
the_dump_tells_all(void **state)
{
	static const struct skb_owner owner = {.name = "port0 queue3"};
	struct skb skb = packet(50, 100, true), seg = {.len = 4321};
	char *text;
	size_t size;
	FILE *const out = open_memstream(&text, &size);

	assert_non_null(out);
	for (uint32_t i = 0; i < BUF_LEN; i++)
		buf[i] = (uint8_t)i;
	skb.owner = (struct skb_owner *)(uintptr_t)&owner;
	skb.frag_list = &seg;
	skb.flags = SKB_COLD;
	skb.truesize = 7654;
	skb.users = 3;
	skb.port = 17;
	skb_dump(&skb, out);
	assert_int_equal(fclose(out), 0);
	assert_true(contains(text, "len 130 "));
	assert_true(contains(text, "data_len 30 "));
	assert_true(contains(text, "headroom 50 "));
	assert_true(contains(text, "truesize 7654 "));
	assert_true(contains(text, "users 3 "));
	assert_true(contains(text, "port 17 "));
	assert_true(contains(text, "mac unset"));
	assert_true(contains(text, "network 64"));
	assert_true(contains(text, "port0 queue3"));
	assert_true(contains(text, "4321"));
	/* from the packet's first byte on */
	assert_true(contains(text, " 32 33 34 35 36 "));
	free(text);
}

/* It is asked for when something is wrong: what is wrong must not end it. */
static void
a_broken_packet_is_dumped(void **state)
{
	const uint32_t lens[] = {0, 1, BUF_LEN, BUF_LEN + 1, 1u << 20, UINT32_MAX};
	char *text;
	size_t size;
	FILE *const out = open_memstream(&text, &size);

	assert_non_null(out);
	for (uint32_t i = 0; i < RTE_DIM(lens); i++) {
		struct skb skb = packet(0, 0, false);

		skb.len = lens[i];
		for (int at = -70000; at <= 70000; at += 100) {
			skb.data = (uint8_t *)((uintptr_t)buf + (intptr_t)at);
			skb_dump(&skb, out);
		}
		skb.data_len = UINT32_MAX;
		skb_dump(&skb, out);
	}
	assert_int_equal(fclose(out), 0);
	free(text);
}

/* Of a packet in pieces, too: it says where the first one ends, and changes nothing. */
static void
nothing_is_put(void **state)
{
	for (uint32_t nonlinear = 0; nonlinear < 2; nonlinear++) {
		struct skb skb = packet(50, 100, nonlinear);
		const struct skb before = skb;

		assert_ptr_equal(skb_put(&skb, 0), buf + 150);
		assert_memory_equal(&skb, &before, sizeof(skb));
	}
}

#ifndef NDEBUG

struct misuse {
	const char *verb; /* the name in its message */
	void (*run)(struct skb *skb, uint32_t len);
	uint32_t last_good;
	bool nonlinear;
};

static void
do_reserve(struct skb *skb, uint32_t len)
{
	skb_trim(skb, 0);
	skb_reserve(skb, len);
}

static void
do_reserve_full(struct skb *skb, uint32_t len)
{
	skb->len = len;
	skb_reserve(skb, 0);
}

static void
do_put(struct skb *skb, uint32_t len)
{
	skb_put(skb, len);
}

static void
do_push(struct skb *skb, uint32_t len)
{
	skb_push(skb, len);
}

static void
do_pull(struct skb *skb, uint32_t len)
{
	skb_pull(skb, len);
}

static void
do_trim(struct skb *skb, uint32_t data_len)
{
	skb->data_len = data_len;
	skb_trim(skb, 10);
}

static void
do_put_shared(struct skb *skb, uint32_t more)
{
	skb->mbuf->refcnt = (uint16_t)(1 + more);
	skb_put(skb, 1);
}

static void
do_sync_shared(struct skb *skb, uint32_t more)
{
	skb->mbuf->refcnt = (uint16_t)(1 + more);
	skb_sync(skb);
}

static void
do_list_add_shared(struct skb *skb, uint32_t more)
{
	struct skb seg = packet(0, 0, false);

	seg.users = (uint16_t)(1 + more);
	skb_frag_list_add(skb, &seg);
}

static void
do_mac_header(struct skb *skb, uint32_t at)
{
	skb_set_mac_header(skb, (int)at);
}

static void
do_mac_header_before(struct skb *skb, uint32_t before)
{
	skb_set_mac_header(skb, -(int)before);
}

static void
do_network_header(struct skb *skb, uint32_t at)
{
	skb_set_network_header(skb, (int)at);
}

static void
do_transport_header(struct skb *skb, uint32_t at)
{
	skb_set_transport_header(skb, (int)at);
}

/* 100 bytes, 50 before them, 106 behind them */
static const struct misuse misuses[] = {
	{"skb_reserve", do_reserve, 206, false},
	{"skb_reserve", do_reserve_full, 0, false},
	{"skb_put", do_put, 106, false},
	{"skb_put", do_put, 0, true},
	{"skb_push", do_push, 50, false},
	{"skb_push", do_push, 50, true},
	{"skb_pull", do_pull, 100, false},
	{"skb_pull", do_pull, 100, true},
	{"skb_trim", do_trim, 0, false},
	{"skb_put", do_put_shared, 0, false},
	{"skb_sync", do_sync_shared, 0, false},
	{"skb_frag_list_add", do_list_add_shared, 0, false},
	{"skb_header_at", do_mac_header, 206, false},
	{"skb_header_at", do_mac_header_before, 50, false},
	{"skb_header_at", do_network_header, 206, false},
	{"skb_header_at", do_transport_header, 206, false},
};

/* The signal that ends run(len) in a child, 0 = none, and what it wrote to stderr. */
static int
signal_of(const struct misuse *misuse, uint32_t len, char *text, size_t size)
{
	size_t n = 0;
	ssize_t got;
	int fds[2], status;
	pid_t child;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct skb skb = packet(50, 100, misuse->nonlinear);

		signal(SIGABRT, SIG_DFL);
		dup2(fds[1], STDERR_FILENO);
		misuse->run(&skb, len);
		_exit(0);
	}
	close(fds[1]);
	while ((got = read(fds[0], text + n, size - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void
misuse_stops_with_a_dump(void **state)
{
	static char text[8192];

	for (uint32_t i = 0; i < RTE_DIM(misuses); i++) {
		print_message("%s, %u\n", misuses[i].verb, misuses[i].last_good + 1);
		assert_int_equal(signal_of(&misuses[i], misuses[i].last_good, text, sizeof(text)), 0);
		assert_string_equal(text, "");
		assert_int_equal(
			signal_of(&misuses[i], misuses[i].last_good + 1, text, sizeof(text)), SIGABRT);
		assert_true(contains(text, misuses[i].verb));
		assert_true(contains(text, "headroom "));
		assert_true(contains(text, "segment 0: mbuf "));
	}
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_limit),
		cmocka_unit_test(trim_has_no_limit),
		cmocka_unit_test(nothing_is_put),
		cmocka_unit_test(the_dump_tells_all),
		cmocka_unit_test(a_broken_packet_is_dumped),
#ifndef NDEBUG
		cmocka_unit_test(misuse_stops_with_a_dump),
#endif
	};

	return cmocka_run_group_tests_name("skb/checked", tests, NULL, NULL);
}
