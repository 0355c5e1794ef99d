/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ip6_check(): every fault by hand, their precedence, 40 + payload in 32 bits, and random headers
 * against a second judge written from the RFCs. Every header ends at a forbidden page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <arpa/inet.h>

#include <cmocka.h>

#include "guard.h"
#include "ip6.h"

#define SRC 8u
#define DST 24u

static void
put16(uint8_t *h, uint32_t at, uint32_t value)
{
	h[at] = (uint8_t)(value >> 8);
	h[at + 1] = (uint8_t)value;
}

static void
set_addr(uint8_t *h, uint32_t at, const char *text)
{
	assert_int_equal(inet_pton(AF_INET6, text, h + at), 1);
}

/* 2001:db8::2 to 2001:db8:1::2, hop limit 64, UDP, 8 bytes of payload; returns its length. */
static uint32_t
plain(uint8_t *h)
{
	memset(h, 0, IP6_HLEN + 8);
	h[0] = 0x60;
	put16(h, 4, 8);
	h[6] = 17;
	h[7] = 64;
	set_addr(h, SRC, "2001:db8::2");
	set_addr(h, DST, "2001:db8:1::2");
	return IP6_HLEN + 8;
}

static enum ip6_fault
judge(const uint8_t *h, uint32_t len)
{
	return ip6_check(guard_copy(h, len), len);
}

/* ---- the second judge ---- */

/* Whether the first bits of addr are those of the prefix written in text. */
static int
inside(const uint8_t *addr, const char *text, uint32_t bits)
{
	uint8_t net[16];

	inet_pton(AF_INET6, text, net);
	for (uint32_t i = 0; i < bits; i++)
		if (((addr[i / 8] ^ net[i / 8]) >> (7 - i % 8) & 1) != 0)
			return 0;
	return 1;
}

static enum ip6_fault
naive_addresses(const uint8_t *src, const uint8_t *dst, uint32_t next)
{
	int to_link_group = inside(dst, "ff02::", 16);

	/* RFC 4291 2.7: "Multicast addresses must not be used as source addresses"; 2.5.3; RFC 6890 table 20 */
	if (inside(src, "ff00::", 8) || inside(src, "::1", 128) || inside(src, "::ffff:0:0", 96))
		return IP6_SRC_MARTIAN;
	if (to_link_group && next == 58)
		return IP6_LINK_ICMP;
	/* RFC 4291 2.5.2: "must never be forwarded" */
	if (inside(src, "::", 128))
		return IP6_SRC_MARTIAN;
	if (inside(dst, "::", 128) || inside(dst, "::1", 128) || inside(dst, "::ffff:0:0", 96))
		return IP6_DST_MARTIAN;
	if (inside(dst, "ff00::", 8))
		return IP6_MULTICAST;
	/* RFC 4291 2.5.6 */
	if (inside(src, "fe80::", 10) || inside(dst, "fe80::", 10))
		return IP6_LINK_LOCAL;
	return IP6_OK;
}

static enum ip6_fault
naive_check(const uint8_t *h, uint32_t len)
{
	if (len < 40)
		return IP6_TRUNCATED;

	uint32_t payload = h[4] * 256u + h[5];

	if (h[0] / 16u != 6)
		return IP6_VERSION;
	if (payload > len - 40)
		return IP6_LENGTH;
	if (payload == 0 && h[6] == 0)
		return IP6_JUMBOGRAM;

	enum ip6_fault fault = naive_addresses(h + SRC, h + DST, h[6]);

	if (fault != IP6_OK)
		return fault;
	return h[7] == 0 || h[7] == 1 ? IP6_HOP_LIMIT_USED : IP6_OK;
}

/* ---- by hand ---- */

static void
lengths(void **state)
{
	uint8_t h[IP6_HLEN + 8];
	uint32_t full = plain(h);

	for (uint32_t len = 0; len < 40; len++)
		assert_int_equal(judge(h, len), IP6_TRUNCATED);
	for (uint32_t len = 40; len < full; len++)
		assert_int_equal(judge(h, len), IP6_LENGTH);
	assert_int_equal(judge(h, full), IP6_OK);
	for (uint32_t payload = 0; payload <= 0xffff; payload++) {
		put16(h, 4, payload);
		assert_int_equal(judge(h, full), payload > 8 ? IP6_LENGTH : IP6_OK);
	}
}

/* 40 + payload: 65 535 and more do not fit 16 bits. */
static void
long_frames(void **state)
{
	uint8_t *h = calloc(1, 70000);

	assert_non_null(h);
	plain(h);
	for (uint32_t payload = 65400; payload <= 65535; payload++) {
		put16(h, 4, payload);
		assert_int_equal(ip6_check(h, 40 + payload), IP6_OK);
		assert_int_equal(ip6_check(h, 70000), IP6_OK);
		assert_int_equal(ip6_check(h, 40 + payload - 1), IP6_LENGTH);
		assert_int_equal(ip6_check(h, 60), IP6_LENGTH);
		assert_int_equal(ip6_check(h, (40 + payload) & 0xffff), (40 + payload) < 65536 ? IP6_OK
									: (40 + payload - 65536) < 40
										? IP6_TRUNCATED
										: IP6_LENGTH);
	}
	free(h);
}

static void
version_and_jumbogram(void **state)
{
	uint8_t h[IP6_HLEN + 8];
	uint32_t len = plain(h);

	for (uint32_t v = 0; v < 16; v++) {
		h[0] = (uint8_t)(v << 4 | 0xf); /* any traffic class */
		assert_int_equal(judge(h, len), v == 6 ? IP6_OK : IP6_VERSION);
	}
	plain(h);
	for (uint32_t next = 0; next < 256; next++) {
		h[6] = (uint8_t)next;
		put16(h, 4, 0);
		assert_int_equal(judge(h, len), next == 0 ? IP6_JUMBOGRAM : IP6_OK);
		put16(h, 4, 8);
		assert_int_equal(judge(h, len), IP6_OK);
	}
}

static void
hop_limit(void **state)
{
	uint8_t h[IP6_HLEN + 8];
	uint32_t len = plain(h);

	for (uint32_t hops = 0; hops < 256; hops++) {
		h[7] = (uint8_t)hops;
		assert_int_equal(judge(h, len), hops < 2 ? IP6_HOP_LIMIT_USED : IP6_OK);
	}
}

struct address_case {
	const char *src, *dst;
	uint8_t next;
	enum ip6_fault fault;
};

static const char host[] = "2001:db8::2";

static const struct address_case address_cases[] = {
	{host, "2001:db8:1::2", 17, IP6_OK},
	{host, host, 17, IP6_OK},
	{"::", "2001:db8:1::2", 17, IP6_SRC_MARTIAN},
	{"::1", "2001:db8:1::2", 17, IP6_SRC_MARTIAN},
	{"::2", "2001:db8:1::2", 17, IP6_OK},
	{"::100", "2001:db8:1::2", 17, IP6_OK},
	{"::1:0:0:0:1", "2001:db8:1::2", 17, IP6_OK},
	{"1::1", "2001:db8:1::2", 17, IP6_OK},
	{"::ffff:10.0.0.2", "2001:db8:1::2", 17, IP6_SRC_MARTIAN},
	{"::ffff:0:10.0.0.2", "2001:db8:1::2", 17, IP6_OK},
	{"::fffe:10.0.0.2", "2001:db8:1::2", 17, IP6_OK},
	{"64:ff9b::10.0.0.2", "2001:db8:1::2", 17, IP6_OK},
	{"ff02::1", "2001:db8:1::2", 17, IP6_SRC_MARTIAN},
	{"ff00::", "2001:db8:1::2", 17, IP6_SRC_MARTIAN},
	{"feff::1", "2001:db8:1::2", 17, IP6_OK},
	{"fe80::1", "2001:db8:1::2", 17, IP6_LINK_LOCAL},
	{"febf:ffff::1", "2001:db8:1::2", 17, IP6_LINK_LOCAL},
	{"fec0::1", "2001:db8:1::2", 17, IP6_OK},
	{"fe7f::1", "2001:db8:1::2", 17, IP6_OK},
	{host, "::", 17, IP6_DST_MARTIAN},
	{host, "::1", 17, IP6_DST_MARTIAN},
	{host, "::2", 17, IP6_OK},
	{host, "::ffff:10.0.1.2", 17, IP6_DST_MARTIAN},
	{host, "::fffe:10.0.1.2", 17, IP6_OK},
	{host, "fe80::2", 17, IP6_LINK_LOCAL},
	{host, "febf::2", 17, IP6_LINK_LOCAL},
	{host, "fec0::2", 17, IP6_OK},
	{host, "ff00::1", 17, IP6_MULTICAST},
	{host, "ff05::1", 58, IP6_MULTICAST},
	{host, "ff0e::1", 17, IP6_MULTICAST},
	{host, "ff02::1", 17, IP6_MULTICAST},
	{host, "ff02::1", 58, IP6_LINK_ICMP},
	{"fe80::1", "ff02::1:ff00:1", 58, IP6_LINK_ICMP},
	{"::", "ff02::1:ff00:1", 58, IP6_LINK_ICMP},
	{"::", "ff02::1:ff00:1", 17, IP6_SRC_MARTIAN},
	{"::1", "ff02::1:ff00:1", 58, IP6_SRC_MARTIAN},
	{"ff02::1", "ff02::1:ff00:1", 58, IP6_SRC_MARTIAN},
	{"fe80::1", "ff12::1", 58, IP6_MULTICAST},
	{"fe80::1", "ff05::1", 17, IP6_MULTICAST},
};

static void
addresses(void **state)
{
	uint8_t h[IP6_HLEN + 8];

	for (size_t i = 0; i < sizeof(address_cases) / sizeof(address_cases[0]); i++) {
		const struct address_case *c = &address_cases[i];
		uint32_t len = plain(h);

		set_addr(h, SRC, c->src);
		set_addr(h, DST, c->dst);
		h[6] = c->next;
		if (judge(h, len) != c->fault)
			fail_msg("%s to %s, next header %u: fault %d, expected %d", c->src, c->dst, c->next,
				judge(h, len), c->fault);
		/* the hop limit is judged last, whatever the addresses */
		h[7] = 0;
		assert_int_equal(judge(h, len), c->fault == IP6_OK ? IP6_HOP_LIMIT_USED : c->fault);
	}
}

/* Every fault with all later ones present: the first is named. */
static void
precedence(void **state)
{
	uint8_t h[IP6_HLEN + 8];

	for (int worst = IP6_TRUNCATED; worst <= IP6_HOP_LIMIT_USED; worst++) {
		uint32_t len = plain(h);

		h[7] = 1;
		if (worst <= IP6_LINK_LOCAL)
			set_addr(h, DST, "fe80::2");
		if (worst <= IP6_MULTICAST)
			set_addr(h, DST, "ff05::2");
		if (worst <= IP6_DST_MARTIAN)
			set_addr(h, DST, "::1");
		if (worst <= IP6_LINK_ICMP) {
			set_addr(h, DST, "ff02::2");
			h[6] = 58;
		}
		if (worst <= IP6_SRC_MARTIAN)
			set_addr(h, SRC, "::1");
		if (worst <= IP6_JUMBOGRAM) {
			h[6] = 0;
			put16(h, 4, 0);
		}
		if (worst <= IP6_LENGTH)
			put16(h, 4, 9);
		if (worst <= IP6_VERSION)
			h[0] = 0x40;
		if (worst <= IP6_TRUNCATED)
			len = 39;
		assert_int_equal(judge(h, len), worst);
		assert_int_equal(naive_check(h, len), worst);
	}
}

/* ---- at random ---- */

#define N_RANDOM 3000000u
#define SEED     0x8200u

static uint32_t
below(unsigned short x[3], uint32_t n)
{
	return (uint32_t)nrand48(x) % n;
}

static void
random_address(unsigned short x[3], uint8_t *a)
{
	static const char *const nets[] = {"::", "::1", "::ffff:0:0", "fe80::", "ff02::", "ff05::1",
		"2001:db8::", "fec0::", "ff02::1:ff00:1"};

	inet_pton(AF_INET6, nets[below(x, 9)], a);
	switch (below(x, 4)) {
	case 0: a[below(x, 16)] ^= (uint8_t)(1u << below(x, 8)); break;
	case 1:
		for (uint32_t i = below(x, 16); i < 16; i++)
			a[i] = (uint8_t)nrand48(x);
		break;
	default: break;
	}
}

static uint32_t
random_header(unsigned short x[3], uint8_t *h)
{
	uint32_t len = plain(h);

	for (uint32_t k = below(x, 4); k > 0; k--) {
		switch (below(x, 7)) {
		case 0: random_address(x, h + SRC); break;
		case 1: random_address(x, h + DST); break;
		case 2: h[7] = (uint8_t)below(x, 4); break;
		case 3: put16(h, 4, below(x, 2) ? below(x, 12) : below(x, 65536)); break;
		case 4: h[6] = below(x, 2) ? 58 : 0; break;
		case 5: len = below(x, len + 1); break;
		case 6: h[below(x, len > 0 ? len : 1)] = (uint8_t)nrand48(x); break;
		}
	}
	return len;
}

static void
against_second_judge(void **state)
{
	unsigned short x[3] = {SEED, 0, 0};
	uint32_t seen[IP6_N_FAULTS] = {0};
	uint8_t h[IP6_HLEN + 8];

	for (uint32_t i = 0; i < N_RANDOM; i++) {
		uint32_t len = random_header(x, h);
		enum ip6_fault expected = naive_check(h, len);
		enum ip6_fault got = judge(h, len);

		if (got != expected)
			fail_msg("seed %#x, header %u of %u bytes: fault %d, second judge %d", SEED, i, len,
				got, expected);
		seen[got]++;
	}
	for (uint32_t f = 0; f < IP6_N_FAULTS; f++)
		if (seen[f] < 100)
			fail_msg("fault %u was seen %u times only: the generator is too tame", f, seen[f]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths),
		cmocka_unit_test(long_frames),
		cmocka_unit_test(version_and_jumbogram),
		cmocka_unit_test(hop_limit),
		cmocka_unit_test(addresses),
		cmocka_unit_test(precedence),
		cmocka_unit_test(against_second_judge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
