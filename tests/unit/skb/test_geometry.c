/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The geometry verbs against a packet that is nothing but an array of bytes: what
 * the verbs do by moving pointers, the model does by moving bytes.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "skb.h"

#define BUF_LEN  700u
#define N_STEPS  100000
#define SEED     20261u
#define SENTINEL 0xa5

struct model {
	uint8_t bytes[BUF_LEN];
	uint32_t len, headroom;
};

struct packet {
	struct skb skb;
	struct rte_mbuf mbuf;
	uint8_t guard_before[64], buf[BUF_LEN], guard_behind[64];
};

static void
packet_init(struct packet *p)
{
	memset(p, 0, sizeof(*p));
	memset(p->guard_before, SENTINEL, sizeof(p->guard_before));
	memset(p->guard_behind, SENTINEL, sizeof(p->guard_behind));
	p->mbuf.buf_addr = p->buf;
	p->mbuf.buf_len = BUF_LEN;
	p->mbuf.nb_segs = 1;
	p->skb.mbuf = &p->mbuf;
	p->skb.data = p->buf;
}

static void
check(struct packet *p, const struct model *m)
{
	assert_int_equal(p->skb.len, m->len);
	assert_int_equal(skb_headroom(&p->skb), m->headroom);
	assert_int_equal(skb_tailroom(&p->skb), BUF_LEN - m->headroom - m->len);
	assert_memory_equal(p->skb.data, m->bytes, m->len);
	for (unsigned int i = 0; i < sizeof(p->guard_before); i++) {
		assert_int_equal(p->guard_before[i], SENTINEL);
		assert_int_equal(p->guard_behind[i], SENTINEL);
	}
}

/* 0..max, the ends more often than the rest. */
static uint32_t
amount(uint32_t max)
{
	const long r = random();

	if (r % 8 == 0)
		return 0;
	if (r % 8 == 1)
		return max;
	return random() % (max + 1);
}

static void
fill(uint8_t *bytes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		bytes[i] = random();
}

static void
step_put(struct packet *p, struct model *m)
{
	const uint32_t n = amount(BUF_LEN - m->headroom - m->len);
	uint8_t *const at = skb_put(&p->skb, n);

	fill(m->bytes + m->len, n);
	memcpy(at, m->bytes + m->len, n);
	m->len += n;
}

static void
step_push(struct packet *p, struct model *m)
{
	const uint32_t n = amount(m->headroom);
	uint8_t *const at = skb_push(&p->skb, n);

	memmove(m->bytes + n, m->bytes, m->len);
	fill(m->bytes, n);
	memcpy(at, m->bytes, n);
	m->len += n;
	m->headroom -= n;
}

static void
step_pull(struct packet *p, struct model *m)
{
	const uint32_t n = amount(m->len + 3);
	void *at;

	if (n > m->len) {
		assert_int_equal(skb_try_pull(&p->skb, n, &at), -EINVAL);
		return;
	}
	assert_int_equal(skb_try_pull(&p->skb, n, &at), 0);
	memmove(m->bytes, m->bytes + n, m->len - n);
	m->len -= n;
	m->headroom += n;
	assert_ptr_equal(at, p->skb.data);
}

static void
step_trim(struct packet *p, struct model *m)
{
	const uint32_t n = amount(m->len + 3);

	skb_trim(&p->skb, n);
	m->len = RTE_MIN(m->len, n);
}

static void
step_reserve(struct packet *p, struct model *m)
{
	const uint32_t n = amount(BUF_LEN - m->headroom);

	if (m->len > 0)
		return;
	skb_reserve(&p->skb, n);
	m->headroom += n;
}

/* A new packet in the same buffer, or none would ever get its headroom back. */
static void
step_restart(struct packet *p, struct model *m)
{
	p->skb.data = p->buf;
	p->skb.len = 0;
	m->headroom = 0;
	m->len = 0;
}

static void
step_sync(struct packet *p, struct model *m)
{
	skb_sync(&p->skb);
	assert_int_equal(p->mbuf.data_off, m->headroom);
	assert_int_equal(p->mbuf.data_len, m->len);
	assert_int_equal(p->mbuf.pkt_len, m->len);
	assert_ptr_equal(rte_pktmbuf_mtod(&p->mbuf, uint8_t *), p->skb.data);
}

static void
test_random_verbs(void **state)
{
	void (*const steps[])(struct packet *, struct model *) = {step_put, step_push, step_pull, step_trim,
		step_reserve, step_sync, step_put, step_push, step_pull, step_restart};
	static struct packet p;
	static struct model m;

	print_message("seed %u\n", SEED);
	srandom(SEED);
	packet_init(&p);
	for (int i = 0; i < N_STEPS; i++) {
		steps[random() % RTE_DIM(steps)](&p, &m);
		check(&p, &m);
	}
}

static void
test_exact_limits(void **state)
{
	static struct packet p;

	packet_init(&p);
	skb_reserve(&p.skb, BUF_LEN);
	assert_int_equal(skb_headroom(&p.skb), BUF_LEN);
	assert_int_equal(skb_tailroom(&p.skb), 0);
	assert_ptr_equal(skb_push(&p.skb, BUF_LEN), p.buf);
	assert_int_equal(skb_headroom(&p.skb), 0);
	assert_ptr_equal(skb_pull(&p.skb, BUF_LEN), p.buf + BUF_LEN);
	assert_int_equal(p.skb.len, 0);
	assert_int_equal(skb_try_pull(&p.skb, 1, NULL), -EINVAL);

	packet_init(&p);
	assert_ptr_equal(skb_put(&p.skb, BUF_LEN), p.buf);
	assert_int_equal(skb_tailroom(&p.skb), 0);
	assert_int_equal(skb_try_pull(&p.skb, BUF_LEN + 1, NULL), -EINVAL);
	assert_int_equal(skb_try_pull(&p.skb, UINT32_MAX, NULL), -EINVAL);
	assert_int_equal(p.skb.len, BUF_LEN);
	assert_ptr_equal(p.skb.data, p.buf);
	skb_trim(&p.skb, BUF_LEN + 1);
	assert_int_equal(p.skb.len, BUF_LEN);
	skb_trim(&p.skb, 0);
	assert_int_equal(skb_tailroom(&p.skb), BUF_LEN);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_verbs),
		cmocka_unit_test(test_exact_limits),
	};

	return cmocka_run_group_tests_name("skb/geometry", tests, NULL, NULL);
}
