/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the control thread is told of a packet besides its bytes: the next hop that has no MAC address, the error that its sender is to
 * get; and how many senders are told in a second.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>

#include <cmocka.h>

#include "bucket.h"
#include "icmp.h"
#include "modes.h"
#include "rig.h"

#define B4    "10.0.1.2"
#define B6    "2001:db8:1::2"
#define L3(n) (FRAME_L3 + (n))
#define HZ    25000000ull

/* ---- the bucket, by a clock of its own ---- */

static uint32_t
take_all(struct bucket *bucket, uint64_t now)
{
	uint32_t n = 0;

	while (n < 5000000 && bucket_take(bucket, now))
		n++;
	return n;
}

/* It is full at first, and never fuller than that. */
static void
bucket_depth(void **state)
{
	static const uint32_t rates[] = {1, 10, 319, 320, 321, 1000, 100000, 10000000};
	struct bucket bucket;

	for (uint32_t i = 0; i < RTE_DIM(rates); i++) {
		const uint32_t depth = rates[i] < 320 ? 32 : rates[i] / 10;

		bucket_init(&bucket, rates[i], HZ, 12345);
		assert_int_equal(take_all(&bucket, 12345), depth);
		assert_int_equal(take_all(&bucket, 12345 + 1000 * HZ), depth);
		assert_false(bucket_take(&bucket, 12345 + 1000 * HZ));
		assert_int_equal(take_all(&bucket, UINT64_MAX / 2), depth);
	}
}

/* Over many seconds it is the rate, to the packet, however often it is asked, and in whatever steps time comes. */
static void
bucket_rate(void **state)
{
	static const uint32_t rates[] = {1, 3, 7, 1000, 99999};
	struct bucket bucket;
	uint64_t seed = 7;

	for (uint32_t i = 0; i < RTE_DIM(rates); i++) {
		uint64_t now = 0, n = 0;

		bucket_init(&bucket, rates[i], HZ, now);
		take_all(&bucket, now);
		for (uint32_t k = 0; k < 20000; k++) {
			now += frame_random(&seed, 1000000);
			n += take_all(&bucket, now);
		}
		assert_int_equal(n, now * rates[i] / HZ);
	}
}

/* One that is due comes then, and not a cycle before. */
static void
bucket_moment(void **state)
{
	struct bucket bucket;

	bucket_init(&bucket, 1000, HZ, 0);
	take_all(&bucket, 0);
	assert_false(bucket_take(&bucket, HZ / 1000 - 1));
	assert_true(bucket_take(&bucket, HZ / 1000));
	assert_false(bucket_take(&bucket, HZ / 1000));
	/* nor is it full before its time */
	bucket_init(&bucket, 1000, HZ, 0);
	take_all(&bucket, 0);
	assert_int_equal(take_all(&bucket, HZ / 10 - 1), 99);
}

static void
bucket_extremes(void **state)
{
	struct bucket bucket;

	bucket_init(&bucket, 0, HZ, 0);
	assert_false(bucket_take(&bucket, UINT64_MAX));
	bucket_init(&bucket, BUCKET_UNLIMITED, HZ, 0);
	assert_int_equal(take_all(&bucket, 0), 5000000);
	/* the fastest clock and rate: no overflow */
	bucket_init(&bucket, UINT32_MAX - 1, 5000000000ull, 0);
	for (uint32_t i = 0; i < 1000; i++)
		assert_true(bucket_take(&bucket, i));
	assert_true(bucket_take(&bucket, UINT64_MAX));
	assert_int_equal(bucket.credit, bucket.full - bucket.hz);
}

/* ---- errors ---- */

static const struct {
	enum verdict verdict;
	enum icmp_error error;
	const char *dst;
	uint8_t hops;
	uint16_t len;
	uint16_t mtu;
} errors[] = {
	{VERDICT_ip4_ttl, ICMP_ERROR_TTL, B4, 1},
	{VERDICT_ip4_ttl, ICMP_ERROR_TTL, "203.0.113.1", 0},
	{VERDICT_ip6_hop_limit, ICMP_ERROR_TTL, B6, 1},
	{VERDICT_no_route, ICMP_ERROR_NO_ROUTE, "203.0.113.1", 64},
	{VERDICT_no_route, ICMP_ERROR_NO_ROUTE, "2001:db8:ffff::1", 64},
	{VERDICT_unreachable, ICMP_ERROR_HOST, "10.67.0.1", 64},
	{VERDICT_unreachable, ICMP_ERROR_HOST, "2001:db8:67::1", 64},
	{VERDICT_prohibit, ICMP_ERROR_PROHIBITED, "10.68.0.1", 64},
	{VERDICT_prohibit, ICMP_ERROR_PROHIBITED, "2001:db8:68::1", 64},
	{VERDICT_mtu_exceeded, ICMP_ERROR_TOO_BIG, B4, 64, 1600, 1500},
	{VERDICT_mtu_exceeded, ICMP_ERROR_TOO_BIG, B6, 64, 1600, 1500},
	{VERDICT_mtu_exceeded, ICMP_ERROR_TOO_BIG, "10.0.0.2", 64, 9001, 9000},
};

static void
error_frame(struct frame *f, uint32_t k)
{
	const bool ip6 = strchr(errors[k].dst, ':') != NULL;

	frame_udp(f, errors[k].dst, errors[k].len == 0 ? 40 : errors[k].len - (ip6 ? 48 : 28));
	f->bytes[L3(ip6 ? 7 : 8)] = errors[k].hops;
	if (ip6)
		return;
	f->bytes[L3(6)] = 0x40;
	frame_seal(f);
}

/* What it is told is right, and the packet is dropped under its verdict all the same. */
static void
told(void **state)
{
	static struct frame f;

	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {.build = all_modes[m].build,
			.complete = all_modes[m].complete,
			.icmp_rate = ICMP_UNLIMITED};
		struct rig *rig = rig_create(&conf);

		for (uint32_t k = 0; k < RTE_DIM(errors); k++) {
			const uint64_t before = rig_count(rig, errors[k].verdict);
			struct skb *skb;

			error_frame(&f, k);
			rig_inject(rig, &f);
			rig_turn(rig);
			assert_int_equal(rig_count(rig, errors[k].verdict), before + 1);
			assert_int_equal(worker_stats(rig_worker(rig, 0))->punted[errors[k].verdict], 0);
			skb = rig_told(rig);
			assert_non_null(skb);
			assert_int_equal(skb->reason, errors[k].verdict);
			assert_int_equal(punt_info(skb)->error, errors[k].error);
			assert_int_equal(punt_info(skb)->mtu, errors[k].mtu);
			assert_int_equal(skb->len, f.len);
			assert_int_equal(skb->protocol, frame_get16(f.bytes + 12));
			assert_memory_equal(skb->data, f.bytes, RTE_MIN(f.len, 200u));
			if (rig_charges(rig))
				assert_ptr_equal(skb->owner, rig_punt_owner(rig, PUNT_ERROR));
			rig_consume(rig, skb);
			assert_null(rig_told(rig));
		}
		assert_int_equal(RIG_STAT(rig, told), RTE_DIM(errors));
		rig_destroy(rig);
	}
}

static void
port_down_is_told(void **state)
{
	const struct rig_conf conf = {.icmp_rate = ICMP_UNLIMITED};
	struct rig *rig = rig_create(&conf);
	struct skb *skb;
	struct frame f;

	frame_udp(&f, B4, 18);
	route_port_link(topology_routes(), 1, false);
	rig_inject(rig, &f);
	rig_turn(rig);
	route_port_link(topology_routes(), 1, true);
	skb = rig_told(rig);
	assert_non_null(skb);
	assert_int_equal(skb->reason, VERDICT_port_down);
	assert_int_equal(punt_info(skb)->error, ICMP_ERROR_HOST);
	rig_consume(rig, skb);
	rig_destroy(rig);
}

/* Five bursts of no_route; returns how many were told. */
static uint32_t
flood(struct rig *rig, bool take)
{
	struct frame f;
	uint32_t n = 0;

	frame_udp(&f, "203.0.113.1", 18);
	for (uint32_t i = 0; i < 5; i++) {
		for (uint32_t k = 0; k < 40; k++)
			rig_inject(rig, &f);
		assert_int_equal(rig_turn(rig), 40);
		n += take ? rig_consume_told(rig) : 0;
	}
	assert_int_equal(rig_count(rig, VERDICT_no_route), 200);
	return n;
}

/* A rate so low that none comes in while the test runs: only what is in the bucket at first. */
static void
limited(void **state)
{
	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {
			.build = all_modes[m].build, .complete = all_modes[m].complete, .icmp_rate = 1};
		struct rig *rig = rig_create(&conf);
		const uint32_t n = flood(rig, true);

		/* unless the machine stood still for seconds */
		assert_in_range(n, 32, 36);
		assert_int_equal(RIG_STAT(rig, icmp_limited), 200 - n);
		assert_int_equal(RIG_STAT(rig, icmp_full), 0);
		rig_check_home(rig);
		rig_destroy(rig);
	}
}

/* Each worker has a bucket. */
static void
limited_by_worker(void **state)
{
	const struct rig_conf conf = {.n_workers = 2, .icmp_rate = 1, .punt_slots = 200};
	struct rig *rig = rig_create(&conf);
	struct frame f;

	frame_udp(&f, "203.0.113.1", 18);
	for (uint32_t i = 0; i < 50; i++) {
		rig_inject_at(rig, 0, 0, &f);
		rig_inject_at(rig, 0, 1, &f);
	}
	assert_int_equal(rig_turn(rig), 100);
	assert_in_range(worker_stats(rig_worker(rig, 0))->told, 32, 34);
	assert_in_range(worker_stats(rig_worker(rig, 1))->told, 32, 34);
	rig_destroy(rig);
}

/* The ring, or its owner, holds five; punts of other classes have their own. */
static void
ring_full(void **state)
{
	for (uint32_t m = 0; m < N_MODES; m++)
		for (uint32_t k = 0; k < (all_modes[m].complete == COMPLETE_NONE ? 1 : 2); k++) {
			const struct rig_conf conf = {.build = all_modes[m].build,
				.complete = all_modes[m].complete,
				.icmp_rate = ICMP_UNLIMITED,
				.punt_slots = k == 0 ? 5 : 64,
				.punt_limit = k == 0 ? 0 : 5 * RIG_TRUESIZE};
			struct rig *rig = rig_create(&conf);
			struct frame f;

			flood(rig, false);
			assert_int_equal(RIG_STAT(rig, told), 5);
			assert_int_equal(RIG_STAT(rig, icmp_full), 195);
			for (uint32_t i = 0; i < 5; i++) {
				frame_udp(&f, "10.0.0.1", 18);
				rig_inject(rig, &f);
				frame_udp(&f, "10.71.0.1", 18);
				rig_inject(rig, &f);
			}
			rig_turn(rig);
			assert_int_equal(rig_count(rig, VERDICT_punt_local), 5);
			assert_int_equal(rig_count(rig, VERDICT_neigh_unresolved), 5);
			assert_int_equal(rig_count(rig, VERDICT_punt_full), 0);
			rig_destroy(rig);
		}
}

/* Lazily built and nobody to be told: no head is needed. With somebody, and without heads: dropped all the same, once. */
static void
without_heads(void **state)
{
	for (uint32_t rate = 0; rate < 2; rate++) {
		const struct rig_conf conf = {
			.build = BUILD_LAZY, .n_heads = 3, .icmp_rate = rate == 0 ? 0 : ICMP_UNLIMITED};
		struct rig *rig = rig_create(&conf);

		flood(rig, false);
		assert_int_equal(RIG_STAT(rig, told), rate == 0 ? 0 : 3);
		assert_int_equal(RIG_STAT(rig, icmp_full), rate == 0 ? 0 : 197);
		assert_int_equal(RIG_STAT(rig, icmp_limited), 0);
		rig_destroy(rig);
	}
}

/* ---- next hops ---- */

static const struct {
	const char *dst, *nexthop;
} nexthops[] = {
	{"10.71.0.1", "10.0.1.99"},           /* a gateway */
	{"2001:db8:1::77", "2001:db8:1::77"}, /* a host on the link, the first of its family */
	{"10.0.1.77", "10.0.1.77"},
	{"2001:db8:71::1", "2001:db8:1::99"},
};

static void
next_hops(void **state)
{
	static struct frame f;

	for (uint32_t m = 0; m < N_MODES; m++) {
		const struct rig_conf conf = {.build = all_modes[m].build, .complete = all_modes[m].complete};
		struct rig *rig = rig_create(&conf);

		/* in one burst, both families */
		for (uint32_t k = 0; k < RTE_DIM(nexthops); k++) {
			frame_udp(&f, nexthops[k].dst, 18);
			rig_inject(rig, &f);
		}
		assert_int_equal(rig_turn(rig), RTE_DIM(nexthops));
		for (uint32_t k = 0; k < RTE_DIM(nexthops); k++) {
			/* IPv4 first */
			const uint32_t i = k % 2 * 2 + k / 2;
			struct skb *skb = rig_punted_in(rig, PUNT_NEIGH);
			char text[INET6_ADDRSTRLEN];

			assert_non_null(skb);
			assert_non_null(inet_ntop(skb->protocol == 0x0800 ? AF_INET : AF_INET6,
				punt_info(skb)->addr, text, sizeof(text)));
			assert_string_equal(text, nexthops[i].nexthop);
			assert_int_equal(punt_info(skb)->egress, 1);
			assert_int_equal(skb->port, 0);
			rig_consume(rig, skb);
		}
		rig_destroy(rig);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bucket_depth),
		cmocka_unit_test(bucket_rate),
		cmocka_unit_test(bucket_moment),
		cmocka_unit_test(bucket_extremes),
		cmocka_unit_test(told),
		cmocka_unit_test(port_down_is_told),
		cmocka_unit_test(limited),
		cmocka_unit_test(limited_by_worker),
		cmocka_unit_test(ring_full),
		cmocka_unit_test(without_heads),
		cmocka_unit_test(next_hops),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
