/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Second stage: heads. Late (the default) builds them now that the packets are here; early
 * takes those that were bound when the driver took the buffers; lazy leaves it to
 * whoever needs one (punt.c).
 */
#include "worker_priv.h"

void
burst_build(struct worker *w, struct burst *b)
{
	int err = 0;

	b->has_heads = w->build != BUILD_LAZY;
	if (w->build == BUILD_LATE)
		err = skb_build_bulk(&w->cpu, b->mbuf, b->skb, b->n);
	else if (w->build == BUILD_EARLY)
		err = skb_claim_bulk(&w->cpu, b->mbuf, b->skb, b->n);
	if (err == 0)
		return;

	/* The pool of heads is sized so that this cannot last; until it is over nobody could be charged for the packets. */
	skb_drop_raw_bulk(&w->cpu, b->mbuf, b->n, VERDICT_no_head);
	b->n = 0;
}
