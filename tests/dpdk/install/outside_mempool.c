/* SPDX-License-Identifier: BSD-3-Clause */
/* Somebody else's program: a pool of mbufs whose ops are linked into it. Its arguments are the EAL's. */
#include <stdio.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_mbuf.h>

#include "magazine.h"
#include "mempool_magazine.h"

#define N 1023

int
main(int argc, char **argv)
{
	struct rte_mbuf *mbufs[32];
	struct rte_mempool *mp;

	if (rte_eal_init(argc, argv) < 0 || mempool_magazine_register() < 0)
		return 1;
	mp = rte_pktmbuf_pool_create_by_ops("outside", N, 0, 0, 2176, SOCKET_ID_ANY, "magazine");
	if (mp == NULL || mempool_magazine_pool(mp) == NULL)
		return 2;
	if (rte_pktmbuf_alloc_bulk(mp, mbufs, 32) < 0 || rte_mempool_avail_count(mp) != N - 32)
		return 3;
	rte_pktmbuf_free_bulk(mbufs, 32);
	if (rte_mempool_avail_count(mp) != N || magazine_pool_check(mempool_magazine_pool(mp)) < 0)
		return 4;
	printf("mbufs %d, ops %s\n", N, rte_mempool_get_ops(mp->ops_index)->name);
	rte_mempool_free(mp);
	return rte_eal_cleanup() < 0 ? 5 : 0;
}
