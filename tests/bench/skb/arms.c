/* SPDX-License-Identifier: BSD-3-Clause */
/* All arms, and what is said of one. */
#include "skbbench.h"

static const struct arm_table *const tables[] = {
	&life_arms, &verb_arms, &owner_arms, &head_arms, &place_arms};

const struct arm *
arm_get(size_t i)
{
	for (size_t t = 0; t < RTE_DIM(tables); t++) {
		if (i < tables[t]->n)
			return &tables[t]->arms[i];
		i -= tables[t]->n;
	}
	return NULL;
}

size_t
arms_count(void)
{
	size_t n = 0;

	for (size_t t = 0; t < RTE_DIM(tables); t++)
		n += tables[t]->n;
	return n;
}

void
arm_name(const struct arm *arm, char text[64])
{
	snprintf(text, 64, "%s/%s", arm->group, arm->name);
}

uint32_t
arm_n_metrics(const struct arm *arm)
{
	return arm->run == sides_run ? 2 : 1;
}

const char *
arm_metric(const struct arm *arm, uint32_t metric)
{
	static const char *const sides[] = {"send", "complete"};

	return arm->run == sides_run ? sides[metric] : "";
}
