/* SPDX-License-Identifier: BSD-3-Clause */
/* EAL's control threads, whose API was renamed in DPDK 23.11: the only place that knows. */
#ifndef CONTROL_THREAD_H
#define CONTROL_THREAD_H

#include <pthread.h>

#include <rte_thread.h>
#include <rte_version.h>

#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
#define CONTROL_THREAD_RTE 1
#else
#define CONTROL_THREAD_RTE 0
#endif

struct control_thread {
	void (*main)(void *arg);
	void *arg;
#if CONTROL_THREAD_RTE
	rte_thread_t id;
#else
	pthread_t id;
#endif
};

/* Runs main(arg) on a thread of its own, on the CPUs that EAL leaves to control threads. *thread must stay
 * where it is until control_thread_join(). Returns 0, or a negative errno (-EAGAIN: no thread to be had). */
int control_thread_start(struct control_thread *thread, const char *name, void (*main)(void *arg), void *arg);

/* Waits for it to end. */
void control_thread_join(struct control_thread *thread);

#endif
