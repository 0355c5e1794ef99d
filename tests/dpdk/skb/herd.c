/* SPDX-License-Identifier: BSD-3-Clause */
/* The books about packets. */
#include "herd.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fault.h"
#include "mempool_magazine.h"
#include "skb_frags.h"

uint32_t
herd_random(struct herd *h, uint32_t limit)
{
	h->random ^= h->random << 13;
	h->random ^= h->random >> 7;
	h->random ^= h->random << 17;
	return (uint32_t)((h->random >> 32) * limit >> 32);
}

uint32_t
herd_amount(struct herd *h, uint32_t max)
{
	switch (herd_random(h, 8)) {
	case 0: return 0;
	case 1: return max;
	default: return herd_random(h, max + 1);
	}
}

/* All different from what stands beside them and from those of the last call. */
const uint8_t *
herd_bytes(struct herd *h, uint32_t n)
{
	static uint8_t bytes[MODEL_LEN_MAX];
	const uint8_t first = (uint8_t)herd_random(h, 256), step = (uint8_t)(herd_random(h, 128) * 2 + 1);

	assert_in_range(n, 0, sizeof(bytes));
	for (uint32_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)(first + i * step);
	return bytes;
}

void
herd_open(struct herd *h, const struct world_conf *conf, uint64_t seed)
{
	/* one at home, one elsewhere, one nobody's */
	const unsigned int lcores[HERD_OWNERS] = {rte_lcore_id(), rte_lcore_id() + 1, LCORE_ID_ANY};

	*h = (struct herd){.random = seed};
	world_open(&h->world, conf);
	for (uint32_t i = 0; i < HERD_OWNERS; i++)
		skb_owner_init(&h->owners[i], "owner", i == 0 ? 8192 : 0, lcores[i]);
}

void
herd_close(struct herd *h)
{
	while (h->n > 0) {
		struct packet *const p = herd_take(h, h->n - 1);

		skb_consume(&h->world.cpu, p->skb);
		packet_forget(p);
	}
	for (uint32_t i = 0; i < HERD_OWNERS; i++)
		assert_int_equal(skb_owner_used(&h->owners[i]), 0);
	world_close(&h->world);
}

struct packet *
herd_add(struct herd *h, struct skb *skb, const struct packet *like)
{
	struct packet *const p = calloc(1, sizeof(*p));

	assert_non_null(p);
	assert_in_range(h->n, 0, HERD_SLOTS - 1);
	p->skb = skb;
	p->n_users = 1;
	if (like != NULL)
		model_copy(&p->model, &like->model);
	h->slot[h->n++] = p;
	return p;
}

struct packet *
herd_take(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];

	h->slot[i] = h->slot[--h->n];
	return p;
}

void
packet_forget(struct packet *p)
{
	if (--p->n_users > 0)
		return;
	for (uint32_t i = 0; i < p->n_children; i++)
		packet_forget(p->children[i]);
	free(p);
}

static uint64_t
n_faults(const struct world *w)
{
	const struct magazine_pool *const pools[] = {
		skb_pool_heads(w->heads), mempool_magazine_pool(w->data), mempool_magazine_pool(w->rx)};
	uint64_t n = 0;

	for (uint32_t i = 0; i < RTE_DIM(pools); i++)
		n += pools[i] != NULL && pools[i]->fault != NULL ? pools[i]->fault->n_fired : 0;
	return n;
}

void
herd_begin(struct herd *h, const struct packet *p)
{
	snapshot_take(&h->before, &h->world, p == NULL ? NULL : p->skb);
	h->n_faults = n_faults(&h->world);
}

bool
herd_end(struct herd *h, int ret, uint32_t heads, uint32_t size)
{
	const struct snapshot *const before = &h->before;
	/* a segment for each there is, and a first one */
	const uint32_t buffers = (before->at == NULL ? 0 : before->n_segs) + 1;

	if (ret == 0) {
		h->tally->n_good++;
		return true;
	}
	if (ret == -ENOMEM) {
		h->tally->n_no_memory++;
		assert_true(before->stock.heads < heads || before->stock.data < buffers ||
			    n_faults(&h->world) > h->n_faults);
	} else {
		assert_int_equal(ret, -EMSGSIZE);
		h->tally->n_too_long++;
		assert_true(size > rte_pktmbuf_data_room_size(h->world.data));
	}
	snapshot_assert(before, &h->world);
	return false;
}

static void
one_assert(struct packet *p)
{
	model_assert(&p->model, p->skb);
	assert_int_equal(p->skb->users, p->n_users);
	assert_ptr_equal(p->skb->owner, p->owner);
	/* buffers that a packet no longer has are still counted, as in the kernel */
	assert_true(p->skb->truesize >= world_truesize(p->skb));
}

void
packet_assert(struct packet *p)
{
	const struct skb *seg = skb_frag_list(p->skb);

	one_assert(p);
	for (uint32_t i = 0; i < p->n_children; i++, seg = seg->next) {
		assert_ptr_equal(seg, p->children[i]->skb);
		one_assert(p->children[i]);
	}
	assert_null(seg);
}

static void
charge_count(struct herd *h, struct packet *p, int64_t *bytes)
{
	if (p->counted == h->n_counts)
		return;
	p->counted = h->n_counts;
	h->n_counted++;
	for (uint32_t i = 0; i < HERD_OWNERS; i++)
		if (p->owner == &h->owners[i])
			bytes[i] += p->skb->truesize;
	for (uint32_t i = 0; i < p->n_children; i++)
		charge_count(h, p->children[i], bytes);
}

void
herd_assert(struct herd *h)
{
	const uint32_t n_heads_out = h->world.conf.n_heads - world_stock(&h->world).heads;
	int64_t bytes[HERD_OWNERS] = {0};

	h->n_counts++;
	h->n_counted = 0;
	for (uint32_t i = 0; i < h->n; i++) {
		packet_assert(h->slot[i]);
		charge_count(h, h->slot[i], bytes);
	}
	for (uint32_t i = 0; i < HERD_OWNERS; i++)
		assert_int_equal(skb_owner_used(&h->owners[i]), bytes[i]);
	assert_int_equal(h->n_counted, n_heads_out);
	assert_int_equal(magazine_pool_check(skb_pool_heads(h->world.heads)), 0);
}
