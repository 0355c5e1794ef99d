/* SPDX-License-Identifier: BSD-3-Clause */
/* Verbs that change packets. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "skb_frags.h"
#include "skb_share.h"
#include "verbs.h"

/* A verb with "try" was told too much: nothing has changed. */
static void
expect_invalid(struct herd *h, int ret)
{
	assert_int_equal(ret, -EINVAL);
	snapshot_assert(&h->before, &h->world);
	h->tally->n_invalid++;
}

/* The first segment is p's own, with as much headroom, or there was no memory for that. */
static bool
cow(struct herd *h, struct packet *p, uint32_t headroom)
{
	const struct rte_mbuf *const old = p->skb->mbuf;
	const uint32_t before = RTE_MAX(headroom, model_headers_before(&p->model));

	herd_begin(h, p);
	if (!herd_end(h, skb_cow(&h->world.cpu, p->skb, headroom), 0, before + skb_headlen(p->skb)))
		return false;
	assert_false(skb_cloned(p->skb));
	assert_in_range(skb_headroom(p->skb), headroom, p->skb->mbuf->buf_len);
	for (const struct rte_mbuf *mbuf = p->skb->mbuf; mbuf != NULL; mbuf = mbuf->next)
		assert_int_equal(rte_mbuf_refcnt_read(mbuf), 1);
	if (p->skb->mbuf != old)
		model_moved(&p->model);
	return true;
}

/* Writes to n bytes of the headers, from at on. */
static void
write_headers(struct herd *h, struct packet *p, uint32_t at, uint32_t n)
{
	memcpy(model_data(&p->model) + at, herd_bytes(h, n), n);
	memcpy(p->skb->data + at, model_data(&p->model) + at, n);
}

static void
run_cow(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	uint32_t at;

	if (p->n_users > 1 || !cow(h, p, herd_amount(h, 200)))
		return;
	at = herd_amount(h, skb_headlen(p->skb));
	write_headers(h, p, at, herd_amount(h, skb_headlen(p->skb) - at));
}

static void
run_expand_head(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	const uint32_t headroom = herd_amount(h, 200), tailroom = herd_amount(h, 100);
	const uint32_t before = RTE_MAX(headroom, model_headers_before(&p->model));
	struct skb *const skb = p->skb;

	if (p->n_users > 1)
		return;
	herd_begin(h, p);
	if (!herd_end(h, skb_expand_head(&h->world.cpu, skb, headroom, tailroom), 0,
		    before + skb_headlen(skb) + tailroom))
		return;
	model_moved(&p->model);
	assert_false(skb_cloned(skb));
	assert_in_range(skb_headroom(skb), headroom, skb->mbuf->buf_len);
	assert_in_range(
		skb->mbuf->buf_len - skb_headroom(skb) - skb_headlen(skb), tailroom, skb->mbuf->buf_len);
}

static void
run_reserve(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	const uint32_t room = skb_tailroom(p->skb), n = herd_amount(h, room + 2);
	const bool is_empty = p->skb->len == 0;
	int ret;

	if (p->n_users > 1)
		return;
	herd_begin(h, p);
	ret = skb_try_reserve(p->skb, n);
	if (!is_empty || n > room) {
		expect_invalid(h, ret);
		return;
	}
	assert_int_equal(ret, 0);
	/* it starts elsewhere: neither what was before it nor where its headers were means anything there */
	p->model.known = 0;
	for (uint32_t k = 0; k < MODEL_HEADERS; k++)
		model_set_header(&p->model, p->skb, k, MODEL_UNSET);
	h->tally->n_good++;
}

static void
run_put(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	uint32_t room, n;
	void *start;
	int ret;

	if (p->n_users > 1 || !cow(h, p, 0))
		return;
	room = skb_tailroom(p->skb);
	n = herd_amount(h, room + 2);
	herd_begin(h, p);
	ret = skb_try_put(p->skb, n, &start);
	if (n > room) {
		expect_invalid(h, ret);
		return;
	}
	assert_int_equal(ret, 0);
	model_put(&p->model, herd_bytes(h, n), n);
	memcpy(start, model_data(&p->model) + p->model.len - n, n);
}

static void
run_push(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	uint32_t room, n;
	void *start;
	int ret;

	if (p->n_users > 1 || !cow(h, p, herd_random(h, 32)))
		return;
	room = skb_headroom(p->skb);
	n = herd_amount(h, room + 2);
	herd_begin(h, p);
	if (p->model.len + n > MODEL_LEN_MAX)
		return;
	ret = skb_try_push(p->skb, n, &start);
	if (n > room) {
		expect_invalid(h, ret);
		return;
	}
	assert_int_equal(ret, 0);
	assert_ptr_equal(start, p->skb->data);
	model_push(&p->model, herd_bytes(h, n), n);
	memcpy(start, model_data(&p->model), n);
}

static void
run_pull(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	const uint32_t room = skb_headlen(p->skb), n = herd_amount(h, RTE_MIN(room + 2, 64u));
	void *start;
	int ret;

	if (p->n_users > 1)
		return;
	herd_begin(h, p);
	ret = skb_try_pull(p->skb, n, &start);
	if (n > room) {
		expect_invalid(h, ret);
		return;
	}
	assert_int_equal(ret, 0);
	assert_ptr_equal(start, p->skb->data);
	model_pull(&p->model, n);
	h->tally->n_good++;
}

static void
run_trim(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	const uint32_t n = p->skb->len - RTE_MIN(p->skb->len, herd_amount(h, 40));
	int ret;

	if (p->n_users > 1)
		return;
	herd_begin(h, p);
	ret = skb_try_trim(p->skb, n);
	if (skb_is_nonlinear(p->skb)) {
		expect_invalid(h, ret);
		return;
	}
	assert_int_equal(ret, 0);
	model_trim(&p->model, n);
	h->tally->n_good++;
}

static void
run_pskb_trim(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	const uint32_t n = herd_amount(h, p->skb->len + 2);

	if (p->n_users > 1)
		return;
	herd_begin(h, p);
	if (herd_end(h, pskb_trim(&h->world.cpu, p->skb, n), 0, 0))
		model_trim(&p->model, n);
}

static void
run_pull_head(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	const uint32_t n = herd_amount(h, RTE_MIN(p->skb->len + 2, 400u));
	const struct rte_mbuf *const old = p->skb->mbuf;
	int ret;

	if (p->n_users > 1)
		return;
	herd_begin(h, p);
	ret = skb_pull_head(&h->world.cpu, p->skb, n);
	if (n > p->model.len) {
		expect_invalid(h, ret);
		return;
	}
	if (!herd_end(h, ret, 0, n + model_headers_before(&p->model)))
		return;
	if (p->skb->mbuf != old)
		model_moved(&p->model);
	assert_in_range(skb_headlen(p->skb), n, p->skb->len);
}

static void
run_linearize(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	const struct rte_mbuf *const old = p->skb->mbuf;
	const uint32_t size = p->model.len + model_headers_before(&p->model);

	if (p->n_users > 1)
		return;
	herd_begin(h, p);
	if (!herd_end(h, skb_linearize(&h->world.cpu, p->skb), 0, size))
		return;
	if (p->skb->mbuf != old)
		model_moved(&p->model);
	assert_int_equal(skb_n_frags(p->skb), 0);
}

static void
run_headers(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	const uint32_t before = p->model.known;
	const uint32_t at = herd_amount(h, before + skb_headlen(p->skb));

	if (p->n_users > 1)
		return;
	model_set_header(&p->model, p->skb, herd_random(h, MODEL_HEADERS),
		herd_random(h, 3) == 0 ? MODEL_UNSET : (int32_t)at - (int32_t)before);
	h->tally->n_good++;
}

static void
run_frag_list(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	const uint32_t k = herd_random(h, h->n);
	struct packet *const child = h->slot[k];

	if (child == p || p->n_users > 1 || child->n_users > 1 || child->n_children > 0 ||
		p->n_children == HERD_CHILDREN)
		return;
	skb_frag_list_add(p->skb, child->skb);
	p->children[p->n_children++] = herd_take(h, k);
	h->tally->n_good++;
}

static void
run_frag_list_take(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	struct skb *list;

	if (p->n_users > 1 || h->n + p->n_children > HERD_SLOTS)
		return;
	list = skb_frag_list_take(p->skb);
	assert_null(skb_frag_list(p->skb));
	for (uint32_t k = 0; k < p->n_children; k++, list = list->next) {
		assert_ptr_equal(list, p->children[k]->skb);
		h->slot[h->n++] = p->children[k];
	}
	assert_null(list);
	p->n_children = 0;
	h->tally->n_good++;
}

static void
run_set_owner(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	struct skb_owner *const owner = &h->owners[herd_random(h, HERD_OWNERS)];

	if (p->n_users > 1)
		return;
	skb_set_owner(&h->world.cpu, p->skb, owner);
	p->owner = owner;
	h->tally->n_good++;
}

static void
run_try_set_owner(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];
	struct skb_owner *const owner = &h->owners[herd_random(h, HERD_OWNERS)];
	const uint64_t n_refused = skb_owner_refused(owner);
	const bool has_room = p->owner == owner || owner->limit == 0 ||
			      skb_owner_used(owner) + p->skb->truesize <= owner->limit;

	if (p->n_users > 1)
		return;
	herd_begin(h, p);
	if (skb_try_set_owner(&h->world.cpu, p->skb, owner) == 0) {
		assert_true(has_room);
		p->owner = owner;
		h->tally->n_good++;
		return;
	}
	assert_false(has_room);
	assert_int_equal(skb_owner_refused(owner), n_refused + 1);
	snapshot_assert(&h->before, &h->world);
	h->tally->n_invalid++;
}

static void
run_orphan(struct herd *h, uint32_t i)
{
	struct packet *const p = h->slot[i];

	if (p->n_users > 1)
		return;
	skb_orphan(&h->world.cpu, p->skb);
	p->owner = NULL;
	h->tally->n_good++;
}

/* A burst: some of the others, each once. */
static void
run_orphan_bulk(struct herd *h, uint32_t i)
{
	struct skb *skbs[HERD_SLOTS];
	uint32_t n = 0;

	for (uint32_t k = herd_random(h, h->n); k < h->n; k++) {
		if (h->slot[k]->n_users > 1)
			continue;
		skbs[n++] = h->slot[k]->skb;
		h->slot[k]->owner = NULL;
	}
	skb_orphan_bulk(&h->world.cpu, skbs, n);
	h->tally->n_good++;
}

const struct verb verbs_of_change[] = {
	{"cow", run_cow, 8, MAY_LACK_MEMORY | MAY_BE_TOO_LONG},
	{"expand_head", run_expand_head, 3, MAY_LACK_MEMORY | MAY_BE_TOO_LONG},
	{"reserve", run_reserve, 2, MAY_BE_INVALID},
	{"put", run_put, 5, MAY_LACK_MEMORY | MAY_BE_TOO_LONG | MAY_BE_INVALID},
	{"push", run_push, 5, MAY_LACK_MEMORY | MAY_BE_TOO_LONG | MAY_BE_INVALID},
	{"pull", run_pull, 6, MAY_BE_INVALID},
	{"trim", run_trim, 3, MAY_BE_INVALID},
	{"pskb_trim", run_pskb_trim, 4, MAY_LACK_MEMORY},
	{"pull_head", run_pull_head, 4, MAY_LACK_MEMORY | MAY_BE_TOO_LONG | MAY_BE_INVALID},
	{"linearize", run_linearize, 2, MAY_LACK_MEMORY | MAY_BE_TOO_LONG},
	{"headers", run_headers, 4, 0},
	{"frag_list_add", run_frag_list, 2, 0},
	{"frag_list_take", run_frag_list_take, 2, 0},
	{"set_owner", run_set_owner, 3, 0},
	{"try_set_owner", run_try_set_owner, 3, MAY_BE_INVALID},
	{"orphan", run_orphan, 2, 0},
	{"orphan_bulk", run_orphan_bulk, 1, 0},
	{0},
};
