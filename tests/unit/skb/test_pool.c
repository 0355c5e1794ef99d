/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making and ending the pool of heads, with memory that fails at each place in turn.
 * Allocations are counted by wrapping them; the C library's are used by the pool
 * where there is one NUMA node only, so on others there are fewer to count.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "skb.h"

void *__real_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *block);

static long fail_in = -1; /* this many more succeed; -1 = all */
static long n_blocks;     /* allocated and not yet freed */

static bool
allowed(void)
{
	if (fail_in == 0)
		return false;
	if (fail_in > 0)
		fail_in--;
	n_blocks++;
	return true;
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return allowed() ? __real_calloc(n, size) : NULL;
}

void *
__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return allowed() ? __real_aligned_alloc(alignment, size) : NULL;
}

void
__wrap_free(void *block)
{
	n_blocks -= block != NULL;
	__real_free(block);
}

static void
test_refuses(void **state)
{
	struct skb_pool *pool = NULL;

	assert_int_equal(skb_pool_create("t", 0, 0, 0, &pool), -EINVAL);
	assert_int_equal(skb_pool_create("t", 64, 33, 0, &pool), -EINVAL);
	assert_int_equal(skb_pool_create("t", 64, 16, 0, &pool), -EINVAL);
	assert_int_equal(skb_pool_create("t", 64, 1024, 0, &pool), -EINVAL);
	assert_null(pool);
	assert_int_equal(n_blocks, 0);
	skb_pool_destroy(NULL);
}

static void
test_every_size(void **state)
{
	const uint32_t populations[] = {1, 31, 255, 256, 257, 5000};

	for (unsigned int i = 0; i < RTE_DIM(populations); i++) {
		struct skb_pool *pool;

		assert_int_equal(skb_pool_create("t", populations[i], 0, SOCKET_ID_ANY, &pool), 0);
		assert_int_equal(magazine_pool_avail(skb_pool_heads(pool)), populations[i]);
		assert_int_equal(magazine_pool_check(skb_pool_heads(pool)), 0);
		skb_pool_destroy(pool);
		assert_int_equal(n_blocks, 0);
	}
}

static void
test_cpu_starts_at_zero(void **state)
{
	struct skb_pool *pool;
	struct skb_cpu cpu;

	memset(&cpu, 0xff, sizeof(cpu));
	assert_int_equal(skb_pool_create("t", 32, 32, 0, &pool), 0);
	skb_cpu_init(&cpu, pool, NULL, 7);
	assert_ptr_equal(cpu.heads, skb_pool_heads(pool));
	assert_int_equal(cpu.lcore, 7);
	for (unsigned int i = 0; i < SKB_REASONS_MAX; i++)
		assert_int_equal(cpu.drops[i], 0);
	skb_pool_destroy(pool);
}

static void
test_memory_fails(void **state)
{
	struct skb_pool *pool = NULL;
	long n_fails = 0;

	for (fail_in = n_fails; skb_pool_create("t", 300, 0, 0, &pool) != 0; fail_in = n_fails) {
		assert_null(pool);
		assert_int_equal(n_blocks, 0);
		n_fails++;
		assert_true(n_fails < 10);
	}
	fail_in = -1;
	assert_true(n_fails >= 1);
	skb_pool_destroy(pool);
	assert_int_equal(n_blocks, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_cpu_starts_at_zero),
		cmocka_unit_test(test_memory_fails),
	};

	return cmocka_run_group_tests_name("skb/pool", tests, NULL, NULL);
}
