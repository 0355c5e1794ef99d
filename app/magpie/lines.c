/* SPDX-License-Identifier: BSD-3-Clause */
/* A '#' starts a comment at the start of a line or behind a blank, so that file names may hold one. */
#include "lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stop.h"

/* Cuts comment, line end and blanks around off. Returns where the rest starts. */
static char *
line_strip(char *text, size_t len)
{
	for (char *hash = strchr(text, '#'); hash != NULL; hash = strchr(hash + 1, '#')) {
		if (hash == text || isblank((unsigned char)hash[-1])) {
			*hash = '\0';
			len = (size_t)(hash - text);
			break;
		}
	}
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static int
lines_walk(FILE *file, int (*line)(void *arg, char *text, struct complaint *why), void *arg,
	struct complaint *why)
{
	const char *path = why->from.file;
	char *text = NULL;
	size_t room = 0;
	ssize_t len;
	int ret = 0;

	for (uint32_t number = 1; ret == 0 && !stop_raised() && (len = getline(&text, &room, file)) >= 0;
		number++) {
		why->from = (struct origin){.file = path, .line = number};
		if (strlen(text) != (size_t)len) {
			ret = refuse(why, text, "text (the line holds a byte 0)");
			break;
		}

		char *entry = line_strip(text, (size_t)len);

		if (*entry != '\0')
			ret = line(arg, entry, why);
	}
	free(text);
	return ret;
}

int
lines_read(const char *path, int (*line)(void *arg, char *text, struct complaint *why), void *arg,
	struct complaint *why)
{
	const struct origin from = why->from;
	FILE *file = fopen(path, "re");

	if (file == NULL)
		return refuse(why, path, "a readable file (%s)", strerror(errno));
	why->from = (struct origin){.file = path};
	errno = 0;

	int ret = lines_walk(file, line, arg, why);
	const int error = ferror(file) ? errno : 0;

	fclose(file);
	if (ret != 0)
		return ret;
	why->from = from;
	return error == 0 ? 0 : refuse(why, path, "a readable file (%s)", strerror(error));
}
