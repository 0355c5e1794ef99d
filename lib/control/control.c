/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control thread's loop: every millisecond it empties the rings and looks at timers; every LINK_PERIOD_MS, or at once after an
 * interrupt, at the links; every second at the pools; every tick_ms it calls back. Where it shares its CPU with a worker it
 * sleeps for CONTROL_PERIOD_MS while nothing comes.
 *
 * Times are absolute on the monotonic clock, so that ticks do not drift. Work that took longer than
 * a period is not caught up with: the next deadline lies in the future. It sleeps rather than
 * polls, for it may share its CPU with a worker; and a worker does not wake it, since that would be a system call.
 *
 * The links' first state goes to the routes before the thread exists, on the caller's thread, so a worker
 * started afterwards never sends to a port that was down.
 */
#include "control.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "control_priv.h"
#include "magazine.h"

#define ADAPT_NS NS_PER_SECOND

static uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SECOND + (uint64_t)ts.tv_nsec;
}

static void
sleep_until(uint64_t ns)
{
	const struct timespec ts = {
		.tv_sec = (time_t)(ns / NS_PER_SECOND), .tv_nsec = (long)(ns % NS_PER_SECOND)};

	/* A signal may end it early: the loop is then one period ahead, which harms nothing. */
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

/* Whether *due has come; if so, moves it on by whole periods beyond now. */
static bool
deadline_passed(uint64_t *due, uint64_t now, uint64_t period_ns)
{
	if (now < *due)
		return false;
	*due += ((now - *due) / period_ns + 1) * period_ns;
	return true;
}

/* Workers do it as they exchange magazines; this is for the pools that they have left alone. */
static void
magazines_adapt(const struct control_conf *conf)
{
	for (unsigned int i = 0; i < conf->n_magazines; i++)
		if (conf->magazines[i] != NULL)
			magazine_pool_adapt(conf->magazines[i]);
}

/* Workers see the changes before they get packets that were waiting for them. Without memory they go on with what they have,
 * and it is tried again when something else has changed. */
static void
routes_publish(struct control *c)
{
	if (!c->routes_changed)
		return;
	c->routes_changed = false;
	route_publish(c->conf.routes);
}

/* Returns whether there was something to do. */
static bool
packets_handle(struct control *c)
{
	const unsigned int n = input_drain(c);

	neighs_tick(c);
	reassembly_tick(c);
	routes_publish(c);
	return n > 0;
}

/* When each was, or will be, due. */
struct deadlines {
	uint64_t wake, links, adapt, tick;
};

static void
others_handle(struct control *c, struct deadlines *due)
{
	const struct control_conf *conf = &c->conf;

	if (link_watch_event(&c->links) ||
		deadline_passed(&due->links, c->now_ns, LINK_PERIOD_MS * NS_PER_MS))
		link_watch_poll(c);
	routes_publish(c);
	if (deadline_passed(&due->adapt, c->now_ns, ADAPT_NS))
		magazines_adapt(conf);
	if (conf->tick_ms != 0 && deadline_passed(&due->tick, c->now_ns, conf->tick_ms * NS_PER_MS))
		conf->on_tick(conf->arg);
}

static void
control_main(void *arg)
{
	struct control *c = arg;
	const uint64_t now = now_ns();
	struct deadlines due = {.wake = now,
		.links = now + LINK_PERIOD_MS * NS_PER_MS,
		.adapt = now + ADAPT_NS,
		.tick = now + c->conf.tick_ms * NS_PER_MS};

	while (!*c->conf.stop) {
		c->now_ns = now_ns();
		const bool busy = packets_handle(c);

		others_handle(c, &due);
		deadline_passed(&due.wake, now_ns(), busy ? CONTROL_BUSY_MS * NS_PER_MS : c->period_ns);
		sleep_until(due.wake);
	}
}

void
control_finish(struct control *c, struct skb *skb, enum control_outcome outcome)
{
	skb_consume(&c->cpu, skb);
	control_outcome(c, outcome);
}

/* The links that are up already have just come up. */
static void
links_begin(struct control *c)
{
	c->now_ns = now_ns();
	for (unsigned int id = 0; id < c->conf.n_ports; id++)
		if (c->conf.ports[id].n_rxq > 0 && c->links.up[id])
			neighs_link(c, c->conf.ports[id].id, true);
}

static void
parts_destroy(struct control *c)
{
	link_watch_fini(&c->links);
	reassembly_destroy(c);
	neighs_destroy(c);
}

static int
parts_create(struct control *c)
{
	int ret = neighs_create(c);

	if (ret == 0)
		ret = reassembly_create(c);
	if (ret != 0)
		return ret;
	c->routes_changed = link_watch_init(&c->links, &c->conf);
	routes_publish(c);
	links_begin(c);
	return 0;
}

int
control_start(const struct control_conf *conf, struct control **control)
{
	struct control *c = calloc(1, sizeof(*c));
	int ret;

	if (c == NULL)
		return -ENOMEM;
	c->conf = *conf;
	c->period_ns = (control_cpu_shared() ? CONTROL_PERIOD_MS : CONTROL_BUSY_MS) * NS_PER_MS;
	skb_cpu_init(&c->cpu, conf->heads, conf->data, LCORE_ID_ANY);
	bucket_init(&c->errors, c->conf.error_rate, NS_PER_SECOND, 0);
	ret = parts_create(c);
	if (ret == 0)
		ret = control_thread_start(&c->thread, "magpie-control", control_main, c);
	if (ret < 0) {
		parts_destroy(c);
		free(c);
		return ret;
	}
	*control = c;
	return 0;
}

/* What is left in the rings when nobody works any more. */
static void
rings_end(struct control *c)
{
	struct skb *skb;

	for (unsigned int class = 0; class < PUNT_N_CLASSES; class ++)
		while (punt_take(c->conf.punt, class, &skb, 1) == 1)
			control_finish(c, skb, CONTROL_stopped);
	/* these have an outcome already, or were made here */
	while (punt_back_take(c->conf.punt, &skb, 1) == 1) {
		skb_consume(&c->cpu, skb);
		control_add(&c->counts.unsent, 1);
	}
}

void
control_join(struct control *control, struct control_counts *last)
{
	control_thread_join(&control->thread);
	parts_destroy(control);
	rings_end(control);
	if (last != NULL)
		*last = control->counts;
	free(control);
}

const struct control_counts *
control_counts(const struct control *control)
{
	return &control->counts;
}
