/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the lcores are made of: whether each has a CPU, and how long a cache line takes
 * between two of them. On virtual machines the latter changes by a factor of four
 * from one minute to the next and takes every figure between lcores with it.
 */
#include <sched.h>
#include <stdalign.h>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include "lcores.h"
#include "poolbench.h"
#include "statistics.h"

#define N_RUNS  51u
#define N_TRIPS 500u /* there and back, per run */

/* Odd: the worker's turn. Alone on its line. */
struct ball {
	alignas(RTE_CACHE_LINE_SIZE) uint64_t turn;
	alignas(RTE_CACHE_LINE_SIZE) char pad[RTE_CACHE_LINE_SIZE];
};

bool
lcores_share_cpus(void)
{
	unsigned int lcore;
	cpu_set_t all;

	CPU_ZERO(&all);
	RTE_LCORE_FOREACH (lcore) {
		const cpu_set_t set = rte_lcore_cpuset(lcore);

		CPU_OR(&all, &all, &set);
	}
	return (uint32_t)CPU_COUNT(&all) < rte_lcore_count();
}

static void
turn_await(const struct ball *ball, uint64_t turn)
{
	for (uint64_t i = 1; __atomic_load_n(&ball->turn, __ATOMIC_ACQUIRE) != turn; i++)
		if (i % 100000 == 0)
			sched_yield(); /* for lcores that share a CPU */
}

static int
answer(void *arg)
{
	struct ball *ball = arg;

	for (uint64_t turn = 1; turn < UINT64_C(2) * N_RUNS * N_TRIPS; turn += 2) {
		turn_await(ball, turn);
		__atomic_store_n(&ball->turn, turn + 1, __ATOMIC_RELEASE);
	}
	return 0;
}

double
core_latency_ns(void)
{
	const unsigned int worker = rte_get_next_lcore(-1, 1, 0);
	static struct ball ball;
	struct summary summary;
	double ns[N_RUNS];
	uint64_t turn = 0;

	ball.turn = 0;
	if (worker >= RTE_MAX_LCORE || lcores_share_cpus() ||
		rte_eal_remote_launch(answer, &ball, worker) < 0)
		return -1;
	for (uint32_t run = 0; run < N_RUNS; run++) {
		const uint64_t start = rte_rdtsc_precise();

		for (uint32_t i = 0; i < N_TRIPS; i++) {
			__atomic_store_n(&ball.turn, turn + 1, __ATOMIC_RELEASE);
			turn += 2;
			turn_await(&ball, turn);
		}
		ns[run] = (double)(rte_rdtsc_precise() - start) * 1e9 / (double)rte_get_tsc_hz() /
			  (2 * N_TRIPS);
	}
	rte_eal_wait_lcore(worker);
	summary_make(ns, N_RUNS, &summary);
	return summary.median;
}
