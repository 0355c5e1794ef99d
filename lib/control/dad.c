/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether somebody else uses our addresses: for each of them, from when its port's link comes up,
 *
 *   IPv4 (RFC 5227 2.1.1, 2.3)   probe   1 s   probe   1 s   probe   2 s   announcement   2 s   announcement
 *   IPv6 (RFC 4862 5.4, 4861 7.2.6)   report, solicitation   1 s   report, advertisement   report every 2 minutes
 *
 * Nobody waits for the end of it: hosts send to a router when it starts, and its addresses are configured by people, not found. For the same reason an
 * address in conflict stays in use, which RFC 5227 2.4 (c) allows for addresses that others rely on: what the router can do is say so, to people
 * and to the link, each at most every DEFEND_INTERVAL.
 *
 * Reports (RFC 3810): a switch that snoops forgets after 260 s (9.4) a group of which it does not hear, and then solicitations for us do
 * not arrive. They are repeated unasked, so that it needs no querier.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <arpa/inet.h>

#include "resolve.h"

#define NEVER UINT64_MAX

/* RFC 5227 1.1 */
#define PROBE_NUM        3u
#define ANNOUNCE_NUM     2u
#define PROBE_NS         NS_PER_SECOND /* PROBE_MIN; and up to JITTER_NS more */
#define ANNOUNCE_WAIT_NS (2 * NS_PER_SECOND)
#define ANNOUNCE_NS      (2 * NS_PER_SECOND)  /* ANNOUNCE_INTERVAL */
#define DEFEND_NS        (10 * NS_PER_SECOND) /* DEFEND_INTERVAL */
#define JITTER_NS        (250 * NS_PER_MS)
#define FIRST_NS         (100 * NS_PER_MS) /* all addresses' first steps come within that */
#define RETRANS_NS       NS_PER_SECOND     /* RFC 4861 10 */
#define REPORT_NS        (120 * NS_PER_SECOND)

struct dad_addr {
	uint64_t due;
	uint64_t quiet; /* until then a conflict is neither told nor defended against */
	uint8_t step;
	bool probing; /* we are still asking */
};

struct dad {
	uint32_t random;
	uint64_t soonest; /* no due is before it */
	unsigned int n;
	struct dad_addr addr[]; /* by route_own()'s index */
};

/* Numerical Recipes' generator: it only has to keep machines that start together apart. */
static uint64_t
jitter(struct dad *dad, uint64_t below_ns)
{
	dad->random = dad->random * 1664525u + 1013904223u;
	return (uint64_t)(dad->random >> 16) * below_ns >> 16;
}

int
dad_create(struct control *c)
{
	struct dad *dad;
	unsigned int n = 0;

	while (route_own(c->conf.routes, n) != NULL)
		n++;
	dad = calloc(1, sizeof(*dad) + n * sizeof(dad->addr[0]));
	if (dad == NULL)
		return -ENOMEM;
	/* MAC addresses differ where clocks may not */
	for (unsigned int id = 0; id < c->conf.n_ports; id++)
		for (unsigned int i = 0; i < RTE_ETHER_ADDR_LEN; i++)
			dad->random = dad->random * 31 + c->conf.ports[id].mac.addr_bytes[i];
	dad->n = n;
	dad->soonest = NEVER;
	for (unsigned int i = 0; i < n; i++)
		dad->addr[i].due = NEVER;
	c->neighs->dad = dad;
	return 0;
}

void
dad_destroy(struct control *c)
{
	free(c->neighs->dad);
	c->neighs->dad = NULL;
}

static uint64_t
step_ip4(struct control *c, struct dad_addr *a, const struct own_addr *own)
{
	const unsigned int step = a->step;

	if (step < PROBE_NUM + ANNOUNCE_NUM)
		a->step++;
	a->probing = step < PROBE_NUM;
	if (step < PROBE_NUM) {
		arp_probe(c, own);
		return step + 1 < PROBE_NUM ? PROBE_NS + jitter(c->neighs->dad, JITTER_NS) : ANNOUNCE_WAIT_NS;
	}
	arp_announce(c, own);
	return step + 1 < PROBE_NUM + ANNOUNCE_NUM ? ANNOUNCE_NS : NEVER;
}

static uint64_t
step_ip6(struct control *c, struct dad_addr *a, const struct own_addr *own)
{
	const unsigned int step = a->step;

	a->step = step < 2 ? step + 1 : 2;
	a->probing = step == 0;
	nd_join(c, own);
	if (step == 0) {
		nd_probe(c, own);
		return RETRANS_NS;
	}
	if (step == 1)
		nd_announce(c, own);
	return REPORT_NS;
}

void
dad_tick(struct control *c)
{
	struct dad *dad = c->neighs->dad;
	uint64_t wait, soonest = NEVER;

	if (c->now_ns < dad->soonest)
		return;
	for (unsigned int i = 0; i < dad->n; i++) {
		struct dad_addr *a = &dad->addr[i];
		const struct own_addr *own = route_own(c->conf.routes, i);

		if (a->due <= c->now_ns) {
			wait = own->addr.family == AF_INET ? step_ip4(c, a, own) : step_ip6(c, a, own);
			a->due = wait == NEVER ? NEVER : c->now_ns + wait;
		}
		soonest = RTE_MIN(soonest, a->due);
	}
	dad->soonest = soonest;
}

void
dad_link(struct control *c, uint16_t port, bool up)
{
	struct dad *dad = c->neighs->dad;

	for (unsigned int i = 0; i < dad->n; i++) {
		struct dad_addr *a = &dad->addr[i];

		if (route_own(c->conf.routes, i)->port != port)
			continue;
		a->step = 0;
		a->probing = up;
		a->due = up ? c->now_ns + jitter(dad, FIRST_NS) : NEVER;
		dad->soonest = RTE_MIN(dad->soonest, a->due);
	}
}

static void
tell(struct control *c, const struct own_addr *own, const struct rte_ether_addr *mac, const char *what)
{
	char addr[INET6_ADDRSTRLEN], line[256];
	const uint8_t *b = mac->addr_bytes;

	if (c->conf.on_event == NULL)
		return;
	inet_ntop(own->addr.family, own->addr.bytes, addr, sizeof(addr));
	snprintf(line, sizeof(line),
		"address conflict: %s of port %u (%s) %s %02x:%02x:%02x:%02x:%02x:%02x; it stays in use here",
		addr, own->port, c->conf.ports[own->port].name, what, b[0], b[1], b[2], b[3], b[4], b[5]);
	c->conf.on_event(c->conf.arg, line);
}

/* Whether it is the first one for a while. */
static bool
conflict_begins(struct control *c, unsigned int index)
{
	struct dad_addr *a;

	if (index >= c->neighs->dad->n)
		return false;
	a = &c->neighs->dad->addr[index];
	if (c->now_ns < a->quiet)
		return false;
	a->quiet = c->now_ns + DEFEND_NS;
	return true;
}

void
dad_conflict(struct control *c, unsigned int index, const struct rte_ether_addr *mac)
{
	const struct own_addr *own = route_own(c->conf.routes, index);

	if (!conflict_begins(c, index))
		return;
	tell(c, own, mac, "is also used by");
	if (own->addr.family == AF_INET)
		arp_announce(c, own);
	else
		nd_announce(c, own);
}

void
dad_probed(struct control *c, unsigned int index, const struct rte_ether_addr *mac)
{
	if (index < c->neighs->dad->n && c->neighs->dad->addr[index].probing && conflict_begins(c, index))
		tell(c, route_own(c->conf.routes, index), mac, "is also wanted by");
}
