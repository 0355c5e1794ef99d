/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A frame in, a verdict out: through every stage of the walk, in the rig of tests/dpdk/dp. The frame ends where its data buffer
 * ends as far as AddressSanitizer is concerned, but for the first bytes of a buffer, which the parse stage loads whatever the length.
 * After each frame every buffer is home and every packet is in the account.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sanitizer/asan_interface.h>

#include <rte_common.h>

#include "fuzz.h"
#include "rig.h"

#define LOADED 66u /* READ_MAX of lib/dp/parse.c */

static struct rig *rig;
static uint64_t n_out; /* verdicts so far */

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char *args[] = {"fuzz_walk", "--no-huge", "--no-pci", "--no-telemetry", "--no-shconf",
		"--log-level=lib.eal:error", "-m", "192", "-l", "0", "--file-prefix=magpie-fuzz", NULL};

	rig_eal(RTE_DIM(args) - 1, args);
	rig = rig_create(&(struct rig_conf){.mtu = 9000});
	return 0;
}

static struct rte_mbuf *
buffer_with(const uint8_t *bytes, uint32_t len)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(rig_pool(rig));

	if (m == NULL || len > RIG_ROOM)
		abort();
	/* what was here before must not look like a packet */
	memset(rte_pktmbuf_mtod(m, void *), 0xa5, LOADED);
	memcpy(rte_pktmbuf_append(m, (uint16_t)len), bytes, len);
	return m;
}

/* What is behind the frame in its last buffer must not be read; in the first of two it may be written: headers are pulled there. */
static void
tail_guard(const struct rte_mbuf *first, struct rte_mbuf *last, void **tail, size_t *len)
{
	const uint32_t end = first == last ? RTE_MAX(last->data_len, LOADED) : last->data_len;

	*tail = rte_pktmbuf_mtod_offset(last, uint8_t *, end);
	*len = last->buf_len - last->data_off - end;
	ASAN_POISON_MEMORY_REGION(*tail, *len);
}

static uint64_t
verdicts(void)
{
	uint64_t counts[N_VERDICTS], n = 0;

	rig_counts(rig, counts);
	for (unsigned int v = 0; v < N_VERDICTS; v++)
		n += counts[v];
	return n;
}

/* Until nothing moves any more; all that comes out is freed. */
static void
run(void)
{
	struct skb *skb;

	while (rig_turn(rig) > 0)
		;
	for (uint16_t port = 0; port < RIG_PORTS; port++)
		rig_discard(rig, port);
	while ((skb = rig_punted(rig)) != NULL)
		rig_consume(rig, skb);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < FUZZ_FRAME || size > FUZZ_FRAME + RIG_ROOM)
		return 0;

	const uint32_t len = (uint32_t)size - FUZZ_FRAME;
	const uint32_t cut = (data[0] & FUZZ_CUT) != 0 ? RTE_MIN(data[1], len) : 0;
	struct rte_mbuf *last = buffer_with(data + FUZZ_FRAME + cut, len - cut), *first = last;
	void *tail;
	size_t tail_len;

	if ((data[0] & FUZZ_CUT) != 0) {
		first = buffer_with(data + FUZZ_FRAME, cut);
		if (rte_pktmbuf_chain(first, last) != 0)
			abort();
	}
	tail_guard(first, last, &tail, &tail_len);
	rig_inject_mbuf(rig, (data[0] & FUZZ_PORT1) != 0, first);
	run();
	ASAN_UNPOISON_MEMORY_REGION(tail, tail_len);
	rig_check_home(rig);

	const uint64_t n = verdicts();

	if (n <= n_out)
		abort();
	n_out = n;
	return 0;
}
