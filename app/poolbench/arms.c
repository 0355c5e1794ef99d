/* SPDX-License-Identifier: BSD-3-Clause */
/* The pools that are compared. To add one, add a line. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_errno.h>

#include "mempool_magazine.h"
#include "poolbench.h"

#define STOCK(OPS, CACHE)                                   \
	{                                                   \
		OPS "/c" #CACHE, ARM_MEMPOOL, OPS, CACHE, 0 \
	}
#define OURS(NAME, M, CACHE)                                        \
	{                                                           \
		"magazine/" NAME, ARM_MEMPOOL, "magazine", CACHE, M \
	}
#define OURS_INLINE(NAME, M)                                 \
	{                                                    \
		"inline/" NAME, ARM_INLINE, "magazine", 0, M \
	}
#define STOCK_WITH_ALL_CACHES(OPS) \
	STOCK(OPS, 0), STOCK(OPS, 32), STOCK(OPS, 128), STOCK(OPS, 256), STOCK(OPS, 512)

static char malloc_name[64] = "malloc/";

struct arm arms[] = {
	STOCK_WITH_ALL_CACHES("ring_mp_mc"),
	STOCK_WITH_ALL_CACHES("stack"),
	STOCK_WITH_ALL_CACHES("lf_stack"),
	OURS("auto", 0, 0),
	OURS("m32", 32, 0),
	OURS("m64", 64, 0),
	OURS("m128", 128, 0),
	OURS("m256", 256, 0),
	OURS("m512", 512, 0),
	OURS("auto+c32", 0, 32),
	OURS("auto+c128", 0, 128), /* as Magpie configures it for PMDs that take and free single buffers */
	OURS_INLINE("auto", 0),
	OURS_INLINE("m32", 32),
	OURS_INLINE("m64", 64),
	OURS_INLINE("m128", 128),
	OURS_INLINE("m256", 256),
	OURS_INLINE("m512", 512),
	{malloc_name, ARM_MALLOC, NULL, 0, 0},
};
const size_t n_arms = RTE_DIM(arms);

/* libjemalloc.so.2 is jemalloc, libc.so.6 is libc. */
void
arms_init(void)
{
	char *name = malloc_name + strlen("malloc/");
	const char *library = "unknown";
	Dl_info info;

	if (dladdr(dlsym(RTLD_DEFAULT, "malloc"), &info) && info.dli_fname) {
		const char *slash = strrchr(info.dli_fname, '/');

		library = slash ? slash + 1 : info.dli_fname;
	}
	if (!strncmp(library, "lib", 3) && strncmp(library, "libc.", 5) != 0)
		library += 3;
	snprintf(name, sizeof(malloc_name) - (size_t)(name - malloc_name), "%.*s", (int)strcspn(library, "."),
		library);
}

/*
 * Objects may cross pages: else, of ordinary ones, each would hold one object of 2304
 * bytes, and the headers of all objects would fall into one set of the L1 cache.
 */
static int
mempool_create(struct subject *subject, const struct cell *cell, uint32_t object_bytes)
{
	const struct arm *arm = cell->arm;
	struct rte_mempool *mp = rte_mempool_create_empty("poolbench", cell->population, object_bytes,
		arm->cache, 0, SOCKET_ID_ANY, RTE_MEMPOOL_F_NO_IOVA_CONTIG);
	int ret;

	if (!mp)
		return -rte_errno;
	mempool_magazine_set_size(arm->magazine);
	ret = rte_mempool_set_ops_byname(mp, arm->ops, NULL);
	if (ret == 0)
		ret = rte_mempool_populate_default(mp);
	if (ret < 0) {
		rte_mempool_free(mp);
		return ret;
	}
	subject->mp = mp;
	subject->pool = mempool_magazine_pool(mp);
	return 0;
}

/* Where no magazine changes hands there is less to warm up, and less that disturbs. */
int
subject_init(struct subject *subject, const struct cell *cell, const struct options *options)
{
	const uint64_t ms = rte_get_tsc_hz() / 1000;
	const uint64_t share = cell->shape->settles ? 1 : 10;

	*subject = (struct subject){
		.kind = cell->arm->kind,
		.object_bytes = options->object_bytes,
		.warmup_cycles = options->warmup_ms * ms / share,
		.window_cycles = options->window_ms * ms / share,
	};
	if (cell->arm->kind == ARM_MALLOC)
		return 0;
	return mempool_create(subject, cell, options->object_bytes);
}

void
subject_fini(struct subject *subject)
{
	rte_mempool_free(subject->mp);
}
