/* SPDX-License-Identifier: BSD-3-Clause */
/* What the lcores are made of, for benchmarks on several. */
#ifndef LCORES_H
#define LCORES_H

#include <stdbool.h>

/* Nanoseconds that a cache line takes from the main lcore to the next one, one way; below zero: there is none. */
double core_latency_ns(void);

/* Whether there are more lcores than CPUs for them. */
bool lcores_share_cpus(void);

#endif
