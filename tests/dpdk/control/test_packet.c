/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of our own: chains of small buffers against a flat copy, and the ways out. */
#include <stdlib.h>

#include <rte_ip.h>
#include <rte_mbuf.h>

#include "eth.h"
#include "ip6.h"
#include "rig.h"

#define LEN_MAX 3000u

static const uint32_t rooms[] = {128, 2048};

static struct skb *
make(struct rig *rig, uint32_t len)
{
	struct skb *skb;

	assert_int_equal(packet_alloc(rig->c, len, &skb), 0);
	assert_int_equal(skb->len, len);
	assert_true(skb_headroom(skb) >= ETH_HLEN);
	return skb;
}

/* RFC 1071, word by word. */
static uint16_t
sum_of(const uint8_t *bytes, uint32_t len, uint32_t sum)
{
	for (uint32_t i = 0; i < len; i++) {
		const uint16_t word = rte_cpu_to_be_16(i % 2 == 0 ? (uint16_t)(bytes[i] << 8) : bytes[i]);

		sum += word;
	}
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static void
random_fill(uint8_t *bytes, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)rand();
}

static void
one_packet(struct rig *rig, uint32_t len)
{
	static uint8_t flat[LEN_MAX], out[LEN_MAX], patch[LEN_MAX];
	struct skb *skb = make(rig, len), *copy = make(rig, len);
	const uint32_t from = len == 0 ? 0 : (uint32_t)rand() % len;
	const uint32_t n = len == 0 ? 0 : (uint32_t)rand() % (len - from + 1);

	random_fill(flat, len);
	random_fill(patch, n);
	packet_store(skb, 0, flat, len);
	memcpy(flat + from, patch, n);
	packet_store(skb, from, patch, n);
	rig_bytes(skb, out, sizeof(out));
	assert_memory_equal(out, flat, len);

	packet_copy(copy, 0, skb, 0, from);
	packet_copy(copy, from, skb, from, len - from);
	rig_bytes(copy, out, sizeof(out));
	assert_memory_equal(out, flat, len);
	assert_int_equal(packet_sum(skb, from, n, 0x1234), sum_of(flat + from, n, 0x1234));
	rig_free(rig, skb);
	rig_free(rig, copy);
}

static void
bytes_are_where_they_belong(void **state)
{
	for (unsigned int i = 0; i < RTE_DIM(rooms); i++) {
		struct rig *rig = rig_open(rooms[i], NULL);

		srand(1);
		for (uint32_t round = 0; round < 2000; round++)
			one_packet(rig, (uint32_t)rand() % LEN_MAX);
		rig_close(rig);
	}
}

/* RFC 1071: of the two zeros, a sum of nothing but 0xffff is kept apart from one of nothing. */
static void
sums_at_the_edge(void **state)
{
	struct rig *rig = rig_open(128, NULL);
	struct skb *skb = make(rig, 512);
	static uint8_t bytes[512];

	memset(bytes, 0xff, sizeof(bytes));
	packet_store(skb, 0, bytes, sizeof(bytes));
	assert_int_equal(packet_sum(skb, 0, 512, 0), 0xffff);
	assert_int_equal(packet_sum(skb, 1, 511, 0xffff), sum_of(bytes, 511, 0xffff));
	assert_int_equal(packet_sum(skb, 512, 0, 0), 0);
	rig_free(rig, skb);
	rig_close(rig);
}

static void
too_long_or_no_buffer(void **state)
{
	struct rig *rig = rig_open(128, NULL);
	struct rte_mbuf *all[RIG_BUFS];
	struct skb *skb;

	assert_int_equal(packet_alloc(rig->c, 65536, &skb), -EMSGSIZE);
	for (uint32_t n_left = 0; n_left < 3; n_left++) {
		assert_int_equal(rte_pktmbuf_alloc_bulk(rig->pool, all, RIG_BUFS - n_left), 0);
		assert_int_equal(packet_alloc(rig->c, 700, &skb), -ENOMEM);
		assert_int_equal(rte_mempool_avail_count(rig->pool), n_left);
		rte_pktmbuf_free_bulk(all, RIG_BUFS - n_left);
	}
	assert_int_equal(packet_alloc(rig->c, 65535, &skb), 0);
	rig_free(rig, skb);
	rig_close(rig);
}

static struct skb *
ip4_packet(struct rig *rig, uint8_t ttl)
{
	struct rte_ipv4_hdr ip = {.version_ihl = 0x45,
		.total_length = rte_cpu_to_be_16(28),
		.time_to_live = ttl,
		.next_proto_id = 17,
		.src_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, 0, 1)),
		.dst_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, 1, 2))};
	struct skb *skb = make(rig, 28);

	ip.hdr_checksum = rte_ipv4_cksum(&ip);
	packet_store(skb, 0, &ip, sizeof(ip));
	return skb;
}

/* It looks as if the port had received it, one hop before it leaves. */
static void
ip_goes_through_the_walk(void **state)
{
	struct rig *rig = rig_open(2048, NULL);
	struct rte_ipv4_hdr *ip;
	struct rte_ether_hdr *eth;
	struct skb *skb;

	output_ip(rig->c, ip4_packet(rig, 64), 1, CONTROL_echo_reply);
	assert_int_equal(rig_outcome(rig, CONTROL_echo_reply), 1);
	rig->c->counts.outcome[CONTROL_echo_reply] = 0; /* no frame came for it */
	skb = rig_back(rig, PUNT_WALK);
	assert_non_null(skb);
	assert_int_equal(skb->port, 1);
	assert_int_equal(skb->protocol, RTE_ETHER_TYPE_IPV4);
	assert_int_equal(rte_pktmbuf_pkt_len(skb->mbuf), ETH_HLEN + 28);
	eth = rte_pktmbuf_mtod(skb->mbuf, struct rte_ether_hdr *);
	assert_memory_equal(&eth->dst_addr, &rig_mac[1], 6);
	assert_memory_not_equal(&eth->src_addr, &rig_mac[1], 6);
	assert_true(rte_is_unicast_ether_addr(&eth->src_addr));
	ip = (struct rte_ipv4_hdr *)(eth + 1);
	assert_int_equal(ip->time_to_live, 65);
	assert_int_equal(rte_raw_cksum(ip, sizeof(*ip)), 0xffff);
	rig_free(rig, skb);
	assert_null(rig_back(rig, PUNT_WALK));
	rig_close(rig);
}

/* Link-local addresses are not routed (RFC 4291 2.5.6): it is sent on its port, so first its MAC address is asked for. */
static void
link_local_is_sent_on_its_link(void **state)
{
	struct rig *rig = rig_open(2048, NULL);
	struct skb *skb = make(rig, 48), *asked;
	uint8_t ip[40] = {0x60, [5] = 8, [6] = 17, [7] = 64};
	const struct ip_addr dst = rig_addr("fe80::a");

	memcpy(ip + 24, dst.bytes, 16);
	packet_store(skb, 0, ip, sizeof(ip));
	output_ip(rig->c, skb, 1, CONTROL_N_OUTCOMES);
	asked = rig_back(rig, PUNT_SEND);
	assert_non_null(asked);
	assert_int_equal(asked->port, 1);
	assert_int_equal(asked->data[0], 0x33);
	rig_free(rig, asked);
	rig_close(rig);
}

static void
a_full_ring_is_counted(void **state)
{
	struct rig *rig = rig_open(2048, NULL);
	struct control_counts *counts = &rig->c->counts;

	for (uint32_t i = 0; i < PUNT_RING_SIZE; i++)
		output_ip(rig->c, ip4_packet(rig, 64), 0, CONTROL_N_OUTCOMES);
	assert_int_equal(counts->made, PUNT_RING_SIZE);
	output_ip(rig->c, ip4_packet(rig, 64), 0, CONTROL_N_OUTCOMES);
	assert_int_equal(counts->made, PUNT_RING_SIZE);
	assert_int_equal(counts->made_lost, 1);
	output_ip(rig->c, ip4_packet(rig, 64), 0, CONTROL_error_sent);
	assert_int_equal(counts->outcome[CONTROL_back_full], 1);
	assert_int_equal(counts->outcome[CONTROL_error_sent], 0);
	counts->outcome[CONTROL_back_full] = 0;
	rig_close(rig);
}

static void
mtu_of_the_way(void **state)
{
	struct rig *rig = rig_open(2048, NULL);
	static const struct {
		const char *addr;
		uint16_t port;
		uint32_t mtu;
	} row[] = {
		{"2001:db8::7", 1, 9000},
		{"2001:db8:1::7", 0, 1500},
		{"2001:db8:99::7", 0, 1280}, /* no way there */
		{"fe80::7", 0, 9000},
		{"fe80::7", 1, 1500},
		{"10.0.0.7", 1, 9000},
	};

	for (unsigned int i = 0; i < RTE_DIM(row); i++) {
		const struct ip_addr addr = rig_addr(row[i].addr);

		assert_int_equal(output_mtu(rig->c, &addr, row[i].port), row[i].mtu);
	}
	rig_close(rig);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_where_they_belong),
		cmocka_unit_test(sums_at_the_edge),
		cmocka_unit_test(too_long_or_no_buffer),
		cmocka_unit_test(ip_goes_through_the_walk),
		cmocka_unit_test(link_local_is_sent_on_its_link),
		cmocka_unit_test(a_full_ring_is_counted),
		cmocka_unit_test(mtu_of_the_way),
	};

	rig_eal(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
