/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ip4_check(): every fault reached by hand, their precedence, options, lengths near the
 * ends; then random headers against a second judge, written from the text of the RFCs as
 * a list of sentences with no thought of speed. Every header ends at a forbidden page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard.h"
#include "ip4.h"

#define HLEN_MAX 60u

/* ---- headers to start from ---- */

static void
put16(uint8_t *h, uint32_t at, uint32_t value)
{
	h[at] = (uint8_t)(value >> 8);
	h[at + 1] = (uint8_t)value;
}

/* Writes the checksum over the length that the header itself claims, as far as it is there. */
static void
seal(uint8_t *h, uint32_t len)
{
	uint32_t hlen = (h[0] & 15u) * 4, sum = 0;

	if (hlen < IP4_HLEN || hlen > len)
		return;
	put16(h, 10, 0);
	for (uint32_t i = 0; i < hlen; i += 2)
		sum += (uint32_t)h[i] << 8 | h[i + 1];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	put16(h, 10, ~sum & 0xffff);
}

/* 10.0.0.2 to 10.0.1.2, TTL 64, n_options bytes of NOP and 8 bytes of payload; returns its length. */
static uint32_t
plain(uint8_t *h, uint32_t n_options)
{
	static const uint8_t fixed[IP4_HLEN] = {
		0x45, 0, 0, 0, 0x12, 0x34, 0, 0, 64, 17, 0, 0, 10, 0, 0, 2, 10, 0, 1, 2};
	uint32_t len = IP4_HLEN + n_options + 8;

	memset(h, 0x5a, len);
	memcpy(h, fixed, IP4_HLEN);
	memset(h + IP4_HLEN, 1, n_options);
	h[0] = (uint8_t)(0x40 | (IP4_HLEN + n_options) / 4);
	put16(h, 2, len);
	seal(h, len);
	return len;
}

static enum ip4_fault
judge(const uint8_t *h, uint32_t len)
{
	return ip4_check(guard_copy(h, len), len);
}

/* ---- the second judge ---- */

static uint32_t
field(const uint8_t *h, uint32_t at, uint32_t n)
{
	uint32_t v = 0;

	for (uint32_t i = 0; i < n; i++)
		v = v << 8 | h[at + i];
	return v;
}

static int
inside(uint32_t addr, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t bits)
{
	uint32_t net = a << 24 | b << 16 | c << 8 | d;

	return (addr ^ net) >> (32 - bits) == 0;
}

/* RFC 6890 table 1, 4, 6, 15: "Forwardable: False"; RFC 1812 5.3.7: {127, any} and {0, any}. */
static int
never_forwarded(uint32_t addr)
{
	return inside(addr, 0, 0, 0, 0, 8) || inside(addr, 127, 0, 0, 0, 8) ||
	       inside(addr, 169, 254, 0, 0, 16) || inside(addr, 240, 0, 0, 0, 4);
}

/* "The sum of the header with its checksum is all ones" (RFC 1071), adding end-around at every step. */
static int
checksum_right(const uint8_t *h, uint32_t hlen)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < hlen; i += 2) {
		sum += field(h, i, 2);
		if (sum > 0xffff)
			sum -= 0xffff;
	}
	return sum == 0xffff;
}

/* RFC 791: case 1, a single octet; case 2, type, length, data. Recursion: the list is an option and a list. */
static enum ip4_fault
naive_options(const uint8_t *opt, uint32_t left)
{
	if (left == 0)
		return IP4_OK;
	switch (opt[0]) {
	case 0: return IP4_OK;
	case 1: return naive_options(opt + 1, left - 1);
	default: break;
	}
	if (left == 1)
		return IP4_OPTIONS;
	if (opt[1] == 0 || opt[1] == 1 || left < opt[1])
		return IP4_OPTIONS;
	/* copied flag 1, class 0, number 3 or 9 */
	if (opt[0] == (0x80 | 3) || opt[0] == (0x80 | 9))
		return IP4_SOURCE_ROUTE;
	return naive_options(opt + opt[1], left - opt[1]);
}

/* RFC 1812 5.2.2 (2) to (5), for a header of which 20 bytes are there. */
static enum ip4_fault
naive_header(const uint8_t *h, uint32_t len)
{
	uint32_t ihl = h[0] % 16u;
	int has_header = ihl >= 5 && ihl * 4 <= len;

	/* "(2) The IP checksum must be correct": of a header that is all there */
	if (has_header && !checksum_right(h, ihl * 4))
		return IP4_CHECKSUM;
	/* "(3) The IP version number must be 4" */
	if (h[0] / 16u != 4)
		return IP4_VERSION;
	/* "(4) The IP header length field must be large enough to hold the minimum length legal IP datagram" */
	if (!has_header)
		return IP4_IHL;
	/* "(5) The IP total length field must be large enough to hold the IP datagram header" and the link must have brought it */
	if (field(h, 2, 2) < ihl * 4 || field(h, 2, 2) > len)
		return IP4_LENGTH;
	return naive_options(h + 20, ihl * 4 - 20);
}

static enum ip4_fault
naive_check(const uint8_t *h, uint32_t len)
{
	/* "(1) The packet length reported by the Link Layer must be large enough to hold the minimum length legal IP datagram (20 bytes)" */
	if (len < 20)
		return IP4_TRUNCATED;

	enum ip4_fault fault = naive_header(h, len);
	uint32_t src = field(h, 12, 4), dst = field(h, 16, 4);

	if (fault != IP4_OK)
		return fault;
	if (never_forwarded(src) || inside(src, 224, 0, 0, 0, 4))
		return IP4_SRC_MARTIAN;
	if (inside(dst, 255, 255, 255, 255, 32))
		return IP4_BROADCAST;
	if (never_forwarded(dst))
		return IP4_DST_MARTIAN;
	if (inside(dst, 224, 0, 0, 0, 4))
		return IP4_MULTICAST;
	return h[8] < 2 ? IP4_TTL : IP4_OK;
}

/* ---- by hand ---- */

static void
good_headers(void **state)
{
	uint8_t h[HLEN_MAX + 8];

	for (uint32_t n = 0; n <= 40; n += 4) {
		uint32_t len = plain(h, n);

		assert_int_equal(judge(h, len), IP4_OK);
		put16(h, 2, len - 8); /* a payload of nothing, the rest is padding */
		seal(h, len);
		assert_int_equal(judge(h, len), IP4_OK);
		assert_int_equal(judge(h, len - 8), IP4_OK);
	}
}

static void
truncated(void **state)
{
	uint8_t h[HLEN_MAX + 8];

	plain(h, 0);
	for (uint32_t len = 0; len < 20; len++)
		assert_int_equal(judge(h, len), IP4_TRUNCATED);
}

static void
one_bit_of_checksum(void **state)
{
	uint8_t h[HLEN_MAX + 8];
	uint32_t len = plain(h, 40);

	/* any single bit of the header but the length's own nibble */
	for (uint32_t bit = 8; bit < 60 * 8; bit++) {
		h[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(judge(h, len), IP4_CHECKSUM);
		h[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	assert_int_equal(judge(h, len), IP4_OK);
	put16(h, 10, 0);
	assert_int_equal(judge(h, len), IP4_CHECKSUM);
}

/* Of the two zeros either is a right checksum of the same header: the sum of both is all ones. */
static void
both_zeros_of_checksum(void **state)
{
	uint8_t h[HLEN_MAX + 8];
	uint32_t len = plain(h, 0);

	put16(h, 4, 0);
	seal(h, len);
	put16(h, 4, field(h, 10, 2));
	seal(h, len);
	assert_int_equal(field(h, 10, 2), 0);
	assert_int_equal(judge(h, len), IP4_OK);
	put16(h, 10, 0xffff);
	assert_int_equal(judge(h, len), IP4_OK);
}

static void
version_and_ihl(void **state)
{
	uint8_t h[HLEN_MAX + 8];
	uint32_t len = plain(h, 0);

	for (uint32_t v = 0; v < 16; v++) {
		h[0] = (uint8_t)(v << 4 | 5);
		seal(h, len);
		assert_int_equal(judge(h, len), v == 4 ? IP4_OK : IP4_VERSION);
	}
	for (uint32_t ihl = 0; ihl < 5; ihl++) {
		h[0] = (uint8_t)(0x40 | ihl);
		assert_int_equal(judge(h, len), IP4_IHL);
		h[0] = (uint8_t)(0x30 | ihl);
		assert_int_equal(judge(h, len), IP4_VERSION);
	}
	/* a header of 60 bytes of which 59, 24, 20 came */
	len = plain(h, 40);
	assert_int_equal(judge(h, 59), IP4_IHL);
	assert_int_equal(judge(h, 24), IP4_IHL);
	assert_int_equal(judge(h, 20), IP4_IHL);
	assert_int_equal(judge(h, 60), IP4_LENGTH);
	assert_int_equal(judge(h, len), IP4_OK);
}

static void
total_length(void **state)
{
	uint8_t h[HLEN_MAX + 8];
	uint32_t len = plain(h, 0);

	for (uint32_t total = 0; total <= 0xffff; total++) {
		put16(h, 2, total);
		seal(h, len);
		assert_int_equal(judge(h, len), total < 20 || total > len ? IP4_LENGTH : IP4_OK);
	}
	len = plain(h, 4);
	put16(h, 2, 23);
	seal(h, len);
	assert_int_equal(judge(h, len), IP4_LENGTH);
	put16(h, 2, 24);
	seal(h, len);
	assert_int_equal(judge(h, len), IP4_OK);
}

/* Lengths whose sums pass 65 535: nothing here may be reckoned in 16 bits. */
static void
long_frames(void **state)
{
	const uint32_t room = 70000;
	uint8_t *h = calloc(1, room);

	assert_non_null(h);
	plain(h, 0);
	for (uint32_t total = 65500; total <= 65535; total++) {
		put16(h, 2, total);
		seal(h, room);
		assert_int_equal(ip4_check(h, room), IP4_OK);
		assert_int_equal(ip4_check(h, 65536), IP4_OK);
		assert_int_equal(ip4_check(h, 65536 + 20), IP4_OK);
		assert_int_equal(ip4_check(h, total), IP4_OK);
		assert_int_equal(ip4_check(h, total - 1), IP4_LENGTH);
		assert_int_equal(ip4_check(h, 20), IP4_LENGTH);
	}
	free(h);
}

struct address_case {
	uint32_t addr;
	enum ip4_fault as_src, as_dst;
};

/* Both sides of every edge. */
static const struct address_case address_cases[] = {
	{0x00000000, IP4_SRC_MARTIAN, IP4_DST_MARTIAN},
	{0x00ffffff, IP4_SRC_MARTIAN, IP4_DST_MARTIAN},
	{0x01000000, IP4_OK, IP4_OK},
	{0x7effffff, IP4_OK, IP4_OK},
	{0x7f000000, IP4_SRC_MARTIAN, IP4_DST_MARTIAN},
	{0x7fffffff, IP4_SRC_MARTIAN, IP4_DST_MARTIAN},
	{0x80000000, IP4_OK, IP4_OK},
	{0xa9fdffff, IP4_OK, IP4_OK},
	{0xa9fe0000, IP4_SRC_MARTIAN, IP4_DST_MARTIAN},
	{0xa9feffff, IP4_SRC_MARTIAN, IP4_DST_MARTIAN},
	{0xa9ff0000, IP4_OK, IP4_OK},
	{0xdfffffff, IP4_OK, IP4_OK},
	{0xe0000000, IP4_SRC_MARTIAN, IP4_MULTICAST},
	{0xefffffff, IP4_SRC_MARTIAN, IP4_MULTICAST},
	{0xf0000000, IP4_SRC_MARTIAN, IP4_DST_MARTIAN},
	{0xfffffffe, IP4_SRC_MARTIAN, IP4_DST_MARTIAN},
	{0xffffffff, IP4_SRC_MARTIAN, IP4_BROADCAST},
	{0x0a000102, IP4_OK, IP4_OK},
};

static void
set_addr(uint8_t *h, uint32_t at, uint32_t addr)
{
	put16(h, at, addr >> 16);
	put16(h, at + 2, addr & 0xffff);
}

static void
addresses(void **state)
{
	uint8_t h[HLEN_MAX + 8];

	for (size_t i = 0; i < sizeof(address_cases) / sizeof(address_cases[0]); i++) {
		const struct address_case *c = &address_cases[i];
		uint32_t len = plain(h, 0);

		set_addr(h, 12, c->addr);
		seal(h, len);
		assert_int_equal(judge(h, len), c->as_src);
		len = plain(h, 0);
		set_addr(h, 16, c->addr);
		seal(h, len);
		assert_int_equal(judge(h, len), c->as_dst);
	}
}

static void
time_to_live(void **state)
{
	uint8_t h[HLEN_MAX + 8];
	uint32_t len = plain(h, 0);

	for (uint32_t ttl = 0; ttl < 256; ttl++) {
		h[8] = (uint8_t)ttl;
		seal(h, len);
		assert_int_equal(judge(h, len), ttl < 2 ? IP4_TTL : IP4_OK);
	}
}

struct option_case {
	const char *name;
	uint8_t bytes[40];
	uint32_t n;
	enum ip4_fault fault;
};

static const struct option_case option_cases[] = {
	{"end", {0, 0xff, 0xff, 0xff}, 4, IP4_OK},
	{"end hides what follows", {1, 0, 131, 0}, 4, IP4_OK},
	{"nop only", {1, 1, 1, 1}, 4, IP4_OK},
	{"length 0", {7, 0, 4, 0}, 4, IP4_OPTIONS},
	{"length 1", {7, 1, 4, 0}, 4, IP4_OPTIONS},
	{"length 2", {7, 2, 1, 1}, 4, IP4_OK},
	{"exactly to the end", {7, 4, 4, 0}, 4, IP4_OK},
	{"one past the end", {7, 5, 4, 0}, 4, IP4_OPTIONS},
	{"far past the end", {7, 255, 4, 0}, 4, IP4_OPTIONS},
	{"type at the end, no length", {1, 1, 1, 7}, 4, IP4_OPTIONS},
	{"length is the last byte", {1, 1, 7, 2}, 4, IP4_OK},
	{"length is the last byte, 3", {1, 1, 7, 3}, 4, IP4_OPTIONS},
	{"record route and end", {7, 7, 4, 0, 0, 0, 0, 0}, 8, IP4_OK},
	{"second option wrong", {7, 3, 4, 68, 0, 0, 0, 0}, 8, IP4_OPTIONS},
	{"loose source route", {131, 3, 4, 0}, 4, IP4_SOURCE_ROUTE},
	{"strict source route", {137, 3, 4, 0}, 4, IP4_SOURCE_ROUTE},
	{"source route after others", {1, 68, 3, 5, 131, 3, 4, 0}, 8, IP4_SOURCE_ROUTE},
	{"malformed source route is malformed", {131, 9, 4, 0}, 4, IP4_OPTIONS},
	{"malformed after source route", {131, 3, 4, 7}, 4, IP4_SOURCE_ROUTE},
	{"malformed before source route", {7, 0, 131, 3}, 4, IP4_OPTIONS},
	{"not a source route: not copied", {3, 4, 4, 0}, 4, IP4_OK},
	{"router alert", {148, 4, 0, 0}, 4, IP4_OK},
	{"40 bytes in one", {7, 40}, 40, IP4_OK},
	{"41 in 40", {7, 41}, 40, IP4_OPTIONS},
	{"source route in the last 3 of 40",
		{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
			1, 1, 1, 1, 1, 1, 137, 3, 4},
		40, IP4_SOURCE_ROUTE},
	{"value 131 as data", {7, 4, 131, 3}, 4, IP4_OK},
};

static void
options(void **state)
{
	uint8_t h[HLEN_MAX + 8];

	for (size_t i = 0; i < sizeof(option_cases) / sizeof(option_cases[0]); i++) {
		const struct option_case *c = &option_cases[i];
		uint32_t len = plain(h, c->n);

		memcpy(h + IP4_HLEN, c->bytes, c->n);
		put16(h, 2, len - 8);
		seal(h, len);
		/* the header ends at the forbidden page */
		enum ip4_fault got = judge(h, len - 8);

		if (got != c->fault)
			fail_msg("%s: fault %d, expected %d", c->name, got, c->fault);
		/* and with payload behind it */
		assert_int_equal(judge(h, len), c->fault);
	}
}

/* A header with every fault from number worst on must be judged worst; then that fault is mended and the next shows. */
static void
precedence(void **state)
{
	uint8_t h[HLEN_MAX + 8];

	for (int worst = IP4_CHECKSUM; worst <= IP4_TTL; worst++) {
		uint32_t len = plain(h, 8);

		h[8] = 0;
		if (worst <= IP4_BROADCAST)
			set_addr(h, 16,
				worst == IP4_DST_MARTIAN ? 0x7f000001
				: worst == IP4_MULTICAST ? 0xe0000001
							 : 0xffffffff);
		if (worst <= IP4_SRC_MARTIAN)
			set_addr(h, 12, 0xe0000001);
		if (worst <= IP4_SOURCE_ROUTE)
			memcpy(h + IP4_HLEN, "\x83\x03\x04\x07", 4);
		if (worst <= IP4_OPTIONS)
			h[IP4_HLEN + 1] = 0;
		if (worst <= IP4_LENGTH)
			put16(h, 2, 27);
		if (worst <= IP4_IHL)
			h[0] = 0x44;
		if (worst <= IP4_VERSION)
			h[0] = 0x67;
		seal(h, len);
		if (worst <= IP4_CHECKSUM)
			h[10] ^= 0x40;
		assert_int_equal(judge(h, len), worst);
		assert_int_equal(naive_check(h, len), worst);
	}
}

/* ---- at random ---- */

#define N_RANDOM 3000000u
#define SEED     0x1812u

static uint32_t
below(unsigned short x[3], uint32_t n)
{
	return (uint32_t)nrand48(x) % n;
}

static uint32_t
random_address(unsigned short x[3])
{
	static const uint32_t nets[] = {
		0x00000000, 0x7f000000, 0xa9fe0000, 0xe0000000, 0xf0000000, 0xffffffff, 0x0a000000};
	uint32_t any = (uint32_t)jrand48(x);
	uint32_t keep = below(x, 33);

	if (below(x, 3) == 0)
		return any;
	/* one of the special networks with the bits below some depth random: inside, at the edge or beyond */
	return nets[below(x, 7)] ^ (keep == 32 ? 0 : any >> keep);
}

static void
random_options(unsigned short x[3], uint8_t *opt, uint32_t n)
{
	static const uint8_t types[] = {0, 1, 7, 68, 131, 137, 148};

	for (uint32_t at = 0; at < n;) {
		uint32_t len = 2 + below(x, 8);

		opt[at++] = below(x, 4) == 0 ? (uint8_t)nrand48(x) : types[below(x, 7)];
		if (opt[at - 1] < 2 || at == n)
			continue;
		opt[at] = (uint8_t)(below(x, 6) == 0 ? nrand48(x) : len);
		at += len - 1;
	}
}

/* A header with up to three things changed, mostly sealed afterwards; returns its length. */
static uint32_t
random_header(unsigned short x[3], uint8_t *h)
{
	uint32_t n_options = below(x, 2) * 4 * below(x, 11);
	uint32_t len = plain(h, n_options);

	if (below(x, 2))
		random_options(x, h + IP4_HLEN, n_options);
	for (uint32_t k = below(x, 4); k > 0; k--) {
		switch (below(x, 8)) {
		case 0: set_addr(h, 12, random_address(x)); break;
		case 1: set_addr(h, 16, random_address(x)); break;
		case 2: h[8] = (uint8_t)below(x, 4); break;
		case 3: put16(h, 2, below(x, 2) ? below(x, 100) : below(x, 65536)); break;
		case 4: h[0] = (uint8_t)nrand48(x); break;
		case 5: len = below(x, len + 1); break;
		case 6: h[below(x, len > 0 ? len : 1)] = (uint8_t)nrand48(x); break;
		case 7: h[0] = (uint8_t)(0x40 | below(x, 16)); break;
		}
	}
	if (below(x, 8) != 0)
		seal(h, len);
	return len;
}

static void
against_second_judge(void **state)
{
	unsigned short x[3] = {SEED, 0, 0};
	uint32_t seen[IP4_N_FAULTS] = {0};
	uint8_t h[HLEN_MAX + 8];

	for (uint32_t i = 0; i < N_RANDOM; i++) {
		uint32_t len = random_header(x, h);
		enum ip4_fault expected = naive_check(h, len);
		enum ip4_fault got = judge(h, len);

		if (got != expected)
			fail_msg("seed %#x, header %u of %u bytes: fault %d, second judge %d", SEED, i, len,
				got, expected);
		seen[got]++;
	}
	for (uint32_t f = 0; f < IP4_N_FAULTS; f++)
		if (seen[f] < 100)
			fail_msg("fault %u was seen %u times only: the generator is too tame", f, seen[f]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_headers),
		cmocka_unit_test(truncated),
		cmocka_unit_test(one_bit_of_checksum),
		cmocka_unit_test(both_zeros_of_checksum),
		cmocka_unit_test(version_and_ihl),
		cmocka_unit_test(total_length),
		cmocka_unit_test(long_frames),
		cmocka_unit_test(addresses),
		cmocka_unit_test(time_to_live),
		cmocka_unit_test(options),
		cmocka_unit_test(precedence),
		cmocka_unit_test(against_second_judge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
