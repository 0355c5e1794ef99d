/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control thread: everything that is not a packet's fast way. It follows the links, finds out neighbours' MAC
 * addresses, answers what is addressed to us, tells senders what became of their packets, sees to the size of idle pools'
 * magazines, and calls back once a second for statistics.
 *
 *   punt.ring[HOST]  -->  ARP, neighbour discovery, ICMP echo, fragments    --+
 *   punt.ring[NEIGH] -->  held until the next hop's MAC address is known    --+--> punt.back --> worker 0
 *   punt.ring[ERROR] -->  ICMP errors                                       --+
 *   drivers --link--> every 100 ms, or at an interrupt --> route_port_link()
 *   *stop   --> looked at every 10 ms
 *
 * Every packet that it takes has one outcome. With those it holds,
 *
 *   punted + told (by the workers) == sum of outcomes + held + in the rings
 *
 * It runs on a CPU that no worker has: those the process was started with (taskset, cpuset) without the
 * lcores'. Where that leaves none it shares the main lcore's, and control_cpu_shared() tells so.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "icmp.h"
#include "port.h"
#include "punt.h"
#include "route.h"
#include "skb.h"

struct control;

/* X(name, kind, text, source): what can become of a packet here. ANSWER: something was sent because of it, or it was sent
 * itself. TAKE: it was read, and that was all. DROP: thrown away. */
/* clang-format off */
#define CONTROL_OUTCOMES(X) \
	X(arp_reply,        ANSWER, "ARP request for an own address: answered",                 "RFC 826") \
	X(arp_learned,      TAKE,   "ARP that told a neighbour's MAC address",                  "RFC 826") \
	X(arp_conflict,     TAKE,   "ARP from somebody who uses an address of ours",            "RFC 5227 2.4") \
	X(arp_malformed,    DROP,   "ARP that is not Ethernet and IPv4, or cut short",          "RFC 826") \
	X(arp_sender,       DROP,   "ARP whose sender cannot be: group MAC, or not on the subnet", "RFC 1812 3.3.2") \
	X(arp_not_ours,     DROP,   "ARP request for an address that the port does not have",   "RFC 1812 3.3.2") \
	X(arp_unknown,      DROP,   "ARP about a neighbour that nobody asked for, or a static one", "RFC 5227 4") \
	X(nd_advert,        ANSWER, "neighbour solicitation for an own address: answered",      "RFC 4861 7.2.4") \
	X(nd_learned,       TAKE,   "neighbour discovery that told a MAC address",              "RFC 4861 7.2.5") \
	X(nd_conflict,      TAKE,   "neighbour discovery from somebody who uses an address of ours", "RFC 4862 5.4") \
	X(nd_malformed,     DROP,   "neighbour discovery that is not valid",                    "RFC 4861 7.1") \
	X(nd_sender,        DROP,   "neighbour discovery with a group MAC address",             "RFC 1812 3.3.2") \
	X(nd_not_ours,      DROP,   "solicitation of an address that the port does not have",   "RFC 4861 7.2.3") \
	X(nd_unknown,       DROP,   "advertisement of a neighbour that nobody asked for, or a static one", "RFC 4861 7.2.5") \
	X(nd_ignored,       DROP,   "router discovery or redirect: a router takes none",        "RFC 4861 6.2.6, 8.2") \
	X(echo_reply,       ANSWER, "echo request: answered",                                   "RFC 792, RFC 4443 4.2") \
	X(icmp_malformed,   DROP,   "ICMP cut short",                                           "RFC 792, RFC 4443 2.1") \
	X(icmp_checksum,    DROP,   "ICMP checksum wrong",                                      "RFC 1122 3.2.2") \
	X(icmp_ignored,     DROP,   "ICMP that we have no use for",                             "RFC 1122 3.2.2") \
	X(local_malformed,  DROP,   "for us, but its headers are cut short",                    "RFC 8200 4") \
	X(local_scope,      DROP,   "for an address of another port that is valid on its link only", "RFC 4291 2.5.6") \
	X(fragment_joined,  TAKE,   "fragment for us: joined with others",                      "RFC 791 3.2") \
	X(fragment_overlap, DROP,   "fragment that overlaps another, or beyond the longest packet", "RFC 5722") \
	X(fragment_timeout, DROP,   "fragment whose datagram was never complete",               "RFC 1122 3.3.2") \
	X(fragment_full,    DROP,   "fragment for which there was no room",                     "-") \
	X(error_sent,       ANSWER, "ICMP error sent about it",                                 "RFC 1812 4.3.2, RFC 4443 2.4") \
	X(error_forbidden,  DROP,   "no ICMP error may be sent about it",                       "RFC 1812 4.3.2.7, RFC 4443 2.4 (e)") \
	X(error_limited,    DROP,   "no ICMP error: too many of them",                          "RFC 1812 4.3.2.8, RFC 4443 2.4 (f)") \
	X(neigh_sent,       ANSWER, "waited for a MAC address, then went on",                   "RFC 1122 2.3.2.2") \
	X(neigh_failed,     DROP,   "waited for a MAC address that nobody told",                "RFC 1812 3.3.2, RFC 4861 7.2.2") \
	X(neigh_replaced,   DROP,   "waited for a MAC address, and too many came after it",     "RFC 4861 7.2.2") \
	X(neigh_full,       DROP,   "too many wait for MAC addresses, or too many neighbours",  "-") \
	X(no_memory,        DROP,   "no data buffer or head was free for what it needs",        "-") \
	X(back_full,        DROP,   "the ring back to the worker was full",                     "-") \
	X(stopped,          DROP,   "Magpie was stopped first",                                 "-")
/* clang-format on */

enum control_outcome {
#define X(name, kind, text, source) CONTROL_##name,
	CONTROL_OUTCOMES(X)
#undef X
		CONTROL_N_OUTCOMES
};

enum control_kind { CONTROL_KIND_ANSWER, CONTROL_KIND_TAKE, CONTROL_KIND_DROP };

/* One row of the table. */
struct control_info {
	const char *name; /* as in statistics: neigh_failed */
	enum control_kind kind;
	const char *text;
	const char *source;
};

/* Indexed by enum control_outcome. */
extern const struct control_info control_info[CONTROL_N_OUTCOMES];

/* Written by the control thread; any thread reads single words of their moment. */
struct control_counts {
	uint64_t outcome[CONTROL_N_OUTCOMES];
	uint64_t error[ICMP_N_ERRORS]; /* ICMP errors sent, by what they say */
	uint64_t
		made; /* packets of our own: ARP and ND we asked or told unasked, errors, fragments of replies */
	uint64_t made_lost; /* of these, those for which the ring back was full */
	uint64_t unsent;    /* that the workers did not take before they stopped; 0 until control_join() */
	uint64_t held;      /* packets that wait, now: for a MAC address or for their other fragments */
	uint64_t neighs;    /* neighbours that are known or asked for, now */
};

/* A neighbour that the user has told. */
struct control_neigh {
	uint16_t port;
	struct ip_addr addr;
	struct rte_ether_addr mac;
};

struct control_conf {
	struct port *ports; /* [n_ports], indexed by ethdev id; those with n_rxq 0 are not ours */
	unsigned int n_ports;
	struct route_table *routes;
	struct skb_pool *heads;
	struct rte_mempool *data; /* where the control thread takes data buffers */
	struct punt *punt;        /* its end of the road */
	const struct control_neigh
		*statics; /* [n_statics]: never asked for, never changed; the routes know them already */
	unsigned int n_statics;
	uint32_t hold_max;          /* packets that may wait for MAC addresses, together */
	uint32_t fragment_bufs_max; /* data buffers of fragments that may wait for others, together */
	uint32_t
		reachable_ms; /* how long a neighbour counts as reachable unasked (RFC 4861: 30 s); 0 = that */
	uint32_t
		error_rate; /* ICMP errors a second about packets for us; UINT32_MAX = any. Those of the walk are limited there */
	struct magazine_pool *const *magazines; /* [n_magazines], to be looked after; some may be NULL */
	unsigned int n_magazines;
	const volatile int *stop;   /* the thread ends when it is not 0 */
	unsigned int tick_ms;       /* how often on_tick is called; 0 = never */
	void (*on_tick)(void *arg); /* on the control thread; while it runs, nothing else here does */
	void *arg;
	/* What people should know at once, one line without its end: an address conflict. On the control thread; NULL = nobody is told. */
	void (*on_event)(void *arg, const char *line);
};

/*
 * Tells the routes each link's state, then starts the thread; from then on only it may change the routes.
 * conf is copied, what it points to must stay until control_join(). The ports must be started.
 * Returns 0 and *control, or -ENOMEM, -EAGAIN (no thread to be had). Main thread.
 */
int control_start(const struct control_conf *conf, struct control **control);

/*
 * Waits for the thread to end (conf->stop must be set; it takes 10 ms or one on_tick), takes what is left in the
 * rings, both ways, gives up what it holds (outcome stopped), frees *control. After the workers have stopped, or what they punt later
 * stays in the rings; before ports are closed, for they are polled until then. *last, if not NULL, gets the counts at the very end, held
 * being 0. Main thread.
 */
void control_join(struct control *control, struct control_counts *last);

/* What became of packets so far; valid until control_join(). Any thread. */
const struct control_counts *control_counts(const struct control *control);

/* What is known of a neighbour. */
enum neigh_state { NEIGH_INCOMPLETE, NEIGH_REACHABLE, NEIGH_STALE, NEIGH_PROBE, NEIGH_FAILED, NEIGH_STATIC };

struct control_neigh_view {
	struct control_neigh neigh; /* mac: 0 in NEIGH_INCOMPLETE, NEIGH_FAILED */
	enum neigh_state state;
	uint32_t n_held; /* packets that wait for it */
};

/* Copies at most n neighbours to views[n]; returns how many there are. Takes a lock against the control thread. Any thread but a worker. */
unsigned int control_neighs(struct control *control, struct control_neigh_view *views, unsigned int n);

/* The name of a state: "reachable". */
const char *neigh_state_name(enum neigh_state state);

/* Whether every CPU the process may use belongs to an lcore, so that the control thread shares one (also if
 * that cannot be found out). After rte_eal_init(), any thread. */
bool control_cpu_shared(void);

#endif
