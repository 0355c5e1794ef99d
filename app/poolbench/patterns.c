/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns.h"

#include <fnmatch.h>
#include <string.h>

bool
pattern_next(const char **list, char pattern[PATTERN_LEN])
{
	const size_t n = *list ? strcspn(*list, ",") : 0;

	if (!*list || n >= PATTERN_LEN)
		return false;
	memcpy(pattern, *list, n);
	pattern[n] = '\0';
	*list = (*list)[n] ? *list + n + 1 : NULL;
	return true;
}

bool
patterns_match(const char *patterns, const char *name)
{
	char pattern[PATTERN_LEN];

	if (!patterns)
		return true;
	while (pattern_next(&patterns, pattern))
		if (fnmatch(pattern, name, 0) == 0)
			return true;
	return false;
}
