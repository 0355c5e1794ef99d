/* SPDX-License-Identifier: BSD-3-Clause */
/* Verbs that packets come from, and that they end with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "skb_frags.h"
#include "skb_share.h"
#include "verbs.h"

#define CHAIN_MAX 6u
#define REASON    7u

static bool
is_full(const struct herd *h)
{
	return h->n == HERD_SLOTS;
}

/* What a private copy of its longest segment needs. */
static uint32_t
copy_size(const struct packet *p)
{
	uint32_t size = skb_headlen(p->skb) + model_headers_before(&p->model);

	for (const struct rte_mbuf *mbuf = p->skb->mbuf->next; mbuf != NULL; mbuf = mbuf->next)
		size = RTE_MAX(size, mbuf->data_len);
	return size;
}

static void
run_alloc(struct herd *h, uint32_t i)
{
	const uint32_t room = rte_pktmbuf_data_room_size(h->world.data);
	const uint32_t size = herd_random(h, room + room / 16);
	struct packet *p;
	struct skb *skb;
	uint32_t n;

	if (is_full(h))
		return;
	herd_begin(h, NULL);
	if (!herd_end(h, skb_alloc(&h->world.cpu, size, &skb), 1, size))
		return;
	p = herd_add(h, skb, NULL);
	model_init(&p->model, herd_bytes(h, 0), 0);
	assert_int_equal(skb_headroom(skb), 0);
	assert_in_range(skb_tailroom(skb), size, room);
	assert_int_equal(skb->truesize, world_truesize(skb));
	skb_reserve(skb, herd_amount(h, size));
	n = herd_amount(h, skb_tailroom(skb));
	model_put(&p->model, herd_bytes(h, n), n);
	memcpy(skb_put(skb, n), model_data(&p->model), n);
}

/* A chain, or NULL if there is none; its length and bytes. */
static struct rte_mbuf *
arrive(struct herd *h, const uint8_t **bytes, uint32_t *len)
{
	const uint16_t room = h->world.conf.rx_room;
	const uint16_t headroom = (uint16_t)herd_amount(h, RTE_PKTMBUF_HEADROOM);
	const uint32_t n = 1 + herd_random(h, 2) * herd_random(h, CHAIN_MAX);
	uint16_t lens[CHAIN_MAX];

	*len = 0;
	for (uint32_t k = 0; k < n; k++) {
		/* now and then one without a byte */
		lens[k] = (uint16_t)herd_amount(h, room - (k == 0 ? headroom : 0u));
		*len += lens[k];
	}
	*bytes = herd_bytes(h, *len);
	return world_chain(&h->world, headroom, lens, n, *bytes);
}

static void
run_build(struct herd *h, uint32_t i)
{
	const uint32_t o = herd_random(h, HERD_OWNERS + 1);
	struct skb_owner *const owner = o < HERD_OWNERS ? &h->owners[o] : NULL;
	const uint8_t *bytes;
	uint32_t len;
	struct rte_mbuf *mbuf;
	struct packet *p;
	struct skb *skb;

	if (is_full(h))
		return;
	mbuf = arrive(h, &bytes, &len);
	if (mbuf == NULL)
		return;
	herd_begin(h, NULL);
	if (!herd_end(h, skb_build_bulk(&h->world.cpu, &mbuf, &skb, 1, owner), 1, 0)) {
		rte_pktmbuf_free(mbuf);
		return;
	}
	p = herd_add(h, skb, NULL);
	p->owner = owner;
	model_init(&p->model, bytes, len);
	assert_int_equal(skb->truesize, world_truesize(skb));
}

static void
run_add_frag(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	const uint8_t *bytes;
	uint32_t len;
	struct rte_mbuf *mbuf;

	if (p->n_users > 1)
		return;
	mbuf = arrive(h, &bytes, &len);
	if (mbuf == NULL)
		return;
	herd_begin(h, p);
	if (p->model.len + len > MODEL_LEN_MAX ||
		!herd_end(h, skb_add_frag(&h->world.cpu, p->skb, mbuf), 0, 0)) {
		rte_pktmbuf_free(mbuf);
		return;
	}
	model_put(&p->model, bytes, len);
}

/* Both slots hold one packet then. */
static void
run_get(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];

	if (is_full(h))
		return;
	assert_ptr_equal(skb_get(p->skb), p->skb);
	p->n_users++;
	h->slot[h->n++] = p;
	assert_true(skb_shared(p->skb));
	h->tally->n_good++;
}

static void
run_consume(struct herd *h, uint32_t i)
{
	struct packet *const p = herd_take(h, i);

	skb_consume(&h->world.cpu, p->skb);
	packet_forget(p);
	h->tally->n_good++;
}

/* Each packet that is freed is counted, and only by the last of its users. */
static void
run_drop(struct herd *h, uint32_t i)
{
	struct packet *const p = herd_take(h, i);
	const uint64_t n_dropped = h->world.cpu.drops[REASON] + (p->n_users > 1 ? 0 : 1 + p->n_children);

	skb_drop(&h->world.cpu, p->skb, REASON);
	assert_int_equal(h->world.cpu.drops[REASON], n_dropped);
	packet_forget(p);
	h->tally->n_good++;
}

/* Models of the children of like, for those that skb has; they have no owner. */
static void
adopt_clones(struct packet *p, const struct packet *like)
{
	const struct skb *seg = skb_frag_list(p->skb);

	for (; seg != NULL; seg = seg->next) {
		struct packet *const child = calloc(1, sizeof(*child));

		assert_non_null(child);
		assert_in_range(p->n_children, 0, like->n_children - 1);
		child->skb = (struct skb *)(uintptr_t)seg;
		child->n_users = 1;
		model_copy(&child->model, &like->children[p->n_children]->model);
		p->children[p->n_children++] = child;
	}
	assert_int_equal(p->n_children, like->n_children);
}

static void
run_clone(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	struct packet *clone;
	struct skb *skb;

	if (is_full(h))
		return;
	herd_begin(h, p);
	if (!herd_end(h, skb_clone(&h->world.cpu, p->skb, &skb), 1 + p->n_children, 0))
		return;
	clone = herd_add(h, skb, p);
	adopt_clones(clone, p);
	assert_true(skb_cloned(p->skb) && skb_cloned(skb));
	assert_ptr_equal(skb->data, p->skb->data);
	packet_assert(clone);
}

static struct packet *
copied(struct herd *h, const struct packet *p, struct skb *skb)
{
	struct packet *const copy = herd_add(h, skb, p);

	assert_null(skb_frag_list(skb));
	assert_false(skb_cloned(skb));
	assert_int_equal(skb->mbuf->nb_segs, p->skb->mbuf->nb_segs);
	model_moved(&copy->model);
	packet_assert(copy);
	return copy;
}

static void
run_copy(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	struct skb *skb;

	if (is_full(h))
		return;
	herd_begin(h, p);
	if (!herd_end(h, skb_copy(&h->world.cpu, p->skb, &skb), 1, copy_size(p)))
		return;
	copied(h, p, skb);
	assert_false(skb_has_shared_data(skb));
}

static void
run_pskb_copy(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	struct skb *skb;

	if (is_full(h))
		return;
	herd_begin(h, p);
	if (!herd_end(h, pskb_copy(&h->world.cpu, p->skb, &skb), 1,
		    skb_headlen(p->skb) + model_headers_before(&p->model)))
		return;
	copied(h, p, skb);
	assert_int_equal(skb_has_shared_data(skb), skb_n_frags(skb) > 0);
}

/* Slot i holds another packet now, skb, and no longer p, which some other slot may hold. */
static struct packet *
replace(struct herd *h, uint32_t i, struct skb *skb)
{
	struct packet *const p = herd_take(h, i);
	struct packet *const other = herd_add(h, skb, p);

	adopt_clones(other, p);
	packet_forget(p);
	return other;
}

static void
run_unshare(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	const bool had_shared = skb_has_shared_data(p->skb);
	struct skb *skb = p->skb;

	herd_begin(h, p);
	if (!herd_end(h, skb_unshare(&h->world.cpu, &skb), 1 + p->n_children, copy_size(p))) {
		assert_ptr_equal(skb, p->skb);
		return;
	}
	assert_false(skb_has_shared_data(skb));
	assert_int_equal(skb != p->skb, had_shared);
	if (had_shared)
		model_moved(&replace(h, i, skb)->model);
}

static void
run_share_check(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	struct skb *skb = p->skb;

	herd_begin(h, p);
	if (!herd_end(h, skb_share_check(&h->world.cpu, &skb), 1 + p->n_children, 0)) {
		assert_ptr_equal(skb, p->skb);
		return;
	}
	assert_false(skb_shared(skb));
	assert_int_equal(skb != p->skb, p->n_users > 1);
	if (skb != p->skb)
		replace(h, i, skb);
}

/* To a PMD: the mbufs alone must tell all. */
static void
run_release(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	struct rte_mbuf *mbuf;

	if (p->n_users > 1 || p->n_children > 0)
		return;
	herd_begin(h, p);
	if (!herd_end(h, skb_release(&h->world.cpu, p->skb, &mbuf), 0, 0))
		return;
	world_assert_chain(mbuf, model_data(&p->model), p->model.len);
	rte_pktmbuf_free(mbuf);
	packet_forget(herd_take(h, i));
}

/* Sent and received again, as over a ring: what a clone still holds of it comes back in a chain of another packet. */
static void
run_return(struct herd *h, uint32_t i)
{
	const struct world_conf *const conf = &h->world.conf;
	struct packet *const p = h->slot[i];
	struct rte_mbuf *mbuf;

	if (p->n_users > 1 || p->n_children > 0 || (conf->n_data > 0 && conf->data_room != conf->rx_room))
		return;
	herd_begin(h, p);
	if (!herd_end(h, skb_release(&h->world.cpu, p->skb, &mbuf), 0, 0))
		return;
	if (skb_build(&h->world.cpu, mbuf, &p->skb) < 0) {
		rte_pktmbuf_free(mbuf);
		packet_forget(herd_take(h, i));
		return;
	}
	p->owner = NULL;
	for (uint32_t k = 0; k < MODEL_HEADERS; k++)
		p->model.header[k] = MODEL_UNSET;
}

static void
run_release_bulk(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	struct rte_mbuf *const mbuf = p->skb->mbuf;

	if (p->n_users > 1 || p->n_children > 0 || skb_has_shared_data(p->skb))
		return;
	skb_orphan_bulk(&h->world.cpu, &p->skb, 1);
	skb_sync(p->skb);
	skb_release_bulk(&h->world.cpu, &p->skb, 1);
	world_assert_chain(mbuf, model_data(&p->model), p->model.len);
	rte_pktmbuf_free(mbuf);
	packet_forget(herd_take(h, i));
	h->tally->n_good++;
}

const struct verb verbs_of_life[] = {
	{"alloc", run_alloc, 6, MAY_LACK_MEMORY | MAY_BE_TOO_LONG},
	{"build", run_build, 12, MAY_LACK_MEMORY},
	{"add_frag", run_add_frag, 5, MAY_LACK_MEMORY},
	{"get", run_get, 4, 0},
	{"consume", run_consume, 8, 0},
	{"drop", run_drop, 6, 0},
	{"clone", run_clone, 10, MAY_LACK_MEMORY},
	{"copy", run_copy, 4, MAY_LACK_MEMORY | MAY_BE_TOO_LONG},
	{"pskb_copy", run_pskb_copy, 5, MAY_LACK_MEMORY | MAY_BE_TOO_LONG},
	{"unshare", run_unshare, 2, MAY_LACK_MEMORY | MAY_BE_TOO_LONG},
	{"share_check", run_share_check, 4, MAY_LACK_MEMORY},
	{"release", run_release, 3, MAY_LACK_MEMORY},
	{"return", run_return, 3, MAY_LACK_MEMORY},
	{"release_bulk", run_release_bulk, 3, 0},
	{0},
};
