/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timing of many turns that do the same. The figure is the mean of the fastest nine tenths: what an interrupt or the host took from
 * one in ten says nothing about the code, while what a turn does now and then (exchange a magazine) stays in.
 */
#ifndef SKBBENCH_TIMING_H
#define SKBBENCH_TIMING_H

#include <stdint.h>

#include <rte_cycles.h>

#define TURNS_MAX 16384u
#define TURNS_MIN 32u /* however short the window is and whoever else wants the CPU */

struct turns {
	uint32_t n;
	double cycles[TURNS_MAX];
};

/* The time stamp after everything before it has been executed. */
static inline uint64_t
timer_read(void)
{
#ifdef __x86_64__
	unsigned int cpu;

	return __builtin_ia32_rdtscp(&cpu);
#else
	return rte_rdtsc_precise();
#endif
}

/* Cycles of an empty pair of reads: the median of many. */
double timer_cycles(void);

static inline void
turns_add(struct turns *turns, uint64_t cycles)
{
	if (turns->n < TURNS_MAX)
		turns->cycles[turns->n++] = (double)cycles;
}

/* Sorts them. Returns cycles per turn without the timer's; below zero: there was none. */
double turns_mean(struct turns *turns);

#endif
