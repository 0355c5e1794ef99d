/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes that move. */
#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

void
model_init(struct model *m, const uint8_t *bytes, uint32_t len)
{
	m->len = 0;
	m->known = 0;
	for (uint32_t i = 0; i < MODEL_HEADERS; i++)
		m->header[i] = MODEL_UNSET;
	model_put(m, bytes, len);
}

void
model_copy(struct model *to, const struct model *from)
{
	to->len = from->len;
	to->known = from->known;
	memcpy(to->header, from->header, sizeof(to->header));
	memcpy(to->bytes + MODEL_START - to->known, from->bytes + MODEL_START - to->known,
		to->known + to->len);
}

void
model_put(struct model *m, const uint8_t *bytes, uint32_t len)
{
	assert_in_range(m->len + len, 0, MODEL_LEN_MAX);
	memcpy(model_data(m) + m->len, bytes, len);
	m->len += len;
}

static void
move_headers(struct model *m, int32_t by)
{
	for (uint32_t i = 0; i < MODEL_HEADERS; i++)
		if (m->header[i] != MODEL_UNSET)
			m->header[i] += by;
}

void
model_push(struct model *m, const uint8_t *bytes, uint32_t len)
{
	assert_in_range(m->len + len, 0, MODEL_LEN_MAX);
	/* what it finds there is what once was pulled off, until it is written over */
	memmove(model_data(m) + len, model_data(m), m->len);
	m->known -= RTE_MIN(m->known, len);
	memmove(model_data(m) - m->known, model_data(m) - m->known - len, m->known);
	memcpy(model_data(m), bytes, len);
	m->len += len;
	move_headers(m, (int32_t)len);
}

void
model_pull(struct model *m, uint32_t len)
{
	m->known = RTE_MIN(m->known, MODEL_START - len);
	memmove(model_data(m) - m->known - len, model_data(m) - m->known, m->known + m->len);
	m->known += len;
	m->len -= len;
	move_headers(m, -(int32_t)len);
}

void
model_trim(struct model *m, uint32_t len)
{
	m->len = RTE_MIN(m->len, len);
}

uint32_t
model_headers_before(const struct model *m)
{
	int32_t first = 0;

	for (uint32_t i = 0; i < MODEL_HEADERS; i++)
		if (m->header[i] != MODEL_UNSET)
			first = RTE_MIN(first, m->header[i]);
	return (uint32_t)-first;
}

void
model_moved(struct model *m)
{
	m->known = RTE_MIN(m->known, model_headers_before(m));
}

void
model_set_header(struct model *m, struct skb *skb, uint32_t i, int32_t offset)
{
	void (*const set[])(struct skb *, int) = {
		skb_set_mac_header, skb_set_network_header, skb_set_transport_header};
	uint16_t *const unset[] = {&skb->mac_header, &skb->network_header, &skb->transport_header};

	m->header[i] = offset;
	if (offset == MODEL_UNSET)
		*unset[i] = SKB_UNSET;
	else
		set[i](skb, offset);
}

static void
assert_header(const struct skb *skb, const uint8_t *at, bool is_set, int32_t offset)
{
	assert_int_equal(is_set, offset != MODEL_UNSET);
	if (is_set)
		assert_int_equal(at - skb->data, offset);
}

void
model_assert(struct model *m, const struct skb *skb)
{
	world_assert_packet(skb, model_data(m), m->len);
	assert_header(skb, skb_mac_header(skb), skb_mac_header_was_set(skb), m->header[0]);
	assert_header(skb, skb_network_header(skb), skb_network_header_was_set(skb), m->header[1]);
	assert_header(skb, skb_transport_header(skb), skb_transport_header_was_set(skb), m->header[2]);
	assert_in_range(m->known, 0, skb_headroom(skb));
	assert_memory_equal(skb->data - m->known, model_data(m) - m->known, m->known);
}
