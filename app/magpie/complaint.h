/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What goes wrong before a packet flows, in one line on stderr:
 *
 *   magpie: --route: found '10.1.2.3/24', expected no host bits; did you mean 10.1.2.0/24?
 *   magpie: my.conf:3: route: found ...
 *   magpie: EAL: no free hugepages. Run: echo 512 > ...
 *
 * Parsers do not print: they fill a struct complaint, and whoever called the first of them prints it.
 */
#ifndef COMPLAINT_H
#define COMPLAINT_H

#include <stdint.h>

#include <rte_common.h>

/* What a phase of start-up says to main; from 0 on, the exit status. */
enum outcome {
	GO_ON = -1,
	DONE = 0,          /* all that was asked for is done */
	MACHINE_FAULT = 1, /* input was good, the machine could not */
	BAD_INPUT = 2,     /* somebody's text was wrong */
};

/* Where a text came from. file NULL: the command line. */
struct origin {
	const char *option; /* without dashes; NULL where there is none */
	const char *file;
	uint32_t line;
};

/* The line for bad input: where, what was found, what was expected. from is set by whoever hands a text to a parser. */
struct complaint {
	struct origin from;
	char found[80];
	char expected[240];
};

/* Fills *why; found is shortened and freed of control characters. Returns -EINVAL, for the caller to return. */
int refuse(struct complaint *why, const char *found, const char *expected, ...) __rte_format_printf(3, 4);

/* Prints the line for bad input. Returns BAD_INPUT. */
enum outcome complain(const struct complaint *why);

/* The same in one step. */
enum outcome complain_about(const struct origin *from, const char *found, const char *expected, ...)
	__rte_format_printf(3, 4);

/* Prints the line for a failure of the machine; it should end with the command that helps. Returns MACHINE_FAULT. */
enum outcome fault(const char *format, ...) __rte_format_printf(1, 2);

/* "magpie: warning: ..." */
void warn(const char *format, ...) __rte_format_printf(1, 2);

#endif
