/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow by one. */
#ifndef ARRAY_H
#define ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Room for one more than items[n]; doubles when n is a power of two. Returns the array, maybe moved, or NULL: then items is as it was. */
static inline void *
array_room(void *items, uint32_t n, size_t item_bytes)
{
	if ((n & (n - 1)) != 0)
		return items;
	return realloc(items, (n == 0 ? 1 : 2 * (size_t)n) * item_bytes);
}

#endif
