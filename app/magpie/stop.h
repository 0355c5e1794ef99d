/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one flag that ends Magpie. It goes from 0 to 1 once and never back, so that a signal
 * that comes while something is being started is not forgotten.
 */
#ifndef STOP_H
#define STOP_H

#include <stdbool.h>

/* SIGINT, SIGTERM and SIGHUP raise the flag from now on; SIGPIPE is ignored. First thing in main(). */
void stop_on_signals(void);

/* Raises it. Any thread. */
void stop_raise(void);

bool stop_raised(void);

/* For those that poll it: workers and the control thread. Not 0 = stop. */
const volatile int *stop_flag(void);

#endif
