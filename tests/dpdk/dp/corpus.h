/* SPDX-License-Identifier: BSD-3-Clause */
/* The published frames (tests/vectors), and an endless random stream made of them and of plain packets. */
#ifndef CORPUS_H
#define CORPUS_H

#include <stdint.h>

#include "frame.h"

#define CORPUS_MAX 256u /* published frames there is room for */

struct vector {
	char id[48], verdict[64];
	struct frame frame;
};

/* Reads published.tsv of tests/vectors: vectors[*n]. Ends the process if it cannot. */
const struct vector *corpus_vectors(uint32_t *n);

/* The verdict name that first_light.tsv gives id, NULL if it has no row. Valid until the next call. */
const char *corpus_first_light(const char *id);

/* Number of rows in first_light.tsv. */
uint32_t corpus_first_light_rows(void);

/* The next frame of the stream: about a third is good, the rest has up to four things changed. The same seed, the same stream. */
void corpus_random(uint64_t *seed, struct frame *frame);

#endif
