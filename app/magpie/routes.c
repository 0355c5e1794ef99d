/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table may hold a million routes, so nothing here looks at the others while one is read: routes given
 * twice are found by sorting, once, at the end.
 */
#include "routes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "port_names.h"
#include "values.h"

/* The forms that are one word. */
static const struct {
	const char *word;
	enum route_form form;
} words[] = {
	{"blackhole", ROUTE_BLACKHOLE},
	{"unreachable", ROUTE_UNREACHABLE},
	{"prohibit", ROUTE_PROHIBIT},
};

/* The value behind key in "key=value", NULL when it is another key. */
static const char *
value_of(const char *text, const char *key)
{
	const size_t n = strlen(key);

	return strncmp(text, key, n) == 0 && text[n] == '=' ? text + n + 1 : NULL;
}

static int
via_parse(struct options *options, struct route_spec *route, const char *text, struct complaint *why)
{
	struct route_path *paths = array_room(options->paths, options->n_paths, sizeof(*paths));
	struct route_path path = {.weight = 1};

	if (paths == NULL)
		return -ENOMEM;
	options->paths = paths;
	if (host_parse(text, &path.via, why) != 0)
		return -EINVAL;
	if (path.via.family != route->prefix.addr.family)
		return refuse(why, text, "a gateway of the prefix's family");
	if (route->n_paths == NEXTHOP_GROUP_MAX)
		return refuse(why, text, "at most %u gateways", NEXTHOP_GROUP_MAX);
	for (unsigned int i = 0; i < route->n_paths; i++)
		if (memcmp(&paths[route->first_path + i].via, &path.via, sizeof(path.via)) == 0)
			return refuse(why, text, "each gateway once (weight=N gives it a larger share)");
	paths[options->n_paths++] = path;
	route->n_paths++;
	return 0;
}

/* One of the parts behind the prefix. route->form is ROUTE_VIA as long as it has no other. */
static int
part_parse(struct options *options, struct route_spec *route, const char *part, struct complaint *why)
{
	const char *via = value_of(part, "via"), *weight = value_of(part, "weight"),
		   *port = value_of(part, "port");
	uint64_t number;

	if (route->form != ROUTE_VIA)
		return refuse(why, part, "nothing more");
	if (via != NULL)
		return via_parse(options, route, via, why);
	if (weight != NULL && route->n_paths > 0) {
		if (number_parse(weight, 1, NEXTHOP_BUCKETS, &number, why) != 0)
			return -EINVAL;
		options->paths[options->n_paths - 1].weight = (uint32_t)number;
		return 0;
	}
	if (route->n_paths > 0)
		return refuse(why, part, "via=ADDR or weight=N");
	if (port != NULL) {
		route->form = ROUTE_ONLINK;
		return port_name_add(options, port, &route->port, why);
	}
	for (unsigned int i = 0; i < RTE_DIM(words); i++) {
		if (strcmp(part, words[i].word) == 0) {
			route->form = (uint8_t)words[i].form;
			return 0;
		}
	}
	return refuse(why, part, "via=ADDR[,weight=N], port=PORT, blackhole, unreachable or prohibit");
}

int
route_spec_parse(struct options *options, char *text, struct complaint *why)
{
	struct route_spec *routes = array_room(options->routes, options->n_routes, sizeof(*routes));
	struct route_spec route = {.from = why->from, .form = ROUTE_VIA, .port = OPTION_PORT_NONE};
	const char *prefix = strsep(&text, ",");

	if (routes == NULL)
		return -ENOMEM;
	options->routes = routes;
	route.first_path = options->n_paths;
	if (prefix_parse(prefix, &route.prefix, why) != 0)
		return -EINVAL;
	if (text == NULL)
		return refuse(why, prefix, "PREFIX,via=ADDR or PREFIX,port=PORT or PREFIX,blackhole");
	while (text != NULL) {
		const int ret = part_parse(options, &route, strsep(&text, ","), why);

		if (ret != 0)
			return ret;
	}
	routes[options->n_routes++] = route;
	return 0;
}

static int
route_order(const void *a, const void *b)
{
	const struct route_spec *one = a, *two = b;

	return memcmp(&one->prefix, &two->prefix, sizeof(one->prefix));
}

/* Whether path is one of those of route. */
static bool
path_among(const struct options *options, const struct route_path *path, const struct route_spec *route)
{
	const struct route_path *paths = &options->paths[route->first_path];

	for (unsigned int i = 0; i < route->n_paths; i++)
		if (memcmp(&paths[i].via, &path->via, sizeof(path->via)) == 0)
			return paths[i].weight == path->weight;
	return false;
}

/* Gateways are different within a route, so as many that are all among the other's are the same. */
static bool
route_same(const struct options *options, const struct route_spec *one, const struct route_spec *two)
{
	if (one->form != two->form || one->port != two->port || one->n_paths != two->n_paths)
		return false;
	for (unsigned int i = 0; i < one->n_paths; i++)
		if (!path_among(options, &options->paths[one->first_path + i], two))
			return false;
	return true;
}

static int
route_conflict(const struct route_spec *first, const struct route_spec *second, struct complaint *why)
{
	char room[ADDRESS_TEXT_LEN];

	why->from = second->from;
	if (first->from.file == NULL)
		return refuse(why, prefix_text(&second->prefix, room),
			"one route for a prefix (it has another from --%s)", first->from.option);
	return refuse(why, prefix_text(&second->prefix, room),
		"one route for a prefix (it has another from %s:%u)", first->from.file, first->from.line);
}

int
route_specs_merge(struct options *options, struct complaint *why)
{
	struct route_spec *routes = options->routes;
	uint32_t kept = 0;

	if (options->n_routes == 0)
		return 0;
	qsort(routes, options->n_routes, sizeof(*routes), route_order);
	for (uint32_t i = 1; i < options->n_routes; i++) {
		if (route_order(&routes[kept], &routes[i]) != 0)
			routes[++kept] = routes[i];
		else if (!route_same(options, &routes[kept], &routes[i]))
			return route_conflict(&routes[kept], &routes[i], why);
	}
	options->n_routes = kept + 1;
	return 0;
}
