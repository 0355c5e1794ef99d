/* SPDX-License-Identifier: BSD-3-Clause */
#include "fragment.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_ip.h>

#include "bytes.h"
#include "ip6.h"
#include "ip6_ext.h"
#include "local.h"
#include "skb_frags.h"
#include "skb_share.h"

#define IP6_PAYLOAD_LEN 4u /* offset */

/* Appends what skb carries to whole. Takes skb; 0, or -ENOMEM. */
static int
payload_append(struct control *c, struct skb *whole, struct skb *skb)
{
	struct rte_mbuf *mbuf;

	if (local_strip(c, skb, ip_at(skb) + fragment_of(skb)->payload) != 0 ||
		skb_release(&c->cpu, skb, &mbuf) != 0) {
		skb_consume(&c->cpu, skb);
		return -ENOMEM;
	}
	if (skb_add_frag(&c->cpu, whole, mbuf) == 0)
		return 0;
	rte_pktmbuf_free(mbuf);
	return -ENOMEM;
}

/* Takes the fragment header away, whose place payload and next_at tell. Returns 0, -ENOMEM, -EMSGSIZE. */
static int
fragment_header_remove(struct control *c, struct skb *skb)
{
	const struct fragment f = *fragment_of(skb);
	const uint32_t header = ip_at(skb) + f.payload - IP6_FRAGMENT_HLEN;
	int ret = skb_pull_head(&c->cpu, skb, header + IP6_FRAGMENT_HLEN);

	if (ret == 0)
		ret = skb_cow(&c->cpu, skb, 0);
	if (ret != 0)
		return ret;
	ip_of(skb)[f.next_at] = skb->data[header];
	memmove(skb->data + IP6_FRAGMENT_HLEN, skb->data, header);
	skb_pull(skb, IP6_FRAGMENT_HLEN);
	skb_set_mac_header(skb, 0);
	skb->network_header = (uint16_t)(skb->network_header + IP6_FRAGMENT_HLEN);
	return 0;
}

/* Makes the first fragment's header writable and what it will be, but for the length. */
static int
header_prepare(struct control *c, struct skb *skb, uint8_t family)
{
	return family == AF_INET6 ? fragment_header_remove(c, skb) : skb_cow(&c->cpu, skb, 0);
}

/* len: of the IP packet. */
static void
header_finish(struct skb *skb, uint8_t family, uint32_t len)
{
	struct rte_ipv4_hdr *const ip = (struct rte_ipv4_hdr *)ip_of(skb);

	if (family == AF_INET6) {
		store16(ip_of(skb) + IP6_PAYLOAD_LEN, htobe16((uint16_t)(len - IP6_HLEN)));
		return;
	}
	ip->total_length = htobe16((uint16_t)len);
	ip->fragment_offset = 0;
	ip->hdr_checksum = 0;
	/* over options too, which rte_ipv4_cksum() leaves out */
	ip->hdr_checksum = (uint16_t)~rte_raw_cksum(ip, rte_ipv4_hdr_len(ip));
}

bool
fragments_fit(struct skb *first, uint8_t family, uint32_t total)
{
	const uint32_t payload = fragment_of(first)->payload;

	return total + payload <= LENGTH_MAX + (family == AF_INET6 ? IP6_HLEN + IP6_FRAGMENT_HLEN : 0);
}

void
fragments_finish(struct control *c, struct skb *list, enum control_outcome outcome)
{
	for (struct skb *next; list != NULL; list = next) {
		next = list->next;
		control_finish(c, list, outcome);
	}
}

struct skb *
fragments_join(struct control *c, struct skb *list, uint8_t family)
{
	struct skb *const whole = list;
	struct skb *skb = whole->next, *next;
	int ret = header_prepare(c, whole, family);

	for (; ret == 0 && skb != NULL; skb = next) {
		next = skb->next;
		ret = payload_append(c, whole, skb);
		control_outcome(c, ret == 0 ? CONTROL_fragment_joined : CONTROL_no_memory);
	}
	if (ret != 0) {
		whole->next = skb;
		fragments_finish(c, whole, CONTROL_no_memory);
		return NULL;
	}
	header_finish(whole, family, whole->len - ip_at(whole));
	return whole;
}
