/* SPDX-License-Identifier: BSD-3-Clause */
/* A log of frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record.h"
#include "skb_frags.h"

#define RECORD_BYTES (32u << 20)

void
record_init(struct record *r)
{
	memset(r, 0, sizeof(*r));
	r->log = malloc(RECORD_BYTES);
	assert_non_null(r->log);
}

void
record_fini(struct record *r)
{
	free(r->log);
}

static uint32_t
entry_size(uint32_t len)
{
	return (uint32_t)RTE_ALIGN_CEIL(sizeof(struct record_entry) + len, alignof(struct record_entry));
}

static void
add(struct record *r, uint32_t where, const struct frame *f)
{
	struct record_entry *entry = (struct record_entry *)(void *)(r->log + r->len);
	const uint32_t size = entry_size(f->len);

	assert_true(r->len + size <= RECORD_BYTES);
	memset(entry, 0, size);
	entry->where = where;
	entry->len = f->len;
	memcpy(entry->bytes, f->bytes, f->len);
	r->len += size;
	r->n_out++;
}

void
record_output(struct record *r, struct rig *rig, uint16_t n_ports)
{
	static struct frame f;
	struct rte_mbuf *m;
	struct skb *skb;

	for (uint16_t p = 0; p < n_ports; p++)
		while ((m = rig_collect(rig, p)) != NULL) {
			rig_bytes(m, &f);
			add(r, p, &f);
			rig_return(m);
		}
	while ((skb = rig_punted(rig)) != NULL) {
		f.len = skb->len;
		assert_int_equal(skb_copy_bits(skb, 0, f.bytes, f.len), 0);
		add(r, RECORD_PUNTED + skb->reason, &f);
		rig_consume(rig, skb);
	}
}

const struct record_entry *
record_next(const struct record *r, uint32_t *at)
{
	const struct record_entry *entry = (const struct record_entry *)(const void *)(r->log + *at);

	if (*at == r->len)
		return NULL;
	*at += entry_size(entry->len);
	return entry;
}

void
record_compare(const struct record *a, const struct record *b)
{
	for (uint32_t v = 0; v < N_VERDICTS; v++)
		if (a->counts[v] != b->counts[v])
			fail_msg("%s: %lu and %lu", verdict_info[v].name, (unsigned long)a->counts[v],
				(unsigned long)b->counts[v]);
	assert_int_equal(a->n_out, b->n_out);
	assert_int_equal(a->len, b->len);
	assert_int_equal(memcmp(a->log, b->log, a->len), 0);
}
