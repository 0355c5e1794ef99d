/* SPDX-License-Identifier: BSD-3-Clause */
/* Somebody else's program: magazines for objects of its own, no EAL. Ends with 0 if every object is where it should be. */
#include <stdio.h>

#include "magazine.h"
#include "sizing.h"

#define N 1000

int
main(void)
{
	const struct magazine_conf conf = {.name = "outside", .population = N, .node = SOCKET_ID_ANY};
	const struct sizing_demand demand = {.rxd = 512, .burst = 32, .n_lcores = 1};
	static char objects[N];
	struct magazine_stats stats;
	struct magazine_pool *pool;
	struct sizing sizing;
	void *held[300];

	if (magazine_pool_create(&conf, &pool) < 0 || sizing_check(&demand, 32, N, &sizing) < 0)
		return 1;
	for (int i = 0; i < N; i++)
		if (magazine_pool_seed(pool, &(void *){&objects[i]}, 1) < 0)
			return 2;
	if (magazine_get_bulk(pool, 0, held, 300) < 0 || magazine_pool_avail(pool) != N - 300)
		return 3;
	magazine_put_bulk(pool, 0, held, 200);
	magazine_pool_stats(pool, &stats);
	printf("population %u, out %u\n", stats.population, stats.out);
	if (stats.out != 100 || stats.cached + stats.depot != N - 100 || magazine_pool_check(pool) < 0)
		return 4;
	magazine_put_bulk(pool, 0, held + 200, 100);
	if (magazine_pool_check(pool) < 0 || magazine_pool_avail(pool) != N)
		return 5;
	magazine_pool_destroy(pool);
	return 0;
}
