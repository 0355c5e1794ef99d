/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The head is compared as a whole, of mbufs what means something while a packet has a head: not the
 * first one's geometry.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "skb_frags.h"
#include "snapshot.h"

void
snapshot_take(struct snapshot *snapshot, const struct world *w, const struct skb *skb)
{
	snapshot->at = skb;
	snapshot->stock = world_stock(w);
	if (skb == NULL)
		return;
	snapshot->skb = *skb;
	snapshot->n_segs = 0;
	for (const struct rte_mbuf *mbuf = skb->mbuf; mbuf != NULL; mbuf = mbuf->next) {
		assert_in_range(snapshot->n_segs, 0, SNAPSHOT_SEGS - 1);
		snapshot->seg_at[snapshot->n_segs] = mbuf;
		snapshot->segs[snapshot->n_segs++] = *mbuf;
	}
	assert_in_range(skb->len, 0, SNAPSHOT_BYTES);
	assert_int_equal(skb_copy_bits(skb, 0, snapshot->bytes, skb->len), 0);
}

static void
assert_same_segment(const struct rte_mbuf *now, const struct rte_mbuf *then, bool is_first)
{
	assert_ptr_equal(now->buf_addr, then->buf_addr);
	assert_int_equal(now->buf_len, then->buf_len);
	assert_int_equal(rte_mbuf_refcnt_read(now), rte_mbuf_refcnt_read(then));
	assert_int_equal(now->nb_segs, then->nb_segs);
	assert_ptr_equal(now->next, then->next);
	assert_ptr_equal(now->pool, then->pool);
	assert_true(now->ol_flags == then->ol_flags);
	if (is_first)
		return;
	assert_int_equal(now->data_off, then->data_off);
	assert_int_equal(now->data_len, then->data_len);
}

/* Links and frag list mean something only while the packet is in a list or has one. */
static void
assert_same_head(const struct skb *now, const struct skb *then)
{
	assert_memory_equal(now, then, offsetof(struct skb, next));
	if (then->flags & SKB_COLD) {
		assert_ptr_equal(now->frag_list, then->frag_list);
		assert_ptr_equal(now->frag_tail, then->frag_tail);
	}
}

void
snapshot_assert(const struct snapshot *snapshot, const struct world *w)
{
	const struct world_stock stock = world_stock(w);
	const struct skb *const skb = snapshot->at;

	assert_int_equal(stock.rx, snapshot->stock.rx);
	assert_int_equal(stock.data, snapshot->stock.data);
	assert_int_equal(stock.heads, snapshot->stock.heads);
	if (skb == NULL)
		return;
	assert_same_head(skb, &snapshot->skb);
	for (uint32_t i = 0; i < snapshot->n_segs; i++)
		assert_same_segment(snapshot->seg_at[i], &snapshot->segs[i], i == 0);
	world_assert_packet(skb, snapshot->bytes, snapshot->skb.len);
}
