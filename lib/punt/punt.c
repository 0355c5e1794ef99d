/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings and who is charged for what is in them; what it is for: punt.h. */
#include "punt.h"

#include <errno.h>

#include <rte_ring.h>

#include "skb_share.h"

static const char *const names[] = {
	[PUNT_HOST] = "punt.host", [PUNT_NEIGH] = "punt.neigh", [PUNT_ERROR] = "punt.error"};

static struct rte_ring *
ring_make(const char *name, int node, unsigned int flags)
{
	/* exactly as many places as there are buffers set aside for */
	return rte_ring_create(name, PUNT_RING_SIZE, node, flags | RING_F_EXACT_SZ);
}

int
punt_init(struct punt *punt, int node, uint32_t truesize)
{
	bool made;

	*punt = (struct punt){.charges = truesize != 0};
	punt->back = ring_make("punt.back", node, RING_F_SP_ENQ | RING_F_SC_DEQ);
	made = punt->back != NULL;
	for (unsigned int i = 0; i < PUNT_N_CLASSES; i++) {
		punt->ring[i] = ring_make(names[i], node, RING_F_SC_DEQ);
		made &= punt->ring[i] != NULL;
		skb_owner_init(&punt->owner[i], names[i], (int64_t)PUNT_RING_SIZE * truesize, LCORE_ID_ANY);
	}
	if (made)
		return 0;
	punt_fini(punt);
	return -ENOMEM;
}

void
punt_fini(struct punt *punt)
{
	for (unsigned int i = 0; i < PUNT_N_CLASSES; i++)
		rte_ring_free(punt->ring[i]);
	rte_ring_free(punt->back);
	*punt = (struct punt){0};
}

const char *punt_name(enum punt_class class)
{
	return names[class];
}

int
punt_put(struct punt *punt, struct skb_cpu *cpu, enum punt_class class, struct skb *skb)
{
	if (punt->charges && skb_try_set_owner(cpu, skb, &punt->owner[class]) != 0)
		return -ENOBUFS;
	if (rte_ring_mp_enqueue(punt->ring[class], skb) == 0)
		return 0;
	skb_orphan(cpu, skb);
	return -ENOBUFS;
}

unsigned int
punt_take(struct punt *punt, enum punt_class class, struct skb **skbs, unsigned int n)
{
	return rte_ring_sc_dequeue_burst(punt->ring[class], (void **)skbs, n, NULL);
}

int
punt_back_put(struct punt *punt, struct skb_cpu *cpu, struct skb *skb, enum punt_road road)
{
	punt_info(skb)->road = (uint8_t)road;
	skb_orphan(cpu, skb);
	if (!skb_cloned(skb))
		skb_sync(skb);
	return rte_ring_sp_enqueue(punt->back, skb) == 0 ? 0 : -ENOBUFS;
}

unsigned int
punt_back_take(struct punt *punt, struct skb **skbs, unsigned int n)
{
	return rte_ring_sc_dequeue_burst(punt->back, (void **)skbs, n, NULL);
}
