/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RIB on rte_hash: key = the prefix (18 bytes, host bits and unused bytes 0), data = the ids of its
 * sources, packed into the data word. rte_hash has a fixed size, so a full one is copied into one of twice
 * the size: an idle router needs 100 kB, a million prefixes 50 to 100 MB.
 *
 * Invariant: a prefix is in the hash if and only if some source has an id for it; there are n_prefixes of
 * them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_hash.h>

#include "prefix.h"
#include "rib.h"

#define RIB_START 1024u
#define RIB_MAX   (1u << 26)

static struct rte_hash *
hash_create(int node, uint32_t n_max)
{
	static uint32_t n_made; /* names must differ, also between tables */
	char name[20];
	const struct rte_hash_parameters parameters = {
		.name = name,
		.entries = n_max,
		.key_len = sizeof(struct ip_prefix),
		.socket_id = node,
	};

	snprintf(name, sizeof(name), "mag_rib%u", n_made++);
	return rte_hash_create(&parameters);
}

int
rib_init(struct rib *rib, uint8_t family, int node)
{
	*rib = (struct rib){.family = family, .node = node, .n_max = RIB_START};
	rib->hash = hash_create(node, rib->n_max);
	return rib->hash == NULL ? -ENOMEM : 0;
}

void
rib_fini(struct rib *rib)
{
	rte_hash_free(rib->hash);
	rib->hash = NULL;
}

static struct rib_entry
entry_from_word(const void *word)
{
	struct rib_entry entry;

	memcpy(&entry, &word, sizeof(entry));
	return entry;
}

static void *
word_from_entry(struct rib_entry entry)
{
	void *word;

	memcpy(&word, &entry, sizeof(word));
	return word;
}

struct rib_entry
rib_get(const struct rib *rib, const struct ip_prefix *prefix)
{
	const struct ip_prefix key = ip_prefix_from(&prefix->addr, prefix->len);
	void *word;

	if (rte_hash_lookup_data(rib->hash, &key, &word) < 0)
		return (struct rib_entry){0};
	return entry_from_word(word);
}

static int
rib_grow(struct rib *rib)
{
	const uint32_t n_max = rib->n_max * 2;
	struct rte_hash *const hash = n_max <= RIB_MAX ? hash_create(rib->node, n_max) : NULL;
	const void *key;
	void *word;
	uint32_t i = 0;

	if (hash == NULL)
		return -ENOMEM;
	while (rte_hash_iterate(rib->hash, &key, &word, &i) >= 0) {
		if (rte_hash_add_key_data(hash, key, word) != 0) {
			rte_hash_free(hash);
			return -ENOMEM;
		}
	}
	rte_hash_free(rib->hash);
	rib->hash = hash;
	rib->n_max = n_max;
	return 0;
}

int
rib_set(struct rib *rib, const struct ip_prefix *prefix, struct rib_entry entry)
{
	const struct ip_prefix key = ip_prefix_from(&prefix->addr, prefix->len);
	const bool present = rte_hash_lookup(rib->hash, &key) >= 0;

	if (rib_entry_best(&entry) == 0) {
		if (present) {
			rte_hash_del_key(rib->hash, &key);
			rib->n_prefixes--;
		}
		return 0;
	}
	while (rte_hash_add_key_data(rib->hash, &key, word_from_entry(entry)) != 0)
		if (rib_grow(rib) != 0)
			return -ENOMEM;
	rib->n_prefixes += !present;
	return 0;
}

uint16_t
rib_entry_best(const struct rib_entry *entry)
{
	for (unsigned int source = 0; source < RIB_N_SOURCES; source++)
		if (entry->id[source] != 0)
			return entry->id[source];
	return 0;
}

bool
rib_next(const struct rib *rib, uint32_t *at, struct ip_prefix *prefix, struct rib_entry *entry)
{
	const void *key;
	void *word;

	if (rte_hash_iterate(rib->hash, &key, &word, at) < 0)
		return false;
	memcpy(prefix, key, sizeof(*prefix));
	*entry = entry_from_word(word);
	return true;
}
