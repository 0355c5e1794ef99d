/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a pool can say about an object that is used wrongly. Off, it costs nothing;
 * the level is chosen when a pool is made: by its conf, else by the environment
 * variable MAGAZINE_DEBUG (off, state or poison), else by the build option magazine_debug.
 *
 *   state   every object has a record: whether it is in the pool, who had it last, and its
 *           last gets and puts. A put of an object that is in the pool already (double free), or
 *           of one that never belonged to it (foreign), is reported and refused.
 *   poison  also fills the bytes that mean nothing while an object is free and looks
 *           at them when it is got: who wrote to them wrote after free. Under
 *           AddressSanitizer the same bytes are forbidden while they are free, so that the
 *           write itself is reported.
 *
 * Records are under one lock, and magazines work as ever behind it: slow, but the same pool.
 */
#ifndef MAGAZINE_DEBUG_H
#define MAGAZINE_DEBUG_H

#include <stdint.h>

#include "magazine.h"

struct magazine_debugger;

/* Reads a level: "off", "state", "poison"; MAGAZINE_DEBUG_DEFAULT for anything else. */
enum magazine_debug magazine_debug_level(const char *text);

/* Bytes of a debugger for population objects. */
size_t magazine_debugger_bytes(uint32_t population);

/* Makes one at mem, which holds zeros. level is STATE or POISON. */
void magazine_debugger_init(
	struct magazine_debugger *debugger, const struct magazine_conf *conf, enum magazine_debug level);

/* Bytes of freed objects may be used again by whoever owns the memory. */
void magazine_debugger_fini(struct magazine_debugger *debugger);

/* New objects objs[n], free. */
void magazine_debug_seed(struct magazine_debugger *debugger, void *const *objs, uint32_t n);

/* objs[n] have just left the pool. */
void magazine_debug_get(
	struct magazine_debugger *debugger, unsigned int lcore, void *const *objs, uint32_t n);

/* objs[n] are to enter the pool: those that may are copied to good[]. Returns their number. */
uint32_t magazine_debug_put(
	struct magazine_debugger *debugger, unsigned int lcore, void *const *objs, uint32_t n, void **good);

/* How many errors were reported. */
uint64_t magazine_debug_errors(const struct magazine_debugger *debugger);

/* The last events of an object as text, "" if it is not known. Returns who got or put it last, or LCORE_ID_ANY. */
unsigned int magazine_debug_history(
	struct magazine_debugger *debugger, const void *object, char *text, size_t size);

#endif
