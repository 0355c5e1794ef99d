/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames for the walk's tests; nothing here is shared with the code under test. */
#include "frame.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
frame_put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

void
frame_put32(uint8_t *at, uint32_t value)
{
	frame_put16(at, value >> 16);
	frame_put16(at + 2, value & 0xffff);
}

uint32_t
frame_get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

uint32_t
frame_get32(const uint8_t *at)
{
	return frame_get16(at) << 16 | frame_get16(at + 2);
}

void
frame_mac(uint8_t *at, uint8_t last)
{
	static const uint8_t mac[6] = {0x02};

	memcpy(at, mac, 6);
	at[5] = last;
}

uint32_t
frame_checksum(const uint8_t *l3, uint32_t hlen)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < hlen; i += 2)
		sum += i == 10 ? 0 : frame_get16(l3 + i);
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

void
frame_seal(struct frame *frame)
{
	uint8_t *l3 = frame->bytes + FRAME_L3;
	uint32_t hlen = (l3[0] & 15u) * 4;

	if (hlen >= 20 && FRAME_L3 + hlen <= frame->len)
		frame_put16(l3 + 10, frame_checksum(l3, hlen));
}

static void
fill_ip4(struct frame *frame, const char *dst, uint32_t l4len)
{
	static const uint8_t fixed[20] = {0x45, 0, 0, 0, 0x12, 0x34, 0, 0, 64, 17, 0, 0, 10, 0, 0, 2};
	uint8_t *l3 = frame->bytes + FRAME_L3;

	memcpy(l3, fixed, sizeof(fixed));
	frame_put16(l3 + 2, 20 + l4len);
	inet_pton(AF_INET, dst, l3 + 16);
	frame->len = FRAME_L3 + 20 + l4len;
	frame_seal(frame);
}

static void
fill_ip6(struct frame *frame, const char *dst, uint32_t l4len)
{
	uint8_t *l3 = frame->bytes + FRAME_L3;

	memset(l3, 0, 40);
	l3[0] = 0x60;
	frame_put16(l3 + 4, l4len);
	l3[6] = 17;
	l3[7] = 64;
	inet_pton(AF_INET6, "2001:db8::2", l3 + 8);
	inet_pton(AF_INET6, dst, l3 + 24);
	frame->len = FRAME_L3 + 40 + l4len;
}

void
frame_udp(struct frame *frame, const char *dst, uint32_t payload)
{
	const bool ip6 = strchr(dst, ':') != NULL;
	const uint32_t l4len = 8 + payload;
	uint8_t *l4 = frame->bytes + FRAME_L3 + (ip6 ? 40 : 20);

	assert(FRAME_L3 + 40 + l4len <= FRAME_MAX);
	frame_mac(frame->bytes, 0x01);
	frame_mac(frame->bytes + 6, 0x0a);
	frame_put16(frame->bytes + 12, ip6 ? 0x86dd : 0x0800);
	if (ip6)
		fill_ip6(frame, dst, l4len);
	else
		fill_ip4(frame, dst, l4len);
	frame_put16(l4, 1024);
	frame_put16(l4 + 2, 9);
	frame_put16(l4 + 4, l4len);
	frame_put16(l4 + 6, 0);
	for (uint32_t i = 0; i < payload; i++)
		l4[8 + i] = (uint8_t)(i * 7 + 1);
}

void
frame_set_addr(struct frame *frame, uint32_t at, const char *text)
{
	const bool ip6 = strchr(text, ':') != NULL;

	if (inet_pton(ip6 ? AF_INET6 : AF_INET, text, frame->bytes + at) != 1)
		abort();
	if (!ip6)
		frame_seal(frame);
}

void
frame_tag(struct frame *frame, uint16_t tpid, uint16_t tci)
{
	assert(frame->len + 4 <= FRAME_MAX);
	memmove(frame->bytes + 16, frame->bytes + 12, frame->len - 12);
	frame_put16(frame->bytes + 12, tpid);
	frame_put16(frame->bytes + 14, tci);
	frame->len += 4;
}

void
frame_pad(struct frame *frame, uint32_t n, uint8_t fill)
{
	assert(frame->len + n <= FRAME_MAX);
	memset(frame->bytes + frame->len, fill, n);
	frame->len += n;
}

bool
frame_parse(struct frame *frame, const char *hex)
{
	unsigned int byte;

	for (frame->len = 0; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
		if (frame->len == FRAME_MAX || hex[1] == '\0')
			return false;
		frame->bytes[frame->len++] = (uint8_t)byte;
	}
	return frame->len > 0;
}

uint32_t
frame_random(uint64_t *seed, uint32_t n)
{
	/* Knuth's MMIX constants; the high bits are the good ones */
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(((*seed >> 32) * n) >> 32);
}
