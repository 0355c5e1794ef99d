/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Large tables that workers read and that never move: address space is taken at
 * once, pages only when they are first written, on the wanted NUMA node. (The EAL
 * heap would charge the whole table to -m.)
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* node: NUMA node, negative for any. The memory is zero. NULL: no memory. */
void *memory_map(size_t n_bytes, int node);
void memory_unmap(void *memory, size_t n_bytes);

#endif
