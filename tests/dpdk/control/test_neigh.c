/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets that wait for a MAC address, and what becomes of them; what the routes are told. */
#include <stdio.h>
#include <sys/socket.h>
#include <string.h>

#include "neighs.h"

/* The adjacency that packets to addr take now. */
static const struct adjacency *
way(struct rig *rig, const char *addr)
{
	const struct ip_addr to = rig_addr(addr);
	const struct route_view *view = route_view(rig->routes);
	const uint32_t addr4 = (uint32_t)to.bytes[0] << 24 | (uint32_t)to.bytes[1] << 16 |
			       (uint32_t)to.bytes[2] << 8 | to.bytes[3];
	uint64_t id;

	if (to.family == AF_INET)
		route_lookup4_bulk(view, &addr4, &id, 1);
	else
		route_lookup6_bulk(view, &to.bytes, &id, 1);
	return &route_adjacencies(rig->routes)[id];
}

static void
rfc1122_2_3_2_2_held_then_sent(void **state)
{
	struct rig *rig = neighs_open(NULL);

	unresolved(rig, "10.0.0.2", "10.0.1.2", 1, 1);
	unresolved(rig, "10.0.0.2", "10.0.1.2", 1, 2);
	unresolved(rig, "2001:db8::2", "2001:db8:1::2", 1, 3);
	said(rig, "1>ffffffffffff who-has 10.0.1.2 tell 10.0.1.1; "
		  "1>3333ff000002 ns 2001:db8:1::2 from 2001:db8:1::1 to ff02::1:ff00:2 slla 02");
	assert_int_equal(rig->c->counts.held, 3);
	assert_int_equal(rig->c->counts.neighs, 2);
	assert_int_equal(way(rig, "10.0.1.2")->kind, NEXTHOP_UNRESOLVED);
	rig_advance(rig, 500);
	arp_from(rig, 1, 0x0b, "reply", "10.0.1.2", "10.0.1.1");
	became(rig, CONTROL_arp_learned);
	said(rig, "");
	assert_true(rig->c->routes_changed);
	neighs_tick(rig->c);
	/* published once, not again by who comes next */
	assert_false(rig->c->routes_changed);
	/* the walk knows the way when it gets them */
	assert_int_equal(way(rig, "10.0.1.2")->kind, NEXTHOP_FORWARD);
	assert_int_equal(way(rig, "10.0.1.2")->l2[5], 0x0b);
	said(rig, "walk udp 1 to 10.0.1.2; walk udp 2 to 10.0.1.2");
	assert_int_equal(rig_outcome(rig, CONTROL_neigh_sent), 2);
	assert_int_equal(rig->c->counts.held, 1);
	nd_from(rig, 1, &(struct nd_words){"2001:db8:1::2", "2001:db8:1::1", "2001:db8:1::2", 0x0b, 0x60});
	became(rig, CONTROL_nd_learned);
	rig_advance(rig, 1);
	assert_int_equal(way(rig, "2001:db8:1::2")->kind, NEXTHOP_FORWARD);
	said(rig, "walk udp 3 to 2001:db8:1::2");
	assert_int_equal(rig->c->counts.held, 0);
	/* one that was punted before that goes back at once */
	unresolved(rig, "10.0.0.2", "10.0.1.2", 1, 4);
	rig_advance(rig, 1);
	said(rig, "walk udp 4 to 10.0.1.2");
	assert_int_equal(rig_outcome(rig, CONTROL_neigh_sent), 4);
	rig_close(rig);
}

/* RFC 1812 4.3.3.1 (host unreachable 3/1), RFC 4443 3.1 (address unreachable 1/3). */
static void
rfc1812_3_3_2_failure_is_told(void **state)
{
	struct rig *rig = neighs_open(NULL);

	arp_from(rig, 0, 0x0a, "request", "10.0.0.2", "10.0.0.1");
	said(rig, "0>0a 10.0.0.1 is-at 01 for 10.0.0.2");
	unresolved(rig, "10.0.0.2", "10.0.1.99", 1, 1);
	unresolved(rig, "2001:db8::2", "2001:db8:1::99", 1, 2);
	rig_advance(rig, 2990);
	said(rig, "1>ffffffffffff who-has 10.0.1.99 tell 10.0.1.1; "
		  "1>3333ff000099 ns 2001:db8:1::99 from 2001:db8:1::1 to ff02::1:ff00:99 slla 02; "
		  "1>ffffffffffff who-has 10.0.1.99 tell 10.0.1.1; "
		  "1>3333ff000099 ns 2001:db8:1::99 from 2001:db8:1::1 to ff02::1:ff00:99 slla 02; "
		  "1>ffffffffffff who-has 10.0.1.99 tell 10.0.1.1; "
		  "1>3333ff000099 ns 2001:db8:1::99 from 2001:db8:1::1 to ff02::1:ff00:99 slla 02");
	rig_advance(rig, 10);
	said(rig, "walk icmp 3/1 to 10.0.0.2; walk icmp 1/3 to 2001:db8::2");
	assert_int_equal(rig_outcome(rig, CONTROL_neigh_failed), 2);
	assert_int_equal(rig->c->counts.held, 0);
	assert_int_equal(rig->c->counts.neighs, 1);
	rig_close(rig);
}

static void
limits(void **state)
{
	struct rig *rig = neighs_open(NULL); /* hold_max 100 */

	for (unsigned int i = 0; i < 10; i++)
		unresolved(rig, "10.0.0.2", "10.0.1.2", 1, (uint8_t)i);
	assert_int_equal(rig_outcome(rig, CONTROL_neigh_replaced), 2);
	assert_int_equal(rig->c->counts.held, 8);
	for (unsigned int i = 0; i < 100; i++) {
		char addr[32];

		snprintf(addr, sizeof(addr), "10.0.1.%u", 100 + i);
		unresolved(rig, "10.0.0.2", addr, 1, (uint8_t)i);
	}
	assert_int_equal(rig_outcome(rig, CONTROL_neigh_full), 8);
	assert_int_equal(rig->c->counts.held, 100);
	neighs_destroy(rig->c);
	assert_int_equal(rig_outcome(rig, CONTROL_stopped), 100);
	assert_int_equal(rig->c->counts.held, 0);
	assert_int_equal(rig->c->counts.neighs, 0);
	rig_close(rig);
}

/* RFC 4861 7.3.3: what does not answer any more is not sent to. */
static void
lost(void **state)
{
	struct rig *rig = neighs_open(NULL);

	arp_from(rig, 1, 0x0b, "request", "10.0.1.2", "10.0.1.1");
	said(rig, "1>0b 10.0.1.1 is-at 02 for 10.0.1.2");
	rig_advance(rig, 1);
	assert_int_equal(way(rig, "10.0.1.2")->kind, NEXTHOP_FORWARD);
	rig_advance(rig, 7990);
	said(rig, "1>0b who-has 10.0.1.2 tell 10.0.1.1; 1>0b who-has 10.0.1.2 tell 10.0.1.1; "
		  "1>0b who-has 10.0.1.2 tell 10.0.1.1");
	assert_int_equal(way(rig, "10.0.1.2")->kind, NEXTHOP_FORWARD);
	rig_advance(rig, 20);
	assert_int_equal(way(rig, "10.0.1.2")->kind, NEXTHOP_UNRESOLVED);
	assert_string_equal(known(rig, 1, "10.0.1.2", NULL), "none");
	said(rig, "");
	rig_close(rig);
}

/* One that moves is followed at once when it says so. */
static void
moved(void **state)
{
	struct rig *rig = neighs_open(NULL);
	int mac;

	arp_from(rig, 1, 0x0b, "request", "10.0.1.2", "10.0.1.1");
	nd_from(rig, 1, &(struct nd_words){"2001:db8:1::2", "2001:db8:1::1", "2001:db8:1::1", 0x0b, -1});
	rig_advance(rig, 1);
	arp_from(rig, 1, 0x0c, "request all", "10.0.1.2", "10.0.1.2");
	became(rig, CONTROL_arp_learned);
	nd_from(rig, 1, &(struct nd_words){"2001:db8:1::2", "ff02::1", "2001:db8:1::2", 0x0c, 0x20});
	became(rig, CONTROL_nd_learned);
	assert_int_equal(way(rig, "10.0.1.2")->l2[5], 0x0c);
	assert_int_equal(way(rig, "2001:db8:1::2")->l2[5], 0x0c);
	assert_string_equal(known(rig, 1, "10.0.1.2", &mac), "stale");
	assert_int_equal(mac, 0x0c);
	rig_close(rig);
}

/* ---- gateways and static ones ---- */

static const struct control_neigh fixed[] = {
	{.port = 1, .addr = {.family = AF_INET, .bytes = {10, 0, 1, 2}}, .mac = {{2, 0, 0, 0, 0, 0x0b}}}};

static void
with_routes(struct rig *rig, struct control_conf *conf)
{
	const struct ip_prefix prefix = {.addr = rig_addr("192.0.2.0"), .len = 24};
	const struct route_path paths[] = {{rig_addr("10.0.1.2"), 1}, {rig_addr("10.0.1.3"), 1}};

	assert_int_equal(route_neigh_add(rig->routes, 1, &fixed[0].addr, &fixed[0].mac), 0);
	assert_int_equal(route_add(rig->routes, &prefix, paths, 2), 0);
	assert_int_equal(route_publish(rig->routes), 0);
	conf->statics = fixed;
	conf->n_statics = 1;
}

static void
gateways_are_asked(void **state)
{
	struct rig *rig = rig_open(2048, with_routes);
	int mac;

	assert_int_equal(rig->c->counts.neighs, 2);
	assert_string_equal(known(rig, 1, "10.0.1.2", &mac), "static");
	assert_int_equal(mac, 0x0b);
	assert_string_equal(known(rig, 1, "10.0.1.3", &mac), "incomplete");
	neighs_link(rig->c, 1, true);
	said(rig, "1>ffffffffffff who-has 10.0.1.3 tell 10.0.1.1");
	arp_from(rig, 1, 0x0c, "reply", "10.0.1.3", "10.0.1.1");
	assert_string_equal(known(rig, 1, "10.0.1.3", &mac), "reachable");
	arp_from(rig, 1, 0x0d, "reply", "10.0.1.2", "10.0.1.1");
	assert_int_equal(rig_outcome(rig, CONTROL_arp_unknown), 1);
	arp_from(rig, 1, 0x0d, "request all", "10.0.1.2", "10.0.1.2");
	assert_int_equal(rig_outcome(rig, CONTROL_arp_unknown), 2);
	assert_int_equal(way(rig, "10.0.1.2")->l2[5], 0x0b);
	rig_close(rig);
}

/* The router that a host has learned is a link-local address, mostly; so may ours be, where --addr says on which port. */
static void
with_link_local_gateway(struct rig *rig, struct control_conf *conf)
{
	const struct ip_addr own = rig_addr("fe80::1");
	const struct ip_prefix all = {.addr = rig_addr("::")};
	const struct route_path path = {rig_addr("fe80::2"), 1};

	assert_int_equal(route_add_connected(rig->routes, 1, &own, 64), 0);
	assert_int_equal(route_add(rig->routes, &all, &path, 1), 0);
	assert_int_equal(route_publish(rig->routes), 0);
}

static void
link_local_gateway(void **state)
{
	struct rig *rig = neighs_open(with_link_local_gateway);

	assert_string_equal(known(rig, 1, "fe80::2", NULL), "failed");
	assert_int_equal(way(rig, "2001:db8:77::1")->kind, NEXTHOP_UNRESOLVED);
	unresolved(rig, "2001:db8::2", "fe80::2", 1, 1);
	nd_from(rig, 1, &(struct nd_words){"fe80::2", "fe80::1", "fe80::2", 0x0b, 0x60});
	assert_int_equal(way(rig, "2001:db8:77::1")->kind, NEXTHOP_FORWARD);
	assert_int_equal(way(rig, "2001:db8:77::1")->l2[5], 0x0b);
	rig_advance(rig, 1);
	said(rig, "walk udp 1 to fe80::2");
	rig->c->routes_changed |= route_port_link(rig->routes, 1, false);
	neighs_link(rig->c, 1, false);
	assert_int_equal(way(rig, "2001:db8:77::1")->kind, NEXTHOP_PORT_DOWN);
	route_port_link(rig->routes, 1, true);
	assert_int_equal(way(rig, "2001:db8:77::1")->kind, NEXTHOP_UNRESOLVED);
	rig_close(rig);
}

static void
with_same_on_both(struct rig *rig, struct control_conf *conf)
{
	static const struct control_neigh neigh = {.port = 0,
		.addr = {.family = AF_INET, .bytes = {10, 0, 0, 5}},
		.mac = {{2, 0, 0, 0, 0, 0x0a}}};
	const struct ip_prefix all = {.addr = rig_addr("0.0.0.0")};

	assert_int_equal(route_neigh_add(rig->routes, 0, &neigh.addr, &neigh.mac), 0);
	assert_int_equal(route_add_onlink(rig->routes, &all, 1), 0);
	assert_true(route_port_link(rig->routes, 0, false));
	assert_int_equal(route_publish(rig->routes), 0);
	conf->statics = &neigh;
	conf->n_statics = 1;
}

/* 10.0.0.5 is port 0's, whose link is down, and somebody answers for it on port 1. The host route stays port 0's, so a packet that was
 * given back to the walk would be here again a millisecond later, for ever. */
static void
known_without_a_way(void **state)
{
	struct rig *rig = neighs_open(with_same_on_both);

	assert_int_equal(way(rig, "10.0.0.5")->port, 1);
	unresolved(rig, "10.0.1.2", "10.0.0.5", 1, 1);
	said(rig, "1>ffffffffffff who-has 10.0.0.5 tell 10.0.1.1");
	arp_from(rig, 1, 0x0b, "reply", "10.0.0.5", "10.0.1.1");
	became(rig, CONTROL_arp_learned);
	rig_advance(rig, 1);
	assert_int_equal(way(rig, "10.0.0.5")->kind, NEXTHOP_UNRESOLVED);
	said(rig, "walk icmp 3/1 to 10.0.1.2");
	unresolved(rig, "10.0.1.2", "10.0.0.5", 1, 2);
	rig_advance(rig, 1);
	said(rig, "walk icmp 3/1 to 10.0.1.2");
	assert_int_equal(rig_outcome(rig, CONTROL_neigh_failed), 2);
	assert_int_equal(rig->c->counts.held, 0);
	rig_close(rig);
}

/* What waits when the link goes is given to the walk, which says that the port is down; nothing of the port stays known. */
static void
link_down(void **state)
{
	struct rig *rig = neighs_open(NULL);

	arp_from(rig, 1, 0x0b, "request", "10.0.1.2", "10.0.1.1");
	arp_from(rig, 0, 0x0a, "request", "10.0.0.2", "10.0.0.1");
	said(rig, "1>0b 10.0.1.1 is-at 02 for 10.0.1.2; 0>0a 10.0.0.1 is-at 01 for 10.0.0.2");
	unresolved(rig, "10.0.0.2", "10.0.1.3", 1, 1);
	said(rig, "1>ffffffffffff who-has 10.0.1.3 tell 10.0.1.1");
	rig->c->routes_changed |= route_port_link(rig->routes, 1, false);
	neighs_link(rig->c, 1, false);
	rig_advance(rig, 1);
	said(rig, "walk udp 1 to 10.0.1.3");
	assert_true(way(rig, "10.0.1.3")->kind != NEXTHOP_UNRESOLVED);
	assert_string_equal(known(rig, 1, "10.0.1.2", NULL), "none");
	assert_string_equal(known(rig, 0, "10.0.0.2", NULL), "stale");
	/* one that is still on its way here */
	unresolved(rig, "10.0.0.2", "10.0.1.3", 1, 2);
	rig_advance(rig, 1);
	said(rig, "walk icmp 3/1 to 10.0.0.2");
	assert_int_equal(rig_outcome(rig, CONTROL_neigh_failed), 1);
	rig_close(rig);
}

/* ---- packets of our own to link-local neighbours ---- */

static void
own_packet(struct rig *rig, const char *dst, uint8_t id, enum control_outcome outcome)
{
	const struct ip_addr to = rig_addr(dst), from = rig_addr("fe80::ff:fe00:1");
	uint8_t ip6[61] = {0x60, 0, 0, 0, 0, 21, 17, 64, [60] = id};
	struct skb *skb;

	memcpy(ip6 + 8, from.bytes, 16);
	memcpy(ip6 + 24, to.bytes, 16);
	assert_int_equal(packet_alloc(rig->c, sizeof(ip6), &skb), 0);
	packet_store(skb, 0, ip6, sizeof(ip6));
	neighs_output(rig->c, skb, 0, &to, outcome);
}

static void
link_local(void **state)
{
	struct rig *rig = neighs_open(NULL);
	const uint64_t made = rig->c->counts.made;

	own_packet(rig, "fe80::2", 1, CONTROL_N_OUTCOMES);
	said(rig, "0>3333ff000002 ns fe80::2 from fe80::ff:fe00:1 to ff02::1:ff00:2 slla 01");
	assert_int_equal(rig->c->counts.held, 0);
	nd_from(rig, 0, &(struct nd_words){"fe80::2", "fe80::ff:fe00:1", "fe80::2", 0x0a, 0x60});
	rig_advance(rig, 1);
	said(rig, "0>0a udp 1 to fe80::2");
	own_packet(rig, "fe80::2", 2, CONTROL_N_OUTCOMES);
	said(rig, "0>0a udp 2 to fe80::2");
	assert_int_equal(rig->c->counts.made, made + 3);
	/* not in the routes: fe80::2 may be somebody else on another link */
	assert_int_equal(way(rig, "fe80::2")->kind, NEXTHOP_NO_ROUTE);
	/* nobody there: nobody is told */
	own_packet(rig, "fe80::3", 3, CONTROL_N_OUTCOMES);
	rig_advance(rig, 3100);
	said(rig, "0>3333ff000003 ns fe80::3 from fe80::ff:fe00:1 to ff02::1:ff00:3 slla 01; "
		  "0>3333ff000003 ns fe80::3 from fe80::ff:fe00:1 to ff02::1:ff00:3 slla 01; "
		  "0>3333ff000003 ns fe80::3 from fe80::ff:fe00:1 to ff02::1:ff00:3 slla 01");
	neighs_link(rig->c, 0, false);
	own_packet(rig, "fe80::3", 4, CONTROL_N_OUTCOMES);
	rig_advance(rig, 1);
	said(rig, "");
	rig_close(rig);
}

static void
with_second_subnet(struct rig *rig, struct control_conf *conf)
{
	const struct ip_addr addr4 = rig_addr("10.9.0.1"), addr6 = rig_addr("2001:db8:9::1");

	assert_int_equal(route_add_connected(rig->routes, 0, &addr4, 24), 0);
	assert_int_equal(route_add_connected(rig->routes, 0, &addr6, 64), 0);
}

/* RFC 4861 7.2.2, RFC 826: hosts answer who is on their subnet. */
static void
source_addresses(void **state)
{
	struct rig *rig = neighs_open(with_second_subnet);

	unresolved(rig, "10.0.1.2", "10.9.0.7", 0, 1);
	unresolved(rig, "2001:db8:1::2", "2001:db8:9::7", 0, 2);
	unresolved(rig, "10.0.1.2", "10.0.0.7", 0, 3);
	unresolved(rig, "2001:db8:1::2", "2001:db8::7", 0, 4);
	said(rig, "0>ffffffffffff who-has 10.9.0.7 tell 10.9.0.1; "
		  "0>3333ff000007 ns 2001:db8:9::7 from 2001:db8:9::1 to ff02::1:ff00:7 slla 01; "
		  "0>ffffffffffff who-has 10.0.0.7 tell 10.0.0.1; "
		  "0>3333ff000007 ns 2001:db8::7 from 2001:db8::1 to ff02::1:ff00:7 slla 01");
	rig_close(rig);
}

/* A scan of 20 000 addresses: what waits and who is asked for stays bounded, who is known stays. */
static void
scan(void **state)
{
	struct rig *rig = neighs_open(NULL);

	arp_from(rig, 1, 0x0b, "request", "10.0.1.2", "10.0.1.1");
	arp_from(rig, 1, 0x0b, "reply", "10.0.1.2", "10.0.1.1");
	for (uint32_t i = 0; i < 20000; i++) {
		char addr[48];
		struct skb *skb;

		snprintf(addr, sizeof(addr), "2001:db8:1::%x", 0x100 + i);
		unresolved(rig, "2001:db8::2", addr, 1, (uint8_t)i);
		if (i % 100 != 0)
			continue;
		rig_advance(rig, 20);
		assert_true(rig->c->counts.held <= 100);
		assert_true(rig->c->counts.neighs <= 513);
		while (punt_back_take(&rig->punt, &skb, 1) == 1)
			rig_free(rig, skb);
	}
	assert_string_equal(known(rig, 1, "10.0.1.2", NULL), "reachable");
	assert_true(rig_outcome(rig, CONTROL_neigh_full) > 15000);
	rig_close(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rfc1122_2_3_2_2_held_then_sent),
		cmocka_unit_test(rfc1812_3_3_2_failure_is_told),
		cmocka_unit_test(limits),
		cmocka_unit_test(lost),
		cmocka_unit_test(moved),
		cmocka_unit_test(gateways_are_asked),
		cmocka_unit_test(link_local_gateway),
		cmocka_unit_test(known_without_a_way),
		cmocka_unit_test(link_down),
		cmocka_unit_test(link_local),
		cmocka_unit_test(source_addresses),
		cmocka_unit_test(scan),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests_name("neigh", tests, NULL, NULL);
}
