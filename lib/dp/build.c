/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Second stage: heads, and who is charged for the packets: the RX queue that they came in by. Late (the default) builds heads now
 * that the packets are here; early takes those that were bound when the driver took the buffers; lazy leaves it to
 * whoever needs one (punt.c, parse.c, mirrors).
 */
#include <errno.h>

#include "worker_priv.h"

/* Until it is over nobody could be charged for the packets. The pool of heads is sized so that this cannot last. */
static int
drop_headless(struct worker *w, struct burst *b)
{
	skb_drop_raw_bulk(&w->cpu, b->mbuf, b->n, VERDICT_no_head);
	b->n = 0;
	return -ENOMEM;
}

/* A port that holds too much already gets nothing more, so that what it sends to a stalled port does not starve the others. */
static void
admit(struct worker *w, struct skb_owner *owner, struct burst *b)
{
	const uint32_t n = skb_owner_admit(owner, b->mbuf, b->n);

	if (likely(n == b->n))
		return;
	skb_drop_raw_bulk(&w->cpu, b->mbuf + n, b->n - n, VERDICT_owner_limit);
	b->n = n;
	w->refused = true;
}

static int
build(struct worker *w, struct burst *b)
{
	if (w->build == BUILD_EARLY)
		return skb_claim_bulk(&w->cpu, b->mbuf, b->skb, b->n, b->owner);
	return skb_build_bulk(&w->cpu, b->mbuf, b->skb, b->n, b->owner);
}

/* As build(). What a balance has grown by is the burst's: nobody else writes an RX queue's home half. */
static int
build_charged(struct worker *w, struct burst *b)
{
	const int64_t before = b->owner->home;
	const int err = build(w, b);

	b->charged = b->owner->home - before;
	return err;
}

void
burst_build(struct worker *w, const struct worker_rxq *rxq, struct burst *b)
{
	int err;

	b->owner = rxq->charged;
	if (b->owner != NULL && b->owner->limit != 0)
		admit(w, b->owner, b);
	b->has_heads = w->build != BUILD_LAZY || w->mirrors;
	if (!b->has_heads)
		return;
	err = b->owner != NULL ? build_charged(w, b) : build(w, b);
	if (unlikely(err != 0))
		drop_headless(w, b);
}

int
burst_build_lazy(struct worker *w, struct burst *b)
{
	if (skb_build_bulk(&w->cpu, b->mbuf, b->skb, b->n, NULL) != 0)
		return drop_headless(w, b);
	b->has_heads = true;
	return 0;
}
