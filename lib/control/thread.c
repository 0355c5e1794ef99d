/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the control thread runs.
 *
 * EAL gives its control threads the process' original CPU set without every lcore's, and the main lcore's
 * CPUs when that leaves nothing. The original set cannot be asked for once EAL has pinned the main
 * thread, so control_cpu_shared() asks a thread that was made by the same rule.
 */
#include "thread.h"

#include <sched.h>

#include <rte_lcore.h>

#include "control.h"

#if CONTROL_THREAD_RTE
static uint32_t
thread_main(void *arg)
{
	const struct control_thread *thread = arg;

	thread->main(thread->arg);
	return 0;
}

static int
thread_create(struct control_thread *thread, const char *name)
{
	return rte_thread_create_control(&thread->id, name, thread_main, thread);
}

void
control_thread_join(struct control_thread *thread)
{
	rte_thread_join(thread->id, NULL);
}
#else
static void *
thread_main(void *arg)
{
	const struct control_thread *thread = arg;

	thread->main(thread->arg);
	return NULL;
}

static int
thread_create(struct control_thread *thread, const char *name)
{
	return rte_ctrl_thread_create(&thread->id, name, NULL, thread_main, thread);
}

void
control_thread_join(struct control_thread *thread)
{
	pthread_join(thread->id, NULL);
}
#endif

int
control_thread_start(struct control_thread *thread, const char *name, void (*main)(void *arg), void *arg)
{
	thread->main = main;
	thread->arg = arg;
	return thread_create(thread, name);
}

static void
cpus_read(void *cpus)
{
	pthread_getaffinity_np(pthread_self(), sizeof(rte_cpuset_t), cpus);
}

bool
control_cpu_shared(void)
{
	struct control_thread thread;
	rte_cpuset_t cpus;
	unsigned int lcore;

	CPU_ZERO(&cpus);
	if (control_thread_start(&thread, "magpie-probe", cpus_read, &cpus) < 0)
		return true;
	control_thread_join(&thread);
	RTE_LCORE_FOREACH (lcore) {
		const rte_cpuset_t lcore_cpus = rte_lcore_cpuset(lcore);
		rte_cpuset_t both;

		CPU_AND(&both, &cpus, &lcore_cpus);
		if (CPU_COUNT(&both) > 0)
			return true;
	}
	return false;
}
