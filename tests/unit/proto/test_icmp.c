/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ICMP errors look like, and each rule of when none may be sent: RFC 1812 4.3.2.7, RFC 1122 3.2.2, RFC 4443 2.4 (e). Every
 * packet ends at a forbidden page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>

#include <cmocka.h>

#include <rte_ip.h>

#include "guard.h"
#include "icmp.h"
#include "ip4.h"
#include "ip6.h"

#define UDP  17u
#define ICMP 1u

static uint8_t packet[256];
static uint32_t len;

/* ---- on the wire ---- */

struct wire {
	uint8_t bytes[ICMP_HLEN];
};

#define INFO 0x12345678u

static void
assert_wire(void (*write)(uint8_t *p, enum icmp_error error, uint32_t info), enum icmp_error error,
	uint32_t info, struct wire want)
{
	uint8_t *p = guard_copy((const uint8_t *)"\xff\xff\xff\xff\xff\xff\xff\xff", ICMP_HLEN);

	write(p, error, info);
	assert_memory_equal(p, want.bytes, ICMP_HLEN);
}

static void
types_of_ip4(void **state)
{
	assert_wire(icmp4_error_write, ICMP_ERROR_TTL, INFO, (struct wire){{11, 0}});
	assert_wire(icmp4_error_write, ICMP_ERROR_REASSEMBLY, INFO, (struct wire){{11, 1}});
	assert_wire(icmp4_error_write, ICMP_ERROR_NO_ROUTE, INFO, (struct wire){{3, 0}});
	assert_wire(icmp4_error_write, ICMP_ERROR_HOST, INFO, (struct wire){{3, 1}});
	assert_wire(icmp4_error_write, ICMP_ERROR_PROHIBITED, INFO, (struct wire){{3, 13}});
	assert_wire(icmp4_error_write, ICMP_ERROR_PROTOCOL, INFO, (struct wire){{3, 2}});
	assert_wire(icmp4_error_write, ICMP_ERROR_PORT, INFO, (struct wire){{3, 3}});
}

/* RFC 1191 4: the next hop's MTU in the low 16 bits. RFC 792: the pointer is one byte. */
static void
words_of_ip4(void **state)
{
	assert_wire(icmp4_error_write, ICMP_ERROR_TOO_BIG, 1500, (struct wire){{3, 4, [6] = 0x05, 0xdc}});
	assert_wire(icmp4_error_write, ICMP_ERROR_TOO_BIG, 70000, (struct wire){{3, 4, [6] = 0xff, 0xff}});
	assert_wire(icmp4_error_write, ICMP_ERROR_PARAM, 20, (struct wire){{12, 0, [4] = 20}});
	assert_wire(icmp4_error_write, ICMP_ERROR_PARAM_OPTION, 21, (struct wire){{12, 0, [4] = 21}});
}

static void
types_of_ip6(void **state)
{
	assert_wire(icmp6_error_write, ICMP_ERROR_TTL, INFO, (struct wire){{3, 0}});
	assert_wire(icmp6_error_write, ICMP_ERROR_REASSEMBLY, INFO, (struct wire){{3, 1}});
	assert_wire(icmp6_error_write, ICMP_ERROR_NO_ROUTE, INFO, (struct wire){{1, 0}});
	assert_wire(icmp6_error_write, ICMP_ERROR_HOST, INFO, (struct wire){{1, 3}});
	assert_wire(icmp6_error_write, ICMP_ERROR_PROHIBITED, INFO, (struct wire){{1, 1}});
	assert_wire(icmp6_error_write, ICMP_ERROR_PORT, INFO, (struct wire){{1, 4}});
}

/* RFC 4443 3.2, 3.4: 32 bits. */
static void
words_of_ip6(void **state)
{
	const struct wire word = {{[4] = 0x12, 0x34, 0x56, 0x78}};
	struct wire want = word;

	want.bytes[0] = 2;
	assert_wire(icmp6_error_write, ICMP_ERROR_TOO_BIG, INFO, want);
	want.bytes[0] = 4;
	assert_wire(icmp6_error_write, ICMP_ERROR_PARAM, INFO, want);
	want.bytes[1] = 1;
	assert_wire(icmp6_error_write, ICMP_ERROR_PROTOCOL, INFO, want);
	want.bytes[1] = 2;
	assert_wire(icmp6_error_write, ICMP_ERROR_PARAM_OPTION, INFO, want);
}

static void
names(void **state)
{
	for (unsigned int i = 0; i < ICMP_N_ERRORS; i++) {
		assert_non_null(icmp_error_name(i));
		for (unsigned int k = 0; k < i; k++)
			assert_string_not_equal(icmp_error_name(i), icmp_error_name(k));
	}
	assert_string_equal(icmp_error_name(ICMP_ERROR_TTL), "ttl");
	assert_string_equal(icmp_error_name(ICMP_ERROR_TOO_BIG), "too_big");
}

/* RFC 8200 8.1. */
static void
pseudo_header(void **state)
{
	struct rte_ipv6_hdr ip = {.proto = 58, .payload_len = htons(1000)};
	uint32_t sum;

	for (unsigned int i = 0; i < 16; i++) {
		ip.src_addr[i] = (uint8_t)(250 - 3 * i);
		ip.dst_addr[i] = (uint8_t)(7 * i);
	}
	sum = icmp6_pseudo_sum(ip.src_addr, 1000);
	sum = (sum & 0xffff) + (sum >> 16);
	assert_int_equal((sum & 0xffff) + (sum >> 16), rte_ipv6_phdr_cksum(&ip, 0));
}

/* ---- IPv4: when ---- */

static void
begin4(uint8_t proto, uint32_t payload)
{
	memset(packet, 0, sizeof(packet));
	packet[0] = 0x45;
	packet[8] = 64;
	packet[9] = proto;
	inet_pton(AF_INET, "10.0.0.2", packet + 12);
	inet_pton(AF_INET, "10.0.1.2", packet + 16);
	len = IP4_HLEN + payload;
	packet[3] = (uint8_t)len;
}

static bool
allowed4(void)
{
	return icmp4_error_allowed(guard_copy(packet, len), len);
}

static bool
address4(uint32_t at, const char *text)
{
	begin4(UDP, 8);
	assert_int_equal(inet_pton(AF_INET, text, packet + at), 1);
	return allowed4();
}

/* RFC 1812 4.3.2.7: "An ICMP error message", and RFC 1122 3.2.2; a type that is not known could be one. */
static void
not_about_errors4(void **state)
{
	static const uint8_t queries[] = {0, 8, 9, 10, 13, 14, 15, 16, 17, 18, 42, 43};

	for (uint32_t type = 0; type < 256; type++) {
		begin4(ICMP, 8);
		packet[20] = (uint8_t)type;
		assert_int_equal(allowed4(), memchr(queries, (int)type, sizeof(queries)) != NULL);
		begin4(UDP, 8);
		packet[20] = (uint8_t)type;
		assert_true(allowed4());
	}
}

/* Behind options the type is elsewhere. */
static void
options4(void **state)
{
	begin4(ICMP, 48);
	packet[0] = 0x4f;
	packet[20] = 8;
	packet[60] = 3;
	assert_false(allowed4());
	packet[20] = 3;
	packet[60] = 8;
	assert_true(allowed4());
}

/* What is not there cannot be judged; by the IP header's length, not by the frame's. */
static void
cut_short4(void **state)
{
	for (uint32_t n = 0; n <= 8; n++) {
		begin4(ICMP, n);
		packet[20] = 8;
		assert_int_equal(allowed4(), n == 8);
		len = IP4_HLEN + 8; /* padding */
		assert_int_equal(allowed4(), n == 8);
	}
	begin4(UDP, 0);
	assert_true(allowed4());
	for (len = 0; len < IP4_HLEN; len++)
		assert_false(allowed4());
	begin4(UDP, 0);
	packet[0] = 0x44;
	assert_false(allowed4());
}

/* RFC 1812 4.3.2.7: "Any fragment of a datagram other then the first fragment". */
static void
not_about_later_fragments4(void **state)
{
	for (uint32_t bit = 0; bit < 16; bit++) {
		begin4(UDP, 8);
		packet[6] = (uint8_t)(1u << bit >> 8);
		packet[7] = (uint8_t)(1u << bit);
		assert_int_equal(allowed4(), bit >= 13);
	}
}

/* RFC 1812 4.3.2.7: "A packet destined to an IP broadcast or IP multicast address". */
static void
not_to_many4(void **state)
{
	assert_false(address4(16, "224.0.0.1"));
	assert_false(address4(16, "239.255.255.255"));
	assert_false(address4(16, "255.255.255.255"));
	assert_false(address4(16, "240.0.0.1"));
	assert_true(address4(16, "223.255.255.255"));
}

/* RFC 1122 3.2.2: "a datagram whose source address does not define a single host". */
static void
source_is_a_host4(void **state)
{
	assert_false(address4(12, "0.0.0.0"));
	assert_false(address4(12, "0.255.255.255"));
	assert_true(address4(12, "1.0.0.0"));
	assert_true(address4(12, "126.255.255.255"));
	assert_false(address4(12, "127.0.0.1"));
	assert_false(address4(12, "127.255.255.255"));
	assert_true(address4(12, "128.0.0.0"));
	assert_true(address4(12, "223.255.255.255"));
	assert_false(address4(12, "224.0.0.0"));
	assert_false(address4(12, "240.0.0.0"));
	assert_false(address4(12, "255.255.255.255"));
}

/* ---- IPv6: when ---- */

static void
begin6(uint8_t next, uint32_t payload)
{
	memset(packet, 0, sizeof(packet));
	packet[0] = 0x60;
	packet[5] = (uint8_t)payload;
	packet[6] = next;
	inet_pton(AF_INET6, "2001:db8::2", packet + 8);
	inet_pton(AF_INET6, "2001:db8:1::2", packet + 24);
	len = IP6_HLEN + payload;
}

static bool
allowed6(enum icmp_error error)
{
	return icmp6_error_allowed(guard_copy(packet, len), len, error);
}

static bool
address6(uint32_t at, const char *text, enum icmp_error error)
{
	begin6(UDP, 8);
	assert_int_equal(inet_pton(AF_INET6, text, packet + at), 1);
	return allowed6(error);
}

/* RFC 4443 2.4 (e.1), (e.2): errors and redirects, behind extension headers too. */
static void
not_about_errors6(void **state)
{
	static const uint8_t chain[] = {58, 0, 60, 43, 44, 51};

	for (uint32_t i = 0; i < sizeof(chain); i++) {
		for (uint32_t type = 0; type < 256; type++) {
			const uint32_t at = i == 0 ? 40 : 48;

			begin6(chain[i], at - 32);
			packet[40] = 58;
			packet[at] = (uint8_t)type;
			assert_int_equal(allowed6(ICMP_ERROR_TTL), type >= 128 && type != 137);
			assert_int_equal(allowed6(ICMP_ERROR_TOO_BIG), type >= 128 && type != 137);
		}
	}
}

static void
cut_short6(void **state)
{
	for (uint32_t n = 0; n <= 8; n++) {
		begin6(58, n);
		packet[40] = 128;
		assert_int_equal(allowed6(ICMP_ERROR_TTL), n == 8);
		len = IP6_HLEN + 8;
		assert_int_equal(allowed6(ICMP_ERROR_TTL), n == 8);
		begin6(60, n);
		packet[40] = UDP;
		assert_int_equal(allowed6(ICMP_ERROR_TTL), n == 8);
	}
	begin6(UDP, 0);
	assert_true(allowed6(ICMP_ERROR_TTL));
	for (len = 0; len < IP6_HLEN; len++)
		assert_false(allowed6(ICMP_ERROR_TTL));
}

/* RFC 4443 2.4 (e.3) and its two exceptions. */
static void
not_to_many6(void **state)
{
	for (enum icmp_error error = ICMP_ERROR_TTL; error < ICMP_N_ERRORS; error++) {
		const bool exception = error == ICMP_ERROR_TOO_BIG || error == ICMP_ERROR_PARAM_OPTION;

		assert_int_equal(icmp6_error_multicast(error), exception);
		assert_int_equal(address6(24, "ff02::1", error), exception);
		assert_int_equal(address6(24, "ff0e::1:2", error), exception);
		assert_true(address6(24, "fe80::1", error));
	}
}

/* RFC 4443 2.4 (e.6): "a packet whose source address does not uniquely identify a single node"; for the exceptions too. */
static void
source_is_a_host6(void **state)
{
	for (enum icmp_error error = ICMP_ERROR_TTL; error < ICMP_N_ERRORS; error++) {
		assert_false(address6(8, "::", error));
		assert_false(address6(8, "::1", error));
		assert_false(address6(8, "ff02::1", error));
		assert_true(address6(8, "::2", error));
		assert_true(address6(8, "1::", error));
		assert_true(address6(8, "fe80::2", error));
	}
}

/* Of a later fragment one cannot tell whether it is an error's. RFC 4443 3.2 and RFC 8200 4.5 want two of them all the same. */
static void
later_fragments6(void **state)
{
	for (enum icmp_error error = ICMP_ERROR_TTL; error < ICMP_N_ERRORS; error++) {
		begin6(44, 24);
		packet[40] = UDP;
		assert_true(allowed6(error));
		packet[43] = 8;
		assert_int_equal(allowed6(error), error == ICMP_ERROR_TOO_BIG || error == ICMP_ERROR_PARAM);
	}
}

/* ---- errors for us ---- */

static void
complete4(void **state)
{
	static const uint8_t errors[] = {3, 4, 5, 11, 12};

	for (uint32_t type = 0; type < 256; type++) {
		const bool is_error = memchr(errors, (int)type, sizeof(errors)) != NULL;

		for (uint32_t n = 0; n < 64; n++) {
			uint8_t *p;

			memset(packet, 0, sizeof(packet));
			packet[0] = (uint8_t)type;
			packet[8] = 0x46; /* 24 bytes */
			p = guard_copy(packet, n);
			assert_int_equal(icmp4_error_complete(p, n), n >= (is_error ? 8u + 24 + 8 : 8u));
		}
	}
	packet[0] = 3;
	packet[8] = 0x44;
	assert_false(icmp4_error_complete(packet, 64));
}

static void
complete6(void **state)
{
	for (uint32_t type = 0; type < 256; type++) {
		for (uint32_t n = 0; n < 64; n++) {
			packet[0] = (uint8_t)type;
			assert_int_equal(icmp6_error_complete(guard_copy(packet, n), n),
				n >= (type < 128 ? 8u + 40 : 8u));
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_of_ip4),
		cmocka_unit_test(words_of_ip4),
		cmocka_unit_test(types_of_ip6),
		cmocka_unit_test(words_of_ip6),
		cmocka_unit_test(names),
		cmocka_unit_test(pseudo_header),
		cmocka_unit_test(not_about_errors4),
		cmocka_unit_test(options4),
		cmocka_unit_test(cut_short4),
		cmocka_unit_test(not_about_later_fragments4),
		cmocka_unit_test(not_to_many4),
		cmocka_unit_test(source_is_a_host4),
		cmocka_unit_test(not_about_errors6),
		cmocka_unit_test(cut_short6),
		cmocka_unit_test(not_to_many6),
		cmocka_unit_test(source_is_a_host6),
		cmocka_unit_test(later_fragments6),
		cmocka_unit_test(complete4),
		cmocka_unit_test(complete6),
	};

	return cmocka_run_group_tests_name("proto/icmp", tests, NULL, NULL);
}
