/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Before the gate, after fit.c: IPv4 packets that are larger than their way out takes, and do not forbid to be cut (RFC 791 3.2).
 *
 *   | Ethernet | IP, options | payload ................................... |     one packet, in one buffer or several
 *
 *   | Ethernet | IP, options | -> | payload ....... |                            the first piece takes its place in the burst
 *   | Ethernet | IP, copied options | -> | ............ |                         the others go with it, on its segment list
 *
 * Headers are new, the payload is the packet's own, shown by indirect mbufs; where the port cannot take that, it is copied. Which
 * options are copied, offset and MF (a fragment can be cut again) librte_ip_frag sees to; it starts at the IP header and leaves
 * the checksum to us. Then the walk goes on as if the pieces had come in, each with its head, and whoever was charged for the
 * packet is charged for them. What can be missing is a buffer or a head: then nothing was cut.
 */
#include <errno.h>

#include <rte_ip.h>
#include <rte_ip_frag.h>

#include "ip4.h"
#include "skb_frags.h"
#include "worker_priv.h"

#define PIECES_MAX 512u /* of one packet: 64 kB to an MTU of 160 bytes */

#define IP4_FRAGMENT    6u /* offset of flags and fragment offset */
#define IP4_DF          0x4000u
#define IP4_OFFSET_MASK 0x1fffu /* in units of 8 bytes */

/* Not if it forbids that, nor if it reaches beyond what an offset can say: of such a packet no datagram can ever become. */
static bool
may_cut(const struct burst *b, uint32_t i)
{
	const uint8_t *l3 = b->data[i] + ETH_HLEN;
	const uint32_t fragment = load16_be(l3 + IP4_FRAGMENT);
	const uint32_t payload = b->l3len[i] - (l3[0] & 0xfu) * 4;

	return (fragment & IP4_DF) == 0 && (fragment & IP4_OFFSET_MASK) * 8 + payload <= UINT16_MAX;
}

/* The packet, without link padding, as mbufs that start at the IP header. Returns their number, -ENOMEM, or -EINVAL: too many. */
static int32_t
cut(struct worker *w, struct skb *skb, uint32_t l3len, uint32_t mtu, struct rte_mbuf **pieces)
{
	int32_t n;

	if (pskb_trim(&w->cpu, skb, ETH_HLEN + l3len) != 0)
		return -ENOMEM;
	skb_pull(skb, ETH_HLEN);
	skb_sync(skb);
	n = rte_ipv4_fragment_packet(skb->mbuf, pieces, PIECES_MAX, (uint16_t)mtu, w->cpu.data, w->cpu.data);
	skb_push(skb, ETH_HLEN);
	if (n < 0)
		skb_sync(skb);
	return n;
}

static void
add_headers(struct rte_mbuf *piece, const uint8_t *eth)
{
	struct rte_ipv4_hdr *ip = rte_pktmbuf_mtod(piece, struct rte_ipv4_hdr *);

	ip->hdr_checksum = rte_ipv4_cksum(ip);
	memcpy(rte_pktmbuf_prepend(piece, ETH_HLEN), eth, ETH_HLEN);
}

/* The pieces in as few buffers as hold them, which nobody else sees. */
static int
copy_all(struct worker *w, const struct worker_tx *tx, struct rte_mbuf **pieces, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		struct rte_mbuf *copy = rte_pktmbuf_copy(pieces[k], w->cpu.data, 0, UINT32_MAX);

		/* the plan sees to it that a port's MTU fits one buffer where it must */
		if (copy == NULL || (tx->linear && copy->nb_segs > 1)) {
			rte_pktmbuf_free(copy);
			return -ENOMEM;
		}
		rte_pktmbuf_free(pieces[k]);
		pieces[k] = copy;
	}
	return 0;
}

/* Heads for pieces[n], which become theirs. -ENOMEM: the pieces are freed. */
static int
finish(struct worker *w, struct burst *b, uint32_t i, struct rte_mbuf **pieces, struct skb **skbs, uint32_t n)
{
	const struct worker_tx *tx = &w->tx[b->adj[i]->port];

	for (uint32_t k = 0; k < n; k++)
		add_headers(pieces[k], b->data[i]);
	if ((tx->fragments || copy_all(w, tx, pieces, n) == 0) &&
		skb_build_bulk(&w->cpu, pieces, skbs, n, b->owner) == 0)
		return 0;
	rte_pktmbuf_free_bulk(pieces, n);
	return -ENOMEM;
}

/* skbs[n] stand in the burst for packet i. */
static void
replace(struct worker *w, struct burst *b, uint32_t i, struct skb *const *skbs, uint32_t n)
{
	for (uint32_t k = 1; k < n; k++)
		skb_frag_list_add(skbs[0], skbs[k]);
	skb_consume(&w->cpu, b->skb[i]);
	b->skb[i] = skbs[0];
	b->mbuf[i] = skbs[0]->mbuf;
	b->data[i] = skbs[0]->data;
	b->l3len[i] = skbs[0]->len - ETH_HLEN;
	b->lists = true;
	w->stats.fragmented += n - 1;
}

static enum verdict
fragment(struct worker *w, struct burst *b, uint32_t i)
{
	struct rte_mbuf *pieces[PIECES_MAX];
	struct skb *skbs[PIECES_MAX];
	const int32_t n = cut(w, b->skb[i], b->l3len[i], b->adj[i]->mtu, pieces);

	if (n < 0)
		return n == -ENOMEM ? VERDICT_no_buffer : VERDICT_mtu_exceeded;
	if (finish(w, b, i, pieces, skbs, (uint32_t)n) != 0)
		return VERDICT_no_buffer;
	replace(w, b, i, skbs, (uint32_t)n);
	return VERDICT_forward;
}

void
burst_fragment(struct worker *w, struct burst *b)
{
	for (uint32_t i = 0; i < b->n4; i++) {
		if (b->verdict[i] != VERDICT_mtu_exceeded || !may_cut(b, i))
			continue;
		if (!b->has_heads && burst_build_lazy(w, b) != 0) {
			b->n4 = b->n6 = 0;
			return;
		}
		b->verdict[i] = fragment(w, b, i);
	}
	burst_recharge(b);
}
