/* SPDX-License-Identifier: BSD-3-Clause */
/* ICMP (RFC 792) and ICMPv6 (RFC 4443): which error tells what. Pure functions of bytes. */
#ifndef ICMP_H
#define ICMP_H

#include <stdint.h>

/* What a sender is told about its packet. What info is: see icmp_error_info(). */
enum icmp_error {
	ICMP_ERROR_NONE,
	ICMP_ERROR_TTL,          /* 11/0, 3/0: time or hop limit exceeded in transit */
	ICMP_ERROR_REASSEMBLY,   /* 11/1, 3/1: fragments missing after the time limit */
	ICMP_ERROR_NO_ROUTE,     /* 3/0, 1/0 */
	ICMP_ERROR_HOST,         /* 3/1, 1/3: host, address unreachable */
	ICMP_ERROR_PROHIBITED,   /* 3/13, 1/1: administratively prohibited */
	ICMP_ERROR_PROTOCOL,     /* 3/2, 4/1: no such protocol here */
	ICMP_ERROR_PORT,         /* 3/3, 1/4: no such port here */
	ICMP_ERROR_TOO_BIG,      /* 3/4, 2/0: larger than an MTU on its way, which info is */
	ICMP_ERROR_PARAM,        /* 12/0, 4/0: an erroneous header field at offset info */
	ICMP_ERROR_PARAM_OPTION, /* 4/2: an IPv6 option that is not known at offset info */
	ICMP_N_ERRORS
};

/* Its name, as in statistics: "ttl", "too_big". */
const char *icmp_error_name(enum icmp_error error);

#endif
