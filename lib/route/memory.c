/* SPDX-License-Identifier: BSD-3-Clause */
/* Page-lazy memory on a NUMA node. */
#include <sys/mman.h>

#include <numa.h>

#include "memory.h"

void *
memory_map(size_t n_bytes, int node)
{
	void *const memory = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	if (node >= 0 && numa_available() >= 0 && node <= numa_max_node())
		numa_tonode_memory(memory, n_bytes, node);
	return memory;
}

void
memory_unmap(void *memory, size_t n_bytes)
{
	if (memory != NULL)
		munmap(memory, n_bytes);
}
