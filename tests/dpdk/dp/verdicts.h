/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of test_verdicts share: every verdict is to be reached by one of them. */
#ifndef VERDICTS_H
#define VERDICTS_H

#include "frame.h"
#include "rig.h"

#define B4 "10.0.1.2"
#define B6 "2001:db8:1::2"

struct rig *verdicts_rig(enum build_mode build);

/* Takes the rig down and remembers what it has counted. */
void verdicts_finish(struct rig *rig);

/* This frame, alone, gets this verdict and no other counter moves. */
void verdicts_expect(struct rig *rig, const struct frame *f, enum verdict verdict);

/* The groups of tests: each returns how many have failed. */
int verdicts_packets(void);
int verdicts_shortages(void);

#endif
