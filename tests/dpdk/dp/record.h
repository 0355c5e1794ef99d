/* SPDX-License-Identifier: BSD-3-Clause */
/* All that came out of a rig, one after the other, so that two runs can be compared. */
#ifndef RECORD_H
#define RECORD_H

#include <stdint.h>

#include "rig.h"

#define RECORD_PUNTED 100u /* plus the verdict */

struct record_entry {
	uint32_t where; /* the port that it left, or RECORD_PUNTED + */
	uint32_t len;
	uint8_t bytes[];
};

struct record {
	uint64_t counts[N_VERDICTS];
	uint32_t len, n_out;
	uint8_t *log; /* [RECORD_BYTES], of struct record_entry */
};

void record_init(struct record *record);
void record_fini(struct record *record);

/* Takes what left the ports 0 to n_ports - 1, in this order, and what was punted. */
void record_output(struct record *record, struct rig *rig, uint16_t n_ports);

/* The entry at offset *at, which is moved behind it; NULL at the end. */
const struct record_entry *record_next(const struct record *record, uint32_t *at);

/* Fails the test unless the same came out of both, in the same order, under the same verdicts. */
void record_compare(const struct record *a, const struct record *b);

#endif
