/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets whose data, or whose heads, several threads hold: each reads, writes after a skb_cow(), cuts, copies and frees as if it
 * were alone. Nobody sees what another writes, and everything is freed once. ThreadSanitizer sees what went well by luck.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bufs.h"
#include "skb_frags.h"
#include "skb_share.h"

#define N_THREADS 3u
#define BATCH     32u
#ifdef __SANITIZE_THREAD__
#define N_ROUNDS 40u /* it sees a race whether or not it happened */
#elif defined(__SANITIZE_ADDRESS__)
#define N_ROUNDS 150u
#else
#define N_ROUNDS 500u
#endif
#define N_BUFS   2048u
#define N_HEADS  1024u
#define ROOM     384u
#define HEADROOM 64u
#define SEG_LEN  60u
#define LEN_MAX  (3 * SEG_LEN)

/* That a store comes after the load that it depends on, rte_pktmbuf_prefree_seg() relies on; see also bufs.c. */
const char *__tsan_default_suppressions(void);

const char *
__tsan_default_suppressions(void)
{
	return "race:rte_pktmbuf_prefree_seg\nrace:rte_pktmbuf_detach\n";
}

struct thread {
	pthread_t id;
	struct skb_cpu cpu;
	uint64_t random;
	struct skb *work[BATCH];
	uint32_t n_wrong;
};

static struct rte_mempool *bufs;
static struct skb_pool *heads;
static struct skb_cpu cpu; /* the main thread's */
static struct thread threads[N_THREADS];
static pthread_barrier_t begin, end;
static bool is_over;

static uint32_t
random_below(uint64_t *state, uint32_t limit)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)((*state >> 32) * limit >> 32);
}

static int
open_all(const char *debug)
{
	/* one of the threads is nobody's lcore */
	const unsigned int lcores[N_THREADS] = {1, 2, LCORE_ID_ANY};

	assert_int_equal(setenv("MAGAZINE_DEBUG", debug, 1), 0);
	bufs = bufs_open(N_BUFS, ROOM);
	assert_int_equal(skb_pool_create("heads", N_HEADS, 32, SOCKET_ID_ANY, &heads), 0);
	unsetenv("MAGAZINE_DEBUG");
	skb_cpu_init(&cpu, heads, bufs, LCORE_ID_ANY);
	for (uint32_t i = 0; i < N_THREADS; i++) {
		threads[i] = (struct thread){.random = 0x9e3779b97f4a7c15 + i};
		skb_cpu_init(&threads[i].cpu, heads, bufs, lcores[i]);
	}
	return 0;
}

static int
setup(void **state)
{
	return open_all("off");
}

/* Its lock orders threads that nothing else would: races hide, but who frees twice is told. */
static int
setup_debug(void **state)
{
	return open_all("state");
}

static int
teardown(void **state)
{
	struct magazine_stats stats;

	magazine_pool_stats(skb_pool_heads(heads), &stats);
	assert_int_equal(stats.errors, 0);
	assert_int_equal(magazine_pool_avail(skb_pool_heads(heads)), N_HEADS);
	assert_int_equal(magazine_pool_audit(skb_pool_heads(heads), NULL, NULL), 0);
	skb_pool_destroy(heads);
	bufs_close(bufs);
	return 0;
}

/* Byte k of each packet is k until somebody writes to his own. */
static void
look(struct thread *t, const struct skb *skb)
{
	uint8_t all[LEN_MAX];

	if (skb->len > LEN_MAX || skb_copy_bits(skb, 0, all, skb->len) < 0) {
		t->n_wrong++;
		return;
	}
	for (uint32_t i = 0; i < skb->len; i++)
		t->n_wrong += all[i] != (uint8_t)i;
}

static void
scribble(struct thread *t, struct skb *skb)
{
	if (skb_cow(&t->cpu, skb, 16) < 0)
		return;
	for (uint32_t i = 0; i < skb_headlen(skb); i++)
		skb->data[i] ^= 0xff;
	memset(skb_push(skb, 16), 0xee, 16);
	skb_pull(skb, 16);
	for (uint32_t i = 0; i < skb_headlen(skb); i++)
		skb->data[i] ^= 0xff;
}

static void
again(struct thread *t, struct skb *skb,
	int (*make)(struct skb_cpu *cpu, struct skb *skb, struct skb **other))
{
	struct skb *other;

	if (make(&t->cpu, skb, &other) < 0)
		return;
	scribble(t, other);
	look(t, other);
	skb_consume(&t->cpu, other);
}

static int
copy(struct skb_cpu *c, struct skb *skb, struct skb **other)
{
	return skb_copy(c, skb, other);
}

/* What may be done to a packet that others have clones of. */
static void
use_clone(struct thread *t, struct skb *skb)
{
	struct rte_mbuf *mbuf;

	look(t, skb);
	switch (random_below(&t->random, 10)) {
	case 0: scribble(t, skb); break;
	case 1: (void)skb_pull_head(&t->cpu, skb, RTE_MIN(skb->len, SEG_LEN + 10)); break;
	case 2: (void)skb_linearize(&t->cpu, skb); break;
	case 3: (void)pskb_trim(&t->cpu, skb, SEG_LEN + SEG_LEN / 2); break;
	case 4: again(t, skb, copy); break;
	case 5: again(t, skb, pskb_copy); break;
	case 6: again(t, skb, skb_clone); break;
	case 7: (void)skb_unshare(&t->cpu, &skb); break;
	case 8:
		if (skb_frag_list(skb) != NULL || skb_release(&t->cpu, skb, &mbuf) < 0)
			break;
		rte_pktmbuf_free(mbuf);
		return;
	default: break;
	}
	look(t, skb);
	if (random_below(&t->random, 2) == 0)
		scribble(t, skb);
	look(t, skb);
	skb_consume(&t->cpu, skb);
}

/* What may be done to a head that others hold: read, and have one's own of it. */
static void
use(struct thread *t, struct skb *skb)
{
	look(t, skb);
	switch (random_below(&t->random, 6)) {
	case 0: skb_consume(&t->cpu, skb); return;
	case 1: skb_drop(&t->cpu, skb, 1); return;
	case 2: again(t, skb, copy); break;
	case 3: again(t, skb, skb_clone); break;
	case 4: again(t, skb, pskb_copy); break;
	default: break;
	}
	if (skb_share_check(&t->cpu, &skb) < 0)
		skb_consume(&t->cpu, skb);
	else
		use_clone(t, skb);
}

static void *
thread_main(void *arg)
{
	struct thread *const t = arg;

	bufs_be_lcore(t->cpu.lcore);
	for (;;) {
		pthread_barrier_wait(&begin);
		if (is_over)
			return NULL;
		for (uint32_t i = 0; i < BATCH; i++)
			use(t, t->work[i]);
		pthread_barrier_wait(&end);
	}
}

static struct skb *
packet(uint32_t n_segs)
{
	struct skb *skb;

	assert_int_equal(skb_build(&cpu, bufs_chain(bufs, HEADROOM, n_segs, SEG_LEN, 0), &skb), 0);
	return skb;
}

static struct skb *
single(void)
{
	return packet(1);
}

static struct skb *
chain(void)
{
	return packet(3);
}

/* Its mbufs are indirect ones, which have their buffers to themselves. */
static struct skb *
indirect(void)
{
	struct skb *const skb = chain();
	struct skb *copied;

	assert_int_equal(pskb_copy(&cpu, skb, &copied), 0);
	skb_consume(&cpu, skb);
	return copied;
}

/* Buffers that no mempool knows, one for each packet of a round. */
static uint8_t outside[SEG_LEN];
static struct rte_mbuf_ext_shared_info outside_info[BATCH];
static uint32_t n_outside, n_given_back;

static void
outside_free(void *addr, void *arg)
{
	__atomic_fetch_add(&n_given_back, 1, __ATOMIC_RELAXED);
}

/* Its fragment is in one of those. A count that lost a reference would not end at 0. */
static struct skb *
external(void)
{
	struct rte_mbuf_ext_shared_info *const info = &outside_info[n_outside++ % BATCH];
	struct rte_mbuf *const mbuf = bufs_chain(bufs, HEADROOM, 1, SEG_LEN, 0);
	struct rte_mbuf *const fragment = rte_pktmbuf_alloc(bufs);
	struct skb *skb;

	assert_non_null(fragment);
	assert_int_equal(rte_mbuf_ext_refcnt_read(info), 0);
	info->free_cb = outside_free;
	rte_mbuf_ext_refcnt_set(info, 1);
	rte_pktmbuf_attach_extbuf(fragment, outside, 0, SEG_LEN, info);
	assert_non_null(rte_pktmbuf_append(fragment, SEG_LEN));
	assert_int_equal(rte_pktmbuf_chain(mbuf, fragment), 0);
	assert_int_equal(skb_build(&cpu, mbuf, &skb), 0);
	return skb;
}

static struct skb *
list(void)
{
	struct skb *const skb = chain();

	for (int i = 0; i < 2; i++)
		skb_frag_list_add(skb, packet(2));
	return skb;
}

/* One packet for all threads: clones of it, or the head itself. */
static void
deal(struct skb *skb, uint32_t i, bool heads_too)
{
	for (uint32_t k = 1; k < N_THREADS; k++) {
		if (heads_too)
			threads[k].work[i] = skb_get(skb);
		else
			assert_int_equal(skb_clone(&cpu, skb, &threads[k].work[i]), 0);
	}
	threads[0].work[i] = skb;
}

static void
run(struct skb *(*make)(void), bool heads_too)
{
	is_over = false;
	pthread_barrier_init(&begin, NULL, N_THREADS + 1);
	pthread_barrier_init(&end, NULL, N_THREADS + 1);
	for (uint32_t k = 0; k < N_THREADS; k++)
		assert_int_equal(pthread_create(&threads[k].id, NULL, thread_main, &threads[k]), 0);
	for (uint32_t round = 0; round < N_ROUNDS; round++) {
		for (uint32_t i = 0; i < BATCH; i++)
			deal(make(), i, heads_too);
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&end);
	}
	is_over = true;
	pthread_barrier_wait(&begin);
	for (uint32_t k = 0; k < N_THREADS; k++)
		pthread_join(threads[k].id, NULL);
	for (uint32_t k = 0; k < N_THREADS; k++)
		assert_int_equal(threads[k].n_wrong, 0);
	pthread_barrier_destroy(&begin);
	pthread_barrier_destroy(&end);
}

static void
clones_of_one_segment(void **state)
{
	run(single, false);
}

static void
clones_of_a_chain(void **state)
{
	run(chain, false);
}

static void
clones_of_indirect_segments(void **state)
{
	run(indirect, false);
}

static void
clones_of_a_list(void **state)
{
	run(list, false);
}

/* Those whose segments are made private at once take references of a buffer that has no mbuf to count them. */
static void
clones_of_an_external_buffer(void **state)
{
	for (uint32_t i = 0; i < SEG_LEN; i++)
		outside[i] = (uint8_t)(SEG_LEN + i);
	run(external, false);
	assert_int_equal(n_given_back, n_outside);
}

static void
users_of_one_head(void **state)
{
	run(chain, true);
}

static void
users_of_indirect_segments(void **state)
{
	run(indirect, true);
}

static void
users_of_a_list(void **state)
{
	run(list, true);
}

int
main(void)
{
#define PLAIN_AND_DEBUG(test)                                     \
	{#test, test, setup, teardown, NULL},                     \
	{                                                         \
#test "/debug", test, setup_debug, teardown, NULL \
	}
	const struct CMUnitTest tests[] = {
		PLAIN_AND_DEBUG(clones_of_one_segment),
		PLAIN_AND_DEBUG(clones_of_a_chain),
		PLAIN_AND_DEBUG(clones_of_indirect_segments),
		PLAIN_AND_DEBUG(clones_of_an_external_buffer),
		PLAIN_AND_DEBUG(clones_of_a_list),
		PLAIN_AND_DEBUG(users_of_one_head),
		PLAIN_AND_DEBUG(users_of_indirect_segments),
		PLAIN_AND_DEBUG(users_of_a_list),
	};

	return cmocka_run_group_tests_name("skb/threads", tests, NULL, NULL);
}
