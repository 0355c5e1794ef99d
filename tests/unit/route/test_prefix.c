/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefix arithmetic: every length of both families against 128-bit integers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include <rte_common.h>

#include "prefix.h"

typedef unsigned __int128 wide_t;

static const uint8_t families[] = {AF_INET, AF_INET6};

static wide_t
wide_from(const struct ip_addr *addr)
{
	wide_t wide = 0;

	for (unsigned int i = 0; i < ip_family_bits(addr->family) / 8u; i++)
		wide = wide << 8 | addr->bytes[i];
	return wide;
}

static struct ip_addr
addr_some(uint8_t family)
{
	struct ip_addr addr = {.family = family};

	for (unsigned int i = 0; i < 16; i++)
		addr.bytes[i] = (uint8_t)(0xa5 + 0x3b * i);
	return addr;
}

static void
test_every_length(void **state)
{
	for (unsigned int f = 0; f < 2; f++) {
		const uint8_t bits = ip_family_bits(families[f]);
		const struct ip_addr addr = addr_some(families[f]);

		for (uint8_t len = 0; len <= bits; len++) {
			const wide_t hosts =
				len == 0 && bits == 128 ? ~(wide_t)0 : ((wide_t)1 << (bits - len)) - 1;
			struct ip_prefix prefix = ip_prefix_from(&addr, len);
			const struct ip_addr last = ip_prefix_last(&prefix);
			struct ip_addr outside = last;

			assert_true(ip_prefix_check(&prefix));
			assert_int_equal(prefix.len, len);
			assert_true(wide_from(&prefix.addr) == (wide_from(&addr) & ~hosts));
			assert_true(wide_from(&last) == (wide_from(&addr) | hosts));
			assert_true(ip_prefix_covers(&prefix, &addr));
			assert_true(ip_prefix_covers(&prefix, &prefix.addr));
			assert_true(ip_prefix_covers(&prefix, &last));
			if (len > 0) {
				outside.bytes[(len - 1) / 8] ^= (uint8_t)(0x80 >> (len - 1) % 8);
				assert_false(ip_prefix_covers(&prefix, &outside));
			}
			if (len < bits) {
				prefix.addr.bytes[bits / 8 - 1] |= 1;
				assert_false(ip_prefix_check(&prefix));
			}
		}
	}
}

static void
test_unused_bytes_are_zero(void **state)
{
	const struct ip_addr addr = addr_some(AF_INET);
	const struct ip_prefix prefix = ip_prefix_host(&addr);
	static const uint8_t zero[12];

	assert_memory_equal(&prefix.addr.bytes[4], zero, sizeof(zero));
	assert_int_equal(prefix.len, 32);
}

static void
test_compare(void **state)
{
	const struct ip_addr a4 = {AF_INET, {10, 0, 0, 1, 0xff}};
	const struct ip_addr b4 = {AF_INET, {10, 0, 0, 1, 0xee}};
	const struct ip_addr c4 = {AF_INET, {10, 0, 0, 2}};
	const struct ip_addr a6 = {AF_INET6, {10, 0, 0, 1}};
	const struct ip_addr last6 = {AF_INET6, {[15] = 1}};
	const struct ip_addr any4 = {AF_INET, {0, 0, 0, 0, 1}};
	const struct ip_addr any6 = {.family = AF_INET6};
	const struct ip_prefix all4 = {any4, 0};

	assert_true(ip_addr_equal(&a4, &b4));
	assert_false(ip_addr_equal(&a4, &c4));
	assert_false(ip_addr_equal(&a4, &a6));
	assert_true(ip_addr_is_any(&any4));
	assert_true(ip_addr_is_any(&any6));
	assert_false(ip_addr_is_any(&last6));
	assert_true(ip_prefix_covers(&all4, &a4));
	assert_false(ip_prefix_covers(&all4, &a6));
}

static void
test_check_family_and_length(void **state)
{
	struct ip_prefix prefix = {{.family = AF_INET}, 33};

	assert_false(ip_prefix_check(&prefix));
	prefix.len = 32;
	assert_true(ip_prefix_check(&prefix));
	prefix.addr.family = AF_INET6;
	prefix.len = 129;
	assert_false(ip_prefix_check(&prefix));
	prefix.addr.family = 0;
	prefix.len = 0;
	assert_false(ip_prefix_check(&prefix));
}

/* Any two lengths, with addresses that differ first at any bit. */
static void
test_join(void **state)
{
	for (unsigned int f = 0; f < 2; f++) {
		const uint8_t bits = ip_family_bits(families[f]);
		const struct ip_addr addr = addr_some(families[f]);

		for (unsigned int i = 0; i < 64u * bits; i++) {
			const uint8_t differ = (uint8_t)(i % bits);
			struct ip_addr other = addr;
			struct ip_prefix a, b, join;

			other.bytes[differ / 8] ^= (uint8_t)(0x80 >> differ % 8);
			a = ip_prefix_from(&addr, (uint8_t)(i * 7 % (bits + 1)));
			b = ip_prefix_from(&other, (uint8_t)(i / 64 * 5 % (bits + 1)));
			join = ip_prefix_join(&a, &b);
			assert_int_equal(join.len, RTE_MIN(RTE_MIN(a.len, b.len), differ));
			assert_true(ip_prefix_check(&join));
			assert_true(ip_prefix_covers(&join, &addr));
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_unused_bytes_are_zero),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_check_family_and_length),
		cmocka_unit_test(test_join),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
