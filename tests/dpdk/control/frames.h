/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames as host A behind port 0 sends them, piece by piece, and what comes back, without its Ethernet header. */
#ifndef FRAMES_H
#define FRAMES_H

#include "rig.h"

#define FRAME_MAX 66000u

#define PROTO_ICMP  1u
#define PROTO_TCP   6u
#define PROTO_UDP   17u
#define PROTO_ICMP6 58u

struct frame {
	uint8_t bytes[FRAME_MAX];
	uint32_t len;
	uint32_t upper; /* where the upper layer begins; of frame_end()'s ICMP checksum */
};

/* Starts a frame to port's MAC address with an IP header: TTL 64, nothing behind it. */
void frame_begin(struct frame *f, const char *src, const char *dst, uint8_t proto);

/* Appends bytes. In frame_header() they are of an extension header, or of IPv4 options: the upper layer begins behind them. */
void frame_add(struct frame *f, const void *bytes, uint32_t len);
void frame_header(struct frame *f, const void *bytes, uint32_t len);

/* Sets IP lengths and checksums, that of ICMP too if proto is PROTO_ICMP or PROTO_ICMP6 (0: none). */
void frame_end(struct frame *f, uint8_t proto);

/* An ICMP echo request of size bytes (8 of header included) to dst, complete. */
void frame_echo(struct frame *f, const char *src, const char *dst, uint32_t size);

uint8_t *frame_ip(struct frame *f);
uint32_t frame_ip_len(const struct frame *f);

/* Has control handle the frame as come in by port, addressed to that. */
void frame_local(struct rig *rig, struct frame *f, uint16_t port);

/* The same with port 0; asserts that outcome counts one more, and that no packet comes back. */
void frame_silent(struct rig *rig, struct frame *f, enum control_outcome outcome);

/* The same, and returns the length of the one that comes back, at ip[FRAME_MAX]: see frame_back(). */
uint32_t frame_answer(struct rig *rig, struct frame *f, enum control_outcome outcome, uint8_t *ip);

/* A packet with that content, not handed over yet. */
struct skb *frame_skb(struct rig *rig, struct frame *f, uint16_t port);

/*
 * Fragment of the frame's IP payload (behind at, from the IP header on) from byte start to end, with the headers before at; a fragment header is put in for IPv6,
 * of which the byte at next_at names it.
 */
struct cut {
	const struct frame *whole;
	uint32_t at, next_at, id;
};
void frame_cut(const struct cut *cut, uint32_t start, uint32_t end, bool more, struct frame *f);

/* Of each family: who sends to whom, where the payload begins, and how long fragments are waited for. */
struct family {
	const char *src, *dst;
	uint32_t at;
	uint8_t proto;
	uint64_t timeout_ms;
};

extern const struct family families[2];

/* whole becomes an echo request with size bytes of payload, cut what cuts it. */
void frame_ping(const struct family *family, uint32_t size, struct frame *whole, struct cut *cut);

/* Has control handle a fragment, come in by port 0. */
void frame_part(struct rig *rig, const struct cut *cut, uint32_t start, uint32_t end, bool more);

/*
 * Takes the next packet of the ring back that is for the walk. Asserts that it is fit for it: from port, for port's MAC address, TTL one more than
 * 64, IPv4 header checksum right. Returns the bytes of the IP packet at ip (of FRAME_MAX), as it would leave; 0: there is none.
 */
uint32_t frame_back(struct rig *rig, uint16_t port, uint8_t *ip);

/* Whether the ICMP checksum of the message behind the IP header at ip (without options) is right. */
bool icmp_sum_is_right(const uint8_t *ip, uint32_t len);

/* Takes all data buffers but n_bufs and all heads but n_heads away, until shortage_end(). */
void shortage_begin(struct rig *rig, unsigned int n_bufs, unsigned int n_heads);
void shortage_end(struct rig *rig);

#endif
