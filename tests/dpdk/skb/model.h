/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet that is nothing but its bytes: what the verbs do by moving pointers and counting references, the
 * model does by moving and copying bytes. It shares nothing with another model, so whatever is written to a packet
 * and shows in another one is found.
 *
 *   bytes[]   | ... | known |     len     | ...
 *                           ^ MODEL_START: where the packet starts, always
 *
 * known: bytes before the packet that it began with once (pulled off since), and will begin with again when they are pushed.
 */
#ifndef SKB_MODEL_H
#define SKB_MODEL_H

#include <stdint.h>

#include "skb.h"

#define MODEL_START   1024u
#define MODEL_LEN_MAX 4096u
#define MODEL_HEADERS 3u        /* mac, network, transport */
#define MODEL_UNSET   INT32_MIN /* of a header */

struct model {
	uint32_t len, known;
	int32_t header[MODEL_HEADERS]; /* from the packet's start on */
	uint8_t bytes[MODEL_START + MODEL_LEN_MAX];
};

void model_init(struct model *m, const uint8_t *bytes, uint32_t len);
void model_copy(struct model *to, const struct model *from);

static inline uint8_t *
model_data(struct model *m)
{
	return m->bytes + MODEL_START;
}

void model_put(struct model *m, const uint8_t *bytes, uint32_t len);
void model_push(struct model *m, const uint8_t *bytes, uint32_t len);
void model_pull(struct model *m, uint32_t len);
void model_trim(struct model *m, uint32_t len);

/* Bytes before the packet that a header offset points to. */
uint32_t model_headers_before(const struct model *m);

/* It has a new first segment: only known bytes that a header points to have moved there. */
void model_moved(struct model *m);

/* Sets header i of both, offset bytes from the packet's start on; MODEL_UNSET: not at all. */
void model_set_header(struct model *m, struct skb *skb, uint32_t i, int32_t offset);

/* skb is what the model says. */
void model_assert(struct model *m, const struct skb *skb);

#endif
