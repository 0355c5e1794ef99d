/* SPDX-License-Identifier: BSD-3-Clause */
/* Ethernet frames as byte strings, and what is needed to write and to spoil them. */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_MAX 9216u
#define FRAME_L3  14u /* where the packet begins */

struct frame {
	uint32_t len;
	uint8_t bytes[FRAME_MAX];
};

/* Big-endian fields, one byte at a time. */
void frame_put16(uint8_t *at, uint32_t value);
void frame_put32(uint8_t *at, uint32_t value);
uint32_t frame_get16(const uint8_t *at);
uint32_t frame_get32(const uint8_t *at);

/* 02:00:00:00:00:last. */
void frame_mac(uint8_t *at, uint8_t last);

/* A UDP packet from host A to dst ("10.0.1.2", "2001:db8:1::2"), payload bytes of payload, for port 0. The family is dst's. */
void frame_udp(struct frame *frame, const char *dst, uint32_t payload);

/* Writes an address over the one at offset `at` of the frame and mends the IPv4 checksum. */
void frame_set_addr(struct frame *frame, uint32_t at, const char *text);

/* Computes the IPv4 header checksum of the packet at l3 anew, the slow way; of its first hlen bytes. */
uint32_t frame_checksum(const uint8_t *l3, uint32_t hlen);

/* Writes it, if the header's length is possible. */
void frame_seal(struct frame *frame);

/* Inserts a VLAN tag of type tpid behind the addresses. */
void frame_tag(struct frame *frame, uint16_t tpid, uint16_t tci);

/* Makes it longer by n bytes of fill: link padding. */
void frame_pad(struct frame *frame, uint32_t n, uint8_t fill);

/* Hex digits to frame; false if they are none or too many. */
bool frame_parse(struct frame *frame, const char *hex);

/* A number below n; *seed is advanced (an LCG of 64 bits: the same everywhere). */
uint32_t frame_random(uint64_t *seed, uint32_t n);

#endif
