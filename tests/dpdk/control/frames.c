/* SPDX-License-Identifier: BSD-3-Clause */
#include "frames.h"

#include <arpa/inet.h>

#include <rte_ip.h>
#include <rte_mbuf.h>

#include "eth.h"
#include "ip4.h"
#include "ip6.h"

static bool
is_ip6(const struct frame *f)
{
	return f->bytes[ETH_HLEN] >> 4 == 6;
}

uint8_t *
frame_ip(struct frame *f)
{
	return f->bytes + ETH_HLEN;
}

uint32_t
frame_ip_len(const struct frame *f)
{
	return f->len - ETH_HLEN;
}

void
frame_begin(struct frame *f, const char *src, const char *dst, uint8_t proto)
{
	static const uint8_t host_a[6] = {0x02, 0, 0, 0, 0, 0x0a};
	const bool ip6 = strchr(src, ':') != NULL;
	uint8_t *const ip = frame_ip(f);

	memset(f->bytes, 0, 64);
	memcpy(f->bytes + ETH_SRC, host_a, sizeof(host_a));
	if (ip6) {
		ip[0] = 0x60;
		ip[6] = proto;
		ip[7] = 64;
		assert_int_equal(inet_pton(AF_INET6, src, ip + 8), 1);
		assert_int_equal(inet_pton(AF_INET6, dst, ip + 24), 1);
	} else {
		ip[0] = 0x45;
		ip[4] = 0x12;
		ip[5] = 0x34;
		ip[8] = 64;
		ip[9] = proto;
		assert_int_equal(inet_pton(AF_INET, src, ip + 12), 1);
		assert_int_equal(inet_pton(AF_INET, dst, ip + 16), 1);
	}
	store16(f->bytes + ETH_TYPE, htobe16(ip6 ? RTE_ETHER_TYPE_IPV6 : RTE_ETHER_TYPE_IPV4));
	f->len = ETH_HLEN + (ip6 ? IP6_HLEN : IP4_HLEN);
	f->upper = f->len;
}

void
frame_add(struct frame *f, const void *bytes, uint32_t len)
{
	assert_true(f->len + len <= FRAME_MAX);
	memcpy(f->bytes + f->len, bytes, len);
	f->len += len;
}

void
frame_header(struct frame *f, const void *bytes, uint32_t len)
{
	frame_add(f, bytes, len);
	f->upper = f->len;
	if (!is_ip6(f))
		frame_ip(f)[0] += (uint8_t)(len / 4);
}

void
frame_end(struct frame *f, uint8_t proto)
{
	uint8_t *const ip = frame_ip(f);
	const uint32_t len = frame_ip_len(f);
	uint8_t *const icmp = f->bytes + f->upper;
	struct rte_ipv6_hdr pseudo = *(const struct rte_ipv6_hdr *)ip;
	uint32_t sum;

	if (is_ip6(f)) {
		store16(ip + 4, htobe16((uint16_t)(len - IP6_HLEN)));
	} else {
		store16(ip + 2, htobe16((uint16_t)len));
		store16(ip + 10, 0);
		store16(ip + 10, (uint16_t)~rte_raw_cksum(ip, (ip[0] & 0xf) * 4u));
	}
	if (proto != PROTO_ICMP && proto != PROTO_ICMP6)
		return;
	pseudo.proto = proto;
	pseudo.payload_len = htobe16((uint16_t)(f->len - f->upper));
	store16(icmp + 2, 0);
	sum = rte_raw_cksum(icmp, f->len - f->upper) +
	      (proto == PROTO_ICMP6 ? rte_ipv6_phdr_cksum(&pseudo, 0) : 0u);
	store16(icmp + 2, (uint16_t)~__rte_raw_cksum_reduce(sum));
}

void
frame_echo(struct frame *f, const char *src, const char *dst, uint32_t size)
{
	const bool ip6 = strchr(src, ':') != NULL;
	const uint8_t proto = ip6 ? PROTO_ICMP6 : PROTO_ICMP;

	frame_begin(f, src, dst, proto);
	for (uint32_t i = 0; i < size; i++)
		f->bytes[f->len + i] = (uint8_t)(i * 7 + i / 256);
	f->bytes[f->len] = ip6 ? 128 : 8;
	f->bytes[f->len + 1] = 0;
	f->len += size;
	frame_end(f, proto);
}

struct skb *
frame_skb(struct rig *rig, struct frame *f, uint16_t port)
{
	if ((f->bytes[0] & 1) == 0)
		memcpy(f->bytes, &rig_mac[port], 6);
	return rig_frame(rig, port, f->bytes, f->len);
}

void
frame_local(struct rig *rig, struct frame *f, uint16_t port)
{
	local_input(rig->c, frame_skb(rig, f, port));
}

void
frame_silent(struct rig *rig, struct frame *f, enum control_outcome outcome)
{
	const uint64_t n = rig_outcome(rig, outcome);

	frame_local(rig, f, 0);
	assert_int_equal(rig_outcome(rig, outcome), n + 1);
	assert_null(rig_back(rig, PUNT_WALK));
}

uint32_t
frame_answer(struct rig *rig, struct frame *f, enum control_outcome outcome, uint8_t *ip)
{
	const uint64_t n = rig_outcome(rig, outcome);
	uint32_t len;

	frame_local(rig, f, 0);
	assert_int_equal(rig_outcome(rig, outcome), n + 1);
	len = frame_back(rig, 0, ip);
	assert_true(len > 0);
	return len;
}

void
frame_cut(const struct cut *cut, uint32_t start, uint32_t end, bool more, struct frame *f)
{
	const uint8_t *const ip = cut->whole->bytes + ETH_HLEN;
	uint8_t *to = frame_ip(f);
	uint16_t field = (uint16_t)start;

	memcpy(f->bytes, cut->whole->bytes, ETH_HLEN + cut->at);
	f->len = ETH_HLEN + cut->at;
	f->upper = f->len;
	if (is_ip6(f)) {
		const uint8_t header[8] = {to[cut->next_at], 0, (uint8_t)(start >> 8),
			(uint8_t)(start | (more ? 1 : 0)), (uint8_t)(cut->id >> 24), (uint8_t)(cut->id >> 16),
			(uint8_t)(cut->id >> 8), (uint8_t)cut->id};

		to[cut->next_at] = 44;
		frame_add(f, header, sizeof(header));
	} else {
		field = (uint16_t)(start / 8 | (more ? RTE_IPV4_HDR_MF_FLAG : 0));
		store16(to + 4, htobe16((uint16_t)cut->id));
		store16(to + 6, htobe16(field));
	}
	frame_add(f, ip + cut->at + start, end - start);
	frame_end(f, 0);
}

const struct family families[] = {
	{"10.0.0.2", "10.0.0.1", IP4_HLEN, PROTO_ICMP, 30000},
	{"2001:db8::2", "2001:db8::1", IP6_HLEN, PROTO_ICMP6, 60000},
};

void
frame_ping(const struct family *family, uint32_t size, struct frame *whole, struct cut *cut)
{
	frame_echo(whole, family->src, family->dst, size);
	*cut = (struct cut){.whole = whole, .at = family->at, .next_at = 6, .id = 77};
}

void
frame_part(struct rig *rig, const struct cut *cut, uint32_t start, uint32_t end, bool more)
{
	static struct frame part;

	frame_cut(cut, start, end, more, &part);
	frame_local(rig, &part, 0);
}

uint32_t
frame_back(struct rig *rig, uint16_t port, uint8_t *ip)
{
	static uint8_t bytes[FRAME_MAX];
	struct skb *skb = rig_back(rig, PUNT_WALK);
	uint32_t len;

	if (skb == NULL)
		return 0;
	len = rig_bytes(skb, bytes, sizeof(bytes));
	assert_int_equal(skb->port, port);
	assert_int_equal(skb->protocol, load16_be(bytes + ETH_TYPE));
	assert_memory_equal(bytes, &rig_mac[port], 6);
	rig_free(rig, skb);
	memcpy(ip, bytes + ETH_HLEN, len - ETH_HLEN);
	if (ip[0] >> 4 == 6) {
		assert_int_equal(ip[7]--, 65);
		assert_int_equal(IP6_HLEN + load16_be(ip + 4), len - ETH_HLEN);
		return len - ETH_HLEN;
	}
	assert_int_equal(rte_raw_cksum(ip, (ip[0] & 0xf) * 4u), 0xffff);
	assert_int_equal(ip[8]--, 65);
	assert_int_equal(load16_be(ip + 2), len - ETH_HLEN);
	return len - ETH_HLEN;
}

bool
icmp_sum_is_right(const uint8_t *ip, uint32_t len)
{
	if (ip[0] >> 4 == 4)
		return rte_raw_cksum(ip + IP4_HLEN, len - IP4_HLEN) == 0xffff;

	struct rte_ipv6_hdr pseudo = *(const struct rte_ipv6_hdr *)ip;

	assert_int_equal(pseudo.proto, PROTO_ICMP6);
	return __rte_raw_cksum_reduce(rte_raw_cksum(ip + IP6_HLEN, len - IP6_HLEN) +
				      rte_ipv6_phdr_cksum(&pseudo, 0)) == 0xffff;
}

/* ---- shortages ---- */

static struct {
	struct rte_mbuf *bufs[RIG_BUFS];
	struct skb *heads[RIG_HEADS];
	unsigned int n_bufs, n_heads;
} away;

void
shortage_begin(struct rig *rig, unsigned int n_bufs, unsigned int n_heads)
{
	struct skb_cpu *cpu = &rig->c->cpu;

	away.n_bufs = rte_mempool_avail_count(rig->pool);
	away.n_bufs -= RTE_MIN(n_bufs, away.n_bufs);
	if (away.n_bufs > 0)
		assert_int_equal(rte_pktmbuf_alloc_bulk(rig->pool, away.bufs, away.n_bufs), 0);
	away.n_heads = 0;
	while (away.n_heads < RIG_HEADS && skb_heads_alloc_bulk(cpu, &away.heads[away.n_heads], 1) == 0)
		away.n_heads++;
	n_heads = RTE_MIN(n_heads, away.n_heads);
	away.n_heads -= n_heads;
	skb_heads_free_bulk(cpu, away.heads + away.n_heads, n_heads);
}

void
shortage_end(struct rig *rig)
{
	rte_pktmbuf_free_bulk(away.bufs, away.n_bufs);
	skb_heads_free_bulk(&rig->c->cpu, away.heads, away.n_heads);
}
