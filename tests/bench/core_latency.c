/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a cache line takes from one CPU to another: two threads hand one word to and fro. On virtual machines the
 * answer changes by a factor of four from one minute to the next and takes every two-core benchmark with
 * it, so benchmarks print it beside their results.
 *
 * usage: core-latency CPU CPU     prints the nanoseconds of one way, the median of many short runs
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N_RUNS   101u
#define N_ROUNDS 1000u /* there and back, per run */

/* Odd: the other thread's turn. Alone on its line. */
static struct {
	_Alignas(64) uint64_t turn;
	char pad[56];
} ball;

static int
cpu_parse(const char *text, int *cpu)
{
	char *end;

	errno = 0;
	const long n = strtol(text, &end, 10);

	if (errno != 0 || *text == '\0' || *end != '\0' || n < 0 || n >= CPU_SETSIZE)
		return -EINVAL;
	*cpu = (int)n;
	return 0;
}

static void
turn_await(uint64_t turn)
{
	while (__atomic_load_n(&ball.turn, __ATOMIC_ACQUIRE) != turn)
		;
}

static void *
answer(void *arg)
{
	for (uint64_t turn = 1; turn < 2ull * N_RUNS * N_ROUNDS; turn += 2) {
		turn_await(turn);
		__atomic_store_n(&ball.turn, turn + 1, __ATOMIC_RELEASE);
	}
	return arg;
}

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int
double_compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void *
measure(void *median_ns)
{
	double one_way_ns[N_RUNS];
	uint64_t turn = 0;

	for (unsigned int run = 0; run < N_RUNS; run++) {
		const double start_ns = now_ns();

		for (unsigned int round = 0; round < N_ROUNDS; round++) {
			__atomic_store_n(&ball.turn, turn + 1, __ATOMIC_RELEASE);
			turn += 2;
			turn_await(turn);
		}
		one_way_ns[run] = (now_ns() - start_ns) / (2 * N_ROUNDS);
	}
	qsort(one_way_ns, N_RUNS, sizeof(*one_way_ns), double_compare);
	*(double *)median_ns = one_way_ns[N_RUNS / 2];
	return NULL;
}

/* Starts a thread that never runs anywhere but on its CPU. Returns 0 or -errno. */
static int
thread_start(int cpu, void *(*run)(void *), void *arg, pthread_t *thread)
{
	pthread_attr_t attr;
	cpu_set_t set;
	int error;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	error = pthread_attr_init(&attr);
	if (error != 0)
		return -error;
	error = pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	if (error == 0)
		error = pthread_create(thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return -error;
}

int
main(int argc, char **argv)
{
	int mine, other;
	double median_ns;
	pthread_t here, there;

	if (argc != 3 || cpu_parse(argv[1], &mine) < 0 || cpu_parse(argv[2], &other) < 0 || mine == other) {
		fputs("usage: core-latency CPU OTHER-CPU\n", stderr);
		return 2;
	}
	if (thread_start(other, answer, NULL, &there) < 0 ||
		thread_start(mine, measure, &median_ns, &here) < 0) {
		fprintf(stderr, "core-latency: cannot run on CPUs %d and %d\n", mine, other);
		return 1;
	}
	pthread_join(here, NULL);
	pthread_join(there, NULL);
	printf("%.0f ns one way between CPU %d and CPU %d\n", median_ns, mine, other);
	return 0;
}
