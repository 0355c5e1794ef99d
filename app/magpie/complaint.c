/* SPDX-License-Identifier: BSD-3-Clause */
/* Every line that Magpie writes to stderr comes from here. A line stays one line whatever text is in it. */
#include "complaint.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Copies text into room[len], control characters as '?', with "..." at the end when it does not fit. */
static void
text_copy(char *room, size_t len, const char *text)
{
	size_t n = 0;

	for (; text[n] != '\0' && n < len - 1; n++)
		room[n] = iscntrl((unsigned char)text[n]) ? '?' : text[n];
	room[n] = '\0';
	if (text[n] != '\0')
		memcpy(room + len - 4, "...", 4);
}

static int
refuse_va(struct complaint *why, const char *found, const char *expected, va_list args)
{
	text_copy(why->found, sizeof(why->found), found);
	vsnprintf(why->expected, sizeof(why->expected), expected, args);
	return -EINVAL;
}

int
refuse(struct complaint *why, const char *found, const char *expected, ...)
{
	va_list args;

	va_start(args, expected);
	refuse_va(why, found, expected, args);
	va_end(args);
	return -EINVAL;
}

enum outcome
complain(const struct complaint *why)
{
	const struct origin *from = &why->from;
	char where[512] = "";

	if (from->file != NULL && from->option != NULL)
		snprintf(where, sizeof(where), "%s:%u: %s: ", from->file, from->line, from->option);
	else if (from->file != NULL)
		snprintf(where, sizeof(where), "%s:%u: ", from->file, from->line);
	else if (from->option != NULL)
		snprintf(where, sizeof(where), "--%s: ", from->option);
	if (why->found[0] == '\0')
		fprintf(stderr, "magpie: %sfound nothing, expected %s\n", where, why->expected);
	else
		fprintf(stderr, "magpie: %sfound '%s', expected %s\n", where, why->found, why->expected);
	return BAD_INPUT;
}

enum outcome
complain_about(const struct origin *from, const char *found, const char *expected, ...)
{
	struct complaint why = {.from = *from};
	va_list args;

	va_start(args, expected);
	refuse_va(&why, found, expected, args);
	va_end(args);
	return complain(&why);
}

/* "magpie: " + kind + text, as one line. */
static void
say(const char *kind, const char *format, va_list args)
{
	char text[1024], line[1024];

	vsnprintf(text, sizeof(text), format, args);
	text_copy(line, sizeof(line), text);
	fprintf(stderr, "magpie: %s%s\n", kind, line);
}

enum outcome
fault(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("", format, args);
	va_end(args);
	return MACHINE_FAULT;
}

void
warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("warning: ", format, args);
	va_end(args);
}
