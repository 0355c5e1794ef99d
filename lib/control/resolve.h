/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What arp.c, nd.c and dad.c have in common, and resolve.c with them: our own addresses, the table of neighbours, frames without a
 * route. Control thread only, but for the table, which others look at.
 */
#ifndef RESOLVE_H
#define RESOLVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "control_priv.h"
#include "ip6.h"
#include "neigh.h"

static inline bool
addr_is_link_local(const struct ip_addr *addr)
{
	return addr->family == AF_INET6 && ip6_is_link_local(addr->bytes);
}

/* Packets by skb->next. */
struct skb_list {
	struct skb *first, *last;
};

struct dad;

struct neighs {
	struct neigh_table *table;
	pthread_mutex_t lock;  /* the table's; not held while packets go on */
	struct skb_list ready; /* their neighbour is known, if the walk knows it too */
	struct skb_list failed;
	struct dad *dad;             /* of each own address */
	uint8_t message[UINT16_MAX]; /* one that came in pieces */
};

/* Port's own address addr, and its index for route_own(); NULL: port does not have it. index may be NULL. */
const struct own_addr *neighs_own(
	const struct control *c, uint16_t port, const struct ip_addr *addr, unsigned int *index);

/* The own address to ask addr from on port: one of the same subnet (link-local: of the same scope), else any of its family, those of port
 * first. NULL: there is none. */
const struct own_addr *neighs_source(const struct control *c, uint16_t port, const struct ip_addr *addr);

/* Whether addr can be a host on port's link: on a subnet of port, or the routes say so, or it is link-local. */
bool neighs_onlink(const struct control *c, uint16_t port, const struct ip_addr *addr);

/* Whether mac can be a neighbour's on port: no group, not 0, not port's own. */
bool neighs_mac_ok(const struct control *c, uint16_t port, const struct rte_ether_addr *mac);

/* neigh_learn() with all that follows from it. */
bool neighs_learn(
	struct control *c, uint16_t port, const struct ip_addr *addr, const struct neigh_claim *claim);

/* Sends a frame of our own: an Ethernet header, then bytes[len]. Without memory it is not sent. */
void neighs_frame(struct control *c, uint16_t port, const struct rte_ether_addr *dst, const uint8_t *bytes,
	uint32_t len);

/* ---- arp.c, nd.c: one question or statement each ---- */

/* Asks who has addr: the owner of mac, or everybody (NULL). From an own address; where port has none, nobody is asked. */
void arp_ask(struct control *c, uint16_t port, const struct ip_addr *addr, const struct rte_ether_addr *mac);
void nd_ask(struct control *c, uint16_t port, const struct ip_addr *addr, const struct rte_ether_addr *mac);

/* Asks whether somebody else has our address (RFC 5227 2.1.1, RFC 4862 5.4.2). */
void arp_probe(struct control *c, const struct own_addr *own);
void nd_probe(struct control *c, const struct own_addr *own);

/* Tells everybody that it is ours (RFC 5227 2.3, RFC 4861 7.2.6). */
void arp_announce(struct control *c, const struct own_addr *own);
void nd_announce(struct control *c, const struct own_addr *own);

/* Tells switches that snoop which group we need to be asked in (RFC 3810 6.1, RFC 4541 3). */
void nd_join(struct control *c, const struct own_addr *own);

/* ---- dad.c ---- */

/* Returns 0, -ENOMEM. */
int dad_create(struct control *c);
void dad_destroy(struct control *c);
void dad_tick(struct control *c);

/* Own addresses of port are checked from now on, or not any more. */
void dad_link(struct control *c, uint16_t port, bool up);

/* The owner of mac uses own address index: told and defended against, each at most once in 10 s. */
void dad_conflict(struct control *c, unsigned int index, const struct rte_ether_addr *mac);

/* The owner of mac asks whether he may use it. That is a conflict while we ask so too; later it is for our answer to tell him. */
void dad_probed(struct control *c, unsigned int index, const struct rte_ether_addr *mac);

#endif
