/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log goes to a stream of our own (rte_openlog_stream), which also keeps the EAL from doubling it in syslog.
 * The EAL prints some things past its log: its usage to stdout, "FATAL" and getopt's errors to stderr. During
 * rte_eal_init() the C library's stdout and stderr therefore are our stream, too: in glibc they are
 * variables, and the file descriptors below are not touched, so a crash still speaks.
 *
 * Lines are kept as level, text, newline. Streams lock themselves, so any thread may log.
 */
#include "chatter.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_log.h>

#define GETOPT_SAYS "magpie: " /* the program's name, as eal.c gives it to rte_eal_init() */

static char kept[32768 + 1];
static size_t n_kept;
static bool errors_aloud;
static FILE *console[2];

static void
line_keep(char level, const char *text, size_t len)
{
	if (len > sizeof(kept) / 2)
		len = sizeof(kept) / 2;
	if (n_kept + len + 2 > sizeof(kept) - 1)
		n_kept = 0; /* what was said last is what matters */
	kept[n_kept++] = level;
	memcpy(&kept[n_kept], text, len);
	n_kept += len;
	if (len == 0 || text[len - 1] != '\n')
		kept[n_kept++] = '\n';
}

static ssize_t
log_write(void *cookie, const char *text, size_t len)
{
	const int level = rte_log_cur_msg_loglevel();
	const bool error = level > 0 && level <= (int)RTE_LOG_ERR;

	if (error && errors_aloud)
		dprintf(2, "%.*s", (int)len, text);
	line_keep(error ? 'E' : ' ', text, len);
	return (ssize_t)len;
}

static ssize_t
console_write(void *cookie, const char *text, size_t len)
{
	const bool error = len > strlen(GETOPT_SAYS) && memcmp(text, GETOPT_SAYS, strlen(GETOPT_SAYS)) == 0;

	line_keep(error ? 'E' : ' ', text, len);
	return (ssize_t)len;
}

static FILE *
stream_open(cookie_write_function_t *write)
{
	FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write});

	if (stream != NULL)
		setvbuf(stream, NULL, _IOLBF, 0);
	return stream;
}

void
chatter_hush(void)
{
	FILE *log = stream_open(log_write), *out = stream_open(console_write);

	if (log == NULL || out == NULL)
		return; /* loud, but that is all */
	rte_openlog_stream(log);
	fflush(stdout);
	console[0] = stdout;
	console[1] = stderr;
	stdout = out;
	stderr = out;
}

void
chatter_console_back(void)
{
	if (console[0] == NULL)
		return;
	fflush(stdout);
	/* The stream stays open: a thread of the EAL may have it in its hands. */
	stdout = console[0];
	stderr = console[1];
}

void
chatter_errors(bool aloud)
{
	errors_aloud = aloud;
}

/* Copies the line without its level and who says it: "EAL: ", "magpie: " and "function(): ". */
static void
reason_copy(const char *line, char *room, size_t len)
{
	const size_t n = strcspn(line, "\n");
	const char *start = line + 1, *call;

	if (strncmp(start, "EAL: ", 5) == 0)
		start += 5;
	else if (strncmp(start, GETOPT_SAYS, strlen(GETOPT_SAYS)) == 0)
		start += strlen(GETOPT_SAYS);
	call = memmem(start, (size_t)(line + n - start), "(): ", 4);
	if (call != NULL)
		start = call + 4;
	snprintf(room, len, "%.*s", (int)(line + n - start), start);
	/* Our sentence goes on behind it. */
	for (size_t end = strlen(room); end > 0 && strchr(".,:;?! ", room[end - 1]) != NULL; end--)
		room[end - 1] = '\0';
}

void
chatter_forget(void)
{
	n_kept = 0;
}

const char *
chatter_reason(const char *mark, char *room, size_t len)
{
	const char *reason = NULL, *end = kept + n_kept;

	room[0] = '\0';
	kept[n_kept] = '\0';
	if (mark != NULL && strstr(kept, mark) != NULL)
		end = strstr(kept, mark);
	/* Every line ends before end, but the one that holds mark. */
	for (const char *line = kept; line + strcspn(line, "\n") < end; line += strcspn(line, "\n") + 1)
		if (line[0] == 'E' && (reason == NULL || mark != NULL))
			reason = line;
	if (reason != NULL)
		reason_copy(reason, room, len);
	return room;
}
