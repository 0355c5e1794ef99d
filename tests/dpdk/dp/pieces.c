/* SPDX-License-Identifier: BSD-3-Clause */
/* Reassembly as the text of RFC 791 has it, of pieces that come in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pieces.h"
#include "topology.h"

#define MF     0x2000u
#define OFFSET 0x1fffu

static bool
is_ip4(const struct frame *f)
{
	return frame_get16(f->bytes + 12) == 0x0800;
}

static uint32_t
header_len(const uint8_t *l3)
{
	return (l3[0] & 15u) * 4;
}

uint32_t
pieces_of(const struct frame *whole, uint32_t mtu)
{
	const uint32_t total = whole->len - FRAME_L3, hlen = header_len(whole->bytes + FRAME_L3);
	const uint32_t payload = (mtu - hlen) / 8 * 8;

	return !is_ip4(whole) || total <= mtu ? 1 : (total - hlen + payload - 1) / payload;
}

/* The options that every fragment carries: those with the copied flag, which is the first bit of the type. Returns their bytes. */
static uint32_t
copied_options(const uint8_t *l3, uint8_t *to)
{
	const uint32_t hlen = header_len(l3);
	uint32_t n = 0;

	for (uint32_t at = 20; at < hlen && l3[at] != 0;) {
		const uint32_t len = l3[at] == 1 ? 1 : l3[at + 1];

		if (l3[at] & 0x80) {
			memcpy(to + n, l3 + at, len);
			n += len;
		}
		at += len;
	}
	while (n % 4 != 0)
		to[n++] = 0;
	return n;
}

/* Whether the options of a later piece are right. Of a fragment with an offset they have been chosen before. */
static bool
options_fit(const uint8_t *l3, const uint8_t *whole)
{
	uint8_t options[40];
	uint32_t n = header_len(whole) - 20;

	memcpy(options, whole + 20, n);
	if ((frame_get16(whole + 6) & OFFSET) == 0)
		n = copied_options(whole, options);
	return header_len(l3) == 20 + n && memcmp(l3 + 20, options, n) == 0;
}

/* What is wrong with a piece that is to carry the payload from `at` on; NULL if nothing. */
static const char *
judge(const struct frame *piece, const struct frame *expected, uint32_t at, uint32_t mtu, bool last)
{
	const uint8_t *l3 = piece->bytes + FRAME_L3, *whole = expected->bytes + FRAME_L3;
	const uint32_t hlen = header_len(l3), field = frame_get16(whole + 6);
	const uint32_t wanted = (field & ~OFFSET) | ((field & OFFSET) + at / 8) | (last ? 0 : MF);

	if (piece->len > FRAME_L3 + mtu || frame_get16(l3 + 2) != piece->len - FRAME_L3 ||
		frame_get16(l3 + 2) <= hlen)
		return "length";
	if (!last && (frame_get16(l3 + 2) - hlen) % 8 != 0)
		return "payload is no multiple of 8";
	if (frame_get16(l3 + 6) != wanted)
		return "flags or offset";
	if (l3[1] != whole[1] || memcmp(l3 + 4, whole + 4, 2) != 0 || memcmp(l3 + 8, whole + 8, 2) != 0 ||
		memcmp(l3 + 12, whole + 12, 8) != 0)
		return "a field that all pieces have in common";
	if (frame_get16(l3 + 10) != frame_checksum(l3, hlen) || frame_get16(l3 + 10) == 0xffff)
		return "checksum";
	if (at == 0)
		return hlen == header_len(whole) && memcmp(l3 + 20, whole + 20, hlen - 20) == 0
			       ? NULL
			       : "options of the first";
	return options_fit(l3, whole) ? NULL : "options of a later one";
}

static void
next_frame(struct rig *rig, uint16_t port, struct frame *f)
{
	struct rte_mbuf *m = rig_collect(rig, port);

	if (m == NULL)
		fail_msg("nothing, or too little, left port %u", port);
	rig_bytes(m, f);
	rig_return(m);
}

uint32_t
pieces_collect(struct rig *rig, uint16_t port, const struct frame *expected, struct frame *whole)
{
	const uint32_t mtu = topology_mtu[port], n = pieces_of(expected, mtu);
	static struct frame piece;
	uint8_t *l3 = whole->bytes + FRAME_L3;

	next_frame(rig, port, whole);
	if (n == 1)
		return n;

	const uint32_t hlen = header_len(l3);
	const char *wrong = judge(whole, expected, 0, mtu, false);

	for (uint32_t k = 1; k < n && wrong == NULL; k++) {
		next_frame(rig, port, &piece);
		wrong = judge(&piece, expected, whole->len - FRAME_L3 - hlen, mtu, k + 1 == n);
		if (memcmp(piece.bytes, whole->bytes, FRAME_L3) != 0)
			wrong = "MAC addresses";

		const uint32_t from = FRAME_L3 + header_len(piece.bytes + FRAME_L3), len = piece.len - from;

		assert_true(whole->len + len <= FRAME_MAX);
		memcpy(whole->bytes + whole->len, piece.bytes + from, len);
		whole->len += len;
	}
	if (wrong != NULL)
		fail_msg("one of %u pieces is wrong: %s", n, wrong);
	frame_put16(l3 + 2, whole->len - FRAME_L3);
	frame_put16(l3 + 6, (frame_get16(l3 + 6) & ~MF) | (frame_get16(expected->bytes + FRAME_L3 + 6) & MF));
	frame_seal(whole);
	return n;
}
