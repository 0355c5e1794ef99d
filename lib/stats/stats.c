/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics: the state between two drawings.
 *
 * Counters only grow and belong to the workers. What is shown as a rate is the difference of two readings
 * over the TSC between them; what is shown as a total is the reading itself. Nothing is ever
 * reset, so any number of readers (the table, telemetry) do not disturb each other.
 */
#include "stats.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "stats_priv.h"

#define ROWS_DEFAULT 24u

int
stats_create(const struct stats_conf *conf, struct stats **stats)
{
	struct stats *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return -ENOMEM;
	s->conf = *conf;
	pthread_mutex_init(&s->control.lock, NULL);
	s->start_tsc = rte_rdtsc();
	s->last.tsc = s->start_tsc;
	telemetry_show(s);
	*stats = s;
	return 0;
}

void
stats_destroy(struct stats *stats)
{
	if (stats == NULL)
		return;
	telemetry_show(NULL);
	pthread_mutex_destroy(&stats->control.lock);
	free(stats);
}

void
stats_set_control(struct stats *stats, struct control *control)
{
	struct control_counts counts;

	counts_read_control(&stats->control, &counts);
	pthread_mutex_lock(&stats->control.lock);
	stats->control.control = control;
	pthread_mutex_unlock(&stats->control.lock);
}

void
stats_control_ended(struct stats *stats, const struct control_counts *last)
{
	pthread_mutex_lock(&stats->control.lock);
	stats->control.last = *last;
	pthread_mutex_unlock(&stats->control.lock);
}

void
stats_read_devices(struct stats *stats)
{
	device_read(&stats->conf, stats->device);
}

static unsigned int
terminal_rows(FILE *out)
{
	struct winsize size;
	const int fd = fileno(out);

	if (fd < 0 || ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_row == 0)
		return ROWS_DEFAULT;
	return size.ws_row;
}

/* The table is made in memory first and reaches the terminal in one go: it does not flicker. */
static void
table_draw(const struct view *view, FILE *out)
{
	char *text = NULL;
	size_t len;
	FILE *memory = open_memstream(&text, &len);

	if (memory == NULL)
		return;
	table_write(view, memory);
	if (fclose(memory) == 0)
		screen_write(text, view->rows, out);
	free(text);
}

void
stats_draw(struct stats *stats, FILE *out, bool tty)
{
	const double hz = (double)rte_get_tsc_hz();

	counts_read(&stats->conf, &stats->now);
	counts_read_control(&stats->control, &stats->now.control);
	counts_subtract(&stats->now, &stats->last, &stats->delta);
	device_read(&stats->conf, stats->device);

	const struct view view = {.conf = &stats->conf,
		.now = &stats->now,
		.delta = &stats->delta,
		.device = stats->device,
		.seconds = (double)stats->delta.tsc / hz,
		.uptime_s = (double)(stats->now.tsc - stats->start_tsc) / hz,
		.rows = tty ? terminal_rows(out) : 0};

	if (tty)
		table_draw(&view, out);
	else
		plain_write(&view, out);
	fflush(out);
	stats->last = stats->now;
}
