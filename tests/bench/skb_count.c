/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does one thing to so many bursts of 32 packets, for test_instructions.py to have the instructions counted: callgrind
 * collects them while count_here() runs, and nothing of what goes on around.
 *
 * usage: skb-count [EAL options] -- CASE BURSTS
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_lcore.h>

#include "mempool_magazine.h"
#include "skb.h"

#define BURST  32u
#define N_BUFS 1024u

struct bed {
	struct rte_mempool *bufs;
	struct skb_pool *heads;
	struct skb_cpu cpu;
	struct skb_owner owner;
};

struct count_case {
	const char *name;
	/* Returns 0 or -errno. Leaves the mbufs to the caller if keeps_mbufs, and frees them otherwise. */
	int (*run)(struct bed *bed, struct rte_mbuf **mbufs);
	bool keeps_mbufs;
};

static int
bulk_run(struct bed *bed, struct rte_mbuf **mbufs)
{
	struct skb *skbs[BURST];
	const int ret = skb_build_bulk(&bed->cpu, mbufs, skbs, BURST, NULL);

	if (ret == 0)
		skb_release_bulk(&bed->cpu, skbs, BURST);
	return ret;
}

static int
owner_run(struct bed *bed, struct rte_mbuf **mbufs)
{
	struct skb *skbs[BURST];
	const int ret = skb_build_bulk(&bed->cpu, mbufs, skbs, BURST, &bed->owner);

	if (ret < 0)
		return ret;
	skb_orphan_bulk(&bed->cpu, skbs, BURST);
	skb_release_bulk(&bed->cpu, skbs, BURST);
	return 0;
}

static int
consume_run(struct bed *bed, struct rte_mbuf **mbufs)
{
	struct skb *skb;

	for (uint32_t i = 0; i < BURST; i++) {
		const int ret = skb_build(&bed->cpu, mbufs[i], &skb);

		if (ret < 0)
			return ret;
		skb_consume(&bed->cpu, skb);
	}
	return 0;
}

static const struct count_case cases[] = {
	{"build_bulk, release_bulk", bulk_run, true},
	{"build_bulk with an owner, orphan_bulk, release_bulk", owner_run, true},
	{"build, consume", consume_run, false},
};

static int
count_here(const struct count_case *what, struct bed *bed, struct rte_mbuf **mbufs)
{
	return what->run(bed, mbufs);
}

/* The compiler must keep the function as it is: callgrind is told its name. */
static int (*const volatile counted)(
	const struct count_case *, struct bed *, struct rte_mbuf **) = count_here;

static int
bursts_run(struct bed *bed, const struct count_case *what, unsigned long n)
{
	struct rte_mbuf *mbufs[BURST];
	int ret = 0;

	for (unsigned long i = 0; i < n && ret == 0; i++) {
		ret = rte_pktmbuf_alloc_bulk(bed->bufs, mbufs, BURST);
		if (ret < 0)
			return ret;
		for (uint32_t k = 0; k < BURST; k++)
			mbufs[k]->pkt_len = mbufs[k]->data_len = 60;
		ret = counted(what, bed, mbufs);
		if (ret == 0 && what->keeps_mbufs)
			rte_mempool_put_bulk(bed->bufs, (void **)mbufs, BURST);
	}
	return ret;
}

/* What was counted must have been right as well. */
static int
bed_check(const struct bed *bed)
{
	struct magazine_stats stats;

	magazine_pool_stats(skb_pool_heads(bed->heads), &stats);
	return stats.out == 0 && rte_mempool_avail_count(bed->bufs) == N_BUFS &&
			       skb_owner_used(&bed->owner) == 0
		       ? 0
		       : -EFAULT;
}

static int
count(const struct count_case *what, unsigned long n)
{
	static struct bed bed;
	int ret = mempool_magazine_register();

	if (ret == 0)
		ret = mempool_magazine_set_size(128);
	if (ret == 0)
		ret = skb_pool_create("count", N_BUFS, 128, SOCKET_ID_ANY, &bed.heads);
	if (ret < 0)
		return ret;
	bed.bufs = rte_pktmbuf_pool_create_by_ops(
		"count", N_BUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY, "magazine");
	if (!bed.bufs)
		return -ENOMEM;
	skb_cpu_init(&bed.cpu, bed.heads, bed.bufs, rte_lcore_id());
	skb_owner_init(&bed.owner, "count", 0, rte_lcore_id());
	ret = bursts_run(&bed, what, n);
	if (ret == 0)
		ret = bed_check(&bed);
	rte_mempool_free(bed.bufs);
	skb_pool_destroy(bed.heads);
	return ret;
}

int
main(int argc, char **argv)
{
	const struct count_case *what = NULL;
	const int n_eal = argc > 0 ? rte_eal_init(argc, argv) : -1;
	int ret;

	if (n_eal < 0)
		return 1;
	for (size_t i = 0; argc - n_eal == 3 && i < RTE_DIM(cases); i++)
		if (!strcmp(argv[n_eal + 1], cases[i].name))
			what = &cases[i];
	if (!what) {
		fputs("usage: skb-count [EAL options] -- CASE BURSTS; cases:\n", stderr);
		for (size_t i = 0; i < RTE_DIM(cases); i++)
			fprintf(stderr, "%s\n", cases[i].name);
		return 2;
	}
	ret = count(what, strtoul(argv[n_eal + 2], NULL, 10));
	if (ret < 0)
		fprintf(stderr, "skb-count: %s\n", strerror(-ret));
	rte_eal_cleanup();
	return ret < 0 ? 1 : 0;
}
