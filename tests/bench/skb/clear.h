/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways to initialise a burst of heads. */
#ifndef SKBBENCH_CLEAR_H
#define SKBBENCH_CLEAR_H

#include "skbbench.h"

/* With the head that is so many further on fetched for writing: 1, 2, 4 or 8. */
void heads_init_ahead(struct skb **skbs, struct rte_mbuf **mbufs, unsigned int lcore, uint32_t distance);

/* Cleared in that way, then the fields that are not 0. All must make the same hot line. */
void heads_init_cleared(struct skb **skbs, struct rte_mbuf **mbufs, unsigned int lcore, enum clear clear);

#endif
