/* SPDX-License-Identifier: BSD-3-Clause */
/* From text to rows of the option table: names, "NAME VALUE" lines, suggestions. */
#ifndef OPTION_TEXT_H
#define OPTION_TEXT_H

#include "options.h"

/* The row of name (n characters, without dashes), NULL if there is none. Exact: no abbreviations. */
const struct option_row *option_find(const char *name, size_t n);

/* As refuse(), for a name that option_find() does not know; says which option is nearest. prefix: "--" or "". */
int option_refuse(struct complaint *why, const char *name, const char *prefix);

/* A line of an option file: "NAME VALUE" or "NAME=VALUE" or "NAME". Returns 0, -EINVAL (*why filled) or -ENOMEM. */
int option_line_parse(struct options *options, char *text, struct complaint *why);

/* Keeps a copy of a file name, which origins will point to. NULL and *why filled when there are too many. */
const char *option_text_keep(struct options *options, const char *text, struct complaint *why);

/* --help */
void option_help(void);

#endif
