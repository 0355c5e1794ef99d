/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building early, for comparison: the head is bound when the PMD takes the data
 * buffer for its RX ring, a whole ring before the packet arrives. This is how
 * drivers worked until 2011; the two hot lines are cold again when they are
 * needed.
 *
 *   the mempool gives buffers     skb_early_get   head bound, hot line written
 *   packets arrive in them        skb_claim_bulk  head handed over, the rest written
 *   the mempool takes them back   skb_early_put   heads still bound are freed
 *
 * The data buffer's private area holds the pointer to the bound head, NULL when
 * there is none: while the mempool has the buffer, after the claim, and when no head
 * was free at the get. A head is in exactly one place, so nothing is freed twice.
 *
 * The hooks run on whatever thread calls the mempool, ports being set up and
 * closed by the main lcore included.
 */
#include <errno.h>

#include <rte_lcore.h>

#include "skb.h"
#include "skb_priv.h"

#define HOOK_BATCH 64u /* a PMD may take a whole ring at once */

static struct skb **
bound(struct rte_mbuf *mbuf)
{
	assert(mbuf->priv_size >= SKB_EARLY_PRIV_SIZE);
	return rte_mbuf_to_priv(mbuf);
}

static void
bind_batch(struct magazine_pool *heads, unsigned int lcore, void *const *mbufs, unsigned int n)
{
	struct skb *skbs[HOOK_BATCH];

	if (unlikely(skb_heads_get(heads, lcore, skbs, n) < 0))
		return;
	for (unsigned int i = 0; i < n; i++) {
		skb_write_hot(skbs[i], mbufs[i], lcore, NULL);
		*bound(mbufs[i]) = skbs[i];
	}
}

void
skb_early_get(void *arg, void *const *mbufs, unsigned int n)
{
	const struct skb_pool *pool = arg;
	const unsigned int lcore = rte_lcore_id();

	for (unsigned int done = 0; done < n; done += HOOK_BATCH)
		bind_batch(pool->heads, lcore, mbufs + done, RTE_MIN(HOOK_BATCH, n - done));
}

static void
unbind_batch(struct magazine_pool *heads, unsigned int lcore, void *const *mbufs, unsigned int n)
{
	struct skb *skbs[HOOK_BATCH];
	unsigned int n_bound = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct skb **const slot = bound(mbufs[i]);

		if (*slot)
			skbs[n_bound++] = *slot;
		*slot = NULL;
	}
	skb_heads_put(heads, lcore, skbs, n_bound);
}

void
skb_early_put(void *arg, void *const *mbufs, unsigned int n)
{
	const struct skb_pool *pool = arg;
	const unsigned int lcore = rte_lcore_id();

	for (unsigned int done = 0; done < n; done += HOOK_BATCH)
		unbind_batch(pool->heads, lcore, mbufs + done, RTE_MIN(HOOK_BATCH, n - done));
}

int
skb_claim_bulk(struct skb_cpu *cpu, struct rte_mbuf *const *mbufs, struct skb **skbs, uint32_t n,
	struct skb_owner *owner)
{
	const unsigned int lcore = cpu->lcore;
	uint32_t n_missing = 0;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < n; i++)
		n_missing += !*bound(mbufs[i]);

	/* Fresh heads wait at the end of skbs; each place is read before it is written: as
	 * many places are left behind i as there are fresh heads, at least. */
	struct skb **fresh = skbs + n - n_missing;

	if (unlikely(skb_heads_get(cpu->heads, lcore, fresh, n_missing) < 0))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct skb **const slot = bound(mbufs[i]);

		if (unlikely(!*slot)) {
			skbs[i] = *fresh++;
			skb_write_hot(skbs[i], mbufs[i], lcore, owner);
		} else {
			skbs[i] = *slot;
			*slot = NULL;
			/* the rest has been right since the head was bound */
			skb_write_arrival(skbs[i], mbufs[i], owner);
		}
		bytes += skbs[i]->truesize;
	}
	if (owner != NULL)
		skb_owner_charge(owner, lcore, (int64_t)bytes);
	return 0;
}
