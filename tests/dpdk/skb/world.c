/* SPDX-License-Identifier: BSD-3-Clause */
/* Pools, chains of known bytes, and what must be true of any packet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "skb_frags.h"
#include "world.h"

#define PACKET_MAX 8192u

void
world_open(struct world *w, const struct world_conf *conf)
{
	*w = (struct world){.conf = *conf};
	w->rx = rte_pktmbuf_pool_create_by_ops(
		"rx", conf->n_rx, 0, 0, conf->rx_room, SOCKET_ID_ANY, conf->ops);
	assert_non_null(w->rx);
	w->data = w->rx;
	if (conf->n_data > 0)
		w->data = rte_pktmbuf_pool_create_by_ops(
			"data", conf->n_data, 0, 0, conf->data_room, SOCKET_ID_ANY, conf->ops);
	assert_non_null(w->data);
	assert_int_equal(skb_pool_create("heads", conf->n_heads, 32, SOCKET_ID_ANY, &w->heads), 0);
	skb_cpu_init(&w->cpu, w->heads, w->data, rte_lcore_id());
}

struct world_stock
world_stock(const struct world *w)
{
	return (struct world_stock){
		.rx = rte_mempool_avail_count(w->rx),
		.data = rte_mempool_avail_count(w->data),
		.heads = magazine_pool_avail(skb_pool_heads(w->heads)),
	};
}

void
world_assert_whole(const struct world *w)
{
	const struct world_stock stock = world_stock(w);

	assert_int_equal(stock.rx, w->conf.n_rx);
	if (w->data != w->rx)
		assert_int_equal(stock.data, w->conf.n_data);
	assert_int_equal(stock.heads, w->conf.n_heads);
	assert_int_equal(magazine_pool_check(skb_pool_heads(w->heads)), 0);
}

void
world_close(struct world *w)
{
	world_assert_whole(w);
	skb_pool_destroy(w->heads);
	if (w->data != w->rx)
		rte_mempool_free(w->data);
	rte_mempool_free(w->rx);
}

struct rte_mbuf *
world_chain(struct world *w, uint16_t headroom, const uint16_t *lens, uint32_t n, const uint8_t *bytes)
{
	struct rte_mbuf *chain = NULL;

	for (uint32_t i = 0; i < n; i++) {
		struct rte_mbuf *const mbuf = rte_pktmbuf_alloc(w->rx);

		if (mbuf == NULL) {
			rte_pktmbuf_free(chain);
			return NULL;
		}
		mbuf->data_off = i == 0 ? headroom : 0;
		memcpy(rte_pktmbuf_append(mbuf, lens[i]), bytes, lens[i]);
		bytes += lens[i];
		if (i == 0)
			chain = mbuf;
		else
			assert_int_equal(rte_pktmbuf_chain(chain, mbuf), 0);
	}
	return chain;
}

struct skb *
world_packet(struct world *w, uint16_t headroom, const uint16_t *lens, uint32_t n, const uint8_t *bytes)
{
	struct rte_mbuf *const mbuf = world_chain(w, headroom, lens, n, bytes);
	struct skb *skb;

	assert_non_null(mbuf);
	assert_int_equal(skb_build(&w->cpu, mbuf, &skb), 0);
	return skb;
}

void
world_assert_chain(const struct rte_mbuf *mbuf, const uint8_t *bytes, uint32_t len)
{
	const char *reason = "";

	if (rte_mbuf_check(mbuf, 1, &reason) != 0)
		fail_msg("rte_mbuf_check: %s", reason);
	assert_int_equal(mbuf->pkt_len, len);
	for (; mbuf != NULL; mbuf = mbuf->next) {
		assert_in_range(mbuf->data_len, 0, len);
		assert_memory_equal(rte_pktmbuf_mtod(mbuf, uint8_t *), bytes, mbuf->data_len);
		bytes += mbuf->data_len;
		len -= mbuf->data_len;
	}
	assert_int_equal(len, 0);
}

uint32_t
world_truesize(const struct skb *skb)
{
	uint32_t bytes = sizeof(*skb);

	for (const struct rte_mbuf *mbuf = skb->mbuf; mbuf != NULL; mbuf = mbuf->next)
		bytes += mbuf->buf_len + sizeof(*mbuf);
	return bytes;
}

/* The head is the truth about the first segment, the mbufs about those behind it. */
static void
assert_geometry(const struct skb *skb)
{
	uint32_t n_segs = 1, data_len = 0;

	for (const struct rte_mbuf *mbuf = skb->mbuf->next; mbuf != NULL; mbuf = mbuf->next) {
		assert_in_range(rte_mbuf_refcnt_read(mbuf), 1, 1000);
		assert_in_range(mbuf->data_off + mbuf->data_len, 0, mbuf->buf_len);
		data_len += mbuf->data_len;
		n_segs++;
	}
	assert_in_range(rte_mbuf_refcnt_read(skb->mbuf), 1, 1000);
	assert_int_equal(skb->mbuf->nb_segs, n_segs);
	assert_int_equal(skb_n_frags(skb), n_segs - 1);
	assert_int_equal(skb->data_len, data_len);
	assert_int_equal(skb_headlen(skb), skb->len - data_len);
	assert_int_equal(skb_is_nonlinear(skb), data_len != 0);
	assert_in_range(skb_headroom(skb) + skb_headlen(skb), 0, skb->mbuf->buf_len);
	if (data_len == 0)
		assert_int_equal(skb_headroom(skb) + skb->len + skb_tailroom(skb), skb->mbuf->buf_len);
	else
		assert_int_equal(skb_tailroom(skb), 0);
}

void
world_assert_packet(const struct skb *skb, const uint8_t *bytes, uint32_t len)
{
	static uint8_t copy[PACKET_MAX];

	assert_geometry(skb);
	assert_int_equal(skb->len, len);
	assert_in_range(len, 0, PACKET_MAX);
	assert_int_equal(skb_copy_bits(skb, 0, copy, len), 0);
	assert_memory_equal(copy, bytes, len);
}
