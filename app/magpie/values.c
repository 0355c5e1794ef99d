/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inet_pton() is as strict as we need (no leading zeros, no short forms of IPv4), strtoul() is
 * not (signs, blanks, bases, silent wrap), so numbers are read here digit by digit.
 */
#include "values.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
number_parse(const char *text, uint64_t min, uint64_t max, uint64_t *out, struct complaint *why)
{
	const size_t len = strlen(text);
	uint64_t number = 0;

	/* 19 digits never overflow 64 bits. */
	if (len == 0 || len > 19 || strspn(text, "0123456789") != len)
		return refuse(why, text, "a number from %" PRIu64 " to %" PRIu64, min, max);
	for (const char *digit = text; *digit != '\0'; digit++)
		number = number * 10 + (uint64_t)(*digit - '0');
	if (number < min || number > max)
		return refuse(why, text, "a number from %" PRIu64 " to %" PRIu64, min, max);
	*out = number;
	return 0;
}

int
hex_or_number_parse(const char *text, uint64_t max, uint64_t *out, struct complaint *why)
{
	const bool hex = strncmp(text, "0x", 2) == 0;
	const char *digits = hex ? text + 2 : text;
	const size_t len = strlen(digits);
	struct complaint ignored = {0};

	/* 16 digits never overflow 64 bits */
	if (!hex && number_parse(text, 0, max, out, &ignored) == 0)
		return 0;
	if (hex && len > 0 && len <= 16 && strspn(digits, "0123456789abcdefABCDEF") == len) {
		*out = strtoull(digits, NULL, 16);
		if (*out <= max)
			return 0;
	}
	return refuse(why, text, "a number from 0 to %" PRIu64 ", or from 0x0 to 0x%" PRIx64, max, max);
}

static int
address_parse(const char *text, struct ip_addr *out, struct complaint *why)
{
	const int family = strchr(text, ':') != NULL ? AF_INET6 : AF_INET;

	memset(out, 0, sizeof(*out));
	out->family = (uint8_t)family;
	if (inet_pton(family, text, out->bytes) != 1)
		return refuse(why, text, "an IPv4 or IPv6 address such as 192.0.2.1 or 2001:db8::1");
	return 0;
}

static unsigned int
address_bits(const struct ip_addr *addr)
{
	return addr->family == AF_INET ? 32 : 128;
}

/* Why no host can have this address; NULL when one can. */
static const char *
not_a_host(const struct ip_addr *addr)
{
	struct in6_addr six;

	memcpy(&six, addr->bytes, sizeof(six)); /* bytes is not aligned as it wants to be */
	if (addr->family == AF_INET6) {
		if (IN6_IS_ADDR_UNSPECIFIED(&six) || IN6_IS_ADDR_LOOPBACK(&six))
			return "unspecified or loopback";
		return IN6_IS_ADDR_MULTICAST(&six) ? "multicast" : NULL;
	}
	if (addr->bytes[0] == 0 || addr->bytes[0] == 127)
		return "unspecified or loopback";
	if (addr->bytes[0] >= 224)
		return "multicast, reserved or broadcast";
	return NULL;
}

int
host_parse(const char *text, struct ip_addr *out, struct complaint *why)
{
	if (address_parse(text, out, why) != 0)
		return -EINVAL;

	const char *kind = not_a_host(out);

	if (kind != NULL)
		return refuse(why, text, "a host's address (this one is %s)", kind);
	return 0;
}

/* Splits ADDR/LEN. */
static int
slashed_parse(const char *text, struct ip_addr *addr, uint8_t *len, struct complaint *why)
{
	char room[INET6_ADDRSTRLEN];
	const char *slash = strchr(text, '/');
	const size_t n = slash == NULL ? 0 : (size_t)(slash - text);
	struct complaint ignored = {0};
	uint64_t number = 0;

	if (n == 0 || n >= sizeof(room))
		return refuse(why, text, "ADDRESS/LENGTH such as 10.0.0.0/8 or 2001:db8::/32");
	memcpy(room, text, n);
	room[n] = '\0';
	if (address_parse(room, addr, &ignored) != 0)
		return refuse(why, text, "an IPv4 or IPv6 address before the '/'");
	if (number_parse(slash + 1, 0, address_bits(addr), &number, &ignored) != 0)
		return refuse(why, text, "a length from 0 to %u behind the '/'", address_bits(addr));
	*len = (uint8_t)number;
	return 0;
}

/* The bits of byte i that are behind a prefix of len bits. */
static uint8_t
host_mask(unsigned int i, unsigned int len)
{
	if (len >= 8 * (i + 1))
		return 0;
	return len <= 8 * i ? 0xff : (uint8_t)(0xff >> (len - 8 * i));
}

/* Whether every host bit of addr is set (or, with ones false, clear). */
static bool
host_bits_all(const struct ip_addr *addr, unsigned int len, bool ones)
{
	for (unsigned int i = len / 8; i < address_bits(addr) / 8; i++) {
		const uint8_t mask = host_mask(i, len);

		if ((addr->bytes[i] & mask) != (ones ? mask : 0))
			return false;
	}
	return true;
}

int
prefix_parse(const char *text, struct ip_prefix *out, struct complaint *why)
{
	char room[ADDRESS_TEXT_LEN];

	memset(out, 0, sizeof(*out));
	if (slashed_parse(text, &out->addr, &out->len, why) != 0)
		return -EINVAL;
	if (host_bits_all(&out->addr, out->len, false))
		return 0;
	for (unsigned int i = 0; i < address_bits(&out->addr) / 8; i++)
		out->addr.bytes[i] &= (uint8_t)~host_mask(i, out->len);
	return refuse(why, text, "no bits set behind the prefix; did you mean %s?", prefix_text(out, room));
}

int
interface_parse(const char *text, struct ip_addr *out, uint8_t *len, struct complaint *why)
{
	if (slashed_parse(text, out, len, why) != 0)
		return -EINVAL;

	const char *kind = not_a_host(out);

	if (kind != NULL)
		return refuse(why, text, "a host's address (this one is %s)", kind);
	if (*len == 0)
		return refuse(why, text, "a length from 1 to %u behind the '/'", address_bits(out));
	/* A subnet of two addresses, or one, has neither (RFC 3021, RFC 6164). */
	if (*len + 1u >= address_bits(out))
		return 0;
	if (host_bits_all(out, *len, false))
		return refuse(why, text, "a host's address (this one names the subnet itself)");
	if (out->family == AF_INET && host_bits_all(out, *len, true))
		return refuse(why, text, "a host's address (this one is the subnet's broadcast)");
	return 0;
}

int
mac_parse(const char *text, struct rte_ether_addr *out, struct complaint *why)
{
	bool form = strlen(text) == 17;

	for (unsigned int i = 0; form && i < 17; i++)
		form = i % 3 == 2 ? text[i] == ':' : isxdigit((unsigned char)text[i]) != 0;
	if (!form || rte_ether_unformat_addr(text, out) != 0)
		return refuse(why, text, "a MAC address such as 02:00:00:00:00:01");
	if (!rte_is_valid_assigned_ether_addr(out))
		return refuse(why, text, "a station's MAC address, neither zero nor a group's");
	return 0;
}

const char *
address_text(const struct ip_addr *addr, char room[ADDRESS_TEXT_LEN])
{
	return inet_ntop(addr->family, addr->bytes, room, ADDRESS_TEXT_LEN);
}

const char *
prefix_text(const struct ip_prefix *prefix, char room[ADDRESS_TEXT_LEN])
{
	address_text(&prefix->addr, room);
	snprintf(room + strlen(room), 5, "/%u", prefix->len);
	return room;
}
