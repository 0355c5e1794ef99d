/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In a debug build, a verb that would leave the data buffer stops the program, and the
 * verb one byte short of that does not.
 */
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

#define BUF_LEN 256u

#ifdef NDEBUG

int
main(void)
{
	puts("skipped: this build has no asserts");
	return 77;
}

#else

static uint8_t buf[BUF_LEN];
static struct rte_mbuf mbuf = {.buf_addr = buf, .buf_len = BUF_LEN, .nb_segs = 1};

/* 100 bytes of packet, 50 before it, 106 behind it. */
static struct skb
middle(void)
{
	return (struct skb){.mbuf = &mbuf, .data = buf + 50, .len = 100};
}

static void
do_put(struct skb *skb, uint32_t n)
{
	skb_put(skb, n);
}

static void
do_push(struct skb *skb, uint32_t n)
{
	skb_push(skb, n);
}

static void
do_reserve_empty(struct skb *skb, uint32_t n)
{
	skb->len = 0;
	skb_reserve(skb, n);
}

static void
do_reserve(struct skb *skb, uint32_t n)
{
	skb_reserve(skb, n);
}

static void
do_pull(struct skb *skb, uint32_t n)
{
	skb_pull(skb, n);
}

static void
do_trim_fragments(struct skb *skb, uint32_t n)
{
	skb->data_len = n;
	skb_trim(skb, 1);
}

static void
do_put_shared(struct skb *skb, uint32_t n)
{
	rte_mbuf_refcnt_set(&mbuf, (uint16_t)n);
	skb_put(skb, 1);
}

static void
do_sync_shared(struct skb *skb, uint32_t n)
{
	rte_mbuf_refcnt_set(&mbuf, (uint16_t)n);
	skb_sync(skb);
}

static void
do_mac_header(struct skb *skb, uint32_t n)
{
	skb_set_mac_header(skb, (int)n);
}

static void
do_mac_header_before(struct skb *skb, uint32_t n)
{
	skb_set_mac_header(skb, -(int)n);
}

static void
do_network_header(struct skb *skb, uint32_t n)
{
	skb_set_network_header(skb, (int)n);
}

static void
do_transport_header(struct skb *skb, uint32_t n)
{
	skb_set_transport_header(skb, (int)n);
}

/* The signal that ended verb(n) in a child, 0 = none. */
static int
signal_of(void (*verb)(struct skb *, uint32_t), uint32_t n)
{
	const pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		struct skb skb = middle();

		signal(SIGABRT, SIG_DFL);
		fclose(stderr);
		verb(&skb, n);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void
test_limits(void **state)
{
	const struct {
		void (*verb)(struct skb *, uint32_t);
		uint32_t last_good;
	} cases[] = {{do_put, 106}, {do_push, 50}, {do_pull, 100}, {do_reserve_empty, 206},
		{do_trim_fragments, 0}, {do_put_shared, 1}, {do_sync_shared, 1}, {do_mac_header, 206},
		{do_mac_header_before, 50}, {do_network_header, 206}, {do_transport_header, 206}};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		assert_int_equal(signal_of(cases[i].verb, cases[i].last_good), 0);
		assert_int_equal(signal_of(cases[i].verb, cases[i].last_good + 1), SIGABRT);
	}
	assert_int_equal(signal_of(do_reserve, 1), SIGABRT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits)};

	return cmocka_run_group_tests_name("skb/asserts", tests, NULL, NULL);
}

#endif
