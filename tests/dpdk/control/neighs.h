/* SPDX-License-Identifier: BSD-3-Clause */
/* What neighbours say to the rig, in one line of code each, and what it says to them, in one line of text. */
#ifndef NEIGHS_H
#define NEIGHS_H

#include "rig.h"

/* A rig whose links have been up for so long that its own addresses are checked; what that sent is forgotten. */
struct rig *neighs_open(void (*change)(struct rig *rig, struct control_conf *conf));

/* ARP from 02:00:00:00:00:mac by port. To the port's MAC address, or to everybody. */
void arp_from(
	struct rig *rig, uint16_t port, uint8_t mac, const char *what, const char *spa, const char *tpa);

/* Hands over 14 bytes of Ethernet header and then bytes[len], as class punt.host. */
void frame_from(struct rig *rig, uint16_t port, uint16_t type, const void *bytes, uint32_t len);

/*
 * An IPv6 packet of neighbour discovery, as nd.h builds it, in a frame from 02:00:00:00:00:ee. mac < 0: without its option. flags < 0:
 * a solicitation.
 */
struct nd_words {
	const char *src, *dst, *target;
	int mac, flags;
};
void nd_from(struct rig *rig, uint16_t port, const struct nd_words *words);

/* A packet that the walk could not send to next on port egress: UDP from src, whose payload is the byte id. */
void unresolved(struct rig *rig, const char *src, const char *next, uint16_t egress, uint8_t id);

/*
 * All that came out since the last call, separated by "; ". MAC addresses 02:00:00:00:00:xx are written xx. Frames: "0>0a " port, destination,
 * then
 *   who-has 10.0.0.2 tell 10.0.0.1      10.0.0.1 is-at 01 for 10.0.0.2
 *   ns 2001:db8::2 from 2001:db8::1 to ff02::1:ff00:2 slla 01
 *   na 2001:db8::1 to 2001:db8::2 RSO tlla 01      mld ff02::1:ff00:1 from fe80::1
 *   udp 7 to fe80::2
 * Packets for the walk: "walk udp 7 to 10.0.1.2", "walk icmp 3/1 to 10.0.0.2".
 */
void said(struct rig *rig, const char *expected);

/* What is known of addr on port: its name, "none" if there is no such neighbour; *mac its last byte. */
const char *known(struct rig *rig, uint16_t port, const char *addr, int *mac);

/* The outcome counts one more than when this was last called for it. */
void became(struct rig *rig, enum control_outcome outcome);

#endif
