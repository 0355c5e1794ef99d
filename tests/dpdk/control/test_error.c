/* SPDX-License-Identifier: BSD-3-Clause */
/* ICMP errors: what they look like, from whom they come, and how many. When none is sent: test_error_rules.c. */
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

/* As other parts of control do. */
static uint32_t
tell_late(struct rig *rig, enum icmp_error error, enum control_outcome outcome)
{
	error_send(rig->c, frame_skb(rig, &f, 0), error, 0, outcome);
	return frame_back(rig, 0, got);
}

static void
assert_from(const char *text)
{
	const struct ip_addr addr = rig_addr(text);

	if (addr.family == AF_INET)
		assert_memory_equal(got + 12, addr.bytes, 4);
	else
		assert_memory_equal(got + 8, addr.bytes, 16);
}

/* ---- on the wire ---- */

static const struct {
	enum icmp_error error;
	uint8_t ip4[8], ip6[8]; /* type, code, two bytes that are not looked at, word */
} wires[] = {
	{ICMP_ERROR_TTL, {11, 0}, {3, 0}},
	{ICMP_ERROR_REASSEMBLY, {11, 1}, {3, 1}},
	{ICMP_ERROR_NO_ROUTE, {3, 0}, {1, 0}},
	{ICMP_ERROR_HOST, {3, 1}, {1, 3}},
	{ICMP_ERROR_PROHIBITED, {3, 13}, {1, 1}},
	{ICMP_ERROR_PROTOCOL, {3, 2}, {4, 1, [6] = 0x05, 0xdc}},
	{ICMP_ERROR_PORT, {3, 3}, {1, 4}},
	{ICMP_ERROR_TOO_BIG, {3, 4, [6] = 0x05, 0xdc}, {2, 0, [6] = 0x05, 0xdc}},
	{ICMP_ERROR_PARAM, {12, 0, [4] = 0xff}, {4, 0, [6] = 0x05, 0xdc}},
	{ICMP_ERROR_PARAM_OPTION, {12, 0, [4] = 0xff}, {4, 2, [6] = 0x05, 0xdc}},
};

static void
assert_wire(const uint8_t *icmp, const uint8_t *want)
{
	assert_memory_equal(icmp, want, 2);
	assert_memory_equal(icmp + 4, want + 4, 4);
}

/* RFC 1812 4.3.2.2, 4.3.2.5; RFC 792. */
static void
looks4(struct rig *rig, unsigned int i)
{
	const uint16_t id = rig->c->ip4_id;
	uint32_t len;

	udp("10.0.0.2", "10.0.1.2", 100);
	len = tell(rig, 0, wires[i].error, 1500);
	assert_int_equal(len, 20 + 8 + 120);
	assert_int_equal(got[0], 0x45);
	assert_int_equal(got[1], 0xc0);
	assert_int_equal(load16_be(got + 4), id);
	assert_int_equal(load16_be(got + 6), 0);
	assert_int_equal(got[8], 64);
	assert_int_equal(got[9], PROTO_ICMP);
	assert_from("10.0.0.1");
	assert_memory_equal(got + 16, frame_ip(&f) + 12, 4);
	assert_wire(got + 20, wires[i].ip4);
	assert_true(icmp_sum_is_right(got, len));
	assert_memory_equal(got + 28, frame_ip(&f), 120);
}

/* RFC 4443 2.1 to 2.4. */
static void
looks6(struct rig *rig, unsigned int i)
{
	uint32_t len;

	udp("2001:db8::2", "2001:db8:1::2", 100);
	len = tell(rig, 0, wires[i].error, 1500);
	assert_int_equal(len, 40 + 8 + 140);
	assert_int_equal(load32_be(got), 0x60000000);
	assert_int_equal(got[6], PROTO_ICMP6);
	assert_int_equal(got[7], 64);
	assert_from("2001:db8::1");
	assert_memory_equal(got + 24, frame_ip(&f) + 8, 16);
	assert_wire(got + 40, wires[i].ip6);
	assert_true(icmp_sum_is_right(got, len));
	assert_memory_equal(got + 48, frame_ip(&f), 140);
}

static void
every_error(void **state)
{
	for (unsigned int room = 0; room < RTE_DIM(rooms); room++) {
		struct rig *rig = rig_open(rooms[room], NULL);

		for (unsigned int i = 0; i < RTE_DIM(wires); i++) {
			looks4(rig, i);
			looks6(rig, i);
			assert_int_equal(rig->c->counts.error[wires[i].error], 2);
		}
		assert_int_equal(rig_outcome(rig, CONTROL_error_sent), 2 * RTE_DIM(wires));
		assert_int_equal(rig->c->counts.made, 2 * RTE_DIM(wires));
		rig_close(rig);
	}
}

/* RFC 1812 4.3.2.3: "as much of the original datagram as possible without the length of the ICMP datagram exceeding 576 bytes". RFC 4443
 * 2.4 (c): 1280. Around the limits and at some lengths far off, in one buffer and in many. */
static void
quotes(void **state)
{
	static const uint32_t sizes[] = {0, 1, 7, 8, 9, 100, 527, 528, 529, 1191, 1192, 1193, 1500, 8900};

	for (unsigned int room = 0; room < RTE_DIM(rooms); room++) {
		struct rig *rig = rig_open(rooms[room], NULL);

		for (unsigned int i = 0; i < RTE_DIM(sizes); i++) {
			uint32_t len;

			udp("10.0.0.2", "10.0.1.2", sizes[i]);
			len = tell(rig, 0, ICMP_ERROR_TTL, 0);
			assert_int_equal(len, RTE_MIN(28 + 20 + sizes[i], 576u));
			assert_memory_equal(got + 28, frame_ip(&f), len - 28);
			assert_true(icmp_sum_is_right(got, len));

			udp("2001:db8::2", "2001:db8:1::2", sizes[i]);
			len = tell(rig, 0, ICMP_ERROR_TTL, 0);
			assert_int_equal(len, RTE_MIN(48 + 40 + sizes[i], 1280u));
			assert_memory_equal(got + 48, frame_ip(&f), len - 48);
			assert_true(icmp_sum_is_right(got, len));
		}
		rig_close(rig);
	}
}

/* What the link has appended to a short frame is no part of the packet. */
static void
padding_is_not_quoted(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	udp("10.0.0.2", "10.0.1.2", 8);
	f.len += 18;
	assert_int_equal(tell(rig, 0, ICMP_ERROR_TTL, 0), 28 + 28);
	udp("2001:db8::2", "2001:db8:1::2", 8);
	f.len += 18;
	assert_int_equal(tell(rig, 0, ICMP_ERROR_TTL, 0), 48 + 48);
	rig_close(rig);
}

/* RFC 6864: each of our packets another one. */
static void
ids_count(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	rig->c->ip4_id = 0xffff;
	udp("10.0.0.2", "10.0.1.2", 8);
	tell(rig, 0, ICMP_ERROR_TTL, 0);
	assert_int_equal(load16_be(got + 4), 0xffff);
	tell(rig, 0, ICMP_ERROR_TTL, 0);
	assert_int_equal(load16_be(got + 4), 0);
	rig_close(rig);
}

/* ---- from whom ---- */

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
}

static void
assert_answers(struct rig *rig, uint16_t port, const char *src, const char *dst, const char *from)
{
	udp(src, dst, 8);
	assert_true(tell(rig, port, ICMP_ERROR_TTL, 0) > 0);
	assert_from(from);
}

/* RFC 1812 4.3.2.4: of the port it came in by; that which the sender knows, if there is one. */
static void
source_of_the_port(void **state)
{
	struct rig *rig = rig_open(2048, more_addresses);

	assert_answers(rig, 0, "10.0.0.2", "10.8.0.1", "10.0.0.1");
	assert_answers(rig, 0, "10.9.0.2", "10.8.0.1", "10.9.0.1");
	assert_answers(rig, 0, "10.8.0.2", "10.8.0.1", "10.0.0.1");
	assert_answers(rig, 1, "10.0.0.2", "10.8.0.1", "10.0.1.1");
	assert_answers(rig, 1, "10.9.0.2", "10.8.0.1", "10.0.1.1");
	assert_answers(rig, 0, "2001:db8::2", "2001:db8:8::1", "2001:db8::1");
	assert_answers(rig, 0, "2001:db8:9::2", "2001:db8:8::1", "2001:db8::1");
	assert_answers(rig, 1, "2001:db8::2", "2001:db8:8::1", "2001:db8:1::1");
	rig_close(rig);
}

/* RFC 1122 3.2.2: "must be the specific-destination address" of what was sent to us; RFC 4443 2.2 (a). */
static void
source_is_who_was_asked(void **state)
{
	struct rig *rig = rig_open(2048, more_addresses);

	assert_answers(rig, 0, "10.0.0.2", "10.0.1.1", "10.0.1.1");
	assert_answers(rig, 0, "10.0.0.2", "10.9.0.1", "10.9.0.1");
	assert_answers(rig, 0, "2001:db8::2", "2001:db8:1::1", "2001:db8:1::1");
	assert_answers(rig, 0, "2001:db8::2", "2001:db8:9::1", "2001:db8:9::1");
	rig_close(rig);
}

/* Only port 1 has addresses, but for a link-local one. */
static void
one_port_with_addresses(struct rig *rig, struct control_conf *conf)
{
	route_table_destroy(rig->routes);
	assert_int_equal(route_table_create(SOCKET_ID_ANY, NULL, &rig->routes), 0);
	conf->routes = rig->routes;
	for (uint16_t port = 0; port < RIG_PORTS; port++)
		assert_int_equal(route_port_set(rig->routes, port, &rig_mac[port], rig->ports[port].mtu), 0);
	own_add(rig, 1, "fe80::ff:fe00:2", 128);
	own_add(rig, 0, "fe80::ff:fe00:1", 128);
}

static void
source_of_another_port(void **state)
{
	struct rig *rig = rig_open(2048, one_port_with_addresses);

	/* IPv4 without any address */
	udp("10.0.0.2", "10.8.0.1", 8);
	assert_int_equal(tell(rig, 0, ICMP_ERROR_TTL, 0), 0);
	assert_int_equal(rig_outcome(rig, CONTROL_error_forbidden), 1);
	/* the last resort, but of this link */
	assert_answers(rig, 0, "2001:db8::2", "2001:db8:8::1", "fe80::ff:fe00:1");
	own_add(rig, 1, "10.0.1.1", 24);
	own_add(rig, 1, "2001:db8:1::1", 64);
	assert_answers(rig, 0, "10.0.0.2", "10.8.0.1", "10.0.1.1");
	assert_answers(rig, 0, "2001:db8::2", "2001:db8:8::1", "2001:db8:1::1");
	rig_close(rig);
}

/* ---- how many ---- */

static uint32_t rate;

static void
limit(struct rig *rig, struct control_conf *conf)
{
	conf->error_rate = rate;
}

/* Sends n of them; returns how many were answered. */
static uint32_t
answered(struct rig *rig, uint32_t n)
{
	uint32_t n_sent = 0;

	udp("10.0.0.2", "10.0.0.1", 8);
	for (uint32_t i = 0; i < n; i++)
		n_sent += tell_late(rig, ICMP_ERROR_PORT, CONTROL_error_sent) > 0;
	return n_sent;
}

/* RFC 4443 2.4 (f): a bucket, so that traceroute's three at a time get through. */
static void
burst_then_rate(void **state)
{
	static const struct {
		uint32_t rate, burst, per_100_ms;
	} row[] = {{100, 32, 10}, {10, 32, 1}, {1000, 100, 100}};

	for (unsigned int i = 0; i < RTE_DIM(row); i++) {
		struct rig *rig;

		rate = row[i].rate;
		rig = rig_open(2048, limit);
		assert_int_equal(answered(rig, 200), row[i].burst);
		assert_int_equal(rig_outcome(rig, CONTROL_error_limited), 200 - row[i].burst);
		for (uint32_t round = 0; round < 5; round++) {
			rig->c->now_ns += 100 * NS_PER_MS;
			assert_int_equal(answered(rig, 200), row[i].per_100_ms);
		}
		rig->c->now_ns += 3600 * NS_PER_SECOND;
		assert_int_equal(answered(rig, 200), row[i].burst);
		rig_close(rig);
	}
}

static void
none_or_any(void **state)
{
	struct rig *rig;

	rate = 0;
	rig = rig_open(2048, limit);
	assert_int_equal(answered(rig, 100), 0);
	assert_int_equal(rig_outcome(rig, CONTROL_error_limited), 100);
	rig_close(rig);
	rate = UINT32_MAX;
	rig = rig_open(2048, limit);
	assert_int_equal(answered(rig, 1000), 1000);
	rig_close(rig);
}

/* Those of the walk have passed a worker's bucket; what may not be told takes nothing out. */
static void
others_take_no_tokens(void **state)
{
	struct rig *rig;

	rate = 100;
	rig = rig_open(2048, limit);
	udp("10.0.0.2", "10.0.1.2", 8);
	for (unsigned int i = 0; i < 100; i++)
		assert_true(tell(rig, 0, ICMP_ERROR_TTL, 0) > 0);
	udp("127.0.0.1", "10.0.0.1", 8);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(tell_late(rig, ICMP_ERROR_PORT, CONTROL_error_sent), 0);
	assert_int_equal(rig_outcome(rig, CONTROL_error_forbidden), 100);
	assert_int_equal(answered(rig, 100), 32);
	rig_close(rig);
}

/* ---- what else can come of it ---- */

/* What happened to the packet is its outcome, whether its sender was told or not. */
static void
outcome_of_the_caller(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	udp("10.0.0.2", "10.0.1.9", 8);
	assert_true(tell_late(rig, ICMP_ERROR_HOST, CONTROL_neigh_failed) > 0);
	udp("10.0.0.1", "10.0.1.9", 8);
	assert_int_equal(tell_late(rig, ICMP_ERROR_HOST, CONTROL_neigh_failed), 0);
	assert_int_equal(rig_outcome(rig, CONTROL_neigh_failed), 2);
	assert_int_equal(rig->c->counts.error[ICMP_ERROR_HOST], 1);
	rig_close(rig);
}

static void
ring_back_is_full(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	udp("10.0.0.2", "10.0.0.1", 8);
	for (unsigned int i = 0; i < PUNT_RING_SIZE + 3; i++)
		error_send(rig->c, frame_skb(rig, &f, 0), ICMP_ERROR_PORT, 0, CONTROL_error_sent);
	assert_int_equal(rig_outcome(rig, CONTROL_error_sent), PUNT_RING_SIZE);
	assert_int_equal(rig_outcome(rig, CONTROL_back_full), 3);
	assert_int_equal(rig->c->counts.error[ICMP_ERROR_PORT], PUNT_RING_SIZE);
	assert_int_equal(rig->c->counts.made, PUNT_RING_SIZE);
	assert_int_equal(rig->c->counts.made_lost, 3);
	rig_close(rig);
}

/* Each allocation fails once; the packet is gone all the same. */
static void
no_memory(void **state)
{
	struct rig *rig = rig_open(128, NULL);
	uint64_t n_failed = 0;

	udp("10.0.0.2", "10.0.0.1", 1000);
	for (unsigned int n_heads = 0; n_heads < 2; n_heads++) {
		for (unsigned int n_bufs = 0; n_bufs < 6; n_bufs++) {
			struct skb *skb = frame_skb(rig, &f, 0);
			bool enough;

			shortage_begin(rig, n_bufs, n_heads);
			error_send(rig->c, skb, ICMP_ERROR_PORT, 0, CONTROL_error_sent);
			enough = frame_back(rig, 0, got) > 0;
			shortage_end(rig);
			assert_int_equal(enough, n_heads == 1 && n_bufs >= 3);
			n_failed += !enough;
			assert_int_equal(rig_outcome(rig, CONTROL_no_memory), n_failed);
		}
	}
	rig_close(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_error),
		cmocka_unit_test(quotes),
		cmocka_unit_test(padding_is_not_quoted),
		cmocka_unit_test(ids_count),
		cmocka_unit_test(source_of_the_port),
		cmocka_unit_test(source_is_who_was_asked),
		cmocka_unit_test(source_of_another_port),
		cmocka_unit_test(burst_then_rate),
		cmocka_unit_test(none_or_any),
		cmocka_unit_test(others_take_no_tokens),
		cmocka_unit_test(outcome_of_the_caller),
		cmocka_unit_test(ring_back_is_full),
		cmocka_unit_test(no_memory),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests_name("control/error", tests, NULL, NULL);
}
