/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the EAL and the drivers say. Magpie's own line shall be the one that stands out, so
 * their log is kept in memory; when something fails, the reason is looked up in it. With --log-level among
 * the EAL options nothing is kept: all goes where the EAL sends it.
 */
#ifndef CHATTER_H
#define CHATTER_H

#include <stdbool.h>
#include <stddef.h>

/* From now on, log, stdout and stderr of everybody but us are kept. Before rte_eal_init(). */
void chatter_hush(void);

/* Gives stdout and stderr back, which only rte_eal_init() writes to; the log stays kept. */
void chatter_console_back(void);

/* While packets flow: true = errors (no warnings) go to stderr, false = kept again. */
void chatter_errors(bool aloud);

/* Drops what was kept, so that a reason found later is not an older one. */
void chatter_forget(void);

/*
 * The reason of a failure, "" when nobody gave one: the first error that was kept; with mark, the last
 * one before the line that holds it. Returns room.
 */
const char *chatter_reason(const char *mark, char *room, size_t len);

#endif
