/* SPDX-License-Identifier: BSD-3-Clause */
/* The fault injector of fault.h: its little language, and its count. */
#include "fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#ifdef NDEBUG

int
magazine_fault_parse(const char *text, const char *pool, struct magazine_fault *fault)
{
	return -ENOTSUP;
}

#else

#define TEXT_MAX 128

static bool
number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

static bool
fraction(const char *text, uint64_t *value)
{
	char *end;
	const double part = strtod(text, &end);

	if (end == text || *end != '\0' || !(part >= 0 && part <= 1))
		return false;
	*value = (uint64_t)(part * 4294967296.0);
	return true;
}

static int
word_parse(char *word, const char *pool, struct magazine_fault *fault)
{
	char *value = strchr(word, '=');

	if (!value) {
		fault->exchange = true;
		return strcmp(word, "exchange") == 0 ? 0 : -EINVAL;
	}
	*value++ = '\0';
	if (!strcmp(word, "pool"))
		return strcmp(value, pool) == 0 ? 0 : -ENOENT;
	if (!strcmp(word, "after"))
		return number(value, &fault->after) ? 0 : -EINVAL;
	if (!strcmp(word, "every"))
		return number(value, &fault->every) && fault->every > 0 ? 0 : -EINVAL;
	fault->by_chance = !strcmp(word, "chance");
	if (fault->by_chance)
		return fraction(value, &fault->chance) ? 0 : -EINVAL;
	return -EINVAL;
}

int
magazine_fault_parse(const char *text, const char *pool, struct magazine_fault *fault)
{
	char copy[TEXT_MAX], *rest = NULL;
	bool other_pool = false;

	*fault = (struct magazine_fault){0};
	if (strlen(text) >= sizeof(copy) || text[strspn(text, ",")] == '\0')
		return -EINVAL;
	strcpy(copy, text);
	for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		const int ret = word_parse(word, pool, fault);

		if (ret == -EINVAL)
			return ret;
		other_pool |= ret == -ENOENT;
	}
	if (fault->by_chance && fault->every > 0)
		return -EINVAL;
	if (fault->every == 0)
		fault->every = 1;
	return other_pool ? -ENOENT : 0;
}

/* splitmix64: a number per get, so that the same run fails the same gets. */
static uint64_t
mixed(uint64_t n)
{
	n *= UINT64_C(0x9e3779b97f4a7c15);
	n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
	return n ^ n >> 31;
}

static bool
fires(struct magazine_fault *fault)
{
	const uint64_t n = __atomic_add_fetch(&fault->n_gets, 1, __ATOMIC_RELAXED);
	bool fire;

	if (n <= fault->after)
		return false;
	if (fault->by_chance)
		fire = mixed(n) >> 32 < fault->chance;
	else
		fire = (n - fault->after) % fault->every == 0;
	if (fire)
		__atomic_add_fetch(&fault->n_fired, 1, __ATOMIC_RELAXED);
	return fire;
}

bool
magazine_fault_fires(struct magazine_fault *fault)
{
	return fault && !fault->exchange && fires(fault);
}

bool
magazine_fault_fires_exchange(struct magazine_fault *fault)
{
	return fault && fault->exchange && fires(fault);
}

#endif
