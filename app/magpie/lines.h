/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files of one entry a line, with '#' comments: option files and route files. */
#ifndef LINES_H
#define LINES_H

#include "complaint.h"

/*
 * Calls line(arg, text, why) for every line of path that is not empty once comment and blanks around are gone;
 * text may be written to, why->from is the line. Ends early, without an error, when the stop flag is raised.
 * Origins keep path: it must outlive them. Returns 0, what line returned, or -EINVAL and *why (not readable).
 */
int lines_read(const char *path, int (*line)(void *arg, char *text, struct complaint *why), void *arg,
	struct complaint *why);

#endif
