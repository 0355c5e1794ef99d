/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fragments for us, put together (RFC 791 3.2, RFC 8200 4.5). Not librte_ip_frag's: its duplicates kill datagrams, it takes protocols
 * for one another, and 8 fragments are its limit.
 *
 *   datagram[32]: key, deadline --> fragment --> fragment --> ...   whole frames, sorted by start, never overlapping
 *
 *   have == sum of (end - start) <= total; complete when both are equal
 *   n_bufs == data buffers of the fragments in all lists <= conf.fragment_bufs_max
 *
 * A fragment stays as it came in until all are there, so that an error can quote it. What then happens: fragment.c.
 *
 * Overlap (RFC 5722, and the same for IPv4), or no room for one of them, ends a datagram with all of its fragments, those too that are still to come: its place stays
 * taken until the deadline, unless others need it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_ip.h>

#include "icmp.h"
#include "ip4.h"
#include "ip6.h"
#include "ip6_ext.h"
#include "fragment.h"
#include "local.h"
#include "skb_frags.h"

#define DATAGRAMS_MAX 32u

/* RFC 1122 3.3.2 says 60 to 120 s for IPv4, Linux and others 30: by then the sender has sent it again under another
 * id. RFC 8200 4.5 says 60 s. */
#define IP4_TIMEOUT_NS (30 * NS_PER_SECOND)
#define IP6_TIMEOUT_NS (60 * NS_PER_SECOND)

#define TOTAL_UNKNOWN UINT32_MAX

#define IP6_PAYLOAD_LEN 4u /* offset */

#define FRAGMENT_OFFSET 0xfff8u
#define FRAGMENT_MORE   1u

/* What belongs together. IPv6 does without the protocol, which only the first fragment tells for sure. */
struct key {
	uint8_t family, proto;
	uint16_t port; /* where an address means something on its link only, else 0 */
	uint32_t id;
	uint8_t src[16], dst[16];
};

static_assert(sizeof(struct key) == 40, "without holes: compared as bytes");

struct datagram {
	bool used;
	bool dead;                /* it cannot become whole: what still comes is thrown away */
	enum control_outcome why; /* if dead */
	struct key key;
	uint64_t deadline_ns;
	uint32_t have, total;
	struct skb *first;
};

struct reassembly {
	struct datagram datagram[DATAGRAMS_MAX];
	uint32_t n_bufs;
};

/* ---- datagrams ---- */

static struct datagram *
datagram_find(struct reassembly *r, const struct key *key)
{
	for (unsigned int i = 0; i < DATAGRAMS_MAX; i++)
		if (r->datagram[i].used && memcmp(&r->datagram[i].key, key, sizeof(*key)) == 0)
			return &r->datagram[i];
	return NULL;
}

/* A place for one more: dead ones make room. NULL: there is none. */
static struct datagram *
datagram_add(struct control *c, const struct key *key)
{
	struct reassembly *const r = c->reassembly;
	struct datagram *free = NULL;

	for (unsigned int i = 0; i < DATAGRAMS_MAX; i++)
		if (!r->datagram[i].used || (r->datagram[i].dead && free == NULL))
			free = &r->datagram[i];
	if (free != NULL)
		*free = (struct datagram){.used = true,
			.key = *key,
			.deadline_ns = c->now_ns + (key->family == AF_INET ? IP4_TIMEOUT_NS : IP6_TIMEOUT_NS),
			.total = TOTAL_UNKNOWN};
	return free;
}

/* Takes all fragments off, which wait no longer. */
static struct skb *
datagram_take(struct control *c, struct datagram *d)
{
	struct skb *const list = d->first;
	uint64_t n = 0;

	for (const struct skb *skb = list; skb != NULL; skb = skb->next) {
		n++;
		c->reassembly->n_bufs -= skb->mbuf->nb_segs;
	}
	control_add(&c->counts.held, -n);
	d->first = NULL;
	return list;
}

/*
 * RFC 5722 4: "the entire datagram (and any constituent fragments, including those not yet received) MUST be silently discarded". So is one
 * of which a fragment found no room: the others would only take room from those that can still become whole. Returns why.
 */
static enum control_outcome
datagram_kill(struct control *c, struct datagram *d, enum control_outcome why)
{
	fragments_finish(c, datagram_take(c, d), why);
	d->dead = true;
	d->why = why;
	return why;
}

/* ---- a fragment's place ---- */

/* Where skb belongs: *at. Returns 0, -EEXIST (it is there already), -EINVAL (it overlaps another). */
static int
place_find(struct datagram *d, const struct fragment *f, struct skb ***at)
{
	struct skb **p = &d->first;

	while (*p != NULL && fragment_of(*p)->start < f->start) {
		if (fragment_of(*p)->end > f->start)
			return -EINVAL;
		p = &(*p)->next;
	}
	*at = p;
	if (*p == NULL || fragment_of(*p)->start >= f->end)
		return 0;
	return fragment_of(*p)->start == f->start && fragment_of(*p)->end == f->end ? -EEXIST : -EINVAL;
}

/* Whether f agrees with what is known of the datagram's end. */
static bool
end_agrees(const struct datagram *d, const struct fragment *f)
{
	const struct skb *last = d->first;

	if (f->more || d->total != TOTAL_UNKNOWN)
		return d->total == TOTAL_UNKNOWN || (f->more ? f->end <= d->total : f->end == d->total);
	while (last != NULL && last->next != NULL)
		last = last->next;
	return last == NULL || ((const struct fragment *)last->cb)->end <= f->end;
}

/* ---- the whole ---- */

/* Makes one packet of all fragments, and frees the datagram's place. NULL: it was not possible, and they have their outcomes. */
static struct skb *
datagram_join(struct control *c, struct datagram *d)
{
	struct skb *const list = datagram_take(c, d);

	d->used = false;
	if (fragments_fit(list, d->key.family, d->total))
		return fragments_join(c, list, d->key.family);
	fragments_finish(c, list, CONTROL_fragment_overlap);
	return NULL;
}

/* ---- input ---- */

static void
fragment_insert(struct control *c, struct datagram *d, struct skb *skb, struct skb **at)
{
	const struct fragment *f = fragment_of(skb);

	skb_orphan(&c->cpu, skb);
	skb->next = *at;
	*at = skb;
	d->have += f->end - f->start;
	if (!f->more)
		d->total = f->end;
	c->reassembly->n_bufs += skb->mbuf->nb_segs;
	control_add(&c->counts.held, 1);
}

static bool
has_room(const struct control *c, const struct skb *skb)
{
	return c->reassembly->n_bufs + skb->mbuf->nb_segs <= c->conf.fragment_bufs_max;
}

/* Takes a fragment of d. Returns its outcome if it has one now, else CONTROL_N_OUTCOMES: it waits. */
static enum control_outcome
fragment_take(struct control *c, struct datagram *d, struct skb *skb)
{
	const struct fragment *f = fragment_of(skb);
	struct skb **at;
	int ret;

	if (d->dead)
		return d->why;
	ret = place_find(d, f, &at);
	if (ret == -EEXIST)
		return CONTROL_fragment_joined;
	if (ret != 0 || !end_agrees(d, f))
		return datagram_kill(c, d, CONTROL_fragment_overlap);
	if (!has_room(c, skb))
		return datagram_kill(c, d, CONTROL_fragment_full);
	fragment_insert(c, d, skb, at);
	return CONTROL_N_OUTCOMES;
}

static struct skb *
fragment_input(struct control *c, const struct key *key, struct skb *skb)
{
	struct datagram *d = datagram_find(c->reassembly, key);
	enum control_outcome outcome = CONTROL_fragment_full;

	if (d == NULL && has_room(c, skb))
		d = datagram_add(c, key);
	if (d != NULL)
		outcome = fragment_take(c, d, skb);
	if (outcome != CONTROL_N_OUTCOMES) {
		control_finish(c, skb, outcome);
		return NULL;
	}
	return d->have == d->total ? datagram_join(c, d) : NULL;
}

/* A fragment that carries nothing, or whose end is not where another one may begin, is none. */
static bool
is_fragment(const struct fragment *f)
{
	return f->end > f->start && (!f->more || f->end % 8 == 0);
}

struct skb *
reassemble4(struct control *c, struct skb *skb)
{
	const struct rte_ipv4_hdr *ip = (const struct rte_ipv4_hdr *)ip_of(skb);
	const uint16_t field = be16toh(ip->fragment_offset);
	const uint32_t hlen = rte_ipv4_hdr_len(ip);
	struct fragment *f = fragment_of(skb);
	struct key key = {.family = AF_INET, .proto = ip->next_proto_id, .id = ip->packet_id};

	memcpy(key.src, &ip->src_addr, 4);
	memcpy(key.dst, &ip->dst_addr, 4);
	*f = (struct fragment){.start = (field & RTE_IPV4_HDR_OFFSET_MASK) * 8u,
		.payload = hlen,
		.more = (field & RTE_IPV4_HDR_MF_FLAG) != 0};
	f->end = f->start + skb->len - ip_at(skb) - hlen;
	if (!is_fragment(f)) {
		control_finish(c, skb, CONTROL_local_malformed);
		return NULL;
	}
	if (f->end + hlen > LENGTH_MAX) {
		control_finish(c, skb, CONTROL_fragment_overlap);
		return NULL;
	}
	return fragment_input(c, &key, skb);
}

/* RFC 6946: one that is all of its datagram has nothing to do with others, even of the same id. */
static struct skb *
atomic_input(struct control *c, struct skb *skb)
{
	skb->next = NULL;
	return fragments_join(c, skb, AF_INET6);
}

static struct key
key_of6(const struct skb *skb, uint32_t id)
{
	const struct rte_ipv6_hdr *ip = (const struct rte_ipv6_hdr *)ip_of(skb);
	const bool on_link = ip6_is_link_local(ip->src_addr) || ip6_is_link_local(ip->dst_addr);
	struct key key = {.family = AF_INET6, .id = id, .port = on_link ? skb->port : 0};

	memcpy(key.src, ip->src_addr, sizeof(key.src));
	memcpy(key.dst, ip->dst_addr, sizeof(key.dst));
	return key;
}

struct skb *
reassemble6(struct control *c, struct skb *skb, const struct ip6_chain *chain)
{
	struct rte_ipv6_fragment_ext header;
	struct fragment *f = fragment_of(skb);
	const uint32_t at = ip_at(skb);
	struct key key;
	uint16_t field;

	if (skb_copy_bits(skb, at + chain->offset, &header, sizeof(header)) != 0) {
		control_finish(c, skb, CONTROL_local_malformed);
		return NULL;
	}
	field = be16toh(header.frag_data);
	*f = (struct fragment){.start = field & FRAGMENT_OFFSET,
		.payload = chain->offset + IP6_FRAGMENT_HLEN,
		.next_at = chain->next_at,
		.more = (field & FRAGMENT_MORE) != 0};
	f->end = f->start + skb->len - at - f->payload;
	if (f->start == 0 && !f->more)
		return atomic_input(c, skb);
	/* RFC 8200 4.5: both are told to the sender. The first before the second, of which the length is a part. */
	if (f->more && f->end % 8 != 0) {
		error_send(c, skb, ICMP_ERROR_PARAM, IP6_PAYLOAD_LEN, CONTROL_error_sent);
		return NULL;
	}
	if (!is_fragment(f)) {
		control_finish(c, skb, CONTROL_local_malformed);
		return NULL;
	}
	if (f->end + chain->offset - IP6_HLEN > LENGTH_MAX) {
		error_send(c, skb, ICMP_ERROR_PARAM, chain->offset + 2, CONTROL_error_sent);
		return NULL;
	}
	key = key_of6(skb, header.id);
	return fragment_input(c, &key, skb);
}

/* ---- time ---- */

/* RFC 792, RFC 1122 3.3.2; RFC 8200 4.5: the sender is told if there is a first fragment to quote. */
static void
datagram_expire(struct control *c, struct datagram *d)
{
	struct skb *first = datagram_take(c, d), *rest;

	d->used = false;
	if (first == NULL || fragment_of(first)->start != 0) {
		fragments_finish(c, first, CONTROL_fragment_timeout);
		return;
	}
	rest = first->next;
	error_send(c, first, ICMP_ERROR_REASSEMBLY, 0, CONTROL_fragment_timeout);
	fragments_finish(c, rest, CONTROL_fragment_timeout);
}

void
reassembly_tick(struct control *c)
{
	for (unsigned int i = 0; i < DATAGRAMS_MAX; i++) {
		struct datagram *d = &c->reassembly->datagram[i];

		if (d->used && c->now_ns >= d->deadline_ns)
			datagram_expire(c, d);
	}
}

int
reassembly_create(struct control *c)
{
	c->reassembly = calloc(1, sizeof(*c->reassembly));
	return c->reassembly == NULL ? -ENOMEM : 0;
}

void
reassembly_destroy(struct control *c)
{
	if (c->reassembly == NULL)
		return;
	for (unsigned int i = 0; i < DATAGRAMS_MAX; i++)
		fragments_finish(c, datagram_take(c, &c->reassembly->datagram[i]), CONTROL_stopped);
	free(c->reassembly);
	c->reassembly = NULL;
}
