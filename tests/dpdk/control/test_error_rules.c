/* SPDX-License-Identifier: BSD-3-Clause */
/* When no ICMP error may be sent: each rule of RFC 1812 4.3.2.7, RFC 1122 3.2.2 and RFC 4443 2.4 (e). */
#include <stdlib.h>

#include <arpa/inet.h>

#include <rte_ip.h>
#include <rte_mbuf.h>

#include "eth.h"
#include "frames.h"
#include "icmp.h"
#include "ip4.h"
#include "ip6.h"
#include "skb_share.h"

static const uint32_t rooms[] = {128, 2048};

static struct frame f;
static uint8_t got[FRAME_MAX];

/* A UDP packet with size bytes of payload behind its IP header. */
static void
udp(const char *src, const char *dst, uint32_t size)
{
	frame_begin(&f, src, dst, PROTO_UDP);
	for (uint32_t i = 0; i < size; i++)
		f.bytes[f.len + i] = (uint8_t)(i * 3 + 1);
	f.len += size;
	frame_end(&f, 0);
}

/* As the walk tells of f. Returns the length of the error at got, 0 = none. */
static uint32_t
tell(struct rig *rig, uint16_t port, enum icmp_error error, uint16_t mtu)
{
	struct skb *skb = frame_skb(rig, &f, port);

	punt_info(skb)->error = (uint8_t)error;
	punt_info(skb)->mtu = mtu;
	rig_punt(rig, PUNT_ERROR, skb);
	return frame_back(rig, port, got);
}

static void
own_add(struct rig *rig, uint16_t port, const char *text, uint8_t len)
{
	const struct ip_addr addr = rig_addr(text);

	assert_int_equal(route_add_connected(rig->routes, port, &addr, len), 0);
	assert_int_equal(route_publish(rig->routes), 0);
}

static void
more_addresses(struct rig *rig, struct control_conf *conf)
{
	own_add(rig, 0, "10.9.0.1", 24);
	own_add(rig, 0, "2001:db8:9::1", 64);
	own_add(rig, 0, "10.0.7.1", 31);
	own_add(rig, 0, "10.0.7.2", 31);
}

static void
assert_forbidden(struct rig *rig, enum icmp_error error)
{
	const uint64_t n = rig_outcome(rig, CONTROL_error_forbidden);

	assert_int_equal(tell(rig, 0, error, 1500), 0);
	assert_int_equal(rig_outcome(rig, CONTROL_error_forbidden), n + 1);
}

/* RFC 1812 4.3.2.7 (1), RFC 4443 2.4 (e.1). In small buffers the type is not in the first one. */
static void
not_about_an_error(void **state)
{
	static const uint8_t hbh[200] = {PROTO_ICMP6, 24, 1, 196};

	for (unsigned int room = 0; room < RTE_DIM(rooms); room++) {
		struct rig *rig = rig_open(rooms[room], NULL);

		frame_echo(&f, "10.0.0.2", "10.0.1.2", 64);
		assert_true(tell(rig, 0, ICMP_ERROR_TTL, 0) > 0);
		f.bytes[f.upper] = 3;
		assert_forbidden(rig, ICMP_ERROR_TTL);

		frame_begin(&f, "2001:db8::2", "2001:db8:1::2", 0);
		frame_header(&f, hbh, sizeof(hbh));
		frame_add(&f, (const uint8_t[8]){128}, 8);
		frame_end(&f, PROTO_ICMP6);
		assert_true(tell(rig, 0, ICMP_ERROR_TTL, 0) > 0);
		f.bytes[f.upper] = 1;
		assert_forbidden(rig, ICMP_ERROR_TTL);
		rig_close(rig);
	}
}

/* RFC 1812 4.3.2.7 (5). */
static void
not_about_later_fragments(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	udp("10.0.0.2", "10.0.1.2", 64);
	frame_ip(&f)[6] = 0x20;
	frame_end(&f, 0);
	assert_true(tell(rig, 0, ICMP_ERROR_TTL, 0) > 0);
	frame_ip(&f)[7] = 1;
	frame_end(&f, 0);
	assert_forbidden(rig, ICMP_ERROR_TTL);
	rig_close(rig);
}

/* RFC 1812 4.3.2.7 (3), (4) and RFC 1122 3.2.2, as far as our subnets tell: 10.0.0.255 and 10.0.1.255, but RFC 3021: not 10.0.7.3. */
static void
not_to_broadcasts(void **state)
{
	static const struct {
		const char *src, *dst;
		bool allowed;
	} row[] = {
		{"10.0.0.255", "10.0.1.2", false},
		{"10.0.1.255", "10.0.1.2", false},
		{"10.0.0.254", "10.0.1.2", true},
		{"10.0.0.0", "10.0.1.2", true},   /* the lowest address is an ordinary host */
		{"10.0.2.255", "10.0.1.2", true}, /* not a subnet of ours */
		{"10.0.7.0", "10.0.1.2", true},
		{"10.0.7.3", "10.0.1.2", true}, /* the last of two, and a host */
		{"10.0.0.2", "10.0.1.255", false},
		{"10.0.0.2", "10.0.2.255", true},
		{"10.0.0.2", "255.255.255.255", false},
		{"10.0.0.2", "224.0.0.5", false},
		{"0.0.0.0", "10.0.1.2", false},
		{"127.0.0.1", "10.0.1.2", false},
		{"224.0.0.1", "10.0.1.2", false},
		{"240.0.0.1", "10.0.1.2", false},
	};
	struct rig *rig = rig_open(2048, more_addresses);

	for (unsigned int i = 0; i < RTE_DIM(row); i++) {
		udp(row[i].src, row[i].dst, 8);
		if (row[i].allowed)
			assert_true(tell(rig, 0, ICMP_ERROR_TTL, 0) > 0);
		else
			assert_forbidden(rig, ICMP_ERROR_TTL);
	}
	udp("10.0.7.1", "10.0.1.2", 8); /* an own address, and the last of its subnet */
	assert_forbidden(rig, ICMP_ERROR_TTL);
	rig_close(rig);
}

/* What we have sent ourselves, and could not be delivered. */
static void
not_to_ourselves(void **state)
{
	static const char *const own4[] = {"10.0.0.1", "10.0.1.1"};
	static const char *const own6[] = {"2001:db8::1", "2001:db8:1::1", "fe80::ff:fe00:1"};
	struct rig *rig = rig_open(2048, NULL);

	for (unsigned int i = 0; i < RTE_DIM(own4); i++) {
		udp(own4[i], "10.0.1.9", 8);
		assert_forbidden(rig, ICMP_ERROR_HOST);
	}
	for (unsigned int i = 0; i < RTE_DIM(own6); i++) {
		udp(own6[i], "2001:db8:1::9", 8);
		assert_forbidden(rig, ICMP_ERROR_HOST);
	}
	rig_close(rig);
}

/* RFC 1812 4.3.2.7 (4): "sent as a Link Layer broadcast or multicast"; RFC 4443 2.4 (e.4), (e.5) with the exceptions of (e.3). */
static void
not_about_link_groups(void **state)
{
	static const uint8_t groups[][6] = {
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {0x33, 0x33, 0, 0, 0, 1}, {0x01, 0, 0x5e, 0, 0, 1}};
	struct rig *rig = rig_open(2048, NULL);

	for (unsigned int i = 0; i < RTE_DIM(groups); i++) {
		udp("10.0.0.2", "10.0.1.2", 8);
		memcpy(f.bytes, groups[i], 6);
		assert_forbidden(rig, ICMP_ERROR_TTL);
		assert_forbidden(rig, ICMP_ERROR_TOO_BIG);
		udp("2001:db8::2", "2001:db8:1::2", 8);
		memcpy(f.bytes, groups[i], 6);
		assert_forbidden(rig, ICMP_ERROR_TTL);
		assert_forbidden(rig, ICMP_ERROR_PARAM);
		assert_true(tell(rig, 0, ICMP_ERROR_TOO_BIG, 1500) > 0);
		assert_true(tell(rig, 0, ICMP_ERROR_PARAM_OPTION, 50) > 0);
	}
	rig_close(rig);
}

/* RFC 4443 2.4 (e.3), (e.6). */
static void
not_to_groups6(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	udp("2001:db8::2", "ff0e::1", 8);
	assert_forbidden(rig, ICMP_ERROR_TTL);
	assert_true(tell(rig, 0, ICMP_ERROR_TOO_BIG, 1500) > 0);
	udp("::", "2001:db8:1::2", 8);
	assert_forbidden(rig, ICMP_ERROR_TOO_BIG);
	udp("ff02::1", "2001:db8:1::2", 8);
	assert_forbidden(rig, ICMP_ERROR_TOO_BIG);
	rig_close(rig);
}

/* A frame that is shorter than its header says nothing; nor may it crash. */
static void
cut_short(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	for (uint32_t n = ETH_HLEN; n < ETH_HLEN + IP4_HLEN; n++) {
		udp("10.0.0.2", "10.0.1.2", 8);
		f.len = n;
		assert_forbidden(rig, ICMP_ERROR_TTL);
	}
	for (uint32_t n = ETH_HLEN; n < ETH_HLEN + IP6_HLEN; n++) {
		udp("2001:db8::2", "2001:db8:1::2", 8);
		f.len = n;
		assert_forbidden(rig, ICMP_ERROR_TTL);
	}
	rig_close(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_about_an_error),
		cmocka_unit_test(not_about_later_fragments),
		cmocka_unit_test(not_to_broadcasts),
		cmocka_unit_test(not_to_ourselves),
		cmocka_unit_test(not_about_link_groups),
		cmocka_unit_test(not_to_groups6),
		cmocka_unit_test(cut_short),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests_name("control/error_rules", tests, NULL, NULL);
}
