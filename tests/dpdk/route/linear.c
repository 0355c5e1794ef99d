/* SPDX-License-Identifier: BSD-3-Clause */
/* A routing table that is too simple to be wrong, and a random generator for those who test against it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "linear.h"

void
linear_init(struct linear *table, uint8_t family, unsigned int n_max)
{
	*table = (struct linear){.family = family, .n_max = n_max};
	table->entries = calloc(n_max, sizeof(*table->entries));
	if (table->entries == NULL)
		abort();
}

void
linear_fini(struct linear *table)
{
	free(table->entries);
}

linear_addr_t
linear_mask(uint8_t len)
{
	return len == 0 ? 0 : ~(linear_addr_t)0 << (128 - len);
}

linear_addr_t
linear_addr(const struct ip_addr *addr)
{
	const unsigned int n_bytes = addr->family == AF_INET ? 4 : 16;
	linear_addr_t value = 0;

	for (unsigned int i = 0; i < n_bytes; i++)
		value |= (linear_addr_t)addr->bytes[i] << (120 - 8 * i);
	return value;
}

struct ip_addr
linear_to_addr(uint8_t family, linear_addr_t value)
{
	struct ip_addr addr = {.family = family};
	const unsigned int n_bytes = family == AF_INET ? 4 : 16;

	for (unsigned int i = 0; i < n_bytes; i++)
		addr.bytes[i] = (uint8_t)(value >> (120 - 8 * i));
	return addr;
}

struct ip_prefix
linear_to_prefix(uint8_t family, linear_addr_t value, uint8_t len)
{
	return (struct ip_prefix){.addr = linear_to_addr(family, value & linear_mask(len)), .len = len};
}

int
linear_find(const struct linear *table, const struct ip_prefix *prefix)
{
	const linear_addr_t addr = linear_addr(&prefix->addr);

	for (unsigned int i = 0; i < table->n; i++)
		if (table->entries[i].addr == addr && table->entries[i].len == prefix->len)
			return (int)i;
	return -1;
}

void
linear_set(struct linear *table, const struct ip_prefix *prefix, uint16_t id)
{
	int i = linear_find(table, prefix);

	if (i < 0) {
		if (table->n == table->n_max)
			abort();
		i = (int)table->n++;
	}
	table->entries[i] =
		(struct linear_entry){linear_addr(&prefix->addr), linear_mask(prefix->len), prefix->len, id};
}

void
linear_remove(struct linear *table, unsigned int i)
{
	table->entries[i] = table->entries[--table->n];
}

uint16_t
linear_lookup(const struct linear *table, linear_addr_t addr)
{
	uint16_t id = 0;
	int best = -1;

	for (unsigned int i = 0; i < table->n; i++) {
		const struct linear_entry *const entry = &table->entries[i];

		if (((addr ^ entry->addr) & entry->mask) == 0 && entry->len > best) {
			best = entry->len;
			id = entry->id;
		}
	}
	return id;
}

void
random_seed(struct random *random, uint64_t seed)
{
	*random = (struct random){{seed * 0x9e3779b97f4a7c15u + 1, seed ^ 0xd1b54a32d192ed03u}};
	for (unsigned int i = 0; i < 20; i++)
		random_next(random);
}

uint64_t
random_next(struct random *random)
{
	uint64_t a = random->state[0];
	const uint64_t b = random->state[1];

	random->state[0] = b;
	a ^= a << 23;
	random->state[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
	return random->state[1] + b;
}

unsigned int
random_below(struct random *random, unsigned int n)
{
	return (unsigned int)((random_next(random) >> 32) * n >> 32);
}
