/* SPDX-License-Identifier: BSD-3-Clause */
/* What is addressed to us: who gets an answer, which, and who does not. Fragments: test_reassemble.c. */
#include <stdlib.h>

#include <arpa/inet.h>

#include <rte_ip.h>
#include <rte_mbuf.h>

#include "eth.h"
#include "frames.h"
#include "ip4.h"
#include "ip6.h"
#include "skb_frags.h"
#include "skb_share.h"

static const uint32_t rooms[] = {128, 2048};

static struct frame f, other;
static uint8_t got[FRAME_MAX];

/* ---- ICMP ---- */

/* RFC 1122 3.2.2: "silently discarded". */
static void
icmp_checksum(void **state)
{
	struct rig *rig = rig_open(128, NULL);

	for (uint32_t size = 8; size < 400; size += 49) {
		frame_echo(&f, "10.0.0.2", "10.0.0.1", size);
		f.bytes[f.len - 1] ^= 1;
		frame_silent(rig, &f, CONTROL_icmp_checksum);
		frame_echo(&f, "2001:db8::2", "2001:db8::1", size);
		f.bytes[f.len - 1] ^= 1;
		frame_silent(rig, &f, CONTROL_icmp_checksum);
	}
	/* RFC 4443 2.3: the pseudo header is a part of it */
	frame_echo(&f, "2001:db8::2", "2001:db8::1", 64);
	frame_ip(&f)[23] ^= 1;
	frame_silent(rig, &f, CONTROL_icmp_checksum);
	rig_close(rig);
}

static void
icmp_cut_short(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	for (uint32_t size = 0; size < 8; size++) {
		static const uint8_t echo4[8] = {8}, echo6[8] = {128};

		frame_begin(&f, "10.0.0.2", "10.0.0.1", PROTO_ICMP);
		frame_add(&f, echo4, size);
		frame_end(&f, size >= 4 ? PROTO_ICMP : 0);
		frame_silent(rig, &f, CONTROL_icmp_malformed);
		frame_begin(&f, "2001:db8::2", "2001:db8::1", PROTO_ICMP6);
		frame_add(&f, echo6, size);
		frame_end(&f, size >= 4 ? PROTO_ICMP6 : 0);
		frame_silent(rig, &f, CONTROL_icmp_malformed);
	}
	rig_close(rig);
}

/* RFC 1122 3.2.2: whatever the type is, if it is not an echo request there is nothing to answer. */
static void
icmp_ignored(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	for (uint32_t type = 0; type < 256; type++) {
		frame_echo(&f, "10.0.0.2", "10.0.0.1", 64);
		f.bytes[f.upper] = (uint8_t)type;
		f.bytes[f.upper + 8] = 0x45;
		frame_end(&f, PROTO_ICMP);
		if (type != 8)
			frame_silent(rig, &f, CONTROL_icmp_ignored);
		frame_echo(&f, "2001:db8::2", "2001:db8::1", 64);
		f.bytes[f.upper] = (uint8_t)type;
		frame_end(&f, PROTO_ICMP6);
		if (type != 128 && (type < 133 || type > 137))
			frame_silent(rig, &f, CONTROL_icmp_ignored);
	}
	rig_close(rig);
}

/* An error that does not hold what it is about. Multicast listener reports and the like are nobody's business here. */
static void
errors_to_us(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	frame_begin(&f, "10.0.0.2", "10.0.0.1", PROTO_ICMP);
	frame_add(&f, (const uint8_t[36]){11, [8] = 0x45}, 35);
	frame_end(&f, PROTO_ICMP);
	frame_silent(rig, &f, CONTROL_icmp_malformed);
	frame_begin(&f, "10.0.0.2", "10.0.0.1", PROTO_ICMP);
	frame_add(&f, (const uint8_t[36]){11, [8] = 0x45}, 36);
	frame_end(&f, PROTO_ICMP);
	frame_silent(rig, &f, CONTROL_icmp_ignored);
	frame_begin(&f, "2001:db8::2", "2001:db8::1", PROTO_ICMP6);
	frame_add(&f, (const uint8_t[48]){1}, 47);
	frame_end(&f, PROTO_ICMP6);
	frame_silent(rig, &f, CONTROL_icmp_malformed);
	frame_begin(&f, "2001:db8::2", "2001:db8::1", PROTO_ICMP6);
	frame_add(&f, (const uint8_t[48]){1}, 48);
	frame_end(&f, PROTO_ICMP6);
	frame_silent(rig, &f, CONTROL_icmp_ignored);
	rig_close(rig);
}

/* ---- nobody listens ---- */

static void
assert_error4(struct rig *rig, uint8_t type, uint8_t code)
{
	const uint32_t len = frame_answer(rig, &f, CONTROL_error_sent, got);

	assert_int_equal(got[9], PROTO_ICMP);
	assert_int_equal(got[20], type);
	assert_int_equal(got[21], code);
	assert_memory_equal(got + 12, frame_ip(&f) + 16, 4);
	assert_memory_equal(got + 28, frame_ip(&f), len - 28);
}

static void
assert_error6(struct rig *rig, uint8_t type, uint8_t code, uint32_t pointer)
{
	const uint32_t len = frame_answer(rig, &f, CONTROL_error_sent, got);

	assert_int_equal(got[6], PROTO_ICMP6);
	assert_int_equal(got[40], type);
	assert_int_equal(got[41], code);
	assert_int_equal(load32_be(got + 44), pointer);
	assert_memory_equal(got + 8, frame_ip(&f) + 24, 16);
	assert_memory_equal(got + 48, frame_ip(&f), len - 48);
}

/* RFC 1122 3.2.2.1: port unreachable for transports, protocol unreachable for all that is none. */
static void
unreachable4(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	for (uint32_t proto = 0; proto < 256; proto++) {
		if (proto == PROTO_ICMP)
			continue;
		frame_begin(&f, "10.0.0.2", "10.0.0.1", (uint8_t)proto);
		frame_add(&f, (const uint8_t[20]){1, 2, 3}, 20);
		frame_end(&f, 0);
		assert_error4(rig, 3, proto == PROTO_TCP || proto == PROTO_UDP ? 3 : 2);
	}
	assert_int_equal(rig->c->counts.error[ICMP_ERROR_PORT], 2);
	rig_close(rig);
}

/* RFC 4443 3.1, RFC 8200 4: the pointer is to the byte that names it. */
static void
unreachable6(void **state)
{
	static const uint8_t known[] = {0, 43, 44, 58, 59, 60};
	struct rig *rig = rig_open(2048, NULL);

	for (uint32_t next = 0; next < 256; next++) {
		const bool transport = next == PROTO_TCP || next == PROTO_UDP;

		if (memchr(known, (int)next, sizeof(known)) != NULL)
			continue;
		frame_begin(&f, "2001:db8::2", "2001:db8::1", (uint8_t)next);
		frame_add(&f, (const uint8_t[20]){1, 2, 3}, 20);
		frame_end(&f, 0);
		assert_error6(rig, transport ? 1 : 4, transport ? 4 : 1, transport ? 0 : 6);
		frame_begin(&f, "2001:db8::2", "2001:db8::1", 60);
		frame_header(&f, (const uint8_t[8]){(uint8_t)next, 0}, 8);
		frame_add(&f, (const uint8_t[20]){1, 2, 3}, 20);
		frame_end(&f, 0);
		assert_error6(rig, transport ? 1 : 4, transport ? 4 : 1, transport ? 0 : 40);
	}
	rig_close(rig);
}

/* ---- extension headers ---- */

/* A header of 8 bytes before an echo request. */
static void
with_header(uint8_t type, uint8_t a, uint8_t b)
{
	frame_begin(&f, "2001:db8::2", "2001:db8::1", type);
	frame_header(&f, (const uint8_t[8]){PROTO_ICMP6, 0, a, b}, 8);
	frame_add(&f, (const uint8_t[64]){128, [30] = 1}, 64);
	frame_end(&f, PROTO_ICMP6);
}

/* RFC 8200 4.2. */
static void
options(void **state)
{
	static const uint8_t types[] = {0, 60};

	for (unsigned int i = 0; i < 2 * RTE_DIM(types); i++) {
		struct rig *rig = rig_open(rooms[i % 2], NULL);
		const uint8_t type = types[i / 2];

		with_header(type, 0x1e, 4); /* skip */
		frame_answer(rig, &f, CONTROL_echo_reply, got);
		assert_int_equal(got[40], 129);
		with_header(type, 0x5e, 4); /* discard */
		frame_silent(rig, &f, CONTROL_local_malformed);
		with_header(type, 0x9e, 4); /* tell */
		assert_error6(rig, 4, 2, 42);
		with_header(type, 0xde, 4); /* tell, since it is not multicast */
		assert_error6(rig, 4, 2, 42);
		with_header(type, 0x01, 5); /* longer than its header */
		frame_silent(rig, &f, CONTROL_local_malformed);
		rig_close(rig);
	}
}

/* RFC 5095: a type 0 route that is not at its end. RFC 8200 4.4: any other. */
static void
routing(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	with_header(43, 0, 1);
	assert_error6(rig, 4, 0, 42);
	with_header(43, 4, 2);
	assert_error6(rig, 4, 0, 42);
	with_header(43, 0, 0);
	frame_answer(rig, &f, CONTROL_echo_reply, got);
	assert_int_equal(got[40], 129);
	rig_close(rig);
}

/* RFC 8200 4: hop-by-hop options behind another header; 4.7: nothing behind a header. */
static void
misplaced(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	with_header(60, 0, 0);
	f.bytes[54] = 0;
	assert_error6(rig, 4, 1, 40);
	with_header(60, 0, 0);
	f.bytes[54] = 59;
	frame_silent(rig, &f, CONTROL_local_malformed);
	with_header(60, 0, 0);
	f.bytes[55] = 200;
	frame_silent(rig, &f, CONTROL_local_malformed);
	rig_close(rig);
}

/* ---- whose ---- */

/* What the walk never hands over, but a damaged table would. */
static void
not_ours(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	frame_echo(&f, "10.0.0.2", "10.0.0.3", 64);
	frame_silent(rig, &f, CONTROL_local_scope);
	frame_echo(&f, "2001:db8::2", "2001:db8::3", 64);
	frame_silent(rig, &f, CONTROL_local_scope);
	rig_close(rig);
}

static void
header_is_bad(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	frame_echo(&f, "10.0.0.2", "10.0.0.1", 64);
	frame_ip(&f)[10] ^= 1;
	frame_silent(rig, &f, CONTROL_local_malformed);
	frame_echo(&f, "2001:db8::2", "2001:db8::1", 64);
	frame_ip(&f)[4] = 1;
	frame_silent(rig, &f, CONTROL_local_malformed);
	for (uint32_t n = 0; n < 28; n++) {
		frame_echo(&f, "10.0.0.2", "10.0.0.1", 8);
		f.len = ETH_HLEN + n;
		frame_silent(rig, &f, CONTROL_local_malformed);
	}
	for (uint32_t n = 0; n < 48; n++) {
		frame_echo(&f, "2001:db8::2", "2001:db8::1", 8);
		f.len = ETH_HLEN + n;
		frame_silent(rig, &f, CONTROL_local_malformed);
	}
	rig_close(rig);
}

/* ---- neighbour discovery ---- */

/* A solicitation of our address, with hop limit 255 and the sender's MAC address. */
static void
solicitation(const char *dst)
{
	uint8_t ns[32] = {135, [24] = 1, 1, 0x02, [31] = 0x0a};

	memcpy(ns + 8, rig_addr("2001:db8::1").bytes, 16);
	frame_begin(&f, "2001:db8::2", dst, PROTO_ICMP6);
	frame_ip(&f)[7] = 255;
	frame_add(&f, ns, sizeof(ns));
	frame_end(&f, PROTO_ICMP6);
}

static void
assert_advert(struct rig *rig)
{
	const uint64_t n = rig_outcome(rig, CONTROL_nd_advert);
	struct skb *skb;

	frame_local(rig, &f, 0);
	assert_int_equal(rig_outcome(rig, CONTROL_nd_advert), n + 1);
	while ((skb = rig_back(rig, PUNT_SEND)) != NULL)
		rig_free(rig, skb);
}

/* It is handed on, whichever way it was addressed, if its checksum is right. */
static void
nd_is_handed_on(void **state)
{
	uint8_t message[32];

	for (unsigned int room = 0; room < RTE_DIM(rooms); room++) {
		struct rig *rig = rig_open(rooms[room], NULL);

		solicitation("2001:db8::1");
		assert_advert(rig);
		solicitation("ff02::1:ff00:1");
		memcpy(f.bytes, (const uint8_t[6]){0x33, 0x33, 0xff, 0, 0, 1}, 6);
		assert_advert(rig);
		f.bytes[f.len - 1] ^= 1;
		frame_silent(rig, &f, CONTROL_icmp_checksum);
		/* behind options it is where they end; f has the message yet, but for its checksum */
		memcpy(message, f.bytes + f.upper, sizeof(message));
		message[sizeof(message) - 1] ^= 1;
		frame_begin(&f, "2001:db8::2", "2001:db8::1", 60);
		frame_ip(&f)[7] = 255;
		frame_header(&f, (const uint8_t[16]){PROTO_ICMP6, 1}, 16);
		frame_add(&f, message, sizeof(message));
		frame_end(&f, PROTO_ICMP6);
		assert_advert(rig);
		rig_close(rig);
	}
}

/* All of RFC 4861's, whoever is to judge them: router discovery and redirects are none of a router's business. */
static void
nd_types(void **state)
{
	static const uint8_t types[] = {133, 134, 137};
	struct rig *rig = rig_open(2048, NULL);

	for (unsigned int i = 0; i < RTE_DIM(types); i++) {
		solicitation("2001:db8::1");
		f.bytes[f.upper] = types[i];
		frame_end(&f, PROTO_ICMP6);
		frame_silent(rig, &f, CONTROL_nd_ignored);
	}
	rig_close(rig);
}

/* RFC 6980 5: not with a fragment header, even if that says nothing. */
static void
nd_in_fragments(void **state)
{
	struct rig *rig = rig_open(2048, NULL);
	const struct cut cut = {&other, IP6_HLEN, 6, 7};

	solicitation("2001:db8::1");
	other = f;
	frame_cut(&cut, 0, 32, false, &f);
	frame_silent(rig, &f, CONTROL_nd_malformed);
	frame_cut(&cut, 0, 16, true, &f);
	frame_local(rig, &f, 0);
	frame_cut(&cut, 16, 32, false, &f);
	frame_silent(rig, &f, CONTROL_nd_malformed);
	rig_close(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(icmp_checksum),
		cmocka_unit_test(icmp_cut_short),
		cmocka_unit_test(icmp_ignored),
		cmocka_unit_test(errors_to_us),
		cmocka_unit_test(unreachable4),
		cmocka_unit_test(unreachable6),
		cmocka_unit_test(options),
		cmocka_unit_test(routing),
		cmocka_unit_test(misplaced),
		cmocka_unit_test(not_ours),
		cmocka_unit_test(header_is_bad),
		cmocka_unit_test(nd_is_handed_on),
		cmocka_unit_test(nd_types),
		cmocka_unit_test(nd_in_fragments),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests_name("control/local", tests, NULL, NULL);
}
