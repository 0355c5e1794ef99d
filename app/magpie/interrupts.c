/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rte_eal_cleanup() unmaps the EAL's memory while its interrupt thread still runs, and that thread walks through the
 * handles of all interrupt sources whenever one is added or taken away. A source that a driver
 * forgot, as net_memif in DPDK 22.11 does with its listening socket, then lies in memory that is
 * gone: one exit in three crashed when a signal came during start-up (68 of 200 on a busy machine).
 *
 * There is no call that ends the thread. But it runs our callback for a source of our own, and a callback need not
 * return.
 */
#include "interrupts.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_interrupts.h>

#define PARK_MS_MAX 500u

/* On the interrupt thread. */
static void
on_event(void *parked)
{
	__atomic_store_n((bool *)parked, true, __ATOMIC_RELEASE);
	for (;;)
		pause();
}

void
interrupts_park(void)
{
	static bool parked;
	struct rte_intr_handle *handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	const int fd = eventfd(1, EFD_CLOEXEC); /* 1: the event is there already */

	if (handle == NULL || fd < 0 || rte_intr_fd_set(handle, fd) != 0 ||
		rte_intr_type_set(handle, RTE_INTR_HANDLE_EXT) != 0 ||
		rte_intr_callback_register(handle, on_event, &parked) != 0)
		return;                 /* no worse than without */
	rte_intr_instance_free(handle); /* the EAL has made a copy */
	for (unsigned int ms = 0; ms < PARK_MS_MAX && !__atomic_load_n(&parked, __ATOMIC_ACQUIRE); ms++)
		rte_delay_us_sleep(1000);
}
