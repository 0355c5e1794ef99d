/* SPDX-License-Identifier: BSD-3-Clause */
/* Two pages, the second without permissions. */
#include "guard.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static uint8_t *
guard_page(void)
{
	static uint8_t *end;

	if (end != NULL)
		return end;

	uint8_t *pages =
		mmap(NULL, 2 * GUARD_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + GUARD_MAX, GUARD_MAX, PROT_NONE) != 0)
		abort();
	end = pages + GUARD_MAX;
	return end;
}

uint8_t *
guard_copy(const uint8_t *bytes, uint32_t len)
{
	if (len > GUARD_MAX)
		abort();

	uint8_t *at = guard_page() - len;

	if (len > 0)
		memcpy(at, bytes, len);
	return at;
}
