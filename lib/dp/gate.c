/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The gate: the only place where a burst is split and where verdicts are counted. Packets to
 * forward close ranks at the front of the columns; the others leave for good.
 */
#include "worker_priv.h"

static void
drop(struct worker *w, struct burst *b, uint32_t i)
{
	if (!b->has_heads) {
		skb_drop_raw_bulk(&w->cpu, &b->mbuf[i], 1, b->verdict[i]);
		return;
	}
	burst_discharge(b, i);
	skb_drop(&w->cpu, b->skb[i], b->verdict[i]);
}

static void
keep(struct burst *b, uint32_t to, uint32_t from)
{
	b->mbuf[to] = b->mbuf[from];
	if (b->has_heads)
		b->skb[to] = b->skb[from];
	b->data[to] = b->data[from];
	b->adj[to] = b->adj[from];
	b->l3len[to] = b->l3len[from];
}

void
burst_gate(struct worker *w, struct burst *b)
{
	uint32_t n = 0, n4 = 0;

	if (!b->judged)
		return;
	for (uint32_t i = 0; i < b->n; i++) {
		switch (verdict_info[b->verdict[i]].kind) {
		case VERDICT_KIND_DROP: drop(w, b, i); break;
		case VERDICT_KIND_PUNT: burst_punt(w, b, i); break;
		case VERDICT_KIND_ERROR:
			if (!burst_tell(w, b, i))
				drop(w, b, i);
			break;
		case VERDICT_KIND_FORWARD:
			keep(b, n++, i);
			n4 += i < b->n4;
			break;
		}
	}
	b->n = n;
	b->n4 = n4;
	b->n6 = n - n4;
}
