/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets that are used at random, each with its model, and what must be true of all of them together: they are what
 * their models say, owners are charged for what they own, a verb that failed had a reason and changed nothing.
 */
#ifndef SKB_HERD_H
#define SKB_HERD_H

#include "model.h"
#include "snapshot.h"
#include "world.h"

#define HERD_SLOTS    24u
#define HERD_CHILDREN 3u
#define HERD_OWNERS   3u

struct packet {
	struct skb *skb;
	uint32_t n_users;        /* slots that hold it */
	struct skb_owner *owner; /* NULL = nobody */
	uint32_t n_children;
	struct packet *children[HERD_CHILDREN]; /* its segment list */
	uint64_t counted;                       /* the last count that it was in */
	struct model model;
};

/* What became of the calls of one verb. */
struct tally {
	uint64_t n_good, n_no_memory, n_too_long, n_invalid;
};

struct herd {
	struct world world;
	uint32_t n;
	struct packet *slot[HERD_SLOTS];
	struct skb_owner owners[HERD_OWNERS];
	uint64_t n_counts;
	uint32_t n_counted; /* packets, by the last one */
	uint64_t random;
	struct tally *tally; /* of the verb that runs */
	struct snapshot before;
	uint64_t n_faults; /* injected until then */
};

void herd_open(struct herd *h, const struct world_conf *conf, uint64_t seed);

/* Gives up what is left; all must be home then, and no owner charged. */
void herd_close(struct herd *h);

/* A new packet in a slot of its own, which there must be. Its model is the caller's to fill, or a copy of like's. */
struct packet *herd_add(struct herd *h, struct skb *skb, const struct packet *like);

/* Takes slot i away; what was in it is not changed. */
struct packet *herd_take(struct herd *h, uint32_t i);

/* One user of the packet less; the last one's end is the model's and its children's. */
void packet_forget(struct packet *p);

/* Before a verb on p (NULL = none). */
void herd_begin(struct herd *h, const struct packet *p);

/*
 * After it: returns whether it was successful. If not, checks that it changed nothing and had a reason: it takes so many
 * heads, a data buffer for each segment and one more at most; or it makes a segment of size bytes at most.
 */
bool herd_end(struct herd *h, int ret, uint32_t heads, uint32_t size);

/* p and its children are what they should be. */
void packet_assert(struct packet *p);

/* So are all, and owners are charged for what they own. */
void herd_assert(struct herd *h);

/* 0 .. limit - 1 */
uint32_t herd_random(struct herd *h, uint32_t limit);

/* 0 .. max, the ends more often than the rest. */
uint32_t herd_amount(struct herd *h, uint32_t max);

/* Random bytes, at least n of them, until the next call. */
const uint8_t *herd_bytes(struct herd *h, uint32_t n);

#endif
