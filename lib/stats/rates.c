/* SPDX-License-Identifier: BSD-3-Clause */
/* Two readings' difference as rates, and numbers for people. Pure functions. */
#include <stdio.h>

#include "stats_priv.h"

static double
ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

double
rate_mpps(uint64_t pkts, double seconds)
{
	return ratio((double)pkts, seconds * 1e6);
}

double
rate_wire_gbps(uint64_t pkts, uint64_t bytes, double seconds)
{
	return ratio((double)(bytes + pkts * WIRE_OVERHEAD_BYTES) * 8, seconds * 1e9);
}

double
rate_idle_percent(const struct worker_count *count)
{
	return ratio(100.0 * (double)count->idle_cycles, (double)(count->idle_cycles + count->busy_cycles));
}

double
rate_cycles_per_packet(const struct worker_count *count)
{
	return ratio((double)count->busy_cycles, (double)(count->rx + count->injected + count->handoff_in));
}

double
rate_packets_per_burst(const struct worker_count *count)
{
	return ratio((double)(count->rx + count->injected + count->handoff_in), (double)count->bursts);
}

const char *
count_text(uint64_t n, char text[COUNT_TEXT_LEN])
{
	static const char units[] = "kMGTPE";
	double value = (double)n / 1000;
	unsigned int unit = 0;

	if (n < 100000) {
		snprintf(text, COUNT_TEXT_LEN, "%u", (unsigned int)n);
		return text;
	}
	/* 999.95 would be printed as 1000.0 */
	while (value >= 999.95) {
		value /= 1000;
		unit++;
	}
	snprintf(text, COUNT_TEXT_LEN, value < 99.995 ? "%.2f%c" : "%.1f%c", value, units[unit]);
	return text;
}
