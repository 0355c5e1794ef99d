/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How an arm with two sides is timed: a sender, which builds packets and hands their buffers over, and a receiver, which is done with
 * them: a port's descriptor ring in between, of 1024. Both are timed on their own, 8 bursts at a time and only while they
 * work, so a side that waits for the other costs nothing. On two lcores each side is one; on one lcore they take turns, with at
 * least 512 packets between a packet's two sides.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>
#include <rte_ring.h>

#include "lcores.h"
#include "skbbench.h"
#include "timing.h"

#define RING_SLOTS  1024u
#define UNIT_BURSTS 8u
#define UNIT        (UNIT_BURSTS * BURST)
#define IN_FLIGHT   512u /* on one lcore */
#define GIVE_UP     20u  /* seconds without enough to send: something is lost */

struct crossing {
	struct bed *bed;
	const struct arm *arm;
	struct rte_ring *ring;
	struct turns *sent, *received;
	uint64_t warm, end, give_up; /* TSC */
	bool cpus_shared;
	bool is_over; /* the sender has measured enough */
	int error;
};

static void
rest(const struct crossing *c)
{
	if (c->cpus_shared)
		sched_yield();
	else
		rte_pause();
}

/* One unit; 0, -EAGAIN (the pools are empty just now: what was sent counts nothing) or -errno. */
static int
unit_send(struct crossing *c)
{
	const uint64_t before = timer_read();
	void *objs[BURST];

	for (uint32_t i = 0; i < UNIT_BURSTS; i++) {
		const int ret = c->arm->send(c->bed, c->arm, objs);

		if (unlikely(ret < 0))
			return ret;
		/* the only producer has seen the room */
		rte_ring_sp_enqueue_bulk(c->ring, objs, BURST, NULL);
	}
	if (before >= c->warm)
		turns_add(c->sent, timer_read() - before);
	return 0;
}

static void
unit_receive(struct crossing *c)
{
	const uint64_t before = timer_read();
	void *objs[BURST];

	for (uint32_t i = 0; i < UNIT_BURSTS; i++) {
		rte_ring_sc_dequeue_bulk(c->ring, objs, BURST, NULL);
		c->arm->receive(c->bed, c->arm, objs);
	}
	if (before >= c->warm)
		turns_add(c->received, timer_read() - before);
}

static int
receiver_main(void *arg)
{
	struct crossing *c = arg;

	while (!__atomic_load_n(&c->is_over, __ATOMIC_RELAXED)) {
		if (rte_ring_count(c->ring) >= UNIT)
			unit_receive(c);
		else
			rest(c);
	}
	return 0;
}

/* The receiver has then received about as much as was sent. */
static bool
goes_on(struct crossing *c)
{
	const uint64_t now = rte_rdtsc();
	const bool is_short = c->sent->n < 2 * TURNS_MIN;

	if (is_short && now >= c->give_up)
		c->error = -ETIMEDOUT;
	return c->error == 0 && (is_short || now < c->end);
}

/* The main lcore's side, and with one lcore both. */
static void
sender_main(struct crossing *c)
{
	const bool alone = c->arm->n_lcores == 1;

	while (goes_on(c)) {
		int ret = -EAGAIN;

		if (rte_ring_free_count(c->ring) >= UNIT)
			ret = unit_send(c);
		if (alone && rte_ring_count(c->ring) >= IN_FLIGHT + UNIT)
			unit_receive(c);
		if (!alone && ret == -EAGAIN)
			rest(c);
		else if (ret != -EAGAIN)
			c->error = ret;
	}
	__atomic_store_n(&c->is_over, true, __ATOMIC_RELAXED);
}

static int
both_run(struct crossing *c)
{
	const unsigned int worker = rte_get_next_lcore(rte_lcore_id(), 1, 0);

	if (c->arm->n_lcores > 1 && rte_eal_remote_launch(receiver_main, c, worker) < 0)
		return -EBUSY;
	sender_main(c);
	if (c->arm->n_lcores > 1)
		rte_eal_wait_lcore(worker);
	return c->error;
}

/* What is still under way is received here and not timed. */
static void
drain(struct crossing *c)
{
	void *objs[BURST];

	while (rte_ring_sc_dequeue_bulk(c->ring, objs, BURST, NULL) > 0)
		c->arm->receive(c->bed, c->arm, objs);
	rte_ring_free(c->ring);
}

int
sides_run(struct bed *bed, const struct arm *arm, double *values)
{
	static struct turns sent, received;
	const uint64_t now = rte_rdtsc();
	struct crossing c = {.bed = bed,
		.arm = arm,
		.sent = &sent,
		.received = &received,
		.warm = now + bed->window / 2,
		.end = now + bed->window + bed->window / 2,
		.give_up = now + GIVE_UP * rte_get_tsc_hz(),
		.cpus_shared = lcores_share_cpus()};
	int ret;

	c.ring = rte_ring_create("skbbench", RING_SLOTS, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	if (!c.ring)
		return -ENOMEM;
	sent.n = received.n = 0;
	ret = both_run(&c);
	drain(&c);
	values[0] = turns_mean(&sent) / UNIT;
	values[1] = turns_mean(&received) / UNIT;
	return ret;
}
