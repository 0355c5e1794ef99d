/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records of debug.h: one for each object, sorted by address when they are first needed,
 * with a state, and the last events in a ring of small words (kind and lcore).
 */
#include "debug.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_spinlock.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(addr, size)   ((void)(addr), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(addr, size) ((void)(addr), (void)(size))
#endif

#define N_EVENTS     8u
#define POISON       0x6b /* as in the kernel */
#define EVENT_LCORES 0x3fffu

enum event {
	EVENT_NONE,
	EVENT_SEED,
	EVENT_GET,
	EVENT_PUT,
};

struct record {
	void *object;
	bool is_free;
	uint8_t n_events; /* modulo 256, which N_EVENTS divides */
	uint16_t events[N_EVENTS];
};

struct magazine_debugger {
	rte_spinlock_t lock;
	bool poison;
	bool sorted;
	char name[MAGAZINE_NAME_LEN];
	uint32_t offset, len;
	void (*report)(void *arg, const char *line);
	void *report_arg;
	uint64_t n_errors;
	uint32_t n;
	struct record records[];
};

enum magazine_debug
magazine_debug_level(const char *text)
{
	if (!strcmp(text, "off"))
		return MAGAZINE_DEBUG_OFF;
	if (!strcmp(text, "state"))
		return MAGAZINE_DEBUG_STATE;
	return strcmp(text, "poison") == 0 ? MAGAZINE_DEBUG_POISON : MAGAZINE_DEBUG_DEFAULT;
}

size_t
magazine_debugger_bytes(uint32_t population)
{
	return RTE_CACHE_LINE_ROUNDUP(
		sizeof(struct magazine_debugger) + (size_t)population * sizeof(struct record));
}

void
magazine_debugger_init(
	struct magazine_debugger *debugger, const struct magazine_conf *conf, enum magazine_debug level)
{
	rte_spinlock_init(&debugger->lock);
	debugger->poison = level == MAGAZINE_DEBUG_POISON && conf->poison_len > 0;
	debugger->sorted = true;
	snprintf(debugger->name, sizeof(debugger->name), "%s", conf->name);
	debugger->offset = conf->poison_offset;
	debugger->len = conf->poison_len;
	debugger->report = conf->report;
	debugger->report_arg = conf->report_arg;
}

static uint8_t *
poisoned_bytes(const struct magazine_debugger *debugger, void *object)
{
	return (uint8_t *)object + debugger->offset;
}

void
magazine_debugger_fini(struct magazine_debugger *debugger)
{
	for (uint32_t i = 0; debugger->poison && i < debugger->n; i++)
		ASAN_UNPOISON_MEMORY_REGION(
			poisoned_bytes(debugger, debugger->records[i].object), debugger->len);
}

static int
compare(const void *a, const void *b)
{
	const uintptr_t x = (uintptr_t)((const struct record *)a)->object;
	const uintptr_t y = (uintptr_t)((const struct record *)b)->object;

	return (x > y) - (x < y);
}

static struct record *
record_find(struct magazine_debugger *debugger, const void *object)
{
	const struct record key = {.object = RTE_PTR_ADD(object, 0)};

	if (!debugger->sorted)
		qsort(debugger->records, debugger->n, sizeof(key), compare);
	debugger->sorted = true;
	return bsearch(&key, debugger->records, debugger->n, sizeof(key), compare);
}

static void
record_add(struct record *record, enum event event, unsigned int lcore)
{
	record->events[record->n_events++ % N_EVENTS] =
		(uint16_t)((unsigned int)event << 14 | (lcore & EVENT_LCORES));
}

/* "put by lcore 2, got by lcore 1, ...", the latest first. */
static void
history_print(const struct record *record, char *text, size_t size)
{
	static const char *const names[] = {"", "seeded", "got by", "put by"};
	size_t used = 0;

	*text = '\0';
	for (uint8_t i = 1; i <= N_EVENTS && used < size; i++) {
		const uint16_t event = record->events[(uint8_t)(record->n_events - i) % N_EVENTS];
		const unsigned int lcore = event & EVENT_LCORES;
		const char *const comma = i > 1 ? ", " : "";

		if (event >> 14 == EVENT_NONE)
			break;
		if (event >> 14 == EVENT_SEED)
			used += (size_t)snprintf(text + used, size - used, "%s%s", comma, names[EVENT_SEED]);
		else if (lcore == (LCORE_ID_ANY & EVENT_LCORES))
			used += (size_t)snprintf(
				text + used, size - used, "%s%s a thread", comma, names[event >> 14]);
		else
			used += (size_t)snprintf(
				text + used, size - used, "%s%s lcore %u", comma, names[event >> 14], lcore);
	}
}

static void
complain(struct magazine_debugger *debugger, const char *what, const void *object, unsigned int lcore,
	const struct record *record)
{
	char who[32], history[256] = "", line[512];

	if (lcore == LCORE_ID_ANY)
		snprintf(who, sizeof(who), "a thread");
	else
		snprintf(who, sizeof(who), "lcore %u", lcore);
	if (record)
		history_print(record, history, sizeof(history));
	snprintf(line, sizeof(line), "magazine %s: %s %p by %s%s%s", debugger->name, what, object, who,
		record ? "; before: " : "", history);
	__atomic_add_fetch(&debugger->n_errors, 1, __ATOMIC_RELAXED);
	/* whose, is asked only now: the one who complains may be another process than the pool's maker */
	if (debugger->report)
		debugger->report(debugger->report_arg, line);
	else
		fprintf(stderr, "%s\n", line);
}

static void
poison_set(const struct magazine_debugger *debugger, void *object)
{
	if (!debugger->poison)
		return;
	memset(poisoned_bytes(debugger, object), POISON, debugger->len);
	ASAN_POISON_MEMORY_REGION(poisoned_bytes(debugger, object), debugger->len);
}

/* Returns whether nobody wrote there. */
static bool
poison_take(const struct magazine_debugger *debugger, void *object)
{
	const uint8_t *bytes = poisoned_bytes(debugger, object);

	if (!debugger->poison)
		return true;
	ASAN_UNPOISON_MEMORY_REGION(bytes, debugger->len);
	/* all equal to the first, and that is right */
	return bytes[0] == POISON && memcmp(bytes, bytes + 1, debugger->len - 1) == 0;
}

void
magazine_debug_seed(struct magazine_debugger *debugger, void *const *objs, uint32_t n)
{
	rte_spinlock_lock(&debugger->lock);
	for (uint32_t i = 0; i < n; i++) {
		struct record *record = &debugger->records[debugger->n];

		if (debugger->n > 0 && (uintptr_t)record[-1].object > (uintptr_t)objs[i])
			debugger->sorted = false;
		*record = (struct record){.object = objs[i], .is_free = true};
		record_add(record, EVENT_SEED, LCORE_ID_ANY);
		poison_set(debugger, objs[i]);
		debugger->n++;
	}
	rte_spinlock_unlock(&debugger->lock);
}

void
magazine_debug_get(struct magazine_debugger *debugger, unsigned int lcore, void *const *objs, uint32_t n)
{
	rte_spinlock_lock(&debugger->lock);
	for (uint32_t i = 0; i < n; i++) {
		struct record *record = record_find(debugger, objs[i]);

		if (!record) {
			complain(debugger, "the pool itself holds the foreign", objs[i], lcore, NULL);
			continue;
		}
		if (!record->is_free)
			complain(debugger, "the pool itself holds twice", objs[i], lcore, record);
		else if (!poison_take(debugger, objs[i]))
			complain(debugger, "write after free of", objs[i], lcore, record);
		record->is_free = false;
		record_add(record, EVENT_GET, lcore);
	}
	rte_spinlock_unlock(&debugger->lock);
}

uint32_t
magazine_debug_put(
	struct magazine_debugger *debugger, unsigned int lcore, void *const *objs, uint32_t n, void **good)
{
	uint32_t n_good = 0;

	rte_spinlock_lock(&debugger->lock);
	for (uint32_t i = 0; i < n; i++) {
		struct record *record = record_find(debugger, objs[i]);

		if (!record) {
			complain(debugger, "free of the foreign", objs[i], lcore, NULL);
			continue;
		}
		if (record->is_free) {
			complain(debugger, "double free of", objs[i], lcore, record);
			continue;
		}
		record->is_free = true;
		record_add(record, EVENT_PUT, lcore);
		poison_set(debugger, objs[i]);
		good[n_good++] = objs[i];
	}
	rte_spinlock_unlock(&debugger->lock);
	return n_good;
}

uint64_t
magazine_debug_errors(const struct magazine_debugger *debugger)
{
	return __atomic_load_n(&debugger->n_errors, __ATOMIC_RELAXED);
}

unsigned int
magazine_debug_history(struct magazine_debugger *debugger, const void *object, char *text, size_t size)
{
	unsigned int lcore = LCORE_ID_ANY;

	*text = '\0';
	rte_spinlock_lock(&debugger->lock);

	const struct record *record = record_find(debugger, object);

	if (record) {
		const uint16_t last = record->events[(uint8_t)(record->n_events - 1) % N_EVENTS];

		history_print(record, text, size);
		if ((last & EVENT_LCORES) != (LCORE_ID_ANY & EVENT_LCORES))
			lcore = last & EVENT_LCORES;
	}
	rte_spinlock_unlock(&debugger->lock);
	return lcore;
}
