/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

#include <arpa/inet.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_eal.h>
#include <rte_mbuf.h>

#include "eth.h"
#include "skb_frags.h"

const struct rte_ether_addr rig_mac[RIG_PORTS] = {{{0x02, 0, 0, 0, 0, 0x01}}, {{0x02, 0, 0, 0, 0, 0x02}}};

static const uint16_t mtu[RIG_PORTS] = {9000, 1500};

static const struct {
	uint16_t port;
	const char *addr;
	uint8_t len;
} own[] = {
	{0, "10.0.0.1", 24},
	{0, "2001:db8::1", 64},
	{0, "fe80::ff:fe00:1", 128},
	{1, "10.0.1.1", 24},
	{1, "2001:db8:1::1", 64},
	{1, "fe80::ff:fe00:2", 128},
};

static uint64_t n_given; /* frames that must have an outcome */

void
rig_eal(int argc, char **argv)
{
	if (rte_eal_init(argc, argv) < 0)
		exit(1);
}

struct ip_addr
rig_addr(const char *text)
{
	struct ip_addr addr = {.family = strchr(text, ':') != NULL ? AF_INET6 : AF_INET};

	assert_int_equal(inet_pton(addr.family, text, addr.bytes), 1);
	return addr;
}

static void
event(void *arg, const char *line)
{
	struct rig *rig = arg;

	snprintf(rig->event, sizeof(rig->event), "%s", line);
	rig->n_events++;
}

static void
world_make(struct rig *rig, uint32_t room)
{
	rig->pool = rte_pktmbuf_pool_create(
		"data", RIG_BUFS, 0, 0, (uint16_t)(RTE_PKTMBUF_HEADROOM + room), SOCKET_ID_ANY);
	assert_non_null(rig->pool);
	assert_int_equal(skb_pool_create("heads", RIG_HEADS, 32, SOCKET_ID_ANY, &rig->heads), 0);
	assert_int_equal(punt_init(&rig->punt, SOCKET_ID_ANY, 2048), 0);
	assert_int_equal(route_table_create(SOCKET_ID_ANY, NULL, &rig->routes), 0);
	for (uint16_t port = 0; port < RIG_PORTS; port++) {
		rig->ports[port] = (struct port){
			.id = port, .n_rxq = 1, .n_txq = 1, .mac = rig_mac[port], .mtu = mtu[port]};
		snprintf(rig->ports[port].name, sizeof(rig->ports[port].name), "port%u", port);
		assert_int_equal(route_port_set(rig->routes, port, &rig_mac[port], mtu[port]), 0);
	}
	for (unsigned int i = 0; i < RTE_DIM(own); i++) {
		const struct ip_addr addr = rig_addr(own[i].addr);

		assert_int_equal(route_add_connected(rig->routes, own[i].port, &addr, own[i].len), 0);
	}
	assert_int_equal(route_publish(rig->routes), 0);
}

struct rig *
rig_open(uint32_t room, void (*change)(struct rig *rig, struct control_conf *conf))
{
	/* owners lie on lines of their own */
	struct rig *rig = aligned_alloc(alignof(struct rig), sizeof(*rig));
	struct control *c = calloc(1, sizeof(*c));

	assert_true(rig != NULL && c != NULL);
	memset(rig, 0, sizeof(*rig));
	world_make(rig, room);
	c->conf = (struct control_conf){.ports = rig->ports,
		.n_ports = RIG_PORTS,
		.routes = rig->routes,
		.heads = rig->heads,
		.data = rig->pool,
		.punt = &rig->punt,
		.hold_max = 100,
		.fragment_bufs_max = 1024,
		.error_rate = UINT32_MAX,
		.stop = &rig->stop,
		.arg = rig,
		.on_event = event};
	if (change != NULL)
		change(rig, &c->conf);
	skb_cpu_init(&c->cpu, rig->heads, rig->pool, LCORE_ID_ANY);
	bucket_init(&c->errors, c->conf.error_rate, NS_PER_SECOND, 0);
	c->now_ns = 1000 * NS_PER_SECOND;
	rig->c = c;
	n_given = 0;
	assert_int_equal(neighs_create(c), 0);
	assert_int_equal(reassembly_create(c), 0);
	return rig;
}

static void
world_end(struct rig *rig)
{
	for (unsigned int class = 0; class < PUNT_N_CLASSES; class ++)
		assert_int_equal(skb_owner_used(&rig->punt.owner[class]), 0);
	punt_fini(&rig->punt);
	assert_int_equal(rte_mempool_avail_count(rig->pool), RIG_BUFS);
	assert_int_equal(magazine_pool_avail(skb_pool_heads(rig->heads)), RIG_HEADS);
	assert_int_equal(magazine_pool_check(skb_pool_heads(rig->heads)), 0);
	skb_pool_destroy(rig->heads);
	rte_mempool_free(rig->pool);
	route_table_destroy(rig->routes);
	free(rig);
}

void
rig_close(struct rig *rig)
{
	struct control *c = rig->c;
	uint64_t n_outcomes = 0;
	struct skb *skb;

	reassembly_destroy(c);
	neighs_destroy(c);
	while (punt_back_take(&rig->punt, &skb, 1) == 1)
		rig_free(rig, skb);
	for (unsigned int i = 0; i < CONTROL_N_OUTCOMES; i++)
		n_outcomes += c->counts.outcome[i];
	assert_int_equal(n_outcomes, n_given);
	assert_int_equal(c->counts.held, 0);
	free(c);
	world_end(rig);
}

/* In as many data buffers as it takes, as a port receives it. */
static struct rte_mbuf *
receive(struct rig *rig, const uint8_t *bytes, uint32_t len)
{
	struct rte_mbuf *first = NULL;

	do {
		struct rte_mbuf *m = rte_pktmbuf_alloc(rig->pool);
		const uint32_t n = m == NULL ? 0 : RTE_MIN(len, rte_pktmbuf_tailroom(m));

		assert_non_null(m);
		memcpy(rte_pktmbuf_append(m, (uint16_t)n), bytes, n);
		if (first != NULL)
			assert_int_equal(rte_pktmbuf_chain(first, m), 0);
		else
			first = m;
		bytes += n;
		len -= n;
	} while (len > 0);
	return first;
}

struct skb *
rig_frame(struct rig *rig, uint16_t port, const void *bytes, uint32_t len)
{
	struct skb *skb;

	assert_int_equal(skb_build(&rig->c->cpu, receive(rig, bytes, len), &skb), 0);
	/* the walk has the headers in one piece */
	assert_int_equal(skb_pull_head(&rig->c->cpu, skb, RTE_MIN(len, 78u)), 0);
	skb->port = port;
	skb->protocol = load16_be(skb->data + ETH_TYPE);
	skb_set_mac_header(skb, 0);
	skb_set_network_header(skb, ETH_HLEN);
	memset(skb->cb, 0, sizeof(skb->cb));
	n_given++;
	return skb;
}

void
rig_punt(struct rig *rig, enum punt_class class, struct skb *skb)
{
	assert_int_equal(punt_put(&rig->punt, &rig->c->cpu, class, skb), 0);
	assert_int_equal(input_drain(rig->c), 1);
}

struct skb *
rig_back(struct rig *rig, enum punt_road road)
{
	struct skb *skb;

	if (punt_back_take(&rig->punt, &skb, 1) == 0)
		return NULL;
	assert_int_equal(punt_info(skb)->road, road);
	return skb;
}

void
rig_free(struct rig *rig, struct skb *skb)
{
	skb_consume(&rig->c->cpu, skb);
}

uint32_t
rig_bytes(const struct skb *skb, void *bytes, uint32_t size)
{
	assert_true(skb->len <= size);
	assert_int_equal(skb_copy_bits(skb, 0, bytes, skb->len), 0);
	return skb->len;
}

void
rig_advance(struct rig *rig, uint64_t ms)
{
	for (uint64_t step; ms > 0; ms -= step) {
		step = RTE_MIN(ms, 10u);
		rig->c->now_ns += step * NS_PER_MS;
		neighs_tick(rig->c);
		reassembly_tick(rig->c);
		if (rig->c->routes_changed)
			assert_int_equal(route_publish(rig->routes), 0);
		rig->c->routes_changed = false;
	}
}

uint64_t
rig_outcome(const struct rig *rig, enum control_outcome outcome)
{
	return rig->c->counts.outcome[outcome];
}
