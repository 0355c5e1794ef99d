/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control thread's loop: every CONTROL_PERIOD_MS it looks at *stop and empties the punt ring; every
 * LINK_PERIOD_MS, or at once after an interrupt, it looks at the links; every second at the pools; every tick_ms
 * it calls back.
 *
 * Times are absolute on the monotonic clock, so that ticks do not drift. Work that took longer than
 * a period is not caught up with: the next deadline lies in the future. It sleeps rather than
 * polls, for it may share its CPU with a worker.
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

#define NS_PER_MS     1000000ull
#define NS_PER_SECOND 1000000000ull
#define ADAPT_NS      NS_PER_SECOND

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

static void
control_main(void *arg)
{
	struct control *control = arg;
	const struct control_conf *conf = &control->conf;
	const uint64_t tick_ns = conf->tick_ms * NS_PER_MS;
	uint64_t now = now_ns();
	uint64_t wake = now;
	uint64_t links = now + LINK_PERIOD_MS * NS_PER_MS;
	uint64_t adapt = now + ADAPT_NS;
	uint64_t tick = now + tick_ns;

	while (!*conf->stop) {
		punt_queue_drain(&control->punts);
		if (link_watch_event(&control->links) ||
			deadline_passed(&links, now, LINK_PERIOD_MS * NS_PER_MS))
			link_watch_poll(&control->links);
		if (deadline_passed(&adapt, now, ADAPT_NS))
			magazines_adapt(conf);
		if (tick_ns != 0 && deadline_passed(&tick, now, tick_ns))
			conf->on_tick(conf->arg);

		now = now_ns();
		deadline_passed(&wake, now, CONTROL_PERIOD_MS * NS_PER_MS);
		sleep_until(wake);
		now = now_ns();
	}
}

int
control_start(const struct control_conf *conf, struct control **control)
{
	struct control *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return -ENOMEM;
	c->conf = *conf;
	punt_queue_init(&c->punts, conf);
	link_watch_init(&c->links, conf);

	const int rc = control_thread_start(&c->thread, "magpie-control", control_main, c);

	if (rc < 0) {
		link_watch_fini(&c->links);
		free(c);
		return rc;
	}
	*control = c;
	return 0;
}

void
control_join(struct control *control)
{
	control_thread_join(&control->thread);
	link_watch_fini(&control->links);
	punt_queue_drain(&control->punts);
	free(control);
}

const uint64_t *
control_punts(const struct control *control)
{
	return control->punts.counts;
}
