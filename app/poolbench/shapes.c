/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways a pool is used. To add one, add a line; a new way of using it also needs a body. */
#include "poolbench.h"

#define SAME_CORE(NAME, N)                                                                                \
	{                                                                                                 \
		.name = "same-core/" NAME, .family = "same core", .unit = "cycles/object", .n_lcores = 1, \
		.burst = (N), .run = same_core_run                                                        \
	}
#define HOLD(NAME, WINDOW, LINES)                                                                    \
	{                                                                                            \
		.name = "hold/" NAME "/l" #LINES, .family = "held window, " #LINES " lines touched", \
		.unit = "cycles/object", .n_lcores = 1, .window = (WINDOW), .lines = (LINES),        \
		.run = hold_run                                                                      \
	}
#define SWING(A)                                                                                 \
	{                                                                                        \
		.name = "swing/" #A, .family = "so many got, then put", .unit = "cycles/object", \
		.n_lcores = 1, .settles = true, .swing = (A), .run = swing_run                   \
	}
#define CROSSING(NAME, N_LCORES, TOPOLOGY, SWING_OBJECTS)                                              \
	{                                                                                              \
		.name = (NAME), .family = "between lcores", .unit = "Mobj/s", .n_lcores = (N_LCORES),  \
		.settles = true, .topology = (TOPOLOGY), .swing = (SWING_OBJECTS), .run = crossing_run \
	}

const struct shape shapes[] = {
	SAME_CORE("b1", 1),
	SAME_CORE("b8", 8),
	SAME_CORE("b32", 32),
	SAME_CORE("b64", 64),
	SAME_CORE("n32", 0),
	HOLD("0", 0, 0),
	HOLD("1k", 1024, 0),
	HOLD("4k", 4096, 0),
	HOLD("16k", 16384, 0),
	HOLD("0", 0, 1),
	HOLD("1k", 1024, 1),
	HOLD("4k", 4096, 1),
	HOLD("16k", 16384, 1),
	HOLD("0", 0, 3),
	HOLD("1k", 1024, 3),
	HOLD("4k", 4096, 3),
	HOLD("16k", 16384, 3),
	SWING(32),
	SWING(64),
	SWING(128),
	SWING(256),
	SWING(512),
	CROSSING("pipeline", 2, TOPOLOGY_PIPELINE, 0),
	CROSSING("crossing", 2, TOPOLOGY_CROSSING, 0),
	CROSSING("crossing/swing128", 2, TOPOLOGY_CROSSING, 128),
	CROSSING("crossing/swing256", 2, TOPOLOGY_CROSSING, 256),
	CROSSING("crossing/swing512", 2, TOPOLOGY_CROSSING, 512),
	CROSSING("n-to-1", 3, TOPOLOGY_N_TO_1, 0),
	CROSSING("1-to-n", 3, TOPOLOGY_1_TO_N, 0),
	{.name = "tail",
		.family = "a burst-32 call, 64 up then 64 down",
		.unit = "cycles/call",
		.metrics = {"p50", "p99", "p99.9", "p99.99"},
		.n_lcores = 1,
		.settles = true,
		.window = 2048,
		.run = tail_run},
};
const size_t n_shapes = RTE_DIM(shapes);

uint32_t
shape_n_metrics(const struct shape *shape)
{
	uint32_t n = 0;

	while (n < N_METRICS_MAX && shape->metrics[n])
		n++;
	return RTE_MAX(n, 1u);
}

/* The rings of a crossing are full when its receivers are slower. */
uint32_t
shape_held(const struct shape *shape, uint32_t n_lcores)
{
	const uint32_t n_sides = shape->n_lcores > 2 ? n_lcores : shape->n_lcores;

	if (shape->run == crossing_run)
		return 1024 * (n_sides - 1) + shape->swing + n_sides * BURST;
	return shape->window + shape->swing + 2 * BURST;
}
