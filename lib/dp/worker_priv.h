/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker as the stages of the walk see it, and the stages themselves, in their order. */
#ifndef WORKER_PRIV_H
#define WORKER_PRIV_H

#include "bucket.h"
#include "burst.h"
#include "eth.h"
#include "skb_owner.h"

/* In mbuf->port of a copy for a mirror port. Drivers write that field at RX and read it never. */
#define MIRROR_MARK (UINT16_MAX - 1u)

/* Where a worker puts what leaves by a port. */
struct worker_tx {
	struct rte_ring *handoff; /* to the port's owner; NULL: we send ourselves */
	uint16_t queue;
	bool ours;      /* we have a TX queue there */
	bool linear;    /* the device takes packets of one segment only */
	bool exclusive; /* it takes buffers only that nobody else sees */
	bool fragments; /* it may be given several pieces of one buffer */
	bool fast_free; /* it gives buffers back without looking at them; for a debug build's check */
};

/* What leaves by one port in this turn, when the burst has more than one way out. */
struct worker_out {
	uint16_t n;
	struct rte_mbuf *mbuf[BURST_MAX];
};

/* One RX queue to poll, and the port's own MAC address cut up as the words of a frame are (host order). */
struct worker_rxq {
	uint16_t port, queue;
	uint16_t mac_first2, mac_last2; /* bytes 0..1, 4..5 */
	uint32_t mac_first4, mac_last4; /* bytes 0..3, 2..5 */
	struct rte_ether_addr mac;
	uint16_t mirror_rx;        /* copies of all that comes in leave by this port; or MIRROR_NONE */
	uint32_t frame_max;        /* bytes of the largest frame, with a tag */
	struct skb_owner *charged; /* owner, or NULL when nobody is charged */
	struct skb_owner owner;    /* of what came in here */
};

/* A port for what the control thread gives back: as if that had come in by it, or to be sent by it as it is. */
struct worker_back {
	struct worker_rxq in;
	struct adjacency out; /* of which only the port is valid */
};

struct worker {
	/* read-only while it runs */
	const struct dp_conf *conf;
	enum build_mode build;
	enum complete_mode complete;
	bool mirrors; /* some port is mirrored */
	uint16_t index, lcore;
	uint16_t burst;
	uint16_t n_rxq, n_owned;
	struct worker_rxq *rxq; /* [n_rxq] */
	uint16_t *owned;        /* ports whose hand-off ring we empty: [n_owned] */
	struct worker_tx *tx;   /* [conf->n_ports] */
	struct worker_back
		*back; /* [conf->n_ports]; NULL: what the control thread gives back is another worker's */
	/* written every turn */
	alignas(RTE_CACHE_LINE_SIZE) struct skb_cpu cpu;
	struct worker_stats stats;
	struct worker_port *port; /* [conf->n_ports] */
	struct worker_out *out;   /* [conf->n_ports]; n is 0 between turns */
	struct bucket errors;     /* of ICMP errors that may be caused */
	uint32_t idle_turns;
	uint32_t refused_turns; /* one owner or another had no room */
	bool refused;           /* in this turn */
};

/* rx.c: takes a burst off the queue; returns its size. */
uint32_t burst_rx(struct worker *w, const struct worker_rxq *rxq, struct burst *b);

/* build.c: charges the queue's owner, drops what it has no room for (owner_limit), gives every packet its head, unless the mode
 * is lazy. Without heads the burst is dropped (no_head), n is 0. */
void burst_build(struct worker *w, const struct worker_rxq *rxq, struct burst *b);

/* build.c: gives a lazy burst heads after all. 0, or -ENOMEM: it was dropped (no_head), n is 0. */
int burst_build_lazy(struct worker *w, struct burst *b);

/* mirror.c: sends copies of all packets of a mirrored port, as they came in. What is left to the walk is private. */
void burst_mirror_rx(struct worker *w, const struct worker_rxq *rxq, struct burst *b);

/* mirror.c: sends copies of the packets that are about to leave by mirrored ports. */
void burst_mirror_tx(struct worker *w, struct burst *b);

/* parse.c: copies header words into columns and sorts the packets into runs. Judges nothing. */
void burst_parse(struct worker *w, struct burst *b);

/* check.c: the frame and the IP header, by the rules; fills l3len and, if anything is bad, verdict. */
void burst_check(const struct worker_rxq *rxq, struct burst *b);

/* lookup.c: destination to adjacency, and what the adjacency says. */
void burst_lookup(const struct worker *w, struct burst *b);

/* fit.c: makes of rearranged packets what the device they leave by can send. */
void burst_fit(struct worker *w, struct burst *b);

/* fit.c: whether all of a packet is in data buffers of its own, neither shared nor indirect. */
bool mbufs_are_own(const struct rte_mbuf *mbuf);

/* fit.c: makes *skb a packet in data buffers of its own, by copying if need be. 0, or as skb_copy(): *skb is as before. */
int worker_own(struct worker *w, struct skb **skb);

/* fragment.c: cuts the IPv4 packets that are larger than their MTU and may be cut. Only if judged. */
void burst_fragment(struct worker *w, struct burst *b);

/* gate.c: the only place where the burst is split and verdicts are counted; afterwards only packets to forward are left. */
void burst_gate(struct worker *w, struct burst *b);

/* rewrite.c: MAC addresses, TTL and checksum, length. Cannot fail. */
void burst_rewrite(struct worker *w, struct burst *b);

/* tx.c: gives the heads back and the packets to their ports. */
void burst_tx(struct worker *w, struct burst *b);

/* tx.c: sends mbufs[n] by port, from wherever they come; counts and frees what the port does not take. */
void worker_send(struct worker *w, uint16_t port, struct rte_mbuf **mbufs, uint32_t n);

/* tx.c: gives drivers a chance to free what they have sent, on an idle worker. */
void worker_reclaim(struct worker *w);

/* pools.c: gives up what this lcore holds of a pool in which another one starves. */
void worker_poll_pools(struct worker *w);

/* pools.c: gives up all it holds of every pool, for it stops. */
void worker_leave_pools(struct worker *w);

/* punt.c: hands packet i to the control thread, under its verdict. */
void burst_punt(struct worker *w, struct burst *b, uint32_t i);

/* punt.c: drops packet i, and hands it to the control thread so that its sender is told. false: nobody shall be told, it is still the
 * caller's to drop. */
bool burst_tell(struct worker *w, struct burst *b, uint32_t i);

/* walk.c: all stages from parse on, of a burst that came in by rxq. */
void burst_walk(struct worker *w, const struct worker_rxq *rxq, struct burst *b);

/* back.c: walks or sends a burst of what the control thread has given back. Returns its size. Only where back is not NULL. */
uint32_t worker_take_back(struct worker *w);

/* ecmp.c: the adjacency id that the flow of a packet (len bytes from the IP header on, at l3) takes in group. */
uint32_t ecmp_select(const struct nexthop_group *group, uint32_t seed, const uint8_t *l3, uint32_t len);

#endif
