/* SPDX-License-Identifier: BSD-3-Clause */
/* Echo requests to us, of any size and with whatever headers, and what comes back. */
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

/* ---- IPv4 ---- */

/* That f, whose message begins at its upper layer, was answered: RFC 1122 3.2.2.6, RFC 1812 4.3.3.6. */
static void
assert_echo4(uint32_t len)
{
	const uint32_t size = f.len - f.upper;
	const uint8_t *const ip = frame_ip(&f);

	assert_int_equal(len, IP4_HLEN + size);
	assert_int_equal(got[0], 0x45);
	assert_memory_equal(got + 4, ip + 4, 2);
	assert_int_equal(load16_be(got + 6), 0);
	assert_int_equal(got[8], 64);
	assert_memory_equal(got + 12, ip + 16, 4);
	assert_memory_equal(got + 16, ip + 12, 4);
	assert_int_equal(got[20], 0);
	assert_int_equal(got[21], f.bytes[f.upper + 1]);
	assert_true(icmp_sum_is_right(got, len));
	assert_memory_equal(got + 24, f.bytes + f.upper + 4, size - 4);
}

static void
echo4_sizes(void **state)
{
	static const uint32_t sizes[] = {8, 9, 12, 63, 64, 65, 100, 101, 128, 500, 1480, 1481, 8980};

	for (unsigned int room = 0; room < RTE_DIM(rooms); room++) {
		struct rig *rig = rig_open(rooms[room], NULL);

		for (unsigned int i = 0; i < RTE_DIM(sizes); i++) {
			frame_echo(&f, "10.0.0.2", "10.0.0.1", sizes[i]);
			assert_echo4(frame_answer(rig, &f, CONTROL_echo_reply, got));
			frame_echo(&f, "10.8.0.2", "10.0.1.1", sizes[i]); /* the other port's address */
			assert_echo4(frame_answer(rig, &f, CONTROL_echo_reply, got));
		}
		rig_close(rig);
	}
}

/* DF of the request is not the reply's, congestion marks are not, the rest of TOS is. TTL 1 and 0 reach us. */
static void
echo4_header(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	frame_echo(&f, "10.0.0.2", "10.0.0.1", 64);
	frame_ip(&f)[1] = 0xbb;
	frame_ip(&f)[6] = 0x40;
	frame_ip(&f)[8] = 1;
	frame_end(&f, PROTO_ICMP);
	assert_echo4(frame_answer(rig, &f, CONTROL_echo_reply, got));
	assert_int_equal(got[1], 0xb8);
	frame_ip(&f)[8] = 0;
	frame_end(&f, PROTO_ICMP);
	assert_echo4(frame_answer(rig, &f, CONTROL_echo_reply, got));
	rig_close(rig);
}

/* Options are not copied. */
static void
echo4_options(void **state)
{
	static const uint8_t options[40] = {1, 1, 7, 11, 4};

	for (unsigned int room = 0; room < RTE_DIM(rooms); room++) {
		struct rig *rig = rig_open(rooms[room], NULL);

		for (uint32_t n = 4; n <= 40; n += 4) {
			frame_begin(&f, "10.0.0.2", "10.0.0.1", PROTO_ICMP);
			frame_header(&f, n < 16 ? (const uint8_t[16]){1, 1, 1, 1} : options, n);
			frame_add(&f, (const uint8_t[100]){8, [50] = 42}, 100);
			frame_end(&f, PROTO_ICMP);
			assert_echo4(frame_answer(rig, &f, CONTROL_echo_reply, got));
		}
		rig_close(rig);
	}
}

/* Bytes behind the IP packet are the link's. */
static void
padding(void **state)
{
	struct rig *rig = rig_open(128, NULL);

	frame_echo(&f, "10.0.0.2", "10.0.0.1", 9);
	frame_add(&f, (const uint8_t[200]){1, 2, 3}, 200);
	assert_int_equal(frame_answer(rig, &f, CONTROL_echo_reply, got), 29);
	frame_echo(&f, "2001:db8::2", "2001:db8::1", 9);
	frame_add(&f, (const uint8_t[200]){1, 2, 3}, 200);
	assert_int_equal(frame_answer(rig, &f, CONTROL_echo_reply, got), 49);
	rig_close(rig);
}

/* Somebody else, a mirror, sees the same bytes: they stay as they are. */
static void
shared_bytes(void **state)
{
	static const char *const pairs[][2] = {{"10.0.0.2", "10.0.0.1"}, {"2001:db8::2", "2001:db8::1"}};

	for (unsigned int i = 0; i < 2 * RTE_DIM(pairs); i++) {
		struct rig *rig = rig_open(rooms[i / 2], NULL);
		struct skb *skb, *clone;

		frame_echo(&f, pairs[i % 2][0], pairs[i % 2][1], 300);
		skb = frame_skb(rig, &f, 0);
		assert_int_equal(skb_clone(&rig->c->cpu, skb, &clone), 0);
		local_input(rig->c, skb);
		assert_int_equal(rig_bytes(clone, other.bytes, FRAME_MAX), f.len);
		assert_memory_equal(other.bytes, f.bytes, f.len);
		rig_free(rig, clone);
		assert_true(frame_back(rig, 0, got) > 300);
		assert_true(icmp_sum_is_right(got, 300 + (i % 2 == 0 ? 20 : 40)));
		rig_close(rig);
	}
}

/* ---- IPv6 ---- */

/* RFC 4443 4.2. */
static void
assert_echo6(uint32_t len, const uint8_t *from)
{
	const uint32_t size = f.len - f.upper;

	assert_int_equal(len, IP6_HLEN + size);
	assert_int_equal(got[0] >> 4, 6);
	assert_int_equal(got[6], PROTO_ICMP6);
	assert_int_equal(got[7], 64);
	assert_memory_equal(got + 8, from, 16);
	assert_memory_equal(got + 24, frame_ip(&f) + 8, 16);
	assert_int_equal(got[40], 129);
	assert_true(icmp_sum_is_right(got, len));
	assert_memory_equal(got + 44, f.bytes + f.upper + 4, size - 4);
}

static void
echo6_sizes(void **state)
{
	static const uint32_t sizes[] = {8, 9, 63, 64, 65, 100, 101, 500, 1240, 1460, 1461, 8960};

	for (unsigned int room = 0; room < RTE_DIM(rooms); room++) {
		struct rig *rig = rig_open(rooms[room], NULL);

		for (unsigned int i = 0; i < RTE_DIM(sizes); i++) {
			frame_echo(&f, "2001:db8::2", "2001:db8::1", sizes[i]);
			assert_echo6(frame_answer(rig, &f, CONTROL_echo_reply, got), frame_ip(&f) + 24);
			frame_echo(&f, "2001:db8::2", "2001:db8:1::1", sizes[i]);
			assert_echo6(frame_answer(rig, &f, CONTROL_echo_reply, got), frame_ip(&f) + 24);
		}
		/* the class is the reply's, the flow label and congestion marks are not; hop limit 1 reaches us */
		frame_echo(&f, "2001:db8::2", "2001:db8::1", 64);
		store32(frame_ip(&f), htobe32(0x6bb12345));
		frame_ip(&f)[7] = 1;
		assert_echo6(frame_answer(rig, &f, CONTROL_echo_reply, got), frame_ip(&f) + 24);
		assert_int_equal(load32_be(got), 0x6b800000);
		rig_close(rig);
	}
}

/* Extension headers are not copied, in however many buffers they are. */
static void
echo6_headers(void **state)
{
	static const uint32_t sizes[] = {8, 16, 64, 128, 256, 1024, 2048};
	static uint8_t header[2048];

	for (unsigned int i = 0; i < 2 * RTE_DIM(sizes); i++) {
		struct rig *rig = rig_open(rooms[i % 2], NULL);
		const uint32_t n = sizes[i / 2];

		frame_begin(&f, "2001:db8::2", "2001:db8::1", 60);
		memset(header, 0, n);
		header[0] = PROTO_ICMP6;
		header[1] = (uint8_t)(n / 8 - 1);
		frame_header(&f, header, n);
		frame_add(&f, (const uint8_t[300]){128, [100] = 42}, 300);
		frame_end(&f, PROTO_ICMP6);
		assert_echo6(frame_answer(rig, &f, CONTROL_echo_reply, got), frame_ip(&f) + 24);
		rig_close(rig);
	}
}

/* Puts the fragments in the ring back together at got, and asserts RFC 8200 4.5 of each: not above mtu, full but for the last, one id. */
static uint32_t
fragments_back(struct rig *rig, uint16_t port, uint32_t mtu, unsigned int *n)
{
	static uint8_t piece[FRAME_MAX];
	uint32_t end = 0, len, id = 0;
	bool more = true;

	for (*n = 0; more; ++*n) {
		len = frame_back(rig, port, piece);
		assert_true(len > 48 && len <= mtu);
		assert_int_equal(piece[6], 44);
		assert_int_equal(piece[40], PROTO_ICMP6);
		assert_int_equal(piece[41], 0);
		assert_int_equal(load16_be(piece + 42) & 0xfff8, end);
		more = (load16_be(piece + 42) & 7) == 1;
		if (more)
			assert_true(len > mtu - 8 && len % 8 == 0);
		if (*n > 0)
			assert_int_equal(load32_be(piece + 44), id);
		id = load32_be(piece + 44);
		memcpy(got, piece, IP6_HLEN);
		memcpy(got + IP6_HLEN + end, piece + 48, len - 48);
		end += len - 48;
	}
	got[6] = PROTO_ICMP6;
	store16(got + 4, htobe16((uint16_t)end));
	return IP6_HLEN + end;
}

/* Replies that do not fit their way: port 1 has an MTU of 1500, 2001:db8:99::2 is nowhere, so 1280. */
static void
echo6_large(void **state)
{
	static const struct {
		const char *src;
		uint16_t port;
		uint32_t mtu, size;
	} row[] = {
		{"2001:db8:1::2", 1, 1500, 1461},
		{"2001:db8:1::2", 1, 1500, 1460 + 8},
		{"2001:db8:1::2", 1, 1500, 8900},
		{"2001:db8:99::2", 0, 1280, 1241},
		{"2001:db8:99::2", 0, 1280, 5000},
		{"2001:db8::2", 0, 9000, 8961},
	};

	for (unsigned int i = 0; i < 2 * RTE_DIM(row); i++) {
		struct rig *rig = rig_open(rooms[i % 2], NULL);
		const unsigned int k = i / 2;
		unsigned int n;
		uint32_t len;

		frame_echo(&f, row[k].src, "2001:db8::1", row[k].size);
		frame_local(rig, &f, row[k].port);
		len = fragments_back(rig, row[k].port, row[k].mtu, &n);
		assert_echo6(len, frame_ip(&f) + 24);
		assert_null(rig_back(rig, PUNT_WALK));
		assert_int_equal(rig_outcome(rig, CONTROL_echo_reply), 1);
		assert_int_equal(rig->c->counts.made, n - 1);
		rig_close(rig);
	}
}

static const struct rte_ether_addr host_mac = {{0x02, 0, 0, 0, 0, 0x0a}};

static void
static_neighbour(struct rig *rig, struct control_conf *conf)
{
	static struct control_neigh neighs[2];

	neighs[0] = (struct control_neigh){.port = 0, .addr = rig_addr("fe80::a"), .mac = host_mac};
	neighs[1] = (struct control_neigh){.port = 0, .addr = rig_addr("2001:db8::a"), .mac = host_mac};
	for (unsigned int i = 0; i < RTE_DIM(neighs); i++)
		assert_int_equal(
			route_neigh_add(rig->routes, neighs[i].port, &neighs[i].addr, &neighs[i].mac), 0);
	assert_int_equal(route_publish(rig->routes), 0);
	conf->statics = neighs;
	conf->n_statics = RTE_DIM(neighs);
}

/* Takes a reply that does not go by the walk: to a neighbour's link-local address, as a frame. */
static uint32_t
answer_on_link(struct rig *rig)
{
	struct skb *skb;
	uint32_t len;

	frame_local(rig, &f, 0);
	assert_int_equal(rig_outcome(rig, CONTROL_echo_reply), 1);
	skb = rig_back(rig, PUNT_SEND);
	assert_non_null(skb);
	assert_int_equal(skb->port, 0);
	len = rig_bytes(skb, other.bytes, FRAME_MAX);
	rig_free(rig, skb);
	assert_memory_equal(other.bytes, &host_mac, 6);
	memcpy(got, other.bytes + ETH_HLEN, len - ETH_HLEN);
	return len - ETH_HLEN;
}

/* RFC 4291 2.5.6: such an address is of one link only. */
static void
link_local(void **state)
{
	struct rig *rig = rig_open(2048, static_neighbour);

	frame_echo(&f, "fe80::a", "fe80::ff:fe00:1", 64);
	assert_echo6(answer_on_link(rig), frame_ip(&f) + 24);
	frame_echo(&f, "fe80::a", "fe80::ff:fe00:2", 64);
	frame_silent(rig, &f, CONTROL_local_scope);
	rig_close(rig);
}

/* Asked for at our link-local address from another one: the walk forwards nothing that comes from the former. */
static void
link_local_from_global(void **state)
{
	struct rig *rig = rig_open(2048, static_neighbour);

	frame_echo(&f, "2001:db8::a", "fe80::ff:fe00:1", 64);
	assert_echo6(answer_on_link(rig), frame_ip(&f) + 24);
	/* who is not on the link cannot be told from that address: left to the walk, which says so */
	frame_echo(&f, "2001:db8:7::a", "fe80::ff:fe00:1", 64);
	frame_local(rig, &f, 0);
	rig_free(rig, rig_back(rig, PUNT_WALK));
	rig_close(rig);
}

/* RFC 4443 4.2: asked as one of many, we answer from an address of the port. */
static void
all_nodes(void **state)
{
	static const char *const groups[] = {"ff02::1", "ff02::2"};

	for (unsigned int i = 0; i < RTE_DIM(groups); i++) {
		struct rig *rig = rig_open(2048, static_neighbour);

		frame_echo(&f, "fe80::a", groups[i], 64);
		memcpy(f.bytes, (const uint8_t[6]){0x33, 0x33, 0, 0, 0, 1}, 6);
		assert_echo6(answer_on_link(rig), rig_addr("fe80::ff:fe00:1").bytes);
		/* RFC 4443 2.2 (b): from an address of the asker's scope */
		frame_echo(&f, "2001:db8::2", groups[i], 64);
		memcpy(f.bytes, (const uint8_t[6]){0x33, 0x33, 0, 0, 0, 1}, 6);
		assert_echo6(frame_answer(rig, &f, CONTROL_echo_reply, got), rig_addr("2001:db8::1").bytes);
		rig_close(rig);
	}
}

static void
other_groups(void **state)
{
	static const char *const groups[] = {"ff02::3", "ff02::1:ff00:1", "ff02::6a", "ff02::1:1"};
	struct rig *rig = rig_open(2048, NULL);

	for (unsigned int i = 0; i < RTE_DIM(groups); i++) {
		frame_echo(&f, "2001:db8::2", groups[i], 64);
		frame_silent(rig, &f, CONTROL_icmp_ignored);
	}
	frame_echo(&f, "::", "ff02::1", 64);
	frame_silent(rig, &f, CONTROL_icmp_ignored);
	/* a multicast listener query */
	frame_echo(&f, "fe80::a", "ff02::1", 28);
	f.bytes[f.upper] = 130;
	frame_end(&f, PROTO_ICMP6);
	frame_silent(rig, &f, CONTROL_icmp_ignored);
	rig_close(rig);
}

/* ---- shortages ---- */

/*
 * Every allocation on the way fails once: the packet, whose bytes somebody else sees too, has an outcome and is gone. Returns how
 * many buffers were needed.
 */
static unsigned int
buffers_needed(struct rig *rig, enum control_outcome outcome)
{
	for (unsigned int n_bufs = 0;; n_bufs++) {
		const uint64_t n = rig_outcome(rig, CONTROL_no_memory), n_done = rig_outcome(rig, outcome);
		struct skb *skb = frame_skb(rig, &f, 0), *clone, *back;
		bool done;

		assert_int_equal(skb_clone(&rig->c->cpu, skb, &clone), 0);
		shortage_begin(rig, n_bufs, RIG_HEADS);
		local_input(rig->c, skb);
		done = rig_outcome(rig, outcome) == n_done + 1;
		shortage_end(rig);
		assert_int_equal(rig_outcome(rig, CONTROL_no_memory), n + (done ? 0 : 1));
		rig_free(rig, clone);
		while ((back = rig_back(rig, PUNT_WALK)) != NULL)
			rig_free(rig, back);
		if (done)
			return n_bufs;
	}
}

static void
few_buffers(void **state)
{
	struct rig *rig = rig_open(128, NULL);

	frame_echo(&f, "10.0.0.2", "10.0.0.1", 600);
	assert_true(buffers_needed(rig, CONTROL_echo_reply) >= 1);
	frame_add(&f, (const uint8_t[300]){0}, 300); /* padding to be cut off */
	assert_true(buffers_needed(rig, CONTROL_echo_reply) >= 1);
	frame_echo(&f, "2001:db8::2", "2001:db8::1", 600);
	assert_true(buffers_needed(rig, CONTROL_echo_reply) >= 1);
	frame_echo(&f, "2001:db8:99::2", "2001:db8::1", 3000);
	assert_true(buffers_needed(rig, CONTROL_echo_reply) >= 15);
	frame_begin(&f, "10.0.0.2", "10.0.0.1", PROTO_UDP);
	frame_add(&f, (const uint8_t[100]){0}, 100);
	frame_end(&f, 0);
	assert_true(buffers_needed(rig, CONTROL_error_sent) >= 1);
	rig_close(rig);
}

/* A reply in pieces needs a head for each: all of them or none. */
static void
few_heads(void **state)
{
	struct rig *rig = rig_open(2048, NULL);
	struct skb *back;

	frame_echo(&f, "2001:db8:99::2", "2001:db8::1", 3000);
	for (unsigned int n_heads = 0; n_heads <= 3; n_heads++) {
		struct skb *skb = frame_skb(rig, &f, 0);
		unsigned int n = 0;

		shortage_begin(rig, RIG_BUFS, n_heads);
		local_input(rig->c, skb);
		shortage_end(rig);
		for (; (back = rig_back(rig, PUNT_WALK)) != NULL; n++)
			rig_free(rig, back);
		assert_int_equal(n, n_heads == 3 ? 3 : 0);
	}
	assert_int_equal(rig_outcome(rig, CONTROL_no_memory), 3);
	assert_int_equal(rig_outcome(rig, CONTROL_echo_reply), 1);
	rig_close(rig);
}

static void
ring_back_is_full(void **state)
{
	struct rig *rig = rig_open(2048, NULL);

	frame_echo(&f, "10.0.0.2", "10.0.0.1", 8);
	for (unsigned int i = 0; i < PUNT_RING_SIZE + 1; i++)
		frame_local(rig, &f, 0);
	assert_int_equal(rig_outcome(rig, CONTROL_echo_reply), PUNT_RING_SIZE);
	assert_int_equal(rig_outcome(rig, CONTROL_back_full), 1);
	rig_close(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(echo4_sizes),
		cmocka_unit_test(echo4_header),
		cmocka_unit_test(echo4_options),
		cmocka_unit_test(padding),
		cmocka_unit_test(shared_bytes),
		cmocka_unit_test(echo6_sizes),
		cmocka_unit_test(echo6_headers),
		cmocka_unit_test(echo6_large),
		cmocka_unit_test(link_local),
		cmocka_unit_test(link_local_from_global),
		cmocka_unit_test(all_nodes),
		cmocka_unit_test(other_groups),
		cmocka_unit_test(few_buffers),
		cmocka_unit_test(few_heads),
		cmocka_unit_test(ring_back_is_full),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests_name("control/local_echo", tests, NULL, NULL);
}
