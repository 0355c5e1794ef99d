/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that use one pool at random: some are lcores with made-up indexes, some are none. They pass
 * objects to each other through a bag. Each object has a word that says who has it, so that two owners at
 * once are seen at once; and where objects are memory, its owner writes to it, so that ThreadSanitizer
 * sees whether what one wrote happened before what the next one reads.
 */
#ifndef CROWD_H
#define CROWD_H

#include <stdbool.h>
#include <stdint.h>

#include "magazine.h"

#define CROWD_MAX 24

struct crowd {
	/* what the caller wants; the pool's objects are object_of(0 .. population - 1), all of them in it */
	struct magazine_pool *pool;
	uint32_t n_lcores, n_others; /* threads: lcores 0 .. n_lcores - 1, and such as are none */
	uint32_t n_rounds;           /* of each, at most */
	uint32_t held_max, burst_max;
	bool polls; /* magazine_poll() each round */
	bool stops; /* flushes its lcore now and then, and at the end */
	uint64_t seed;
	void (*aside)(void *arg); /* what the caller's thread does all the while; may be NULL */
	void *aside_arg;
	uint32_t is_over; /* aside may set it: each thread ends after its round */
	/* what came of it */
	uint64_t n_calls, n_objects, n_failed;
};

/* Runs the threads to their end. Everything is put back; fails the test if an object had two owners. */
void crowd_run(struct crowd *crowd);

#endif
