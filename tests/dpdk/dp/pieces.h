/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragments of IPv4 packets (RFC 791 3.2), put together again and looked at one by one. */
#ifndef PIECES_H
#define PIECES_H

#include "rig.h"

/* How many pieces a packet becomes that leaves as whole would, if its port took it: 1 unless it is IPv4 and larger than mtu. */
uint32_t pieces_of(const struct frame *whole, uint32_t mtu);

/*
 * Takes those that left port for a packet that would have left as expected, which may differ in its destination MAC, and makes one frame of them.
 * Fails the test if one is missing, or is not what RFC 791 makes of it: size, offset, MF, options, checksum, or a frame in pieces where it
 * need not be. Returns how many there were.
 */
uint32_t pieces_collect(struct rig *rig, uint16_t port, const struct frame *expected, struct frame *whole);

#endif
