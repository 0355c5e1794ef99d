/* SPDX-License-Identifier: BSD-3-Clause */
/* What is answered and learned of ARP, and of neighbour discovery: each outcome, and why. */
#include <stdio.h>
#include <string.h>

#include "neighs.h"

#include "arp.h"

static struct rig *rig;

static int
open(void **state)
{
	rig = neighs_open(NULL);
	return 0;
}

static int
close(void **state)
{
	rig_close(rig);
	return 0;
}

/* ---- ARP ---- */

static void
rfc826_request_is_answered(void **state)
{
	int mac;

	arp_from(rig, 0, 0x0a, "request all", "10.0.0.2", "10.0.0.1");
	became(rig, CONTROL_arp_reply);
	said(rig, "0>0a 10.0.0.1 is-at 01 for 10.0.0.2");
	/* and tells who asks */
	assert_string_equal(known(rig, 0, "10.0.0.2", &mac), "stale");
	assert_int_equal(mac, 0x0a);
	arp_from(rig, 1, 0x0b, "request", "10.0.1.2", "10.0.1.1");
	said(rig, "1>0b 10.0.1.1 is-at 02 for 10.0.1.2");
	/* that he asks does not show that he hears us */
	arp_from(rig, 1, 0x0b, "request", "10.0.1.2", "10.0.1.1");
	said(rig, "1>0b 10.0.1.1 is-at 02 for 10.0.1.2");
	assert_string_equal(known(rig, 1, "10.0.1.2", NULL), "stale");
}

/* Strong host model: neither for others nor for the address of another port. */
static void
rfc1812_3_3_2_not_ours(void **state)
{
	arp_from(rig, 0, 0x0a, "request all", "10.0.0.2", "10.0.0.77");
	became(rig, CONTROL_arp_not_ours);
	arp_from(rig, 0, 0x0a, "request all", "10.0.0.2", "10.0.1.1");
	became(rig, CONTROL_arp_not_ours);
	arp_from(rig, 1, 0x0a, "request all", "10.0.1.2", "10.0.0.1");
	became(rig, CONTROL_arp_not_ours);
	arp_from(rig, 0, 0x0a, "request all", "0.0.0.0", "10.0.1.1");
	became(rig, CONTROL_arp_not_ours);
	said(rig, "");
	assert_int_equal(rig->c->counts.neighs, 0);
}

/* RFC 826: whoever is asked, what is known of the sender is updated. */
static void
rfc826_merge(void **state)
{
	int mac;

	arp_from(rig, 0, 0x0a, "request", "10.0.0.2", "10.0.0.1");
	arp_from(rig, 0, 0x0b, "request all", "10.0.0.2", "10.0.0.77");
	became(rig, CONTROL_arp_not_ours);
	known(rig, 0, "10.0.0.2", &mac);
	assert_int_equal(mac, 0x0b);
	said(rig, "0>0a 10.0.0.1 is-at 01 for 10.0.0.2");
}

static void
rfc1812_3_3_2_sender(void **state)
{
	static const uint8_t bad[3][6] = {{1, 0, 0x5e, 0, 0, 2}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {0}};
	static const char *const off[] = {
		"192.0.2.9", "10.0.1.2", "10.0.0.255", "127.0.0.1", "224.0.0.1", "255.255.255.255"};
	struct arp arp = {.op = ARP_REQUEST, .spa = {10, 0, 0, 2}, .tpa = {10, 0, 0, 1}};
	uint8_t bytes[ARP_LEN];

	for (unsigned int i = 0; i < 4; i++) {
		memcpy(arp.sha, i < 3 ? bad[i] : rig_mac[0].addr_bytes, 6);
		arp_build(&arp, bytes);
		frame_from(rig, 0, RTE_ETHER_TYPE_ARP, bytes, sizeof(bytes));
		became(rig, CONTROL_arp_sender);
	}
	for (unsigned int i = 0; i < RTE_DIM(off); i++) {
		arp_from(rig, 0, 0x0a, "request", off[i], "10.0.0.1");
		became(rig, CONTROL_arp_sender);
	}
	arp_from(rig, 0, 0x0a, "reply", "0.0.0.0", "10.0.0.1");
	became(rig, CONTROL_arp_sender);
	said(rig, "");
	assert_int_equal(rig->c->counts.neighs, 0);
}

/* --route PREFIX,port=PORT: hosts of PREFIX are neighbours there, and there only. */
static void
onlink_route(void **state)
{
	const struct ip_prefix prefix = {.addr = rig_addr("192.0.2.0"), .len = 24};
	const struct ip_prefix all = {.addr = rig_addr("0.0.0.0")};

	assert_int_equal(route_add_onlink(rig->routes, &prefix, 0), 0);
	assert_int_equal(route_add_onlink(rig->routes, &all, 0), 0);
	assert_int_equal(route_publish(rig->routes), 0);
	arp_from(rig, 1, 0x0a, "request", "192.0.2.9", "10.0.1.1");
	became(rig, CONTROL_arp_sender);
	unresolved(rig, "10.0.1.2", "192.0.2.9", 0, 1);
	said(rig, "0>ffffffffffff who-has 192.0.2.9 tell 10.0.0.1");
	arp_from(rig, 0, 0x0a, "reply", "192.0.2.9", "10.0.0.1");
	became(rig, CONTROL_arp_learned);
	rig_advance(rig, 1);
	said(rig, "walk udp 1 to 192.0.2.9");
	arp_from(rig, 0, 0x0a, "request", "192.0.2.9", "10.0.0.1");
	became(rig, CONTROL_arp_reply);
	said(rig, "0>0a 10.0.0.1 is-at 01 for 192.0.2.9");
	/* wherever the routes lead, a group is no host */
	arp_from(rig, 0, 0x0a, "request", "224.0.0.1", "10.0.0.1");
	became(rig, CONTROL_arp_sender);
}

static void
rfc826_malformed(void **state)
{
	static const uint8_t good[ARP_LEN] = {
		0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 0x0a, 10, 0, 0, 2, [24] = 10, 0, 0, 1};
	uint8_t bytes[ARP_LEN];

	memcpy(bytes, good, sizeof(bytes));
	frame_from(rig, 0, RTE_ETHER_TYPE_ARP, bytes, ARP_LEN - 1);
	became(rig, CONTROL_arp_malformed);
	bytes[1] = 6;
	frame_from(rig, 0, RTE_ETHER_TYPE_ARP, bytes, ARP_LEN);
	became(rig, CONTROL_arp_malformed);
	said(rig, "");
	frame_from(rig, 0, RTE_ETHER_TYPE_ARP, good, ARP_LEN);
	became(rig, CONTROL_arp_reply);
	said(rig, "0>0a 10.0.0.1 is-at 01 for 10.0.0.2");
}

/* RFC 5227 4: gratuitous ones make no entry; replies that nobody asked for neither. */
static void
rfc5227_4_unknown(void **state)
{
	int mac;

	arp_from(rig, 0, 0x0a, "request all", "10.0.0.2", "10.0.0.2");
	became(rig, CONTROL_arp_unknown);
	arp_from(rig, 0, 0x0a, "reply", "10.0.0.2", "10.0.0.1");
	became(rig, CONTROL_arp_unknown);
	assert_int_equal(rig->c->counts.neighs, 0);
	/* of one that is known a broadcast reply changes the MAC address, but does not confirm it */
	arp_from(rig, 0, 0x0a, "request", "10.0.0.2", "10.0.0.1");
	arp_from(rig, 0, 0x0b, "reply all", "10.0.0.2", "10.0.0.2");
	became(rig, CONTROL_arp_learned);
	arp_from(rig, 0, 0x0b, "reply all", "10.0.0.2", "10.0.0.1");
	became(rig, CONTROL_arp_learned);
	assert_string_equal(known(rig, 0, "10.0.0.2", &mac), "stale");
	assert_int_equal(mac, 0x0b);
	/* nor does one to somebody else */
	arp_from(rig, 0, 0x0b, "reply", "10.0.0.2", "10.0.0.7");
	assert_string_equal(known(rig, 0, "10.0.0.2", NULL), "stale");
	arp_from(rig, 0, 0x0b, "reply", "10.0.0.2", "10.0.0.1");
	assert_string_equal(known(rig, 0, "10.0.0.2", NULL), "reachable");
	said(rig, "0>0a 10.0.0.1 is-at 01 for 10.0.0.2");
}

/* ---- neighbour discovery ---- */

static void
rfc4861_7_2_4_answers(void **state)
{
	int mac;

	nd_from(rig, 0, &(struct nd_words){"2001:db8::2", "ff02::1:ff00:1", "2001:db8::1", 0x0a, -1});
	became(rig, CONTROL_nd_advert);
	said(rig, "0>0a na 2001:db8::1 to 2001:db8::2 RSO tlla 01");
	assert_string_equal(known(rig, 0, "2001:db8::2", &mac), "stale");
	assert_int_equal(mac, 0x0a);
	/* asked itself, as a probe does */
	nd_from(rig, 0, &(struct nd_words){"fe80::2", "fe80::ff:fe00:1", "fe80::ff:fe00:1", 0x0a, -1});
	became(rig, CONTROL_nd_advert);
	said(rig, "0>0a na fe80::ff:fe00:1 to fe80::2 RSO tlla 01");
	assert_string_equal(known(rig, 0, "fe80::2", &mac), "stale");
	/* from ::, to everybody, and not as an answer to one */
	nd_from(rig, 0, &(struct nd_words){"::", "ff02::1:ff00:1", "2001:db8::1", -1, -1});
	became(rig, CONTROL_nd_advert);
	said(rig, "0>333300000001 na 2001:db8::1 to ff02::1 RO tlla 01");
	assert_int_equal(rig->c->counts.neighs, 2);
}

/* 7.2.4 without the asker's MAC address: it is asked for first, whatever the frame's source was. */
static void
rfc4861_7_2_4_asks_first(void **state)
{
	nd_from(rig, 0, &(struct nd_words){"2001:db8::2", "2001:db8::1", "2001:db8::1", -1, -1});
	became(rig, CONTROL_nd_advert);
	said(rig, "0>3333ff000002 ns 2001:db8::2 from 2001:db8::1 to ff02::1:ff00:2 slla 01");
	nd_from(rig, 0, &(struct nd_words){"2001:db8::2", "2001:db8::1", "2001:db8::2", 0x0b, 0x60});
	became(rig, CONTROL_nd_learned);
	rig_advance(rig, 1);
	said(rig, "0>0b na 2001:db8::1 to 2001:db8::2 RSO tlla 01");
	nd_from(rig, 0, &(struct nd_words){"2001:db8::2", "2001:db8::1", "2001:db8::1", -1, -1});
	said(rig, "0>0b na 2001:db8::1 to 2001:db8::2 RSO tlla 01");
}

static void
rfc4861_7_2_3_not_ours(void **state)
{
	static const char *const targets[] = {"2001:db8::77", "2001:db8:1::1", "fe80::ff:fe00:2"};

	for (unsigned int i = 0; i < RTE_DIM(targets); i++) {
		nd_from(rig, 0, &(struct nd_words){"2001:db8::2", "ff02::1:ff00:1", targets[i], 0x0a, -1});
		became(rig, CONTROL_nd_not_ours);
	}
	said(rig, "");
	assert_int_equal(rig->c->counts.neighs, 0);
}

/* Somebody of another subnet on our link is answered, but is no neighbour. */
static void
off_subnet(void **state)
{
	nd_from(rig, 0, &(struct nd_words){"2001:db8:7::2", "ff02::1:ff00:1", "fe80::ff:fe00:1", 0x0a, -1});
	became(rig, CONTROL_nd_advert);
	said(rig, "0>0a na fe80::ff:fe00:1 to 2001:db8:7::2 RSO tlla 01");
	assert_int_equal(rig->c->counts.neighs, 0);
}

static void
rfc4861_7_2_5_adverts(void **state)
{
	int mac;

	nd_from(rig, 0, &(struct nd_words){"2001:db8::2", "2001:db8::1", "2001:db8::2", 0x0a, 0x60});
	became(rig, CONTROL_nd_unknown);
	nd_from(rig, 0, &(struct nd_words){"2001:db8::2", "ff02::1", "2001:db8::2", 0x0a, 0x20});
	became(rig, CONTROL_nd_unknown);
	assert_int_equal(rig->c->counts.neighs, 0);
	nd_from(rig, 0, &(struct nd_words){"2001:db8::2", "ff02::1:ff00:1", "2001:db8::1", 0x0a, -1});
	said(rig, "0>0a na 2001:db8::1 to 2001:db8::2 RSO tlla 01");
	/* no override: I b */
	nd_from(rig, 0, &(struct nd_words){"2001:db8::2", "2001:db8::1", "2001:db8::2", 0x0b, 0x40});
	became(rig, CONTROL_nd_unknown);
	/* no address: the one that is known is confirmed */
	nd_from(rig, 0, &(struct nd_words){"2001:db8::2", "2001:db8::1", "2001:db8::2", -1, 0x40});
	became(rig, CONTROL_nd_learned);
	assert_string_equal(known(rig, 0, "2001:db8::2", &mac), "reachable");
	assert_int_equal(mac, 0x0a);
	/* not an answer */
	nd_from(rig, 0, &(struct nd_words){"2001:db8::2", "ff02::1", "2001:db8::2", 0x0b, 0x20});
	became(rig, CONTROL_nd_learned);
	assert_string_equal(known(rig, 0, "2001:db8::2", &mac), "stale");
	assert_int_equal(mac, 0x0b);
}

static void
rfc4861_7_1_invalid(void **state)
{
	/* solicited, to a group (7.1.2); from :: with an option is made by hand, for the builder does not */
	nd_from(rig, 0, &(struct nd_words){"2001:db8::2", "ff02::1", "2001:db8::2", 0x0a, 0x60});
	became(rig, CONTROL_nd_malformed);
	nd_from(rig, 0, &(struct nd_words){"::", "2001:db8::1", "2001:db8::1", -1, -1});
	became(rig, CONTROL_nd_malformed);
	said(rig, "");
}

/* The link-layer address in a message may not be a group's, nor ours. */
static void
rfc1812_3_3_2_by_analogy(void **state)
{
	static const uint8_t bad[3][6] = {
		{0x33, 0x33, 0, 0, 0, 1}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {2, 0, 0, 0, 0, 1}};

	for (unsigned int i = 0; i < 3; i++) {
		uint8_t frame[86] = {[12] = 0x86, 0xdd, 0x60, [18] = 0, 32, 58, 255, [54] = 135, [78] = 1, 1};
		const struct ip_addr src = rig_addr("2001:db8::2"), dst = rig_addr("2001:db8::1");
		struct skb *skb;

		memcpy(frame + 22, src.bytes, 16);
		memcpy(frame + 38, dst.bytes, 16);
		memcpy(frame + 62, dst.bytes, 16);
		memcpy(frame + 80, bad[i], 6);
		skb = rig_frame(rig, 0, frame, sizeof(frame));
		skb_set_transport_header(skb, 54);
		nd_input(rig->c, skb);
		became(rig, CONTROL_nd_sender);
	}
	said(rig, "");
	assert_int_equal(rig->c->counts.neighs, 0);
}

/* RFC 4861 6.2.6, 8.2: what routers tell hosts is nothing to a router. */
static void
rfc4861_8_2_ignored(void **state)
{
	static const uint8_t types[] = {133, 134, 137};

	for (unsigned int i = 0; i < 3; i++) {
		uint8_t frame[78] = {[12] = 0x86, 0xdd, 0x60, [19] = 24, 58, 255, [54] = types[i]};
		struct skb *skb = rig_frame(rig, 0, frame, sizeof(frame));

		skb_set_transport_header(skb, 54);
		nd_input(rig->c, skb);
		became(rig, CONTROL_nd_ignored);
	}
}

/* A message in many data buffers, and one that says it is longer than it is. */
static void
in_pieces(void **state)
{
	uint8_t frame[1500] = {[12] = 0x86, 0xdd, 0x60, [20] = 58, 255, [54] = 135};
	const struct ip_addr src = rig_addr("2001:db8::2"), dst = rig_addr("2001:db8::1");
	const uint32_t len = 14 + 40 + 24 + 8 * 100;
	struct rig *small;
	struct skb *skb;

	rig_close(rig);
	small = rig_open(128, NULL);
	rig = small;
	neighs_link(small->c, 0, true);
	memcpy(frame + 22, src.bytes, 16);
	memcpy(frame + 38, dst.bytes, 16);
	memcpy(frame + 62, dst.bytes, 16);
	for (unsigned int i = 0; i < 100; i++)
		memcpy(frame + 78 + 8 * i, (const uint8_t[]){200, 1}, 2);
	memcpy(frame + 78 + 8 * 99, (const uint8_t[]){1, 1, 2, 0, 0, 0, 0, 0x0c}, 8);
	frame[18] = (len - 54) >> 8;
	frame[19] = (len - 54) & 0xff;
	skb = rig_frame(small, 0, frame, len);
	assert_true(skb->data_len > 0);
	skb_set_transport_header(skb, 54);
	nd_input(small->c, skb);
	said(small, "0>0c na 2001:db8::1 to 2001:db8::2 RSO tlla 01");
	/* what the message before left behind is not taken for the end of this one */
	skb = rig_frame(small, 0, frame, len - 8);
	skb_set_transport_header(skb, 54);
	nd_input(small->c, skb);
	assert_int_equal(rig_outcome(small, CONTROL_nd_malformed), 1);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rfc826_request_is_answered, open, close),
		cmocka_unit_test_setup_teardown(rfc1812_3_3_2_not_ours, open, close),
		cmocka_unit_test_setup_teardown(rfc826_merge, open, close),
		cmocka_unit_test_setup_teardown(rfc1812_3_3_2_sender, open, close),
		cmocka_unit_test_setup_teardown(onlink_route, open, close),
		cmocka_unit_test_setup_teardown(rfc826_malformed, open, close),
		cmocka_unit_test_setup_teardown(rfc5227_4_unknown, open, close),
		cmocka_unit_test_setup_teardown(rfc4861_7_2_4_answers, open, close),
		cmocka_unit_test_setup_teardown(rfc4861_7_2_4_asks_first, open, close),
		cmocka_unit_test_setup_teardown(rfc4861_7_2_3_not_ours, open, close),
		cmocka_unit_test_setup_teardown(off_subnet, open, close),
		cmocka_unit_test_setup_teardown(rfc4861_7_2_5_adverts, open, close),
		cmocka_unit_test_setup_teardown(rfc4861_7_1_invalid, open, close),
		cmocka_unit_test_setup_teardown(rfc1812_3_3_2_by_analogy, open, close),
		cmocka_unit_test_setup_teardown(rfc4861_8_2_ignored, open, close),
		cmocka_unit_test_setup_teardown(in_pieces, open, close),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests_name("neigh_arp", tests, NULL, NULL);
}
