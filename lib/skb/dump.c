/* SPDX-License-Identifier: BSD-3-Clause */
/* A packet for people. */
#include <stdio.h>
#include <stdlib.h>

#include "skb.h"
#include "skb_frags.h"
#include "skb_priv.h"

#define DUMP_BYTES 64u
#define DUMP_ROW   16u
#define DUMP_SEGS  8u

static void
offset_dump(const char *name, uint16_t offset, FILE *out)
{
	if (offset == SKB_UNSET)
		fprintf(out, " %s unset", name);
	else
		fprintf(out, " %s %u", name, offset);
}

static void
segments_dump(const struct skb *skb, FILE *out)
{
	const struct rte_mbuf *mbuf = skb->mbuf;
	uint32_t i = 0;

	for (; mbuf != NULL && i < DUMP_SEGS; mbuf = mbuf->next, i++)
		fprintf(out, "  segment %u: mbuf %p refcnt %u%s buffer %p+%u data_off %u data_len %u\n", i,
			(const void *)mbuf, rte_mbuf_refcnt_read(mbuf),
			RTE_MBUF_CLONED(mbuf) ? " indirect" : "", mbuf->buf_addr, mbuf->buf_len,
			mbuf->data_off, mbuf->data_len);
	if (mbuf != NULL)
		fprintf(out, "  and %u more\n", skb->mbuf->nb_segs - i);
}

/* Of the first segment, as far as it is inside of the buffer: this may be called because it is not. */
static void
bytes_dump(const struct skb *skb, FILE *out)
{
	const uint8_t *const buf = skb->mbuf->buf_addr;
	const uint32_t room = skb->mbuf->buf_len, at = skb_headroom(skb);
	const uint32_t n = at > room ? 0 : RTE_MIN(RTE_MIN(skb_headlen(skb), room - at), DUMP_BYTES);

	for (uint32_t i = 0; i < n; i++)
		fprintf(out, "%s%02x%s", i % DUMP_ROW == 0 ? "  " : " ", buf[at + i],
			i % DUMP_ROW == DUMP_ROW - 1 || i == n - 1 ? "\n" : "");
}

void
skb_dump(const struct skb *skb, FILE *out)
{
	fprintf(out, "skb %p: len %u headlen %u data_len %u headroom %u truesize %u users %u flags %#x\n",
		(const void *)skb, skb->len, skb_headlen(skb), skb->data_len, skb_headroom(skb),
		skb->truesize, skb->users, skb->flags);
	fputs("  headers at:", out);
	offset_dump("mac", skb->mac_header, out);
	offset_dump("network", skb->network_header, out);
	offset_dump("transport", skb->transport_header, out);
	fprintf(out, "; protocol %#06x port %u lcore %u hash %#x reason %u\n", skb->protocol, skb->port,
		skb->lcore, skb->hash, skb->reason);
	fprintf(out, "  owner %s\n", skb->owner == NULL ? "none" : skb->owner->name);
	for (const struct skb *seg = skb_frag_list(skb); seg != NULL; seg = seg->next)
		fprintf(out, "  in its list: skb %p len %u\n", (const void *)seg, seg->len);
	segments_dump(skb, out);
	bytes_dump(skb, out);
}

void
skb_panic(const struct skb *skb, const char *what, const char *where)
{
	fprintf(stderr, "%s: not so: %s\n", where, what);
	skb_dump(skb, stderr);
	abort();
}
