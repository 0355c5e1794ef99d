/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that was built without the driver gets it with `-d`, and pools are made
 * by name. argv[1] is the plugin; it is opened here as the EAL's `-d` would, because
 * that refuses files below a directory that everybody may write to, and a build
 * directory may be there.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

static void
a_pool_is_made_by_name(void **state)
{
	struct rte_mempool *mp = rte_pktmbuf_pool_create_by_ops(
		"plugin", 1023, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY, "magazine");
	struct rte_mbuf *mbufs[32];

	assert_non_null(mp);
	assert_string_equal(rte_mempool_get_ops(mp->ops_index)->name, "magazine");
	assert_int_equal(rte_pktmbuf_alloc_bulk(mp, mbufs, 32), 0);
	assert_int_equal(rte_mempool_avail_count(mp), 1023 - 32);
	rte_pktmbuf_free_bulk(mbufs, 32);
	assert_int_equal(rte_mempool_avail_count(mp), 1023);
	rte_mempool_free(mp);
}

/* The default must not change because a plugin is there. */
static void
the_stock_ops_keep_their_place(void **state)
{
	struct rte_mempool *mp =
		rte_mempool_create("stock", 63, 64, 0, 0, NULL, NULL, NULL, NULL, SOCKET_ID_ANY, 0);

	assert_non_null(mp);
	assert_string_equal(rte_mempool_get_ops(mp->ops_index)->name, "ring_mp_mc");
	rte_mempool_free(mp);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_is_made_by_name),
		cmocka_unit_test(the_stock_ops_keep_their_place),
	};

	if (argc < 2 || !dlopen(argv[1], RTLD_NOW)) {
		fprintf(stderr, "%s\n", argc < 2 ? "usage: test_plugin PLUGIN [EAL options]" : dlerror());
		return 1;
	}
	argv[1] = argv[0];
	if (rte_eal_init(argc - 1, argv + 1) < 0)
		return 1;

	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	rte_eal_cleanup();
	return failed;
}
