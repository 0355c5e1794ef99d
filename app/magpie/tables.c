/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses, then neighbours, then routes, whatever their order on the command line: a gateway must lie in a
 * connected subnet, so those come first. The route library judges; here its errno becomes a sentence.
 *
 * A port with an IPv6 address has a link-local one, too (RFC 4291 2.8): that of its MAC address, unless --addr gave it another.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_malloc.h>

#include "capture.h"
#include "memory.h"
#include "router.h"
#include "stop.h"
#include "values.h"

static enum outcome
qsbr_make(struct router *router)
{
	const unsigned int n = router->plan.n_lcores;

	router->qsbr = rte_zmalloc("qsbr", rte_rcu_qsbr_get_memsize(n), RTE_CACHE_LINE_SIZE);
	if (router->qsbr == NULL || rte_rcu_qsbr_init(router->qsbr, n) != 0)
		return memory_fault("the quiescent states of the workers");
	return GO_ON;
}

/* What no entry is to blame for. */
static enum outcome
table_failed(int error, const struct origin *from)
{
	if (error == -ENOMEM)
		return memory_fault("routes");
	return complain_about(
		from, "one more", "at most %u different next hops and as many groups", NEXTHOP_MAX);
}

static enum outcome
ports_tell(struct router *router)
{
	for (unsigned int id = 0; id < router->plan.n_ports; id++) {
		const struct port *port = &router->plan.ports[id];

		if (port->n_rxq > 0 && route_port_set(router->routes, port->id, &port->mac, port->mtu) != 0)
			return memory_fault("routes");
	}
	return GO_ON;
}

static enum outcome
addrs_add(struct router *router)
{
	const struct options *options = &router->options;
	char room[ADDRESS_TEXT_LEN];

	for (const struct addr_spec *addr = options->addrs; addr < options->addrs + options->n_addrs;
		addr++) {
		const int ret = route_add_connected(router->routes, addr->port, &addr->addr, addr->len);

		if (ret == -EEXIST)
			return complain_about(
				&addr->from, address_text(&addr->addr, room), "each own address once");
		if (ret != 0)
			return table_failed(ret, &addr->from);
	}
	return GO_ON;
}

static bool
is_link_local(const struct ip_addr *addr)
{
	return addr->family == AF_INET6 && addr->bytes[0] == 0xfe && (addr->bytes[1] & 0xc0) == 0x80;
}

/* RFC 4291 2.5.6, appendix A: fe80::/64 and the MAC address as a modified EUI-64. */
static struct ip_addr
link_local_make(const struct rte_ether_addr *mac)
{
	const uint8_t *m = mac->addr_bytes;

	return (struct ip_addr){.family = AF_INET6,
		.bytes = {0xfe, 0x80, [8] = m[0] ^ 0x02, m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5]}};
}

static bool
wants_link_local(const struct options *options, uint16_t port)
{
	bool has_ip6 = false;

	for (uint32_t i = 0; i < options->n_addrs; i++) {
		const struct addr_spec *own = &options->addrs[i];

		if (own->port != port || own->addr.family != AF_INET6)
			continue;
		if (is_link_local(&own->addr))
			return false;
		has_ip6 = true;
	}
	return has_ip6;
}

static enum outcome
link_local_add(struct router *router, const struct port *port)
{
	const struct ip_addr addr = link_local_make(&port->mac);
	const int ret = route_add_connected(router->routes, port->id, &addr, 128);
	char room[ADDRESS_TEXT_LEN];

	if (ret == 0)
		router->link_local[port->id] = addr;
	if (ret == 0)
		return GO_ON;
	if (ret != -EEXIST)
		return table_failed(ret, &router->options.from[OPTION_ADDR]);
	warn("port %u: no link-local address, %s is another port's: --addr gives it one", port->id,
		address_text(&addr, room));
	return GO_ON;
}

static enum outcome
link_locals_add(struct router *router)
{
	enum outcome outcome = GO_ON;

	for (unsigned int id = 0; id < router->plan.n_ports && outcome == GO_ON; id++) {
		const struct port *port = &router->plan.ports[id];

		/* net_ring has no MAC address */
		if (port->n_rxq > 0 && rte_is_valid_assigned_ether_addr(&port->mac) &&
			wants_link_local(&router->options, port->id))
			outcome = link_local_add(router, port);
	}
	return outcome;
}

static int
neigh_order(const void *a, const void *b)
{
	const struct neigh_spec *one = a, *two = b;

	return one->port != two->port ? one->port - two->port
				      : memcmp(&one->addr, &two->addr, sizeof(one->addr));
}

static enum outcome
neighs_add(struct router *router)
{
	struct options *options = &router->options;
	struct neigh_spec *neighs = options->neighs;
	char room[ADDRESS_TEXT_LEN];

	if (options->n_neighs > 0)
		qsort(neighs, options->n_neighs, sizeof(*neighs), neigh_order);
	for (uint32_t i = 0; i < options->n_neighs && !stop_raised(); i++) {
		const bool again = i > 0 && neigh_order(&neighs[i - 1], &neighs[i]) == 0;

		if (again && !rte_is_same_ether_addr(&neighs[i - 1].mac, &neighs[i].mac))
			return complain_about(&neighs[i].from, address_text(&neighs[i].addr, room),
				"one MAC address for a neighbour (it has another)");

		const int ret = again ? 0
				      : route_neigh_add(router->routes, neighs[i].port, &neighs[i].addr,
						&neighs[i].mac);

		if (ret != 0)
			return table_failed(ret, &neighs[i].from);
	}
	return GO_ON;
}

static bool
address_own(const struct options *options, const struct ip_addr *addr)
{
	for (uint32_t i = 0; i < options->n_addrs; i++)
		if (memcmp(&options->addrs[i].addr, addr, sizeof(*addr)) == 0)
			return true;
	return false;
}

static bool
address_connected(const struct options *options, const struct ip_addr *addr)
{
	for (uint32_t i = 0; i < options->n_addrs; i++) {
		const struct addr_spec *own = &options->addrs[i];
		const unsigned int bytes = own->len / 8u, bits = own->len % 8u;
		const uint8_t mask = (uint8_t)(0xff00 >> bits);

		if (own->addr.family == addr->family && memcmp(own->addr.bytes, addr->bytes, bytes) == 0 &&
			(bits == 0 || ((own->addr.bytes[bytes] ^ addr->bytes[bytes]) & mask) == 0))
			return true;
	}
	return false;
}

/* Which of the route's gateways is to blame. */
static const struct ip_addr *
gateway_to_blame(const struct options *options, const struct route_spec *route, int error)
{
	const struct route_path *paths = &options->paths[route->first_path];
	unsigned int i = 0;

	while (i + 1u < route->n_paths && (error == -EADDRINUSE ? !address_own(options, &paths[i].via)
								: address_connected(options, &paths[i].via)))
		i++;
	return &paths[i].via;
}

static enum outcome
route_failed(const struct options *options, const struct route_spec *route, int error)
{
	char room[ADDRESS_TEXT_LEN];

	switch (error) {
	case -EEXIST:
		return complain_about(
			&route->from, prefix_text(&route->prefix, room), "a prefix that has no route yet");
	case -ENETUNREACH:
		return complain_about(&route->from,
			address_text(gateway_to_blame(options, route, error), room),
			"a gateway in a connected subnet (--addr makes one)");
	case -EADDRINUSE:
		return complain_about(&route->from,
			address_text(gateway_to_blame(options, route, error), room),
			"a gateway that is not an address of our own");
	case -EINVAL:
		return complain_about(&route->from, prefix_text(&route->prefix, room),
			"gateways whose weights have a finest share of 1/%u", NEXTHOP_BUCKETS);
	default: return table_failed(error, &route->from);
	}
}

static int
route_add_spec(struct router *router, const struct route_spec *route)
{
	static const enum nexthop_kind kinds[] = {[ROUTE_BLACKHOLE] = NEXTHOP_BLACKHOLE,
		[ROUTE_UNREACHABLE] = NEXTHOP_UNREACHABLE,
		[ROUTE_PROHIBIT] = NEXTHOP_PROHIBIT};

	switch (route->form) {
	case ROUTE_VIA:
		return route_add(router->routes, &route->prefix, &router->options.paths[route->first_path],
			route->n_paths);
	case ROUTE_ONLINK: return route_add_onlink(router->routes, &route->prefix, route->port);
	default: return route_add_special(router->routes, &route->prefix, kinds[route->form]);
	}
}

static enum outcome
routes_add(struct router *router)
{
	const struct options *options = &router->options;

	for (uint32_t i = 0; i < options->n_routes && !stop_raised(); i++) {
		const int ret = route_add_spec(router, &options->routes[i]);

		if (ret != 0)
			return route_failed(options, &options->routes[i], ret);
	}
	return GO_ON;
}

enum outcome
tables_start(struct router *router)
{
	enum outcome outcome = qsbr_make(router);

	if (outcome == GO_ON &&
		route_table_create(router->plan.pools[0].node, router->qsbr, &router->routes) != 0)
		outcome = memory_fault("the route table");
	if (outcome == GO_ON)
		outcome = ports_tell(router);
	if (outcome == GO_ON)
		outcome = addrs_add(router);
	if (outcome == GO_ON)
		outcome = link_locals_add(router);
	if (outcome == GO_ON)
		outcome = neighs_add(router);
	if (outcome == GO_ON)
		outcome = routes_add(router);
	if (outcome == GO_ON && !stop_raised() && route_publish(router->routes) != 0)
		outcome = memory_fault("the forwarding tables");
	return outcome;
}

void
tables_end(struct router *router)
{
	if (router->routes != NULL)
		route_table_destroy(router->routes);
	capture_workers(NULL);
	rte_free(router->qsbr);
}
