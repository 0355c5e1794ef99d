/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Owners: the balance, its limit, and who is told when there is room again.
 *
 * refused:  blocked = 1, then the balance is read once more
 * released: the balance falls, then blocked is read
 *
 * Between the two halves of each stands a full barrier, so that of a refusal and the last release at the same moment at
 * least one sees the other, and nobody waits for a call that never comes.
 */
#include "skb_owner.h"

#include <errno.h>
#include <stdio.h>

#include <rte_atomic.h>

#include "skb.h"
#include "skb_priv.h"

void
skb_owner_init(struct skb_owner *owner, const char *name, int64_t limit, unsigned int lcore)
{
	*owner = (struct skb_owner){.limit = limit, .lcore = lcore, .lcore_too = lcore};
	snprintf(owner->name, sizeof(owner->name), "%s", name);
}

void
skb_owner_notify(struct skb_owner *owner, void (*write_space)(struct skb_owner *owner), void *arg)
{
	owner->write_space = write_space;
	owner->notifies = write_space != NULL;
	owner->arg = arg;
}

void
skb_owner_wake(struct skb_owner *owner)
{
	rte_smp_mb();
	if (__atomic_load_n(&owner->blocked, __ATOMIC_RELAXED) == 0 ||
		skb_owner_used(owner) > owner->limit / 2)
		return;
	if (__atomic_exchange_n(&owner->blocked, 0, __ATOMIC_RELAXED) != 0)
		owner->write_space(owner);
}

static void
refuse(struct skb_owner *owner, uint32_t n)
{
	__atomic_fetch_add(&owner->n_refused, n, __ATOMIC_RELAXED);
	if (owner->write_space == NULL)
		return;
	__atomic_store_n(&owner->blocked, 1, __ATOMIC_RELAXED);
	skb_owner_wake(owner);
}

uint32_t
skb_owner_admit(struct skb_owner *owner, struct rte_mbuf *const *mbufs, uint32_t n)
{
	int64_t room;

	if (owner->limit == 0)
		return n;
	room = owner->limit - skb_owner_used(owner);
	for (uint32_t i = 0; i < n; i++) {
		room -= skb_mbuf_truesize(mbufs[i]);
		if (unlikely(room < 0)) {
			refuse(owner, n - i);
			return i;
		}
	}
	return n;
}

void
skb_set_owner(struct skb_cpu *cpu, struct skb *skb, struct skb_owner *owner)
{
	skb_orphan(cpu, skb);
	if (owner == NULL)
		return;
	skb_owner_charge(owner, cpu->lcore, skb->truesize);
	skb->owner = owner;
}

int
skb_try_set_owner(struct skb_cpu *cpu, struct skb *skb, struct skb_owner *owner)
{
	if (owner == skb->owner)
		return 0;
	if (owner != NULL && owner->limit != 0 && skb_owner_used(owner) + skb->truesize > owner->limit) {
		refuse(owner, 1);
		return -ENOBUFS;
	}
	skb_set_owner(cpu, skb, owner);
	return 0;
}

void
skb_orphan(struct skb_cpu *cpu, struct skb *skb)
{
	struct skb_owner *const owner = skb->owner;

	if (owner == NULL)
		return;
	skb->owner = NULL;
	skb_owner_release(owner, cpu->lcore, skb->truesize);
}

void
skb_orphan_bulk(struct skb_cpu *cpu, struct skb *const *skbs, uint32_t n)
{
	struct skb_owner *owner = NULL;
	int64_t bytes = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct skb *const skb = skbs[i];

		if (unlikely(skb->owner != owner)) {
			if (owner != NULL)
				skb_owner_release(owner, cpu->lcore, bytes);
			owner = skb->owner;
			bytes = 0;
		}
		bytes += skb->truesize;
		skb->owner = NULL;
	}
	if (owner != NULL)
		skb_owner_release(owner, cpu->lcore, bytes);
}
