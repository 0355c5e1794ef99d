/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefix arithmetic, one byte at a time so that both families share it. Any thread. */
#include <string.h>
#include <sys/socket.h>

#include "prefix.h"

/* Byte i of the network mask of length len. */
static uint8_t
mask_byte(uint8_t len, unsigned int i)
{
	if (len >= 8 * (i + 1))
		return 0xff;
	if (len <= 8 * i)
		return 0;
	return (uint8_t)(0xff00u >> (len - 8 * i));
}

uint8_t
ip_family_bits(uint8_t family)
{
	if (family == AF_INET)
		return 32;
	return family == AF_INET6 ? 128 : 0;
}

bool
ip_addr_equal(const struct ip_addr *a, const struct ip_addr *b)
{
	return a->family == b->family && memcmp(a->bytes, b->bytes, ip_family_bits(a->family) / 8) == 0;
}

bool
ip_addr_is_any(const struct ip_addr *addr)
{
	for (unsigned int i = 0; i < ip_family_bits(addr->family) / 8u; i++)
		if (addr->bytes[i] != 0)
			return false;
	return true;
}

bool
ip_prefix_check(const struct ip_prefix *prefix)
{
	const uint8_t bits = ip_family_bits(prefix->addr.family);

	if (bits == 0 || prefix->len > bits)
		return false;
	for (unsigned int i = 0; i < bits / 8u; i++)
		if (prefix->addr.bytes[i] & ~mask_byte(prefix->len, i))
			return false;
	return true;
}

struct ip_prefix
ip_prefix_from(const struct ip_addr *addr, uint8_t len)
{
	struct ip_prefix prefix = {.addr.family = addr->family, .len = len};

	for (unsigned int i = 0; i < ip_family_bits(addr->family) / 8u; i++)
		prefix.addr.bytes[i] = addr->bytes[i] & mask_byte(len, i);
	return prefix;
}

struct ip_prefix
ip_prefix_host(const struct ip_addr *addr)
{
	return ip_prefix_from(addr, ip_family_bits(addr->family));
}

struct ip_addr
ip_prefix_last(const struct ip_prefix *prefix)
{
	struct ip_addr last = {.family = prefix->addr.family};

	for (unsigned int i = 0; i < ip_family_bits(last.family) / 8u; i++)
		last.bytes[i] = prefix->addr.bytes[i] | (uint8_t)~mask_byte(prefix->len, i);
	return last;
}

bool
ip_prefix_covers(const struct ip_prefix *prefix, const struct ip_addr *addr)
{
	if (prefix->addr.family != addr->family)
		return false;
	for (unsigned int i = 0; i < ip_family_bits(addr->family) / 8u; i++)
		if ((prefix->addr.bytes[i] ^ addr->bytes[i]) & mask_byte(prefix->len, i))
			return false;
	return true;
}

struct ip_prefix
ip_prefix_join(const struct ip_prefix *a, const struct ip_prefix *b)
{
	struct ip_prefix join = a->len < b->len ? *a : *b;

	while (!ip_prefix_covers(&join, &a->addr) || !ip_prefix_covers(&join, &b->addr))
		join = ip_prefix_from(&join.addr, join.len - 1);
	return join;
}
