/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The walk along IPv6 extension headers: each rule of RFC 8200 4 by hand, then random chains against a second reader. Every packet
 * ends at a forbidden page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "guard.h"
#include "ip6.h"
#include "ip6_ext.h"

#define UDP 17u

static uint8_t packet[GUARD_MAX];
static uint32_t len; /* of packet */

/* An IPv6 header whose next header is next. */
static void
begin(uint8_t next)
{
	memset(packet, 0, sizeof(packet));
	packet[0] = 0x60;
	packet[6] = next;
	packet[24] = 0x20;
	len = IP6_HLEN;
}

/* Appends n bytes. */
static void
add(const void *bytes, uint32_t n)
{
	memcpy(packet + len, bytes, n);
	len += n;
}

/* A header of 8 bytes: next, its length 0, and 6 bytes more. */
static void
add8(uint8_t next, uint8_t a, uint8_t b, uint8_t c)
{
	const uint8_t bytes[8] = {next, 0, a, b, c};

	add(bytes, sizeof(bytes));
}

static struct ip6_chain
check(void)
{
	struct ip6_chain ext;

	ip6_ext_check(guard_copy(packet, len), len, &ext);
	return ext;
}

static struct ip6_chain
find(void)
{
	struct ip6_chain ext;

	ip6_ext_find(guard_copy(packet, len), len, &ext);
	return ext;
}

static void
assert_at(struct ip6_chain ext, uint32_t next, uint32_t offset, uint32_t next_at)
{
	assert_int_equal(ext.fault, IP6_EXT_OK);
	assert_int_equal(ext.next, next);
	assert_int_equal(ext.offset, offset);
	assert_int_equal(ext.next_at, next_at);
}

static void
assert_fault(enum ip6_ext_fault fault, uint32_t pointer)
{
	const struct ip6_chain ext = check();

	assert_int_equal(ext.fault, fault);
	assert_int_equal(ext.pointer, pointer);
}

static void
no_headers(void **state)
{
	begin(UDP);
	assert_at(check(), UDP, 40, 6);
	assert_at(find(), UDP, 40, 6);
	begin(IP6_NEXT_NONE);
	assert_at(check(), IP6_NEXT_NONE, 40, 6);
}

/* RFC 8200 4.1: in the order it recommends. */
static void
one_after_the_other(void **state)
{
	static const uint8_t longer[16] = {IP6_NEXT_ROUTING, 1, 1, 12};

	begin(IP6_NEXT_HBH);
	add8(IP6_NEXT_DSTOPTS, 1, 4, 0);
	add(longer, sizeof(longer));
	add8(IP6_NEXT_DSTOPTS, 0, 0, 0);
	add8(UDP, 5, 2, 0); /* router alert, then 2 bytes of Pad1 */
	assert_at(check(), UDP, 80, 72);
	assert_at(find(), UDP, 80, 72);
}

/* RFC 8200 4: at the destination headers are taken in any order, destination options and routes as often as they come. */
static void
in_any_order(void **state)
{
	begin(IP6_NEXT_DSTOPTS);
	add8(IP6_NEXT_ROUTING, 0, 0, 0);
	add8(IP6_NEXT_DSTOPTS, 0, 0, 0);
	add8(IP6_NEXT_DSTOPTS, 0, 0, 0);
	add8(IP6_NEXT_ICMP, 0, 0, 0);
	assert_at(check(), IP6_NEXT_ICMP, 72, 64);
}

/* RFC 8200 4: "a Next Header value of zero [...] in any header other than an IPv6 header" is one that is not known. */
static void
hop_by_hop_is_first(void **state)
{
	begin(IP6_NEXT_DSTOPTS);
	add8(IP6_NEXT_HBH, 0, 0, 0);
	add8(UDP, 0, 0, 0);
	assert_fault(IP6_EXT_NEXT, 40);
	assert_at(find(), UDP, 56, 48);

	begin(IP6_NEXT_HBH);
	add8(IP6_NEXT_HBH, 0, 0, 0);
	add8(UDP, 0, 0, 0);
	assert_fault(IP6_EXT_NEXT, 40);
}

/* RFC 8200 4.2, in both headers that have options, at any place in them. */
static void
unknown_options(void **state)
{
	static const uint8_t headers[] = {IP6_NEXT_HBH, IP6_NEXT_DSTOPTS};

	for (unsigned int i = 0; i < sizeof(headers); i++) {
		for (uint32_t type = 2; type < 256; type++) {
			const enum ip6_ext_fault fault[] = {
				IP6_EXT_OK, IP6_EXT_DISCARD, IP6_EXT_OPTION, IP6_EXT_OPTION};

			if (type == 5)
				continue;
			begin(headers[i]);
			add8(UDP, 0, (uint8_t)type, 2); /* Pad1 first */
			assert_int_equal(check().fault, fault[type >> 6]);
			if (type >> 6 != 0)
				assert_fault(fault[type >> 6], 43);
			packet[24] = 0xff;
			assert_int_equal(check().fault, type >> 6 == 3 ? IP6_EXT_DISCARD : fault[type >> 6]);
			assert_at(find(), UDP, 48, 40);
		}
	}
}

/* The first that objects is the one that is told of. */
static void
first_fault(void **state)
{
	static const uint8_t header[16] = {UDP, 1, 0x03, 1, 0, 0x82, 0, 0x41, 0};

	begin(IP6_NEXT_DSTOPTS);
	add(header, sizeof(header));
	assert_fault(IP6_EXT_OPTION, 45);
}

/* RFC 8200 4.4, RFC 5095 3. */
static void
routes(void **state)
{
	for (uint32_t type = 0; type < 256; type++) {
		begin(IP6_NEXT_ROUTING);
		add8(UDP, (uint8_t)type, 0, 0);
		assert_at(check(), UDP, 48, 40);
		packet[43] = 1;
		assert_fault(IP6_EXT_ROUTING, 42);
		packet[43] = 255;
		assert_fault(IP6_EXT_ROUTING, 42);
		assert_at(find(), UDP, 48, 40);
	}
}

/* The check stops there, whichever fragment it is; to find the upper layer only first ones are gone through. */
static void
fragments(void **state)
{
	begin(IP6_NEXT_FRAGMENT);
	add8(UDP, 0, 0, 0);
	assert_at(check(), IP6_NEXT_FRAGMENT, 40, 6);
	assert_at(find(), UDP, 48, 40);
	packet[43] = 7; /* reserved bits and M */
	assert_at(find(), UDP, 48, 40);
	packet[43] = 8;
	assert_at(check(), IP6_NEXT_FRAGMENT, 40, 6);
	assert_at(find(), IP6_NEXT_FRAGMENT, 40, 6);
	packet[43] = 0;
	packet[42] = 0x80;
	assert_at(find(), IP6_NEXT_FRAGMENT, 40, 6);
}

/* RFC 8200 4.5: the second byte of a fragment header is no length. */
static void
fragment_is_8_bytes(void **state)
{
	begin(IP6_NEXT_FRAGMENT);
	add8(UDP, 0, 0, 0);
	packet[41] = 200;
	assert_at(find(), UDP, 48, 40);
}

/* RFC 4302 2.2: its length counts words of 4 bytes. At the destination, which has no keys, it is an upper layer that is not known. */
static void
authentication(void **state)
{
	begin(IP6_NEXT_AUTH);
	add8(IP6_NEXT_ICMP, 0, 0, 0);
	add8(0, 0, 0, 0);
	assert_at(find(), IP6_NEXT_ICMP, 48, 40);
	packet[41] = 1;
	assert_at(find(), IP6_NEXT_ICMP, 52, 40);
	packet[41] = 3;
	assert_int_equal(find().fault, IP6_EXT_TRUNCATED);
	assert_at(check(), IP6_NEXT_AUTH, 40, 6);
}

/* At every length shorter than it says, and for each option that is longer than its header. */
static void
cut_short(void **state)
{
	static const uint8_t header[24] = {UDP, 2, 1, 20};

	for (uint32_t n = 0; n < sizeof(header); n++) {
		begin(IP6_NEXT_DSTOPTS);
		add(header, n);
		assert_int_equal(check().fault, IP6_EXT_TRUNCATED);
		assert_int_equal(find().fault, IP6_EXT_TRUNCATED);
	}
	begin(IP6_NEXT_DSTOPTS);
	add(header, sizeof(header));
	assert_at(check(), UDP, 64, 40);
	for (uint32_t n = 0; n < 256; n++) {
		packet[43] = (uint8_t)n;
		assert_int_equal(check().fault, n > 20 ? IP6_EXT_TRUNCATED : IP6_EXT_OK);
	}
}

/* A type in the last byte, where a length should follow. */
static void
option_without_length(void **state)
{
	static const uint8_t header[8] = {UDP, 0, 1, 3, 0, 0, 0, 0x1e};

	begin(IP6_NEXT_HBH);
	add(header, sizeof(header));
	assert_int_equal(check().fault, IP6_EXT_TRUNCATED);
	packet[47] = 0;
	assert_at(check(), UDP, 48, 40);
}

/* 2048 bytes are the longest, and nothing is read behind the end. */
static void
longest(void **state)
{
	begin(IP6_NEXT_HBH);
	packet[40] = UDP;
	packet[41] = 255;
	len = 40 + 2048;
	assert_at(check(), UDP, 2088, 40);
	len--;
	assert_int_equal(check().fault, IP6_EXT_TRUNCATED);
}

/* ---- random chains against a second reader, which takes the packet for a list of bytes ---- */

static const uint8_t *bytes;
static uint32_t n_bytes;

static int
byte(uint32_t at)
{
	return at < n_bytes ? bytes[at] : -1;
}

static enum ip6_ext_fault
naive_options(uint32_t from, uint32_t end, uint32_t *pointer)
{
	for (uint32_t at = from; at < end;) {
		const int type = byte(at), n = at + 1 < end ? byte(at + 1) : 1000;
		const int known = type == 0 || type == 1 || type == 5;

		*pointer = at;
		if (type != 0 && at + 2 + (uint32_t)n > end)
			return IP6_EXT_TRUNCATED;
		if (!known && type >= 0xc0)
			return byte(24) == 0xff ? IP6_EXT_DISCARD : IP6_EXT_OPTION;
		if (!known && type >= 0x80)
			return IP6_EXT_OPTION;
		if (!known && type >= 0x40)
			return IP6_EXT_DISCARD;
		at += type == 0 ? 1 : 2 + (uint32_t)n;
	}
	return IP6_EXT_OK;
}

static struct ip6_chain
naive_check(void)
{
	struct ip6_chain e = {.next = (uint8_t)byte(6), .next_at = 6, .offset = 40};

	while (e.next == 0 || e.next == 43 || e.next == 60) {
		const int n = byte(e.offset + 1);
		uint32_t end = e.offset + 8 * ((uint32_t)n + 1);

		e.fault = IP6_EXT_OK;
		if (n < 0 || end > n_bytes)
			e.fault = IP6_EXT_TRUNCATED;
		else if (e.next == 0 && e.offset != 40)
			e.fault = IP6_EXT_NEXT, e.pointer = e.next_at;
		else if (e.next == 43 && byte(e.offset + 3) != 0)
			e.fault = IP6_EXT_ROUTING, e.pointer = e.offset + 2;
		else if (e.next != 43)
			e.fault = (uint8_t)naive_options(e.offset + 2, end, &e.pointer);
		if (e.fault != IP6_EXT_OK)
			return e;
		e.next = (uint8_t)byte(e.offset);
		e.next_at = e.offset;
		e.offset = end;
	}
	return e;
}

static void
random_chain(void)
{
	static const uint8_t next[] = {0, 43, 60, 60, 44, 17, 58, 59, 51};
	static const uint8_t small[] = {0, 0, 0, 1, 1, 2, 4, 5, 6, 12, 0x1e, 0x43, 0x84, 0xc5};

	begin(next[rand() % 3]);
	if (rand() % 4 == 0)
		packet[24] = 0xff;
	for (uint32_t at = IP6_HLEN; at < IP6_HLEN + 64; at++)
		packet[at] = rand() % 16 == 0 ? (uint8_t)rand() : small[(uint32_t)rand() % sizeof(small)];
	for (uint32_t at = IP6_HLEN, i = 0; at < IP6_HLEN + 64 && i < 4;
		at += (packet[at + 1] + 1u) * 8, i++) {
		packet[at] = next[(uint32_t)rand() % sizeof(next)];
		packet[at + 1] = (uint8_t)(rand() % 3);
		packet[at + 3] = rand() % 4 == 0 ? 1 : 0;
	}
	len = IP6_HLEN + (uint32_t)rand() % 65;
}

static void
against_a_second_reader(void **state)
{
	uint32_t seen[IP6_EXT_NEXT + 1] = {0};

	srand(1);
	for (uint32_t round = 0; round < 200000; round++) {
		struct ip6_chain have, want;

		random_chain();
		bytes = packet;
		n_bytes = len;
		want = naive_check();
		have = check();
		find();
		assert_int_equal(have.fault, want.fault);
		assert_int_equal(have.next, want.next);
		assert_int_equal(have.offset, want.offset);
		assert_int_equal(have.next_at, want.next_at);
		if (want.fault > IP6_EXT_DISCARD)
			assert_int_equal(have.pointer, want.pointer);
		seen[have.fault]++;
	}
	for (unsigned int i = 0; i <= IP6_EXT_NEXT; i++)
		assert_true(seen[i] > 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_headers),
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(in_any_order),
		cmocka_unit_test(hop_by_hop_is_first),
		cmocka_unit_test(unknown_options),
		cmocka_unit_test(first_fault),
		cmocka_unit_test(routes),
		cmocka_unit_test(fragments),
		cmocka_unit_test(fragment_is_8_bytes),
		cmocka_unit_test(authentication),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(option_without_length),
		cmocka_unit_test(longest),
		cmocka_unit_test(against_a_second_reader),
	};

	return cmocka_run_group_tests_name("proto/ip6_ext", tests, NULL, NULL);
}
