/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the table of neighbours and all that it is for.
 *
 *   PUNT_NEIGH --> neighs_hold() ----> table --release--> ready  --neighs_tick()--> the walk
 *   neighs_output() ----------------->   |   --release--> failed --------------> error_send()
 *   ARP, ND, timers, links ---------->   +----known, unknown---> routes
 *
 * What the table releases is put on a list first, and goes on when all that came in one wake-up has been handled: then the routes are
 * published once, however many neighbours have become known, and packets that are walked again find them. It is also what
 * keeps the table from being called back, since an ICMP error may be sent to a neighbour itself.
 *
 * A held packet is one of two kinds, by the road it will take: PUNT_WALK, as it was punted; it counts as held, and what becomes of it
 * is its outcome. PUNT_SEND, made here, without its Ethernet header; that it is held is not counted, for its outcome is.
 *
 * Link-local neighbours are not in the routes, since the walk forwards nothing to them; but those that are gateways.
 */
#include "resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <rte_cycles.h>

#include "eth.h"
#include "ip4.h"
#include "ip6.h"
#include "prefix.h"
#include "skb_share.h"

/* ---- lists ---- */

static void
list_add(struct skb_list *list, struct skb *skb)
{
	skb->next = NULL;
	if (list->first == NULL)
		list->first = skb;
	else
		list->last->next = skb;
	list->last = skb;
}

static struct skb *
list_take(struct skb_list *list)
{
	struct skb *skb = list->first;

	list->first = skb->next;
	return skb;
}

static bool
is_walked(struct skb *skb)
{
	return punt_info(skb)->road == PUNT_WALK;
}

/* It waits no longer. The caller sees to its outcome. */
static void
held_end(struct control *c)
{
	control_add(&c->counts.held, -1);
}

static void
held_finish(struct control *c, struct skb *skb, enum control_outcome outcome)
{
	if (!is_walked(skb)) {
		skb_consume(&c->cpu, skb);
		return;
	}
	held_end(c);
	control_finish(c, skb, outcome);
}

/* ---- what the table wants ---- */

static void
on_solicit(void *arg, const struct neigh *n, bool unicast)
{
	const struct rte_ether_addr *mac = unicast ? &n->mac : NULL;

	if (n->addr.family == AF_INET)
		arp_ask(arg, n->port, &n->addr, mac);
	else
		nd_ask(arg, n->port, &n->addr, mac);
}

static void
on_known(void *arg, struct neigh *n)
{
	struct control *c = arg;

	if (addr_is_link_local(&n->addr) && !n->pinned)
		return;
	n->routed = route_neigh_add(c->conf.routes, n->port, &n->addr, &n->mac) == 0;
	c->routes_changed |= n->routed;
}

static void
on_unknown(void *arg, struct neigh *n)
{
	struct control *c = arg;

	if (!n->routed)
		return;
	route_neigh_del(c->conf.routes, n->port, &n->addr);
	n->routed = false;
	c->routes_changed = true;
}

static void
header_push(struct control *c, struct skb *skb, uint16_t port, const struct rte_ether_addr *mac)
{
	struct rte_ether_hdr *eth = skb_push(skb, ETH_HLEN);

	eth->dst_addr = *mac;
	eth->src_addr = c->conf.ports[port].mac;
	eth->ether_type = htobe16(RTE_ETHER_TYPE_IPV6);
	skb->port = port;
}

static void
on_ready(struct control *c, const struct neigh *n, struct skb *skb)
{
	if (!is_walked(skb)) {
		header_push(c, skb, n->port, &n->mac);
		list_add(&c->neighs->ready, skb);
		return;
	}
	/* the routes have no room for it: the walk would only punt it again */
	if (n->state != NEIGH_STATIC && !n->routed)
		held_finish(c, skb, CONTROL_no_memory);
	else
		list_add(&c->neighs->ready, skb);
}

static void
on_release(void *arg, const struct neigh *n, struct skb *skb, enum neigh_fate fate)
{
	struct control *c = arg;

	switch (fate) {
	case NEIGH_READY: on_ready(c, n, skb); break;
	case NEIGH_GIVEN_UP: list_add(&c->neighs->failed, skb); break;
	case NEIGH_REPLACED: held_finish(c, skb, CONTROL_neigh_replaced); break;
	case NEIGH_LINK_DOWN:
		/* the walk has the words for it */
		if (is_walked(skb))
			list_add(&c->neighs->ready, skb);
		else
			skb_consume(&c->cpu, skb);
		break;
	case NEIGH_STOPPED: held_finish(c, skb, CONTROL_stopped); break;
	}
}

static const struct neigh_ops neigh_ops = {
	.solicit = on_solicit, .known = on_known, .unknown = on_unknown, .release = on_release};

/* ---- the table, locked ---- */

static struct neigh_table *
table_enter(struct control *c)
{
	pthread_mutex_lock(&c->neighs->lock);
	return c->neighs->table;
}

static void
table_leave(struct control *c)
{
	__atomic_store_n(&c->counts.neighs, neigh_n(c->neighs->table), __ATOMIC_RELAXED);
	pthread_mutex_unlock(&c->neighs->lock);
}

bool
neighs_learn(struct control *c, uint16_t port, const struct ip_addr *addr, const struct neigh_claim *claim)
{
	const bool heard = neigh_learn(table_enter(c), port, addr, claim, c->now_ns);

	table_leave(c);
	return heard;
}

static void
fixed_add(struct control *c)
{
	struct route_gateway gateway;
	uint16_t at = 0;

	for (unsigned int i = 0; i < c->conf.n_statics; i++)
		neigh_add_static(c->neighs->table, &c->conf.statics[i]);
	while (route_gateway_next(c->conf.routes, &at, &gateway))
		neigh_pin(c->neighs->table, gateway.port, &gateway.addr);
}

static uint32_t
fixed_count(const struct control *c)
{
	struct route_gateway gateway;
	uint32_t n = c->conf.n_statics;
	uint16_t at = 0;

	while (route_gateway_next(c->conf.routes, &at, &gateway))
		n++;
	return n;
}

int
neighs_create(struct control *c)
{
	const struct neigh_conf conf = {.n_fixed = fixed_count(c),
		.hold_max = c->conf.hold_max,
		.reachable_ms = c->conf.reachable_ms,
		.seed = rte_rdtsc() * 0x9e3779b97f4a7c15ull,
		.ops = &neigh_ops,
		.arg = c};
	struct neighs *made = calloc(1, sizeof(*made));

	if (made == NULL)
		return -ENOMEM;
	c->neighs = made;
	pthread_mutex_init(&made->lock, NULL);
	if (neigh_table_create(&conf, &made->table) != 0 || dad_create(c) != 0) {
		neighs_destroy(c);
		return -ENOMEM;
	}
	fixed_add(c);
	c->counts.neighs = neigh_n(made->table);
	return 0;
}

void
neighs_destroy(struct control *c)
{
	struct neighs *neighs = c->neighs;

	if (neighs == NULL)
		return;
	neigh_table_destroy(neighs->table);
	while (neighs->ready.first != NULL)
		held_finish(c, list_take(&neighs->ready), CONTROL_stopped);
	while (neighs->failed.first != NULL)
		held_finish(c, list_take(&neighs->failed), CONTROL_stopped);
	dad_destroy(c);
	pthread_mutex_destroy(&neighs->lock);
	free(neighs);
	c->neighs = NULL;
	control_add(&c->counts.neighs, -c->counts.neighs);
}

unsigned int
control_neighs(struct control *control, struct control_neigh_view *views, unsigned int n)
{
	unsigned int n_all;

	pthread_mutex_lock(&control->neighs->lock);
	n_all = neigh_dump(control->neighs->table, views, n);
	pthread_mutex_unlock(&control->neighs->lock);
	return n_all;
}

/* ---- packets ---- */

/* Whether packets that were punted for it will find it now: the routes may have had no room for it before. */
static bool
is_routed(struct control *c, struct neigh *n)
{
	if (n->state != NEIGH_STATIC && !n->routed)
		on_known(c, n);
	return n->state == NEIGH_STATIC || n->routed;
}

void
neighs_hold(struct control *c, struct skb *skb)
{
	const struct punt_info *info = punt_info(skb);
	struct ip_addr addr = {.family = skb->protocol == RTE_ETHER_TYPE_IPV6 ? AF_INET6 : AF_INET};
	struct neigh *n;

	memcpy(addr.bytes, info->addr, ip_family_bits(addr.family) / 8);
	punt_info(skb)->road = PUNT_WALK;
	skb_orphan(&c->cpu, skb);
	control_add(&c->counts.held, 1);
	switch (neigh_hold(table_enter(c), info->egress, &addr, skb, c->now_ns, &n)) {
	case NEIGH_HELD: break;
	case NEIGH_KNOWN: /* since it was punted */
		if (is_routed(c, n))
			list_add(&c->neighs->ready, skb);
		else
			held_finish(c, skb, CONTROL_no_memory);
		break;
	case NEIGH_FULL: held_finish(c, skb, CONTROL_neigh_full); break;
	case NEIGH_NO_LINK: list_add(&c->neighs->failed, skb); break;
	}
	table_leave(c);
}

/* A packet of our own was refused. */
static void
own_refused(struct control *c, struct skb *skb, enum control_outcome sent, enum control_outcome why)
{
	skb_consume(&c->cpu, skb);
	if (sent != CONTROL_N_OUTCOMES)
		control_outcome(c, why);
}

void
neighs_output(struct control *c, struct skb *skb, uint16_t port, const struct ip_addr *addr,
	enum control_outcome sent)
{
	struct rte_ether_addr mac;
	enum neigh_held held;
	struct neigh *n;

	if (skb_cow(&c->cpu, skb, ETH_HLEN) != 0) {
		own_refused(c, skb, sent, CONTROL_no_memory);
		return;
	}
	punt_info(skb)->road = PUNT_SEND;
	held = neigh_hold(table_enter(c), port, addr, skb, c->now_ns, &n);
	if (held == NEIGH_KNOWN)
		mac = n->mac;
	table_leave(c);
	switch (held) {
	case NEIGH_HELD:
		if (sent != CONTROL_N_OUTCOMES)
			control_outcome(c, sent);
		break;
	case NEIGH_KNOWN:
		header_push(c, skb, port, &mac);
		output_frame(c, skb, port, sent);
		break;
	case NEIGH_FULL: own_refused(c, skb, sent, CONTROL_neigh_full); break;
	case NEIGH_NO_LINK: own_refused(c, skb, sent, CONTROL_neigh_failed); break;
	}
}

static struct ip_addr
destination(const struct skb *skb)
{
	struct ip_addr addr = {.family = AF_INET};

	if (skb->protocol == RTE_ETHER_TYPE_IPV6) {
		addr.family = AF_INET6;
		memcpy(addr.bytes, skb_network_header(skb) + IP6_DST, IP6_ALEN);
	} else {
		memcpy(addr.bytes, skb_network_header(skb) + IP4_DST, IP4_ALEN);
	}
	return addr;
}

/* Whether the walk would punt it for the same neighbour once more, and so on for ever: the neighbour is known, but the routes lead to its
 * link as a whole, for its host route is another port's (route.h), or was not published for want of memory. */
static bool
comes_back(const struct control *c, struct skb *skb)
{
	const struct ip_addr to = destination(skb);
	const uint64_t id = output_nexthop(c, &to);
	const struct adjacency *next = &route_adjacencies(c->conf.routes)[id & ~(uint64_t)NEXTHOP_GROUP];
	static const uint8_t none[sizeof(next->addr)];

	return (id & NEXTHOP_GROUP) == 0 && next->kind == NEXTHOP_UNRESOLVED &&
	       next->port == punt_info(skb)->egress && memcmp(next->addr, none, sizeof(none)) == 0;
}

static void
failed_tell(struct control *c, struct skb *skb)
{
	if (!is_walked(skb)) {
		skb_consume(&c->cpu, skb);
		return;
	}
	held_end(c);
	error_send(c, skb, ICMP_ERROR_HOST, 0, CONTROL_neigh_failed);
}

static void
ready_send(struct control *c, struct skb *skb, bool published)
{
	if (is_walked(skb) && published && comes_back(c, skb)) {
		failed_tell(c, skb);
		return;
	}
	if (!is_walked(skb)) {
		output_frame(c, skb, skb->port, CONTROL_N_OUTCOMES);
		return;
	}
	held_end(c);
	if (published)
		output_rewalk(c, skb, CONTROL_neigh_sent);
	else
		control_finish(c, skb, CONTROL_no_memory);
}

/* Without memory for new tables workers do not know the neighbour: the packet would be here again at once. */
static bool
routes_publish(struct control *c)
{
	if (c->routes_changed && route_publish(c->conf.routes) != 0)
		return false;
	c->routes_changed = false;
	return true;
}

static void
lists_flush(struct control *c)
{
	struct skb_list ready = c->neighs->ready, failed = c->neighs->failed;
	bool published;

	c->neighs->ready = c->neighs->failed = (struct skb_list){0};
	if (ready.first != NULL) {
		published = routes_publish(c);
		while (ready.first != NULL)
			ready_send(c, list_take(&ready), published);
	}
	while (failed.first != NULL)
		failed_tell(c, list_take(&failed));
}

void
neighs_tick(struct control *c)
{
	neigh_tick(table_enter(c), c->now_ns);
	table_leave(c);
	dad_tick(c);
	lists_flush(c);
}

void
neighs_link(struct control *c, uint16_t port, bool up)
{
	neigh_link(table_enter(c), port, up, c->now_ns);
	table_leave(c);
	dad_link(c, port, up);
}
