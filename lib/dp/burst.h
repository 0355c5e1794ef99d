/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A burst: up to BURST_MAX packets on their way through the walk, as columns (a struct of
 * arrays), so that a rule is one loop that the compiler can vectorise.
 *
 *   column   written by            read by                  valid
 *   mbuf     rx, split, gate       all                      from rx on
 *   skb      build, split, gate    punt, gate, tx           from build on, if has_heads
 *   data,len parse                 all after it             from parse on
 *   mac,type parse                 check                    until the gate
 *   w        parse                 check, lookup            until the gate; rows 0..4 of an
 *                                                           IPv4 packet, 0..9 of an IPv6 one
 *   l3len    check                 lookup, gate, rewrite, tx  from check on
 *   bad      check                 check                    until the gate
 *   verdict  check, lookup         gate                     until the gate; only if judged
 *   id       lookup                lookup                   until the gate
 *   adj      lookup, gate          rewrite, tx              from lookup on, where forwarded
 *
 * Packets stand in runs: [0, n4) IPv4, [n4, n4 + n6) IPv6, the rest neither.
 * Words (mac, w, type) are in memory order. The burst lives on the worker's stack.
 */
#ifndef BURST_H
#define BURST_H

#include <stdbool.h>
#include <stdint.h>

#include "worker.h"

#define BURST_WORDS 10u /* 32-bit words of an IPv6 header */

struct burst {
	uint32_t n, n4, n6;
	uint16_t port;  /* that it came in by */
	bool has_heads; /* skb[] is valid */
	bool judged;    /* verdict[] is valid, some may be other than forward */
	bool trim;      /* some frame is longer than its packet */

	struct rte_mbuf *mbuf[BURST_MAX];
	struct skb *skb[BURST_MAX];
	uint8_t *data[BURST_MAX];
	const struct adjacency *adj[BURST_MAX];
	uint64_t id[BURST_MAX];
	uint32_t len[BURST_MAX];   /* bytes of the frame */
	uint32_t l3len[BURST_MAX]; /* bytes of the IP packet */
	uint32_t mac[3][BURST_MAX];
	uint32_t type[BURST_MAX];
	uint32_t w[BURST_WORDS][BURST_MAX];
	uint32_t bad[BURST_MAX];
	uint8_t verdict[BURST_MAX]; /* enum verdict */
};

#endif
