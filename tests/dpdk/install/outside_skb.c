/* SPDX-License-Identifier: BSD-3-Clause */
/* Somebody else's program: heads for data buffers that it has in memory of its own, no EAL. */
#include <stdio.h>
#include <string.h>

#include "skb.h"
#include "skb_share.h"

#define N 64

int
main(void)
{
	static char rooms[N][2048];
	static struct rte_mbuf mbufs[N];
	static struct skb_cpu cpu;
	struct rte_mbuf *raw[N];
	struct skb *skbs[N];
	struct skb_pool *pool;

	if (skb_pool_create("outside", N, 0, SOCKET_ID_ANY, &pool) < 0)
		return 1;
	skb_cpu_init(&cpu, pool, NULL, 0);
	for (int i = 0; i < N; i++) {
		mbufs[i] = (struct rte_mbuf){.buf_addr = rooms[i],
			.buf_len = 2048,
			.data_off = 128,
			.refcnt = 1,
			.nb_segs = 1,
			.pkt_len = 60};
		mbufs[i].data_len = 60;
		raw[i] = &mbufs[i];
	}
	if (skb_build_bulk(&cpu, raw, skbs, N, NULL) < 0 || magazine_pool_avail(skb_pool_heads(pool)) != 0)
		return 2;
	memset(skb_push(skbs[7], 14), 1, 14);
	if (skb_pull(skbs[7], 4) != rooms[7] + 128 - 10 || skbs[7]->len != 70 || rooms[7][128 - 14] != 1)
		return 3;
	skb_sync(skbs[7]);
	if (mbufs[7].data_off != 128 - 10 || mbufs[7].pkt_len != 70)
		return 4;
	skb_heads_free_bulk(&cpu, &skbs[0], 1);
	if (skb_clone(&cpu, skbs[7], &skbs[0]) < 0 || !skb_cloned(skbs[7]) || skbs[0]->data != skbs[7]->data)
		return 6;
	rte_mbuf_refcnt_set(&mbufs[7], 1);
	skb_release_bulk(&cpu, skbs, N);
	if (magazine_pool_avail(skb_pool_heads(pool)) != N || magazine_pool_check(skb_pool_heads(pool)) < 0)
		return 5;
	printf("heads %d\n", N);
	skb_pool_destroy(pool);
	return 0;
}
