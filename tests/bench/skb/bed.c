/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pools for one sample. Magazines have a fixed size, the one that an adaptive pool comes to: 128 rounds on one lcore,
 * 512 where one gets what the other puts. No mempool cache: the hooks of early building and of completion have to
 * see every buffer, and nobody is to have an advantage.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "buffers.h"
#include "mempool_magazine.h"
#include "skbbench.h"

#define N_BUFS 4096u /* beside those in the ring */

static uint32_t
magazine_size(const struct arm *arm)
{
	return arm->n_lcores > 1 ? 512 : 128;
}

static int
data_create(struct bed *bed, const struct arm *arm)
{
	const uint32_t n = arm->ring + N_BUFS * arm->n_lcores;

	if (mempool_magazine_set_size(magazine_size(arm)) < 0)
		return -EINVAL;
	bed->mp = rte_pktmbuf_pool_create_by_ops(
		"skbbench", n, 0, BUFFER_PRIV_SIZE, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY, "magazine");
	return bed->mp ? 0 : -rte_errno;
}

static int
hooks_set(struct bed *bed, const struct mempool_magazine_hooks *hooks)
{
	return mempool_magazine_set_hooks(bed->mp, hooks);
}

static int
early_hook(struct bed *bed)
{
	const struct mempool_magazine_hooks hooks = {
		.on_get = skb_early_get, .on_put = skb_early_put, .arg = bed->heads};

	return hooks_set(bed, &hooks);
}

/* The ring is filled before anything is timed, as a port does at its start. */
static int
ring_fill(struct bed *bed, const struct arm *arm)
{
	bed->ring = calloc(arm->ring, sizeof(*bed->ring));
	if (!bed->ring)
		return -ENOMEM;
	for (uint32_t i = 0; i < arm->ring; i += BURST)
		if (rte_mempool_get_bulk(bed->mp, (void **)&bed->ring[i], BURST) < 0)
			return -ENOBUFS;
	return 0;
}

static int
prepare(struct bed *bed, const struct arm *arm)
{
	int ret = 0;

	if (arm->build == EARLY)
		ret = early_hook(bed);
	if (ret == 0 && arm->ring > 0)
		ret = ring_fill(bed, arm);
	if (ret == 0 && arm->setup)
		ret = arm->setup(bed, arm);
	return ret;
}

int
bed_init(struct bed *bed, const struct arm *arm, uint32_t window_us)
{
	const unsigned int here = rte_lcore_id();
	const unsigned int there = arm->n_lcores > 1 ? rte_get_next_lcore(here, 1, 0) : here;
	int ret;

	*bed = (struct bed){.window = window_us * (rte_get_tsc_hz() / 1000000)};
	ret = data_create(bed, arm);
	if (ret < 0)
		return ret;
	ret = skb_pool_create("skbbench", arm->n_heads > 0 ? arm->n_heads : bed->mp->size, magazine_size(arm),
		SOCKET_ID_ANY, &bed->heads);
	if (ret < 0) {
		rte_mempool_free(bed->mp);
		return ret;
	}
	skb_cpu_init(&bed->cpu, bed->heads, bed->mp, here);
	skb_cpu_init(&bed->far_cpu, bed->heads, bed->mp, there);
	ret = prepare(bed, arm);
	if (ret < 0)
		bed_fini(bed, arm);
	return ret;
}

/* Whatever the arm did, all buffers and heads have to be back now. */
static int
audit(const struct bed *bed)
{
	struct magazine_stats stats;

	magazine_pool_stats(skb_pool_heads(bed->heads), &stats);
	if (stats.out != 0 || rte_mempool_avail_count(bed->mp) != bed->mp->size) {
		fprintf(stderr, "%u heads and %u buffers did not come back\n", stats.out,
			bed->mp->size - rte_mempool_avail_count(bed->mp));
		return -EFAULT;
	}
	return 0;
}

int
bed_fini(struct bed *bed, const struct arm *arm)
{
	const struct mempool_magazine_hooks none = {0};
	int ret = 0, lost;

	if (arm->fini)
		ret = arm->fini(bed, arm);
	for (uint32_t i = 0; bed->ring && i < arm->ring && bed->ring[i]; i++)
		rte_mempool_put(bed->mp, bed->ring[i]);
	free(bed->ring);
	lost = audit(bed);
	hooks_set(bed, &none);
	rte_mempool_free(bed->mp);
	skb_pool_destroy(bed->heads);
	return ret < 0 ? ret : lost;
}
