/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragments for us, rule by rule. How long and how many: test_reassemble_limits.c. Random ones: test_reassemble_random.c. */
#include <stdlib.h>

#include <rte_ip.h>
#include <rte_mbuf.h>

#include "eth.h"
#include "frames.h"
#include "icmp.h"
#include "ip4.h"
#include "ip6.h"
#include "skb_share.h"

static const uint32_t rooms[] = {128, 2048};

static struct frame whole, f;
static uint8_t got[FRAME_MAX];
static struct cut cut;

static void
ping(const struct family *family, uint32_t size)
{
	frame_ping(family, size, &whole, &cut);
}

/* Hands over the part of whole from start to end. */
static void
part(struct rig *rig, uint32_t start, uint32_t end, bool more)
{
	frame_part(rig, &cut, start, end, more);
}

static void
assert_outcomes(struct rig *rig, enum control_outcome outcome, uint64_t n)
{
	assert_int_equal(rig_outcome(rig, outcome), n);
}

/* That whole has been answered, in however many pieces. */
static void
assert_answered(struct rig *rig, const struct family *family)
{
	static uint8_t bytes[FRAME_MAX];
	const uint32_t size = frame_ip_len(&whole) - family->at;
	uint32_t len, at = 0;

	memset(bytes, 0, size);
	for (; (len = frame_back(rig, 0, got)) > 0;) {
		const bool piece = got[0] >> 4 == 6 && got[6] == 44;
		const uint32_t head = family->at + (piece ? 8u : 0u);
		const uint32_t start = piece ? load16_be(got + 42) & 0xfff8u : 0;

		memcpy(bytes + start, got + head, len - head);
		at += len - head;
	}
	assert_int_equal(at, size);
	assert_int_equal(bytes[0], family->proto == PROTO_ICMP ? 0 : 129);
	assert_memory_equal(bytes + 4, whole.bytes + whole.upper + 4, size - 4);
	assert_outcomes(rig, CONTROL_echo_reply, 1);
	assert_int_equal(rig->c->counts.held, 0);
}

/* ---- put together ---- */

/* Three parts in each order. */
static void
any_order(void **state)
{
	static const uint8_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	static const uint32_t ends[] = {0, 160, 808, 1001};

	for (unsigned int i = 0; i < 4 * RTE_DIM(orders); i++) {
		const struct family *family = &families[i % 2];
		struct rig *rig = rig_open(rooms[i / 2 % 2], NULL);

		ping(family, 1001);
		for (unsigned int k = 0; k < 3; k++) {
			const uint8_t n = orders[i / 4][k];

			assert_outcomes(rig, CONTROL_echo_reply, 0);
			assert_int_equal(rig->c->counts.held, k);
			part(rig, ends[n], ends[n + 1], n < 2);
		}
		assert_outcomes(rig, CONTROL_fragment_joined, 2);
		assert_answered(rig, family);
		rig_close(rig);
	}
}

/* ping -s 65000, and the longest packets that there are. */
static void
longest(void **state)
{
	static const uint32_t sizes[2][2] = {{65008, 65515}, {65008, 65535}};

	for (unsigned int i = 0; i < 8; i++) {
		const struct family *family = &families[i % 2];
		struct rig *rig = rig_open(rooms[i / 2 % 2], NULL);
		const uint32_t size = sizes[i % 2][i / 4];
		uint32_t start = 0;

		ping(family, size);
		for (; start + 1448 < size; start += 1448)
			part(rig, start, start + 1448, true);
		part(rig, start, size, false);
		assert_answered(rig, family);
		rig_close(rig);
	}
}

/* The header is the first fragment's, without what made it one: an error quotes it. */
static void
header4(void **state)
{
	struct rig *rig = rig_open(2048, NULL);
	const uint8_t *const quote = got + 28;
	const uint8_t options[8] = {7, 7, 4};

	frame_begin(&whole, "10.0.0.2", "10.0.0.1", PROTO_UDP);
	frame_header(&whole, options, sizeof(options));
	frame_add(&whole, (const uint8_t[200]){1, 2, 3}, 200);
	frame_ip(&whole)[1] = 0x28;
	frame_end(&whole, 0);
	cut = (struct cut){.whole = &whole, .at = 28, .id = 0x1234};
	part(rig, 104, 200, false);
	part(rig, 0, 104, true);
	assert_int_equal(frame_back(rig, 0, got), 28 + 228);
	assert_int_equal(got[20], 3);
	assert_memory_equal(quote, frame_ip(&whole), 228);
	rig_close(rig);
}

/* RFC 8200 4.5: what is before the fragment header stays, and names what was behind it. */
static void
header6(void **state)
{
	for (unsigned int room = 0; room < RTE_DIM(rooms); room++) {
		struct rig *rig = rig_open(rooms[room], NULL);

		frame_begin(&whole, "2001:db8::2", "2001:db8::1", 60);
		frame_header(&whole, (const uint8_t[16]){60, 1}, 16);
		frame_header(&whole, (const uint8_t[8]){PROTO_UDP, 0}, 8);
		frame_add(&whole, (const uint8_t[400]){1, 2, 3}, 400);
		frame_end(&whole, 0);
		cut = (struct cut){.whole = &whole, .at = 64, .next_at = 56, .id = 1};
		part(rig, 304, 400, false);
		part(rig, 0, 304, true);
		assert_int_equal(frame_back(rig, 0, got), 48 + 464);
		assert_int_equal(got[40], 1);
		assert_int_equal(got[41], 4);
		assert_memory_equal(got + 48, frame_ip(&whole), 464);
		rig_close(rig);
	}
}

/* RFC 6946: a fragment that is all of its datagram has nothing to do with others of its id. */
static void
atomic(void **state)
{
	struct rig *rig = rig_open(128, NULL);

	ping(&families[1], 500);
	part(rig, 0, 104, true);
	part(rig, 0, 500, false);
	assert_true(frame_back(rig, 0, got) > 0);
	assert_int_equal(got[6], PROTO_ICMP6);
	assert_outcomes(rig, CONTROL_echo_reply, 1);
	assert_int_equal(rig->c->counts.held, 1);
	part(rig, 104, 500, false);
	assert_outcomes(rig, CONTROL_echo_reply, 2);
	rig_close(rig);
}

/* ---- what belongs together ---- */

static void
keys4(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	ping(&families[0], 300);
	part(rig, 0, 152, true);
	cut.id = 78; /* another datagram */
	part(rig, 152, 300, false);
	cut.id = 77;
	frame_ip(&whole)[9] = PROTO_UDP; /* another protocol */
	part(rig, 152, 300, false);
	frame_ip(&whole)[9] = PROTO_ICMP;
	frame_ip(&whole)[15] = 3; /* somebody else */
	part(rig, 152, 300, false);
	frame_ip(&whole)[15] = 2;
	frame_ip(&whole)[18] = 1; /* to somebody else */
	part(rig, 152, 300, false);
	frame_ip(&whole)[18] = 0;
	assert_int_equal(rig->c->counts.held, 5);
	assert_outcomes(rig, CONTROL_echo_reply, 0);
	part(rig, 152, 300, false);
	assert_outcomes(rig, CONTROL_echo_reply, 1);
	rig_close(rig);
}

/* RFC 8200 4.5: "only from fragment packets that have the same Source Address, Destination Address, and Fragment Identification". */
static void
keys6(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	ping(&families[1], 300);
	part(rig, 0, 152, true);
	cut.id = 77 + (1u << 24);
	part(rig, 152, 300, false);
	cut.id = 77;
	frame_ip(&whole)[23] = 3;
	part(rig, 152, 300, false);
	frame_ip(&whole)[23] = 2;
	frame_ip(&whole)[29] = 1;
	part(rig, 152, 300, false);
	frame_ip(&whole)[29] = 0;
	assert_int_equal(rig->c->counts.held, 4);
	frame_ip(&whole)[6] = 17; /* says the next header of a later fragment, which does not count */
	part(rig, 152, 300, false);
	assert_outcomes(rig, CONTROL_echo_reply, 1);
	rig_close(rig);
}

/* The same link-local address on two links is two hosts; a global one may come by either port. */
static void
keys_of_links(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	ping(&families[1], 300);
	part(rig, 0, 152, true);
	frame_cut(&cut, 152, 300, false, &f);
	frame_local(rig, &f, 1);
	assert_outcomes(rig, CONTROL_echo_reply, 1);

	frame_echo(&whole, "fe80::a", "2001:db8::1", 300);
	part(rig, 0, 152, true);
	frame_cut(&cut, 152, 300, false, &f);
	frame_local(rig, &f, 1);
	assert_int_equal(rig->c->counts.held, 2);
	rig_close(rig);
}

/* ---- again, and over one another ---- */

static void
duplicates(void **state)
{
	for (unsigned int i = 0; i < RTE_DIM(families); i++) {
		struct rig *rig = rig_open(2048, NULL);

		ping(&families[i], 300);
		part(rig, 0, 104, true);
		part(rig, 0, 104, true);
		part(rig, 200, 300, false);
		part(rig, 200, 300, false);
		assert_outcomes(rig, CONTROL_fragment_joined, 2);
		assert_int_equal(rig->c->counts.held, 2);
		part(rig, 104, 200, true);
		assert_answered(rig, &families[i]);
		assert_outcomes(rig, CONTROL_fragment_joined, 4);
		rig_close(rig);
	}
}

/* RFC 5722 4: one byte is enough, on either side, inside or around; and what comes later is thrown away too. */
static void
overlaps(void **state)
{
	static const struct {
		uint32_t start, end;
		bool more;
	} row[] = {{96, 200, true}, {0, 112, true}, {0, 208, true}, {104, 112, true}, {144, 208, true},
		{104, 200, true}, {112, 208, true}, {0, 304, true}, {200, 300, false}};

	for (unsigned int i = 0; i < 2 * RTE_DIM(row); i++) {
		const struct family *family = &families[i % 2];
		struct rig *rig = rig_open(2048, NULL);

		ping(family, 304);
		part(rig, 104, 208, true);
		part(rig, row[i / 2].start, row[i / 2].end, row[i / 2].more);
		assert_outcomes(rig, CONTROL_fragment_overlap, 2);
		assert_int_equal(rig->c->counts.held, 0);
		part(rig, 0, 104, true);
		part(rig, 104, 208, true);
		part(rig, 208, 304, false);
		assert_outcomes(rig, CONTROL_fragment_overlap, 5);
		assert_outcomes(rig, CONTROL_echo_reply, 0);
		assert_null(rig_back(rig, PUNT_WALK));
		/* until nobody can have fragments of it any more */
		rig->c->now_ns += family->timeout_ms * NS_PER_MS;
		reassembly_tick(rig->c);
		part(rig, 0, 104, true);
		part(rig, 104, 304, false);
		assert_answered(rig, family);
		rig_close(rig);
	}
}

/* Two ends, or something behind the end. */
static void
ends(void **state)
{
	for (unsigned int i = 0; i < 8; i++) {
		struct rig *rig = rig_open(2048, NULL);

		ping(&families[i % 2], 304);
		switch (i / 2) {
		case 0: part(rig, 200, 300, false), part(rig, 104, 200, false); break;
		case 1: part(rig, 200, 300, false), part(rig, 304 - 8, 304, true); break;
		case 2: part(rig, 200, 208, true), part(rig, 104, 200, false); break;
		case 3: part(rig, 104, 200, false), part(rig, 200, 304, false); break;
		}
		assert_outcomes(rig, CONTROL_fragment_overlap, 2);
		rig_close(rig);
	}
}

/* ---- what is none ---- */

/* RFC 791 3.1: offsets count 8 bytes, so only the last may end elsewhere. RFC 8200 4.5 wants the sender told, the pointer at the payload
 * length. */
static void
not_in_eights(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	ping(&families[0], 300);
	part(rig, 0, 100, true);
	assert_outcomes(rig, CONTROL_local_malformed, 1);
	ping(&families[1], 300);
	for (uint32_t start = 0; start < 200; start += 104) {
		part(rig, start, start + 100, true);
		assert_true(frame_back(rig, 0, got) > 0);
		assert_int_equal(got[40], 4);
		assert_int_equal(got[41], 0);
		assert_int_equal(load32_be(got + 44), 4);
	}
	assert_outcomes(rig, CONTROL_error_sent, 2);
	assert_int_equal(rig->c->counts.held, 0);
	rig_close(rig);
}

static void
empty(void **state)
{
	for (unsigned int i = 0; i < RTE_DIM(families); i++) {
		struct rig *rig = rig_open(2048, NULL);

		ping(&families[i], 300);
		part(rig, 8, 8, true);
		part(rig, 200, 200, false);
		assert_outcomes(rig, CONTROL_local_malformed, 2);
		rig_close(rig);
	}
}

/* The "ping of death". RFC 8200 4.5 wants the sender told, the pointer at the fragment offset. */
static void
beyond_the_longest(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	ping(&families[0], 300);
	frame_cut(&cut, 0, 24, false, &f);
	store16(frame_ip(&f) + 6, htobe16(65512 / 8));
	frame_end(&f, 0);
	frame_local(rig, &f, 0);
	assert_outcomes(rig, CONTROL_fragment_overlap, 1);

	ping(&families[1], 300);
	frame_cut(&cut, 0, 24, false, &f);
	store16(frame_ip(&f) + 42, htobe16(65520));
	frame_local(rig, &f, 0);
	assert_true(frame_back(rig, 0, got) > 0);
	assert_int_equal(got[40], 4);
	assert_int_equal(got[41], 0);
	assert_int_equal(load32_be(got + 44), 42);
	assert_int_equal(rig->c->counts.held, 0);
	rig_close(rig);
}

/* Each fragment fits, but not behind the first one's options. */
static void
too_long_with_options(void **state)
{
	struct rig *rig = rig_open(2048, NULL);
	const uint8_t nops[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	uint32_t start = 4000;

	ping(&families[0], 65515);
	for (; start + 8000 < 65515; start += 8000)
		part(rig, start, start + 8000, true);
	part(rig, start, 65515, false);
	frame_begin(&whole, "10.0.0.2", "10.0.0.1", PROTO_ICMP);
	frame_header(&whole, nops, sizeof(nops));
	whole.len += 4000;
	cut.at = 28;
	part(rig, 0, 4000, true);
	assert_outcomes(rig, CONTROL_fragment_overlap, 9);
	assert_int_equal(rig->c->counts.held, 0);
	rig_close(rig);
}

/* RFC 8200 4.5, RFC 7112: all headers are in the first one. */
static void
headers_are_cut(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	frame_begin(&whole, "2001:db8::2", "2001:db8::1", 60);
	frame_header(&whole, (const uint8_t[16]){PROTO_UDP, 1}, 16);
	frame_add(&whole, (const uint8_t[100]){0}, 100);
	frame_end(&whole, 0);
	cut = (struct cut){.whole = &whole, .at = IP6_HLEN, .next_at = 6, .id = 1};
	part(rig, 0, 8, true);  /* in the middle of an extension header */
	part(rig, 0, 16, true); /* before the upper layer */
	assert_outcomes(rig, CONTROL_local_malformed, 2);
	part(rig, 0, 24, true);
	assert_int_equal(rig->c->counts.held, 1);
	rig_close(rig);
}

/* A fragment in a fragment could go on for ever. */
static void
nested(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	frame_begin(&whole, "2001:db8::2", "2001:db8::1", 44);
	frame_header(&whole, (const uint8_t[8]){PROTO_UDP}, 8);
	frame_add(&whole, (const uint8_t[100]){0}, 100);
	frame_end(&whole, 0);
	cut = (struct cut){.whole = &whole, .at = IP6_HLEN, .next_at = 6, .id = 1};
	part(rig, 0, 108, false);
	assert_outcomes(rig, CONTROL_local_malformed, 1);
	/* its header is cut short */
	frame_cut(&cut, 0, 0, false, &f);
	f.len -= 4;
	frame_end(&f, 0);
	frame_local(rig, &f, 0);
	assert_outcomes(rig, CONTROL_local_malformed, 2);
	rig_close(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order),
		cmocka_unit_test(longest),
		cmocka_unit_test(header4),
		cmocka_unit_test(header6),
		cmocka_unit_test(atomic),
		cmocka_unit_test(keys4),
		cmocka_unit_test(keys6),
		cmocka_unit_test(keys_of_links),
		cmocka_unit_test(duplicates),
		cmocka_unit_test(overlaps),
		cmocka_unit_test(ends),
		cmocka_unit_test(not_in_eights),
		cmocka_unit_test(empty),
		cmocka_unit_test(beyond_the_longest),
		cmocka_unit_test(too_long_with_options),
		cmocka_unit_test(headers_are_cut),
		cmocka_unit_test(nested),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests_name("control/reassemble", tests, NULL, NULL);
}
