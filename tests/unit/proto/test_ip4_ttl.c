/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ip4_ttl_rewrite() against the checksum computed anew: for every value a valid header's
 * checksum can have, and every TTL.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ip4.h"

#define N_HALVES (IP4_HLEN / 2)

/* RFC 791 3.1: the one's complement of the one's complement sum of all 16-bit words, the checksum's taken as zero. */
static uint16_t
checksum(const uint8_t *h)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < N_HALVES; i++)
		if (i != 5)
			sum += (uint32_t)h[2 * i] << 8 | h[2 * i + 1];
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void
put16(uint8_t *h, uint32_t at, uint32_t value)
{
	h[at] = (uint8_t)(value >> 8);
	h[at + 1] = (uint8_t)value;
}

static uint32_t
get16(const uint8_t *h, uint32_t at)
{
	return (uint32_t)h[at] << 8 | h[at + 1];
}

/* A header with this TTL whose checksum field holds want; its identification makes it so. */
static void
make_header(uint8_t h[IP4_HLEN], uint8_t ttl, uint8_t protocol, uint16_t want)
{
	static const uint8_t plain[IP4_HLEN] = {
		0x45, 0, 0, 46, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2, 10, 0, 1, 2};

	memcpy(h, plain, IP4_HLEN);
	h[8] = ttl;
	h[9] = protocol;

	/* sum + id == ~want in one's complement */
	uint32_t sum = (uint16_t)~checksum(h);
	uint32_t id = (uint16_t)~want + 0xffffu - sum;

	put16(h, 4, (id & 0xffff) + (id >> 16));
	put16(h, 10, want);
}

static uint32_t
one_hop(const uint8_t before[IP4_HLEN], uint8_t after[IP4_HLEN])
{
	memcpy(after, before, IP4_HLEN);
	store32(after + IP4_TTL_WORD, ip4_ttl_rewrite(load32(before + IP4_TTL_WORD)));
	return get16(after, 10);
}

/* One checksum value, one TTL. */
static void
check_one(uint16_t before, uint8_t ttl, uint8_t protocol)
{
	uint8_t h[IP4_HLEN], next[IP4_HLEN], expected[IP4_HLEN];

	make_header(h, ttl, protocol, before);
	/* 0x0000 is what the sum gives; 0xffff stands for the same in a header that somebody else computed */
	assert_int_equal(checksum(h), before == 0xffff ? 0 : before);

	memcpy(expected, h, IP4_HLEN);
	expected[8]--;
	put16(expected, 10, checksum(expected));

	assert_int_not_equal(one_hop(h, next), 0xffff);
	if (memcmp(next, expected, IP4_HLEN) != 0)
		fail_msg("checksum %04x, ttl %u: became %04x, ttl %u; computed anew %04x", before, ttl,
			get16(next, 10), next[8], get16(expected, 10));
}

static void
every_checksum(void **state)
{
	static const uint8_t ttls[] = {1, 2, 3, 64, 127, 128, 129, 254, 255};

	for (uint32_t t = 0; t < sizeof(ttls); t++)
		for (uint32_t c = 0; c <= 0xffff; c++)
			check_one((uint16_t)c, ttls[t], 17);
}

static void
every_ttl_and_protocol(void **state)
{
	static const uint16_t checksums[] = {0x0000, 0x0001, 0x00ff, 0x0100, 0x7fff, 0x8000, 0xfe00, 0xfefe,
		0xfeff, 0xff00, 0xff01, 0xfffe, 0xffff};

	for (uint32_t c = 0; c < sizeof(checksums) / sizeof(checksums[0]); c++)
		for (uint32_t ttl = 1; ttl <= 255; ttl++)
			for (uint32_t protocol = 0; protocol <= 255; protocol++)
				check_one(checksums[c], (uint8_t)ttl, (uint8_t)protocol);
}

/* The four examples of ip4.h, from RFC 1624 section 4 and the two zeros. */
static void
the_examples(void **state)
{
	static const uint16_t pairs[][2] = {
		{0xfeff, 0x0000}, {0xff00, 0x0001}, {0x0000, 0x0100}, {0xffff, 0x0100}};
	uint8_t h[IP4_HLEN], next[IP4_HLEN];

	for (uint32_t i = 0; i < 4; i++) {
		make_header(h, 64, 17, pairs[i][0]);
		assert_int_equal(one_hop(h, next), pairs[i][1]);
		assert_int_equal(next[8], 63);
		assert_int_equal(next[9], 17);
	}
}

/* Down a path of 254 routers the header must stay valid at each. */
static void
many_hops(void **state)
{
	uint8_t h[IP4_HLEN], next[IP4_HLEN];

	for (uint32_t c = 0; c <= 0xffff; c += 13) {
		make_header(h, 255, 6, (uint16_t)c);
		for (uint32_t hop = 0; hop < 254; hop++) {
			one_hop(h, next);
			assert_int_equal(get16(next, 10), checksum(next));
			memcpy(h, next, IP4_HLEN);
		}
		assert_int_equal(h[8], 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_checksum),
		cmocka_unit_test(every_ttl_and_protocol),
		cmocka_unit_test(the_examples),
		cmocka_unit_test(many_hops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
