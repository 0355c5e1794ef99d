/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two ends of a packet that is not sent: consumed, because it has served its
 * purpose, or dropped for a reason that is counted. They are different calls, as in
 * the kernel, so that a drop cannot hide. The users of a head come and go here too.
 */
#include "skb.h"
#include "skb_frags.h"
#include "skb_priv.h"

struct skb *
skb_get(struct skb *skb)
{
	/* alone, nobody else can come: no atomic addition */
	if (!skb_shared(skb))
		__atomic_store_n(&skb->users, 2, __ATOMIC_RELAXED);
	else if (unlikely(__atomic_fetch_add(&skb->users, 1, __ATOMIC_RELAXED) == UINT16_MAX))
		skb_panic(skb, "users < UINT16_MAX", __func__);
	return skb;
}

/* Whether the caller was the last one. */
static bool
last_user(struct skb *skb)
{
	return likely(!skb_shared(skb)) || __atomic_sub_fetch(&skb->users, 1, __ATOMIC_ACQ_REL) == 0;
}

/* Head and data; not the segment list. */
static void
free_one(struct skb_cpu *cpu, struct skb *skb)
{
	struct rte_mbuf *const mbuf = skb->mbuf;

	skb_orphan(cpu, skb);
	skb_heads_put(cpu->heads, cpu->lcore, &skb, 1);
	rte_pktmbuf_free(mbuf);
}

void
skb_consume(struct skb_cpu *cpu, struct skb *skb)
{
	if (!last_user(skb))
		return;
	if (unlikely(skb->flags & SKB_COLD))
		skb_consume_list(cpu, skb->frag_list);
	free_one(cpu, skb);
}

void
skb_consume_list(struct skb_cpu *cpu, struct skb *list)
{
	while (list != NULL) {
		struct skb *const skb = list;

		list = skb->next;
		skb_consume(cpu, skb);
	}
}

void
skb_drop(struct skb_cpu *cpu, struct skb *skb, unsigned int reason)
{
	assert(reason < SKB_REASONS_MAX);
	if (!last_user(skb))
		return;
	if (unlikely(skb->flags & SKB_COLD))
		skb_drop_list(cpu, skb->frag_list, reason);
	cpu->drops[reason]++;
	free_one(cpu, skb);
}

void
skb_drop_list(struct skb_cpu *cpu, struct skb *list, unsigned int reason)
{
	while (list != NULL) {
		struct skb *const skb = list;

		list = skb->next;
		skb_drop(cpu, skb, reason);
	}
}

void
skb_drop_raw_bulk(struct skb_cpu *cpu, struct rte_mbuf **mbufs, uint32_t n, unsigned int reason)
{
	assert(reason < SKB_REASONS_MAX);
	cpu->drops[reason] += n;
	rte_pktmbuf_free_bulk(mbufs, n);
}
