/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A control thread without a thread: the test calls its parts itself and says what time it is. The network is that of
 * tests/vectors/README.md, without static neighbours; ports are structs only, so what is sent stays in the ring back, where the test
 * finds it. No link-local address but port 0's and port 1's own.
 */
#ifndef RIG_H
#define RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control_priv.h"

#define RIG_PORTS 2u
#define RIG_BUFS  2047u
#define RIG_HEADS 2048u

struct rig {
	struct control *c;
	struct punt punt;
	struct rte_mempool *pool;
	struct skb_pool *heads;
	struct port ports[RIG_PORTS];
	struct route_table *routes;
	volatile int stop;
	char event[256]; /* the last line for people */
	unsigned int n_events;
};

extern const struct rte_ether_addr rig_mac[RIG_PORTS]; /* 02:00:00:00:00:01, :02 */

/* Starts the EAL with the program's arguments. Exits on failure. */
void rig_eal(int argc, char **argv);

/* Data buffers have room bytes for a frame. change, if not NULL, gets the conf before anything is made of it. */
struct rig *rig_open(uint32_t room, void (*change)(struct rig *rig, struct control_conf *conf));

/* Ends it: what waits gets the outcome stopped. Every buffer and every head must be home. */
void rig_close(struct rig *rig);

/* A frame as the walk punts it: of len bytes, come in by port. Counts as handed over: rig_close() asks for its outcome. */
struct skb *rig_frame(struct rig *rig, uint16_t port, const void *bytes, uint32_t len);

/* The same by way of a ring and input_drain(), info filled by the test. */
void rig_punt(struct rig *rig, enum punt_class class, struct skb *skb);

/* The next packet of the ring back, NULL if there is none. The caller's: rig_free(). */
struct skb *rig_back(struct rig *rig, enum punt_road road);
void rig_free(struct rig *rig, struct skb *skb);

/* Copies a packet to bytes[size]; returns its length. */
uint32_t rig_bytes(const struct skb *skb, void *bytes, uint32_t size);

/* So much later: everything that is due happens. In steps of at most 10 ms, as in the thread. */
void rig_advance(struct rig *rig, uint64_t ms);

uint64_t rig_outcome(const struct rig *rig, enum control_outcome outcome);

/* An address from text, of either family. */
struct ip_addr rig_addr(const char *text);

#endif
