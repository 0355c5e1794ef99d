/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * librte_mempool_magazine.so: the driver for any DPDK program, loaded with `-d librte_mempool_magazine.so`.
 *
 * The ops table is per process, indexed by the order in which drivers come, and mempools carry such an index to other
 * processes. Plugins given with -d come before those of the EAL's own directory, so registered there and then, ours
 * would move all others by one: a dpdk-dumpcap without -d would hand the primary a ring that it takes for magazines.
 * Hence last of all: the scan for virtual devices follows when every plugin is loaded, and before any device is probed.
 */
#include <string.h>

#include <rte_bus_vdev.h>
#include <rte_common.h>

#include "mempool_magazine.h"
#include "mempool_magazine_priv.h"

static void
on_scan(void *arg)
{
	/* The scan is repeated when a device is plugged in; and the program may have brought its own. */
	for (uint32_t i = 0; i < rte_mempool_ops_table.num_ops; i++)
		if (!strcmp(rte_mempool_ops_table.ops[i].name, MEMPOOL_MAGAZINE_OPS))
			return;
	/* The EAL has no way to be told; a program that wants the ops will miss them by name. */
	(void)mempool_magazine_register_ops();
}

RTE_INIT(magazine_plugin_init)
{
	(void)rte_vdev_add_custom_scan(on_scan, NULL);
}
