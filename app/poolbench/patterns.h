/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that a benchmark's user selects: lists of fnmatch(3) patterns with commas between them. */
#ifndef PATTERNS_H
#define PATTERNS_H

#include <stdbool.h>

#define PATTERN_LEN 64

/* Takes the next pattern off *list, which is NULL after the last one. False at the end, or when it is too long. */
bool pattern_next(const char **list, char pattern[PATTERN_LEN]);

/* Whether one of the patterns matches the name; NULL matches all. */
bool patterns_match(const char *patterns, const char *name);

#endif
