/* SPDX-License-Identifier: BSD-3-Clause */
/* arp_parse(): every field, every length; arp_build() makes what arp_parse() reads. Every packet ends at a forbidden page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arp.h"
#include "guard.h"

/* RFC 826: 02:00:00:00:00:0a, 10.0.0.2 asks for 10.0.0.1. */
static const uint8_t who_has[ARP_LEN] = {
	0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 0x0a, 10, 0, 0, 2, 2, 0, 0, 0, 0, 0x0b, 10, 0, 0, 1};

static enum arp_fault
judge(const uint8_t *p, uint32_t len, struct arp *arp)
{
	return arp_parse(guard_copy(p, len), len, arp);
}

static void
fields(void **state)
{
	static const uint8_t sha[6] = {2, 0, 0, 0, 0, 0x0a}, tha[6] = {2, 0, 0, 0, 0, 0x0b};
	static const uint8_t spa[4] = {10, 0, 0, 2}, tpa[4] = {10, 0, 0, 1};
	struct arp arp;

	assert_int_equal(judge(who_has, sizeof(who_has), &arp), ARP_OK);
	assert_int_equal(arp.op, ARP_REQUEST);
	assert_memory_equal(arp.sha, sha, 6);
	assert_memory_equal(arp.spa, spa, 4);
	assert_memory_equal(arp.tha, tha, 6);
	assert_memory_equal(arp.tpa, tpa, 4);
}

static void
lengths(void **state)
{
	uint8_t padded[64] = {0};
	struct arp arp;

	memcpy(padded, who_has, sizeof(who_has));
	for (uint32_t len = 0; len < sizeof(padded); len++)
		assert_int_equal(judge(padded, len, &arp), len < ARP_LEN ? ARP_TRUNCATED : ARP_OK);
}

/* Every other value of each byte of the fixed part. */
static void
formats(void **state)
{
	struct arp arp;

	for (uint32_t at = 0; at < 8; at++) {
		for (uint32_t value = 0; value < 256; value++) {
			uint8_t p[ARP_LEN];
			enum arp_fault expected = at < 6 ? ARP_FORMAT : ARP_OPERATION;

			memcpy(p, who_has, sizeof(p));
			p[at] = (uint8_t)value;
			if (value == who_has[at] || (at == 7 && value == ARP_REPLY))
				expected = ARP_OK;
			assert_int_equal(judge(p, sizeof(p), &arp), expected);
			if (expected == ARP_OK)
				assert_int_equal(arp.op, p[7]);
		}
	}
}

static void
built(void **state)
{
	uint8_t p[ARP_LEN];
	struct arp arp;

	for (uint8_t op = ARP_REQUEST; op <= ARP_REPLY; op++) {
		uint8_t expected[ARP_LEN];

		memcpy(expected, who_has, sizeof(expected));
		expected[7] = op;
		assert_int_equal(judge(expected, ARP_LEN, &arp), ARP_OK);
		memset(p, 0x5a, sizeof(p));
		arp_build(&arp, p);
		assert_memory_equal(p, expected, ARP_LEN);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(lengths),
		cmocka_unit_test(formats),
		cmocka_unit_test(built),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
