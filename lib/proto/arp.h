/* SPDX-License-Identifier: BSD-3-Clause */
/* ARP (RFC 826) between Ethernet and IPv4 addresses, the only kind there is here. Pure functions of bytes. */
#ifndef ARP_H
#define ARP_H

#include <stdint.h>

#define ARP_LEN     28u /* bytes of the packet behind the Ethernet header; what follows is padding */
#define ARP_REQUEST 1u
#define ARP_REPLY   2u

/* Why a packet is not one, in the order it is judged. */
enum arp_fault {
	ARP_OK,
	ARP_TRUNCATED, /* shorter than ARP_LEN */
	ARP_FORMAT, /* hardware not Ethernet (1), protocol not IPv4 (0x0800), or lengths that are not 6 and 4 */
	ARP_OPERATION, /* neither request nor reply */
	ARP_N_FAULTS
};

/* The fields, by their names in RFC 826; addresses in network order. */
struct arp {
	uint16_t op;    /* ARP_REQUEST or ARP_REPLY */
	uint8_t sha[6]; /* sender: hardware and protocol address */
	uint8_t spa[4];
	uint8_t tha[6]; /* target */
	uint8_t tpa[4];
};

/*
 * Reads the packet at p (behind the Ethernet header), of which len bytes were received, padding included. Returns the first
 * fault in the order above, or ARP_OK and *arp. Says nothing of the addresses. Reads at most len bytes.
 */
enum arp_fault arp_parse(const uint8_t *p, uint32_t len, struct arp *arp);

/* Writes ARP_LEN bytes to p. */
void arp_build(const struct arp *arp, uint8_t *p);

#endif
