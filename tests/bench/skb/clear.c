/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rep stosb is what memset() was in the kernel of 2016, with a cost to start; whoever clears heads that lie side by side at once
 * pays it once. What is cleared beyond the hot line nobody reads.
 */
#include <string.h>

#include <rte_prefetch.h>

#include "clear.h"
#include "skb_priv.h"

static __rte_always_inline void
init_ahead(struct skb **skbs, struct rte_mbuf **mbufs, unsigned int lcore, uint32_t distance)
{
	for (uint32_t i = 0; i < distance; i++)
		rte_prefetch0_write(skbs[i]);
	for (uint32_t i = 0; i < BURST; i++) {
		rte_prefetch0_write(skbs[RTE_MIN(i + distance, BURST - 1)]);
		skb_write_hot(skbs[i], mbufs[i], lcore, NULL);
	}
}

void
heads_init_ahead(struct skb **skbs, struct rte_mbuf **mbufs, unsigned int lcore, uint32_t distance)
{
	switch (distance) {
	case 1: init_ahead(skbs, mbufs, lcore, 1); break;
	case 2: init_ahead(skbs, mbufs, lcore, 2); break;
	case 4: init_ahead(skbs, mbufs, lcore, 4); break;
	default: init_ahead(skbs, mbufs, lcore, 8);
	}
}

static __rte_always_inline void
stosb(void *to, size_t n)
{
#ifdef __x86_64__
	asm volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0) : "memory");
#else
	memset(to, 0, n);
#endif
}

/* What is the same in every head and not 0, and what is not the same. */
static __rte_always_inline void
write_rest(struct skb *skb, struct rte_mbuf *mbuf, unsigned int lcore)
{
	skb->mbuf = mbuf;
	skb->mac_header = skb->network_header = skb->transport_header = SKB_UNSET;
	skb->lcore = (uint16_t)lcore;
	skb->users = 1;
	skb_write_arrival(skb, mbuf, NULL);
}

static __rte_always_inline void
write_fields(struct skb *skb, struct rte_mbuf *mbuf, unsigned int lcore)
{
	skb->data_len = 0;
	write_rest(skb, mbuf, lcore);
	skb->tstamp = 0;
	skb->flags = 0;
	skb->reason = 0;
	skb->protocol = 0;
}

typedef uint64_t quarter __attribute__((vector_size(16), may_alias));

/* The hot line as 64-bit words that are put together in registers: every byte is stored once. Little endian. */
static __rte_always_inline void
write_words(struct skb *skb, struct rte_mbuf *mbuf, unsigned int lcore, bool by_two)
{
	const bool is_chain = unlikely(mbuf->nb_segs > 1);
	const uint32_t behind = is_chain ? mbuf->pkt_len - mbuf->data_len : 0;
	const uint32_t truesize =
		is_chain ? skb_mbuf_truesize(mbuf) : (uint32_t)(mbuf->buf_len + sizeof(*mbuf) + sizeof(*skb));
	const uint64_t word[8] = {
		(uintptr_t)mbuf, (uintptr_t)rte_pktmbuf_mtod(mbuf, uint8_t *), 0, /* owner */
		0,                                                                /* tstamp */
		mbuf->pkt_len | (uint64_t)behind << 32, truesize | (uint64_t)skb_mbuf_hash(mbuf) << 32,
		UINT64_C(0xffffffffffff) | (uint64_t)mbuf->port << 48, /* no header is known */
		(uint16_t)lcore | 1u << 16,                            /* one user */
	};

	for (uint32_t i = 0; by_two && i < 4; i++)
		((quarter *)skb)[i] = (quarter){word[2 * i], word[2 * i + 1]};
	for (uint32_t i = 0; !by_two && i < 8; i++)
		((volatile uint64_t *)skb)[i] = word[i];
}

/* Clears heads that lie side by side at once. */
static __rte_always_inline void
clear_adjacent(struct skb **skbs, bool by_stosb)
{
	for (uint32_t first = 0, end; first < BURST; first = end) {
		for (end = first + 1; end < BURST && skbs[end] == skbs[end - 1] + 1;)
			end++;

		const size_t n_bytes = (end - first) * sizeof(struct skb);

		if (by_stosb)
			stosb(skbs[first], n_bytes);
		else
			memset((void *)skbs[first], 0, n_bytes);
	}
}

static __rte_always_inline void
clear_one(struct skb *skb, enum clear clear)
{
	switch (clear) {
	case MEMSET_HOT: memset((void *)skb, 0, offsetof(struct skb, next)); break;
	case MEMSET_BOTH: memset((void *)skb, 0, sizeof(*skb)); break;
	case STOSB_HOT: stosb(skb, offsetof(struct skb, next)); break;
	case STOSB_BOTH: stosb(skb, sizeof(*skb)); break;
	default: break;
	}
}

static __rte_always_inline void
init(struct skb **skbs, struct rte_mbuf **mbufs, unsigned int lcore, enum clear clear)
{
	if (clear == ADJACENT || clear == ADJACENT_STOSB)
		clear_adjacent(skbs, clear == ADJACENT_STOSB);
	for (uint32_t i = 0; i < BURST; i++) {
		clear_one(skbs[i], clear);
		if (clear == VECTORS)
			skb_write_hot(skbs[i], mbufs[i], lcore, NULL);
		else if (clear == FIELDS)
			write_fields(skbs[i], mbufs[i], lcore);
		else if (clear == WORDS || clear == PAIRS)
			write_words(skbs[i], mbufs[i], lcore, clear == PAIRS);
		else
			write_rest(skbs[i], mbufs[i], lcore);
	}
}

void
heads_init_cleared(struct skb **skbs, struct rte_mbuf **mbufs, unsigned int lcore, enum clear clear)
{
	switch (clear) {
	case VECTORS: init(skbs, mbufs, lcore, VECTORS); break;
	case FIELDS: init(skbs, mbufs, lcore, FIELDS); break;
	case WORDS: init(skbs, mbufs, lcore, WORDS); break;
	case PAIRS: init(skbs, mbufs, lcore, PAIRS); break;
	case MEMSET_HOT: init(skbs, mbufs, lcore, MEMSET_HOT); break;
	case MEMSET_BOTH: init(skbs, mbufs, lcore, MEMSET_BOTH); break;
	case STOSB_HOT: init(skbs, mbufs, lcore, STOSB_HOT); break;
	case STOSB_BOTH: init(skbs, mbufs, lcore, STOSB_BOTH); break;
	case ADJACENT: init(skbs, mbufs, lcore, ADJACENT); break;
	case ADJACENT_STOSB: init(skbs, mbufs, lcore, ADJACENT_STOSB); break;
	}
}
