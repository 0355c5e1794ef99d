/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * librte_mempool_magazine.so: the driver for any DPDK program, loaded with
 * `-d librte_mempool_magazine.so`. The EAL loads plugins before it reads what pools
 * look like, so a constructor is early enough. Load it in every process that
 * shares mempools, or in none: the ops table is per process and indexed by order.
 */
#include <rte_common.h>

#include "mempool_magazine.h"

RTE_INIT(magazine_plugin_init)
{
	/* The EAL has no way to be told; a program that wants the ops will miss them by name. */
	(void)mempool_magazine_register();
}
