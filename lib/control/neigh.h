/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The neighbours of our ports and what is known of them: IPv4 by ARP (RFC 826), IPv6 by neighbour discovery (RFC 4861), one set of
 * states for both. It knows neither frames nor routes nor clocks: time comes in, and what shall happen goes out by struct neigh_ops.
 *
 *              neigh_hold()                          nobody has answered 3 times (held packets are given up):
 *      (none) --------------> INCOMPLETE ----------> gone, or FAILED if pinned: asked once a second from then on
 *        |                     |      |
 *        | asked us            | told | answered             after 0.5..1.5 times reachable_ms
 *        |                     v      v                     +-----------------+
 *        +-----------------> STALE   REACHABLE -------------|----> PROBE: asked itself, 3 times
 *                              |        ^                   |        |  |
 *                              +--------|-- after 5 s ------+        |  +--> no answer: unknown. Gone, or INCOMPLETE if pinned
 *                                       +------ answered ------------+
 *
 * That differs from RFC 4861 7.3.2 in one point: there, a STALE or REACHABLE neighbour is not probed before a packet goes to it. The
 * walk cannot tell that, because it writes to no line that two threads share; so every known neighbour is asked
 * again when its time is up, and one that has gone is forgotten whether somebody wants to reach it or not.
 *
 * Limits, all of them of memory that is allocated when the table is made:
 *   dynamic <= NEIGH_DYNAMIC_MAX            of which INCOMPLETE <= NEIGH_INCOMPLETE_MAX: whoever scans a subnet pushes nobody out
 *   told <= NEIGH_TOLD_MAX                  by somebody who asked us and has never answered: nor does whoever invents senders
 *   held <= NEIGH_HELD_MAX per neighbour    the oldest is replaced (RFC 4861 7.2.2)
 *   held <= hold_max in all                 another one is refused
 * So is the number of questions a second: each neighbour is asked at most once a second, and only these are asked:
 *   INCOMPLETE 512 + pinned + told 512 * 3 / 8 s + known * 1 / reachable_ms (* 3 of those that have gone)
 *
 * Pinned neighbours (gateways) are never deleted and are asked for as long as they are unknown. Static ones are never asked, and
 * nobody changes them. Neither counts as dynamic.
 *
 * One thread at a time. The ops must not call back into the table.
 */
#ifndef NEIGH_H
#define NEIGH_H

#include <stdbool.h>
#include <stdint.h>

#include "control.h"

#define NEIGH_DYNAMIC_MAX    4096u
#define NEIGH_INCOMPLETE_MAX 512u
#define NEIGH_TOLD_MAX       512u
#define NEIGH_HELD_MAX       8u

/* RFC 4861 10 */
#define NEIGH_ASK_MAX      3u            /* MAX_MULTICAST_SOLICIT, MAX_UNICAST_SOLICIT */
#define NEIGH_RETRANS_NS   1000000000ull /* RETRANS_TIMER */
#define NEIGH_DELAY_NS     5000000000ull /* DELAY_FIRST_PROBE_TIME */
#define NEIGH_REACHABLE_MS 30000u        /* REACHABLE_TIME */

/* One neighbour. Whoever is given one by the table reads it, until he calls the table again. */
struct neigh {
	struct ip_addr addr;
	uint8_t state; /* enum neigh_state */
	uint16_t port;
	struct rte_ether_addr mac; /* 0 while it is not known */
	bool used;
	bool pinned;
	bool confirmed; /* it has answered us at some time */
	bool routed;    /* for the ops' owner; false in a new one */
	uint8_t n_asked;
	uint8_t n_held;
	uint32_t next;    /* in its bucket, or free */
	struct skb *held; /* oldest first, by skb->next */
	struct skb *newest;
};

/* What becomes of a packet that was held. */
enum neigh_fate {
	NEIGH_READY,    /* mac is known */
	NEIGH_GIVEN_UP, /* nobody answered */
	NEIGH_REPLACED, /* newer ones need its place */
	NEIGH_LINK_DOWN,
	NEIGH_STOPPED, /* the table is destroyed */
};

struct neigh_ops {
	/* Asks on n->port who has n->addr: its owner at n->mac, or everybody. */
	void (*solicit)(void *arg, const struct neigh *n, bool unicast);
	/* n->mac has become known, or is another one. */
	void (*known)(void *arg, struct neigh *n);
	/* n->mac, still there, is not valid any more. */
	void (*unknown)(void *arg, struct neigh *n);
	/* Takes a packet that was held for n. */
	void (*release)(void *arg, const struct neigh *n, struct skb *skb, enum neigh_fate fate);
};

struct neigh_conf {
	uint32_t n_fixed;      /* static and pinned neighbours, at most */
	uint32_t hold_max;     /* packets */
	uint32_t reachable_ms; /* 0: NEIGH_REACHABLE_MS */
	uint64_t seed;         /* of hashes and times; something that nobody can guess */
	const struct neigh_ops *ops;
	void *arg;
};

struct neigh_table;

/* Makes a table without neighbours; links count as up. Returns 0 and *table, or -ENOMEM. */
int neigh_table_create(const struct neigh_conf *conf, struct neigh_table **table);

/* Ends it: what is held is released (NEIGH_STOPPED), nobody becomes unknown. NULL is allowed. */
void neigh_table_destroy(struct neigh_table *table);

/* A neighbour whose MAC address does not change; known() is not called for it. Returns 0, -EEXIST, -ENOSPC (more than n_fixed). */
int neigh_add_static(struct neigh_table *table, const struct control_neigh *neigh);

/* A neighbour to be known always: asked for from the next neigh_link(up) on. A static one stays as it is. Returns 0, -ENOSPC. */
int neigh_pin(struct neigh_table *table, uint16_t port, const struct ip_addr *addr);

/* NULL: there is none. */
struct neigh *neigh_find(const struct neigh_table *table, uint16_t port, const struct ip_addr *addr);

enum neigh_held {
	NEIGH_HELD,    /* the table has the packet */
	NEIGH_KNOWN,   /* no need to: *n is known. The packet is the caller's, in all that follow too */
	NEIGH_FULL,    /* one of the limits */
	NEIGH_NO_LINK, /* the port's link is down: nobody could answer */
};

/* Holds skb until addr is known, which is asked for if need be. Sets *n with NEIGH_KNOWN only. */
enum neigh_held neigh_hold(struct neigh_table *table, uint16_t port, const struct ip_addr *addr,
	struct skb *skb, uint64_t now_ns, struct neigh **n);

/* What somebody said about a neighbour. */
struct neigh_claim {
	const struct rte_ether_addr *mac; /* NULL: he did not say */
	bool solicited;                   /* in answer to our question: so the way to it and back works */
	bool override;                    /* it replaces a MAC address that is known */
	bool create;                      /* he asks us, so we shall want to answer */
};

/* Takes a claim by the rules of RFC 4861 7.2.3 (create) and 7.2.5. Returns whether it said anything about a neighbour that is not
 * static; false: it was ignored. */
bool neigh_learn(struct neigh_table *table, uint16_t port, const struct ip_addr *addr,
	const struct neigh_claim *claim, uint64_t now_ns);

/* Does what is due. */
void neigh_tick(struct neigh_table *table, uint64_t now_ns);

/* Down: the dynamic neighbours of port are forgotten, its pinned ones unknown, what they held is released. Up: pinned ones are asked. */
void neigh_link(struct neigh_table *table, uint16_t port, bool up, uint64_t now_ns);

/* How many there are, and how many packets they hold. */
uint32_t neigh_n(const struct neigh_table *table);
uint32_t neigh_n_held(const struct neigh_table *table);

/* Copies at most n to views[n]; returns how many there are. */
uint32_t neigh_dump(const struct neigh_table *table, struct control_neigh_view *views, uint32_t n);

#endif
