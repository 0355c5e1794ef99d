/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clones and copies. A clone costs a head and a reference to each mbuf; who writes pays for the copy, and only for the first
 * segment, where headers are. Every function here takes all it needs before it changes anything.
 */
#include <errno.h>
#include <string.h>

#include "skb_frags.h"
#include "skb_priv.h"
#include "skb_share.h"

bool
skb_has_shared_data(const struct skb *skb)
{
	for (struct rte_mbuf *mbuf = skb->mbuf; mbuf != NULL; mbuf = mbuf->next)
		if (skb_mbuf_is_shared(mbuf))
			return true;
	return false;
}

/* A head that says of its packet what skb's does, but has no owner and no list, and only the caller as user. */
static struct skb *
head_like(struct skb_cpu *cpu, const struct skb *skb)
{
	struct skb *head;

	if (skb_heads_get(cpu->heads, cpu->lcore, &head, 1) < 0)
		return NULL;
	/* users may be counted down by another one meanwhile */
	memcpy(head, skb, offsetof(struct skb, users));
	head->owner = NULL;
	head->lcore = (uint16_t)cpu->lcore;
	head->users = 1;
	head->flags = 0;
	head->reason = skb->reason;
	head->protocol = skb->protocol;
	return head;
}

/* One more reference. others: whoever else has the head may take one at this moment, so that a count of 1 is not ours alone. */
static void
segment_get(struct rte_mbuf *mbuf, bool others)
{
	if (unlikely(others))
		__rte_mbuf_refcnt_update(mbuf, 1);
	else
		rte_mbuf_refcnt_update(mbuf, 1);
}

/* A clone of skb without its segment list. */
static struct skb *
clone_one(struct skb_cpu *cpu, const struct skb *skb, bool others)
{
	struct skb *const clone = head_like(cpu, skb);

	for (struct rte_mbuf *mbuf = skb->mbuf; clone != NULL && mbuf != NULL; mbuf = mbuf->next) {
		if (unlikely(skb_mbuf_refs(mbuf) == UINT16_MAX))
			skb_panic(skb, "references < UINT16_MAX", __func__);
		segment_get(mbuf, others);
	}
	return clone;
}

static int
clone_frag_list(struct skb_cpu *cpu, const struct skb *skb, struct skb *clone)
{
	for (const struct skb *seg = skb_frag_list(skb); seg != NULL; seg = seg->next) {
		struct skb *const other = clone_one(cpu, seg, skb_shared(skb));

		if (other == NULL)
			return -ENOMEM;
		skb_frag_list_add(clone, other);
	}
	return 0;
}

int
skb_clone(struct skb_cpu *cpu, struct skb *skb, struct skb **clone)
{
	struct skb *const c = clone_one(cpu, skb, skb_shared(skb));

	if (c == NULL)
		return -ENOMEM;
	if (clone_frag_list(cpu, skb, c) < 0) {
		skb_consume(cpu, c);
		return -ENOMEM;
	}
	*clone = c;
	return 0;
}

/* A private copy of one fragment's bytes. */
static int
frag_copy(struct skb_cpu *cpu, const struct rte_mbuf *frag, struct rte_mbuf **copy)
{
	const uint32_t room = skb_segment_room(cpu);

	if (frag->data_len > room)
		return -EMSGSIZE;
	*copy = skb_segment_alloc(cpu, RTE_MIN((uint32_t)frag->data_off, room - frag->data_len));
	if (*copy == NULL)
		return -ENOMEM;
	(*copy)->data_len = frag->data_len;
	memcpy(rte_pktmbuf_mtod(*copy, void *), rte_pktmbuf_mtod(frag, const void *), frag->data_len);
	return 0;
}

static int
frags_copy(struct skb_cpu *cpu, const struct skb *skb, struct rte_mbuf *head)
{
	struct rte_mbuf **end = &head->next;

	for (const struct rte_mbuf *frag = skb->mbuf->next; frag != NULL; frag = frag->next) {
		const int ret = frag_copy(cpu, frag, end);

		if (ret < 0)
			return ret;
		end = &(*end)->next;
		head->nb_segs++;
	}
	return 0;
}

/* Indirect mbufs for all fragments. */
static int
frags_show(struct skb_cpu *cpu, const struct skb *skb, struct rte_mbuf *head)
{
	struct rte_mbuf **end = &head->next;

	for (struct rte_mbuf *frag = skb->mbuf->next; frag != NULL; frag = frag->next) {
		*end = skb_segment_indirect(cpu, frag, skb_shared(skb));
		if (*end == NULL)
			return -ENOMEM;
		end = &(*end)->next;
		head->nb_segs++;
	}
	return 0;
}

/* A packet with a private first segment and the fragments that frags() gives it. */
static int
copy_with(struct skb_cpu *cpu, const struct skb *skb, struct skb **copy,
	int (*frags)(struct skb_cpu *cpu, const struct skb *skb, struct rte_mbuf *head))
{
	struct rte_mbuf *head;
	struct skb *c;
	int ret;

	if (cpu->data == NULL)
		return -ENOMEM;
	if (!skb_head_fits(cpu, skb, 0, 0))
		return -EMSGSIZE;
	head = skb_head_copy(cpu, skb, 0, 0);
	if (head == NULL)
		return -ENOMEM;
	ret = frags(cpu, skb, head);
	c = ret < 0 ? NULL : head_like(cpu, skb);
	if (c == NULL) {
		rte_pktmbuf_free(head);
		return ret < 0 ? ret : -ENOMEM;
	}
	skb_move_head(c, head);
	c->truesize = skb_chain_truesize(head) + (uint32_t)sizeof(*c);
	skb_sync(c);
	*copy = c;
	return 0;
}

int
skb_copy(struct skb_cpu *cpu, const struct skb *skb, struct skb **copy)
{
	return copy_with(cpu, skb, copy, frags_copy);
}

int
pskb_copy(struct skb_cpu *cpu, struct skb *skb, struct skb **copy)
{
	return copy_with(cpu, skb, copy, frags_show);
}

int
skb_unshare(struct skb_cpu *cpu, struct skb **skb)
{
	struct skb *copy;
	int ret;

	if (!skb_has_shared_data(*skb))
		return 0;
	ret = skb_copy(cpu, *skb, &copy);
	if (ret < 0)
		return ret;
	ret = clone_frag_list(cpu, *skb, copy);
	if (ret < 0) {
		skb_consume(cpu, copy);
		return ret;
	}
	skb_consume(cpu, *skb);
	*skb = copy;
	return 0;
}

int
skb_share_check(struct skb_cpu *cpu, struct skb **skb)
{
	struct skb *clone;
	int ret;

	if (!skb_shared(*skb))
		return 0;
	ret = skb_clone(cpu, *skb, &clone);
	if (ret < 0)
		return ret;
	skb_consume(cpu, *skb);
	*skb = clone;
	return 0;
}

int
skb_expand_head(struct skb_cpu *cpu, struct skb *skb, uint32_t headroom, uint32_t tailroom)
{
	struct rte_mbuf *const old = skb->mbuf;
	struct rte_mbuf *head;

	SKB_CHECK(skb, !skb_shared(skb));
	if (cpu->data == NULL)
		return -ENOMEM;
	if (!skb_head_fits(cpu, skb, headroom, tailroom))
		return -EMSGSIZE;
	head = skb_head_copy(cpu, skb, headroom, tailroom);
	if (head == NULL)
		return -ENOMEM;
	head->next = old->next;
	head->nb_segs = old->nb_segs;
	if (skb_own_chain(cpu, &head->next) < 0) {
		head->next = NULL;
		head->nb_segs = 1;
		rte_pktmbuf_free(head);
		return -ENOMEM;
	}
	skb_move_head(skb, head);
	skb_truesize_add(cpu, skb, (int)head->buf_len - (int)old->buf_len);
	skb_sync(skb);
	rte_pktmbuf_free_seg(old);
	return 0;
}

static bool
has_shared_frags(const struct skb *skb)
{
	for (struct rte_mbuf *mbuf = skb->mbuf->next; mbuf != NULL; mbuf = mbuf->next)
		if (skb_mbuf_refs(mbuf) > 1)
			return true;
	return false;
}

int
skb_cow(struct skb_cpu *cpu, struct skb *skb, uint32_t headroom)
{
	SKB_CHECK(skb, !skb_shared(skb));
	if (skb_cloned(skb) || skb_headroom(skb) < headroom)
		return skb_expand_head(cpu, skb, headroom, 0);
	return likely(!has_shared_frags(skb)) ? 0 : skb_own_chain(cpu, &skb->mbuf->next);
}
