/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nd_parse(): each rule of RFC 4861 7.1.1 and 7.1.2 by hand, their order, and random messages against a second judge. What is
 * built is compared with frames from elsewhere and with a checksum of the test's own. Every message ends at a forbidden page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>

#include <cmocka.h>

#include "guard.h"
#include "ip6.h"
#include "nd.h"

#define SRC 8u
#define DST 24u

static const uint8_t mac[6] = {2, 0, 0, 0, 0, 0x0a};

static void
set_addr(uint8_t *at, const char *text)
{
	assert_int_equal(inet_pton(AF_INET6, text, at), 1);
}

struct message {
	uint8_t ip6[IP6_HLEN];
	uint8_t p[256];
	uint32_t len;
};

/* From 2001:db8::2 to the solicited-node group or the host, for 2001:db8::1, with a link-layer address option. */
static struct message
valid(uint8_t type)
{
	struct message m = {.ip6 = {0x60, [7] = 255}, .p = {type}, .len = 32};

	set_addr(m.ip6 + SRC, "2001:db8::2");
	set_addr(m.ip6 + DST, type == ND_SOLICIT ? "ff02::1:ff00:1" : "2001:db8::1");
	m.p[4] = type == ND_ADVERT ? 0xe0 : 0;
	set_addr(m.p + 8, "2001:db8::1");
	m.p[24] = type == ND_SOLICIT ? 1 : 2;
	m.p[25] = 1;
	memcpy(m.p + 26, mac, 6);
	return m;
}

static enum nd_fault
judge(const struct message *m, struct nd *nd)
{
	return nd_parse(m->ip6, guard_copy(m->p, m->len), m->len, nd);
}

static enum nd_fault
fault(struct message m)
{
	struct nd nd;

	return judge(&m, &nd);
}

static const uint8_t types[] = {ND_SOLICIT, ND_ADVERT};

static void
fields(void **state)
{
	for (unsigned int i = 0; i < 2; i++) {
		const struct message m = valid(types[i]);
		struct nd nd;

		assert_int_equal(judge(&m, &nd), ND_OK);
		assert_int_equal(nd.type, types[i]);
		assert_memory_equal(nd.target, m.p + 8, 16);
		assert_non_null(nd.mac);
		assert_memory_equal(nd.mac, mac, 6);
	}
}

/* RFC 4861 4.4: R, S, O are the three highest bits; the others are reserved and ignored. */
static void
flags(void **state)
{
	struct message m = valid(ND_ADVERT);
	struct nd nd;

	for (uint32_t value = 0; value < 256; value++) {
		m.p[4] = (uint8_t)value;
		m.p[5] = m.p[6] = m.p[7] = (uint8_t)value;
		assert_int_equal(judge(&m, &nd), ND_OK);
		assert_int_equal(nd.flags & 0x80, nd.flags & ND_ROUTER);
		assert_int_equal(nd.flags, value & 0xe0);
	}
	m = valid(ND_SOLICIT);
	m.p[4] = 0xff;
	assert_int_equal(judge(&m, &nd), ND_OK);
	assert_int_equal(nd.flags, 0);
}

static void
hop_limit_and_code(void **state)
{
	for (unsigned int i = 0; i < 2; i++) {
		for (uint32_t value = 0; value < 256; value++) {
			struct message m = valid(types[i]);

			m.ip6[7] = (uint8_t)value;
			assert_int_equal(fault(m), value == 255 ? ND_OK : ND_HOP_LIMIT);
			m = valid(types[i]);
			m.p[1] = (uint8_t)value;
			assert_int_equal(fault(m), value == 0 ? ND_OK : ND_CODE);
			m = valid(types[i]);
			m.p[8] = (uint8_t)value;
			assert_int_equal(fault(m), value == 0xff ? ND_TARGET : ND_OK);
		}
	}
}

/* "ICMP length is 24 or more octets"; without options there is no MAC address. */
static void
lengths(void **state)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct message m = valid(types[i]);
		struct nd nd;

		for (m.len = 1; m.len < 24; m.len++)
			assert_int_equal(fault(m), ND_TRUNCATED);
		assert_int_equal(judge(&m, &nd), ND_OK);
		assert_null(nd.mac);
		for (m.len = 25; m.len < 32; m.len++)
			assert_int_equal(fault(m), ND_OPTION);
	}
}

/* "All included options have a length that is greater than zero", and none ends elsewhere. */
static void
option_lengths(void **state)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct message m = valid(types[i]);
		struct nd nd;

		m.len = 24 + 64;
		for (uint32_t length = 0; length < 256; length++) {
			m.p[25] = (uint8_t)length;
			memset(m.p + 26, 0, 62);
			/* what follows is one option that fills the message */
			if (length > 0 && length < 8) {
				m.p[24 + 8 * length] = 14;
				m.p[25 + 8 * length] = (uint8_t)(8 - length);
			}
			assert_int_equal(judge(&m, &nd), length > 0 && length <= 8 ? ND_OK : ND_OPTION);
			if (length > 0 && length <= 8)
				assert_int_equal(nd.mac != NULL, length == 1);
		}
	}
}

/* Options of other types are skipped, the first of ours counts, the other message's is not ours. */
static void
options(void **state)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct message m = valid(types[i]);
		struct nd nd;

		memmove(m.p + 24 + 16, m.p + 24, 8);
		memcpy(m.p + 24 + 24, (const uint8_t[]){m.p[40], 1, 9, 9, 9, 9, 9, 9}, 8);
		memset(m.p + 24, 0, 16);
		m.p[24] = 200;
		m.p[25] = 2;
		m.len = 24 + 32;
		assert_int_equal(judge(&m, &nd), ND_OK);
		assert_non_null(nd.mac);
		assert_memory_equal(nd.mac, mac, 6);

		m = valid(types[i]);
		m.p[24] = types[i] == ND_SOLICIT ? 2 : 1;
		assert_int_equal(judge(&m, &nd), ND_OK);
		assert_null(nd.mac);
	}
}

/* RFC 4861 7.1.1, the last two rules. */
static void
unspecified_source(void **state)
{
	struct message m = valid(ND_SOLICIT);

	set_addr(m.ip6 + SRC, "::");
	assert_int_equal(fault(m), ND_UNSPECIFIED);
	m.p[25] = 2; /* too long to be an Ethernet address, but there */
	m.len = 40;
	assert_int_equal(fault(m), ND_UNSPECIFIED);
	m.len = 24;
	assert_int_equal(fault(m), ND_OK);
	set_addr(m.ip6 + DST, "ff02::1:ffff:ffff");
	assert_int_equal(fault(m), ND_OK);
	for (unsigned int at = 0; at < 13; at++) {
		set_addr(m.ip6 + DST, "ff02::1:ff00:1");
		m.ip6[DST + at] ^= 1;
		assert_int_equal(fault(m), ND_UNSPECIFIED);
	}
	set_addr(m.ip6 + DST, "2001:db8::1");
	assert_int_equal(fault(m), ND_UNSPECIFIED);
	set_addr(m.ip6 + SRC, "::1:0");
	assert_int_equal(fault(m), ND_OK);
	/* of an advertisement it says nothing */
	m = valid(ND_ADVERT);
	set_addr(m.ip6 + SRC, "::");
	assert_int_equal(fault(m), ND_OK);
}

/* RFC 4861 7.1.2: "If the IP Destination Address is a multicast address the Solicited flag is zero". */
static void
solicited_multicast(void **state)
{
	struct message m = valid(ND_ADVERT);

	set_addr(m.ip6 + DST, "ff02::1");
	assert_int_equal(fault(m), ND_MULTICAST);
	m.p[4] = 0xa0;
	assert_int_equal(fault(m), ND_OK);
	m.p[4] = 0x40;
	assert_int_equal(fault(m), ND_MULTICAST);
	set_addr(m.ip6 + DST, "fe80::1");
	assert_int_equal(fault(m), ND_OK);
}

/* ---- at random ---- */

#define N_RANDOM 300000u
#define SEED     0x4861u

/* Written from the RFC, one rule after the other. */
static enum nd_fault
naive(const struct message *m)
{
	static const uint8_t any[16];
	uint32_t at = 24, has = 0;

	if (m->ip6[7] != 255)
		return ND_HOP_LIMIT;
	if (m->len < 24)
		return ND_TRUNCATED;
	if (m->p[1] != 0)
		return ND_CODE;
	if (m->p[8] == 0xff)
		return ND_TARGET;
	while (at < m->len) {
		if (at + 1 >= m->len || m->p[at + 1] == 0 || at + m->p[at + 1] * 8u > m->len)
			return ND_OPTION;
		has |= m->p[at] == 1;
		at += m->p[at + 1] * 8u;
	}
	if (m->p[0] == ND_ADVERT)
		return m->ip6[DST] == 0xff && m->p[4] & 0x40 ? ND_MULTICAST : ND_OK;
	if (memcmp(m->ip6 + SRC, any, 16) == 0 &&
		(has || memcmp(m->ip6 + DST, "\xff\2\0\0\0\0\0\0\0\0\0\1\xff", 13) != 0))
		return ND_UNSPECIFIED;
	return ND_OK;
}

static struct message
random_message(unsigned short x[3])
{
	struct message m = valid(types[nrand48(x) % 2]);

	for (long k = nrand48(x) % 4; k > 0; k--) {
		switch (nrand48(x) % 8) {
		case 0: m.len = 1 + (uint32_t)nrand48(x) % 96; break;
		case 1: m.p[25] = (uint8_t)(nrand48(x) % 4); break;
		case 2: m.p[33] = (uint8_t)(nrand48(x) % 4); break;
		case 3: m.p[24] = (uint8_t)(nrand48(x) % 4); break;
		case 4: memset(m.ip6 + SRC, 0, 16); break;
		case 5: set_addr(m.ip6 + DST, nrand48(x) % 2 ? "ff02::1" : "ff02::1:ff00:1"); break;
		case 6: m.p[nrand48(x) % 40] = (uint8_t)nrand48(x); break;
		case 7: m.len = 24; break;
		}
	}
	if (nrand48(x) % 16 == 0)
		m.ip6[7]--;
	if (nrand48(x) % 16 == 0)
		m.p[8] = 0xff;
	m.p[0] = m.p[0] == ND_ADVERT ? ND_ADVERT : ND_SOLICIT;
	return m;
}

static void
against_second_judge(void **state)
{
	unsigned short x[3] = {SEED, 0, 0};
	uint32_t seen[ND_N_FAULTS] = {0};

	for (uint32_t i = 0; i < N_RANDOM; i++) {
		const struct message m = random_message(x);
		const enum nd_fault expected = naive(&m), got = fault(m);

		if (got != expected)
			fail_msg("seed %#x, message %u: fault %d, second judge %d", SEED, i, got, expected);
		seen[got]++;
	}
	for (uint32_t f = 0; f < ND_N_FAULTS; f++)
		if (seen[f] < 100)
			fail_msg("fault %u was seen %u times only: the generator is too tame", f, seen[f]);
}

/* ---- built ---- */

/* RFC 4443 2.3, 16 bits at a time over one long string, as the RFC has it. */
static uint32_t
checksum(const uint8_t *ip6, const uint8_t *icmp, uint32_t len)
{
	uint8_t all[512] = {0};
	uint32_t sum = 0;

	memcpy(all, ip6 + SRC, 32);
	all[34] = (uint8_t)(len >> 8);
	all[35] = (uint8_t)len;
	all[39] = 58;
	memcpy(all + 40, icmp, len);
	for (uint32_t i = 0; i < 40 + len; i += 2)
		sum += all[i] * 256u + all[i + 1];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* tests/vectors/published.tsv, ns-ok: host A asks for 2001:db8::1. */
static const uint8_t ns_ok[ND_LEN] = {0x60, 0, 0, 0, 0, 0x20, 0x3a, 0xff, 0x20, 0x01, 0x0d, 0xb8, [23] = 2,
	0xff, 0x02, [35] = 1, 0xff, 0, 0, 1, 0x87, 0, 0x1c, 0x1f, 0, 0, 0, 0, 0x20, 0x01, 0x0d,
	0xb8, [63] = 1, 1, 1, 2, 0, 0, 0, 0, 0x0a};

static void
solicitation(void **state)
{
	uint8_t p[ND_LEN], src[16], dst[16], target[16];
	struct nd nd;

	set_addr(src, "2001:db8::2");
	set_addr(target, "2001:db8::1");
	nd_solicited_node(target, dst);
	memset(p, 0x5a, sizeof(p));
	assert_int_equal(nd_solicit_build(p, src, dst, target, mac), ND_LEN);
	assert_memory_equal(p, ns_ok, sizeof(p));
	assert_int_equal(checksum(p, p + 40, 32), 0xffff);
	/* from ::, without the option */
	set_addr(src, "::");
	assert_int_equal(nd_solicit_build(p, src, dst, target, mac), ND_LEN - 8);
	assert_int_equal(p[5], 24);
	assert_int_equal(checksum(p, p + 40, 24), 0xffff);
	assert_int_equal(nd_parse(p, p + 40, 24, &nd), ND_OK);
}

static void
advertisement(void **state)
{
	uint8_t p[ND_LEN], dst[16], target[16];
	struct nd nd;

	set_addr(target, "fe80::ff:fe00:1");
	set_addr(dst, "2001:db8::2");
	for (uint32_t bits = 0; bits < 8; bits++) {
		const uint8_t value = (uint8_t)(bits << 5);

		memset(p, 0x5a, sizeof(p));
		assert_int_equal(nd_advert_build(p, target, dst, value, mac), ND_LEN);
		assert_int_equal(checksum(p, p + 40, 32), 0xffff);
		assert_int_equal(p[40], 136);
		assert_int_equal(p[44], value);
		assert_memory_equal(p + SRC, target, 16);
		assert_memory_equal(p + DST, dst, 16);
		assert_memory_equal(p + 64, ((const uint8_t[]){2, 1, 2, 0, 0, 0, 0, 0x0a}), 8);
		assert_int_equal(nd_parse(p, p + 40, 32, &nd), ND_OK);
		assert_int_equal(nd.flags, value);
	}
}

static void
groups(void **state)
{
	uint8_t addr[16], group[16], expected[16], group_mac[6];

	set_addr(addr, "2001:db8::12ab:cdef");
	set_addr(expected, "ff02::1:ffab:cdef");
	memset(group, 0x5a, sizeof(group));
	nd_solicited_node(addr, group);
	assert_memory_equal(group, expected, 16);
	nd_group_mac(group, group_mac);
	assert_memory_equal(group_mac, ((const uint8_t[]){0x33, 0x33, 0xff, 0xab, 0xcd, 0xef}), 6);
}

/* RFC 3810 5: hop limit 1, router alert, to ff02::16. */
static void
report(void **state)
{
	uint8_t p[MLD_LEN], src[16], group[16], routers[16];

	set_addr(src, "fe80::ff:fe00:1");
	set_addr(group, "ff02::1:ff00:1");
	set_addr(routers, "ff02::16");
	memset(p, 0x5a, sizeof(p));
	assert_int_equal(mld_report_build(p, src, group), MLD_LEN);
	assert_memory_equal(p, ((const uint8_t[]){0x60, 0, 0, 0, 0, 36, 0, 1}), 8);
	assert_memory_equal(p + SRC, src, 16);
	assert_memory_equal(p + DST, routers, 16);
	assert_memory_equal(p + 40, ((const uint8_t[]){58, 0, 5, 2, 0, 0, 1, 0, 143, 0}), 10);
	assert_memory_equal(p + 52, ((const uint8_t[]){0, 0, 0, 1, 4, 0, 0, 0}), 8);
	assert_memory_equal(p + 60, group, 16);
	assert_int_equal(checksum(p, p + 48, 28), 0xffff);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(flags),
		cmocka_unit_test(hop_limit_and_code),
		cmocka_unit_test(lengths),
		cmocka_unit_test(option_lengths),
		cmocka_unit_test(options),
		cmocka_unit_test(unspecified_source),
		cmocka_unit_test(solicited_multicast),
		cmocka_unit_test(against_second_judge),
		cmocka_unit_test(solicitation),
		cmocka_unit_test(advertisement),
		cmocka_unit_test(groups),
		cmocka_unit_test(report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
