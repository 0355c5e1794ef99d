/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A frame in, a verdict out, and what is answered: through every stage of the walk, in the rig of tests/dpdk/dp, and through the
 * control thread's parts without its thread, until nothing moves any more. The frame ends where its data buffer
 * ends as far as AddressSanitizer is concerned, but for the first bytes of a buffer, which the parse stage loads whatever the length.
 * After each frame every buffer is home and every packet is in the account.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sanitizer/asan_interface.h>

#include <rte_common.h>

#include "control_priv.h"
#include "fuzz.h"
#include "rig_priv.h"

#define LOADED 66u /* READ_MAX of lib/dp/parse.c */

#define STEP_NS  (NS_PER_SECOND / 2)
#define GIVEN_UP 200u /* steps until nothing waits any more, for other fragments or for neighbours */

static struct rig *rig;
static struct control control;
static uint64_t n_out;  /* verdicts so far */
static uint64_t n_runs; /* frames */

static void
control_open(void)
{
	control.conf = (struct control_conf){.ports = rig->port,
		.n_ports = RIG_PORTS,
		.routes = topology_routes(),
		.heads = rig->conf.heads,
		.data = rig->pool,
		.punt = &rig->punt,
		.hold_max = 64,
		.fragment_bufs_max = 64,
		.error_rate = UINT32_MAX,
		.stop = &rig->stop};
	skb_cpu_init(&control.cpu, rig->conf.heads, rig->pool, LCORE_ID_ANY);
	bucket_init(&control.errors, control.conf.error_rate, NS_PER_SECOND, 0);
	control.now_ns = 1000 * NS_PER_SECOND;
	if (neighs_create(&control) != 0 || reassembly_create(&control) != 0)
		abort();
	for (uint16_t port = 0; port < RIG_PORTS; port++)
		neighs_link(&control, port, true);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char words[][32] = {"fuzz_walk", "--no-huge", "--no-pci", "--no-telemetry", "--no-shconf",
		"--log-level=lib.eal:error", "-m", "192", "-l", "0", "--file-prefix=magpie-fuzz"};
	char *args[RTE_DIM(words) + 1] = {NULL};

	for (unsigned int i = 0; i < RTE_DIM(words); i++)
		args[i] = words[i];
	rig_eal(RTE_DIM(words), args);
	rig = rig_create(&(struct rig_conf){.mtu = 9000, .icmp_rate = ICMP_UNLIMITED});
	control_open();
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

/* Until nothing moves any more. */
static void
run(void)
{
	uint32_t moved;

	do {
		moved = rig_turn(rig) + input_drain(&control);
		if (control.routes_changed && route_publish(control.conf.routes) != 0)
			abort();
		control.routes_changed = false;
		for (uint16_t port = 0; port < RIG_PORTS; port++)
			rig_discard(rig, port);
	} while (moved > 0);
}

/* Something is out: it waits, or it is lost. */
static bool
is_out(void)
{
	return control.counts.held > 0 || rte_mempool_avail_count(rig->pool) != rig->pool->size;
}

/* What waits is given up in time; what is still out then is lost. */
static void
later(void)
{
	for (unsigned int i = 0; i < GIVEN_UP && is_out(); i++) {
		control.now_ns += STEP_NS;
		neighs_tick(&control);
		reassembly_tick(&control);
		run();
	}
	if (is_out())
		abort();
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
	later();
	ASAN_UNPOISON_MEMORY_REGION(tail, tail_len);
	/* at every frame it would be most of the work */
	if (n_runs++ % 64 == 0)
		rig_check_home(rig);

	const uint64_t n = verdicts();

	if (n <= n_out)
		abort();
	n_out = n;
	return 0;
}
