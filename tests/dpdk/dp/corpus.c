/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames from files and from chance. The changes are those that fall into the cracks of a forwarder: edges of lengths, special
 * addresses, single bits, mended checksums over wrong headers.
 */
#include "corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 8192

static FILE *
open_table(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", VECTORS_DIR, name);

	FILE *file = fopen(path, "r");

	if (file == NULL) {
		perror(path);
		exit(1);
	}
	return file;
}

/* Cuts the next line that is no remark at its tabs into cells[n] (missing ones are empty). Returns 0 at the end. */
static int
next_row(FILE *file, char *line, char **cells, uint32_t n)
{
	do {
		if (fgets(line, LINE_MAX_BYTES, file) == NULL)
			return 0;
	} while (line[0] == '#');
	line[strcspn(line, "\n")] = '\0';
	for (uint32_t i = 0; i < n; i++) {
		cells[i] = line;
		line += strcspn(line, "\t");
		if (*line != '\0')
			*line++ = '\0';
	}
	return 1;
}

const struct vector *
corpus_vectors(uint32_t *n)
{
	static struct vector vectors[CORPUS_MAX];
	static uint32_t n_vectors;
	char line[LINE_MAX_BYTES], *cells[4];
	FILE *file;

	*n = n_vectors;
	if (n_vectors > 0)
		return vectors;
	file = open_table("published.tsv");
	while (n_vectors < CORPUS_MAX && next_row(file, line, cells, 4)) {
		struct vector *v = &vectors[n_vectors++];

		snprintf(v->id, sizeof(v->id), "%.*s", (int)sizeof(v->id) - 1, cells[0]);
		snprintf(v->verdict, sizeof(v->verdict), "%.*s", (int)sizeof(v->verdict) - 1, cells[1]);
		if (!frame_parse(&v->frame, cells[3])) {
			fprintf(stderr, "published.tsv: %s: no frame\n", v->id);
			exit(1);
		}
	}
	fclose(file);
	*n = n_vectors;
	return vectors;
}

const char *
corpus_first_light(const char *id)
{
	static char line[LINE_MAX_BYTES];
	char *cells[2];
	const char *found = NULL;
	FILE *file = open_table("first_light.tsv");

	while (found == NULL && next_row(file, line, cells, 2))
		if (strcmp(cells[0], id) == 0)
			found = cells[1];
	fclose(file);
	return found;
}

uint32_t
corpus_first_light_rows(void)
{
	char line[LINE_MAX_BYTES], *cells[2];
	FILE *file = open_table("first_light.tsv");
	uint32_t n = 0;

	while (next_row(file, line, cells, 2))
		n++;
	fclose(file);
	return n;
}

/* ---- chance ---- */

static const char *const dsts[] = {"10.0.1.2", "10.0.1.2", "10.0.0.2", "10.0.1.3", "10.2.9.9", "10.2.3.4",
	"10.2.3.129", "10.2.3.200", "10.70.1.1", "10.70.200.3", "10.0.0.1", "10.0.1.1", "10.0.1.255",
	"10.66.0.9", "10.67.0.9", "10.68.0.9", "10.71.0.9", "203.0.113.9", "10.156.94.34", "240.0.0.1",
	"169.254.1.1", "224.0.0.5", "255.255.255.255", "2001:db8:1::2", "2001:db8:1::2", "2001:db8::2",
	"2001:db8:1::3", "2001:db8:2::5", "2001:db8:2:3::4", "2001:db8:2:3::81", "2001:db8:70::1",
	"2001:db8:70:1::9", "2001:db8::1", "2001:db8:1::1", "2001:db8:66::1", "2001:db8:67::1",
	"2001:db8:68::1", "2001:db8:71::1", "2001:db8:ffff::1", "fe80::ff:fe00:1", "fe80::2", "ff02::1",
	"ff05::1", "::1", "::", "::ffff:10.0.1.2"};

#define N_DSTS (sizeof(dsts) / sizeof(dsts[0]))

static void
plain_frame(uint64_t *seed, struct frame *f)
{
	uint32_t payload = frame_random(seed, 8) == 0 ? frame_random(seed, 1600) : frame_random(seed, 64);

	frame_udp(f, dsts[frame_random(seed, N_DSTS)], payload);
	/* sources differ, or a group would always take one path */
	f->bytes[FRAME_L3 + (frame_get16(f->bytes + 12) == 0x86dd ? 23 : 15)] =
		(uint8_t)(2 + frame_random(seed, 200));
	frame_seal(f);
}

static void
change_length(uint64_t *seed, struct frame *f)
{
	static const uint16_t edges[] = {0, 1, 13, 14, 15, 16, 17, 18, 33, 34, 35, 53, 54, 55, 60, 74};
	uint32_t room = FRAME_MAX - f->len;

	switch (frame_random(seed, 4)) {
	case 0: f->len = edges[frame_random(seed, 16)]; break;
	case 1: f->len = frame_random(seed, f->len + 1); break;
	case 2: frame_pad(f, frame_random(seed, room < 40 ? room + 1 : 40), 0xcc); break;
	case 3: f->len -= f->len > 0; break;
	}
}

static void
change_macs(uint64_t *seed, struct frame *f)
{
	uint8_t *mac = f->bytes + 6 * frame_random(seed, 2);

	switch (frame_random(seed, 5)) {
	case 0: memset(mac, 0xff, 6); break;
	case 1: mac[frame_random(seed, 6)] ^= (uint8_t)(1u << frame_random(seed, 8)); break;
	case 2: memcpy(mac, "\x33\x33\x00\x00\x00\x01", 6); break;
	default: frame_mac(mac, (uint8_t)(1 + frame_random(seed, 3))); break;
	}
}

static void
change_type(uint64_t *seed, struct frame *f)
{
	static const uint16_t types[] = {0x0800, 0x86dd, 0x0806, 0x8100, 0x88a8, 0x88cc, 0x0040};

	if (frame_random(seed, 2) == 0)
		frame_put16(f->bytes + 12, types[frame_random(seed, 7)]);
	else if (f->len >= 14 && f->len + 4 <= FRAME_MAX)
		frame_tag(f, frame_random(seed, 4) ? 0x8100 : 0x88a8,
			(uint16_t)(frame_random(seed, 8) << 13 |
				   (frame_random(seed, 2) ? frame_random(seed, 4096) : 0)));
}

/* The fields of the IP header that somebody judges, whichever family it is. */
static void
change_header(uint64_t *seed, struct frame *f)
{
	uint8_t *l3 = f->bytes + FRAME_L3;

	switch (frame_random(seed, 8)) {
	case 0: l3[0] = (uint8_t)(frame_random(seed, 2) << 5 | 0x40 | frame_random(seed, 16)); break;
	case 1:
		frame_put16(
			l3 + 2, frame_random(seed, 2) ? frame_random(seed, 120) : frame_random(seed, 65536));
		break;
	case 2:
		frame_put16(
			l3 + 4, frame_random(seed, 2) ? frame_random(seed, 120) : frame_random(seed, 65536));
		break;
	case 3: l3[7] = (uint8_t)frame_random(seed, 3); break;
	case 4: l3[8] = (uint8_t)frame_random(seed, 3); break;
	case 5: memcpy(l3 + 12, l3 + 16, 4); break;
	case 6: l3[6] = frame_random(seed, 2) ? 58 : 0; break;
	case 7: l3[12 + frame_random(seed, 12)] = (uint8_t)(frame_random(seed, 2) ? 0 : 0xfe); break;
	}
}

/* Turns 4 to 40 bytes behind the header into options, right or not. */
static void
change_options(uint64_t *seed, struct frame *f)
{
	static const uint8_t types[] = {0, 1, 1, 7, 68, 131, 137, 148};
	uint32_t n = 4 * (1 + frame_random(seed, 10));

	f->bytes[FRAME_L3] = (uint8_t)(0x45 + n / 4);
	for (uint32_t i = 0; i < n; i++)
		f->bytes[FRAME_L3 + 20 + i] =
			frame_random(seed, 2) ? types[frame_random(seed, 8)] : (uint8_t)frame_random(seed, 8);
}

static void
change(uint64_t *seed, struct frame *f)
{
	switch (frame_random(seed, 8)) {
	case 0: change_length(seed, f); break;
	case 1: change_macs(seed, f); break;
	case 2: change_type(seed, f); break;
	case 3:
	case 4: change_header(seed, f); break;
	case 5: change_options(seed, f); break;
	case 6: frame_seal(f); break;
	case 7: f->bytes[frame_random(seed, f->len + 1)] ^= (uint8_t)(1u << frame_random(seed, 8)); break;
	}
}

void
corpus_random(uint64_t *seed, struct frame *frame)
{
	uint32_t n, n_changes = frame_random(seed, 3) == 0 ? 0 : frame_random(seed, 5);
	const struct vector *vectors = corpus_vectors(&n);

	if (frame_random(seed, 3) == 0)
		*frame = vectors[frame_random(seed, n)].frame;
	else
		plain_frame(seed, frame);
	for (uint32_t i = 0; i < n_changes; i++)
		change(seed, frame);
	/* a wrong checksum would hide everything that is judged after it */
	if (n_changes > 0 && frame_random(seed, 3) != 0)
		frame_seal(frame);
}
