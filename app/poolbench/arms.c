/* SPDX-License-Identifier: BSD-3-Clause */
/* The pools that are compared. To add one, add a line. */
#include <errno.h>
#include <stdio.h>

#include <rte_errno.h>

#include "magazine.h"
#include "mempool_magazine.h"
#include "poolbench.h"

const struct arm arms[] = {
	{"ring_mp_mc c0", "ring_mp_mc", 0, false},
	{"ring_mp_mc c512", "ring_mp_mc", 512, false},
	{"stack c0", "stack", 0, false},
	{"stack c512", "stack", 512, false},
	{"magazine c0", "magazine", 0, false},
	{"magazine c32", "magazine", 32, false},
	{"magazine c64", "magazine", 64, false},
	{"magazine inline", "magazine", 0, true},
};
const size_t n_arms = RTE_DIM(arms);

int
subject_init(struct subject *subject, const struct arm *arm, const struct options *options)
{
	struct rte_mempool *mp = rte_mempool_create_empty(
		"poolbench", options->population, options->object_bytes, arm->cache, 0, SOCKET_ID_ANY, 0);
	int ret;

	if (!mp)
		return -rte_errno;
	mempool_magazine_set_size(options->magazine);
	ret = rte_mempool_set_ops_byname(mp, arm->ops, NULL);
	if (ret == 0)
		ret = rte_mempool_populate_default(mp);
	if (ret < 0) {
		rte_mempool_free(mp);
		return ret;
	}
	*subject = (struct subject){
		.mp = mp,
		.pool = arm->is_inline ? mempool_magazine_pool(mp) : NULL,
		.n_objects = options->n_objects * UINT64_C(1000),
	};
	return 0;
}

void
subject_fini(struct subject *subject)
{
	rte_mempool_free(subject->mp);
}
