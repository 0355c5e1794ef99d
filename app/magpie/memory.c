/* SPDX-License-Identifier: BSD-3-Clause */
/* Twice what there was: who wants it exact has --check, which says what tables and pools take. */
#include "memory.h"

#include <inttypes.h>

#include <rte_eal.h>
#include <rte_malloc.h>
#include <rte_memory.h>

enum outcome
memory_fault(const char *what)
{
	const uint64_t all_mb = rte_eal_get_physmem_size() >> 20;
	struct rte_malloc_socket_stats stats = {0};

	rte_malloc_get_socket_stats(0, &stats);
	if (rte_eal_has_hugepages())
		return fault("no memory for %s: %" PRIu64
			     " MB in hugepages, largest free piece on node 0 %zu MB. Run: echo "
			     "%" PRIu64 " > /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
			what, all_mb, stats.greatest_free_size >> 20, RTE_MAX(all_mb, UINT64_C(512)));
	return fault("no memory for %s: the EAL has %" PRIu64
		     " MB, largest free piece %zu MB. Run: magpie --no-huge -m "
		     "%" PRIu64 " ...",
		what, all_mb, stats.greatest_free_size >> 20, RTE_MAX(2 * all_mb, UINT64_C(512)));
}
