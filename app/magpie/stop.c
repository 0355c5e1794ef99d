/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A handler may only store to a flag, so it does just that: whoever waits polls. SA_RESTART keeps
 * system calls inside the EAL and the drivers from failing half way with EINTR.
 */
#include "stop.h"

#include <signal.h>
#include <stddef.h>

static volatile int flag;

static void
on_signal(int number)
{
	(void)number;
	flag = 1;
}

void
stop_on_signals(void)
{
	const struct sigaction stop = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	/* A reader of our output or a peer's socket may go away: the write fails, we do not. */
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction hangup;

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGHUP, NULL, &hangup);
	if (hangup.sa_handler != SIG_IGN) /* nohup */
		sigaction(SIGHUP, &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
}

void
stop_raise(void)
{
	flag = 1;
}

bool
stop_raised(void)
{
	return flag != 0;
}

const volatile int *
stop_flag(void)
{
	return &flag;
}
