/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The option table and what each row does with its value. Syntax and limits are judged here; what needs a look at
 * other options is options.c's, what needs ports or lcores plan.c's.
 */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "lines.h"
#include "mirrors.h"
#include "option_text.h"
#include "port_names.h"
#include "routes.h"
#include "values.h"

#define STATS_S_MAX   86400u
#define RING_MAX      32768u
#define POOL_SIZE_MAX (1u << 30)

#define NEIGH_REACHABLE_S_MAX 3600u
#define ICMP_RATE_MAX         1000000000u

/* An Ethernet and an IPv6 header, and the first word of what follows. */
#define DATA_ROOM_MIN 128u
#define DATA_ROOM_MAX 16384u

/* Balances are signed. */
#define OWNER_LIMIT_MAX INT64_MAX

const char *const build_words[3] = {[BUILD_LATE] = "late", [BUILD_EARLY] = "early", [BUILD_LAZY] = "lazy"};

const char *const complete_words[4] = {[COMPLETE_ORPHAN] = "orphan",
	[COMPLETE_ORPHAN_PACKET] = "orphan-packet",
	[COMPLETE_COMPLETION] = "completion",
	[COMPLETE_NONE] = "none"};

/* Splits text at commas into part[n]. -EINVAL unless there are exactly n. */
static int
parts_split(char *text, char **part, unsigned int n, const char *expected, struct complaint *why)
{
	char whole[sizeof(why->found)];
	unsigned int i = 0;

	snprintf(whole, sizeof(whole), "%s", text);
	while (i < n && text != NULL)
		part[i++] = strsep(&text, ",");
	if (i == n && text == NULL)
		return 0;
	refuse(why, whole, "%s", expected);
	return -EINVAL;
}

/* A number that has its place in *out. */
static int
u16_parse(const char *value, uint64_t min, uint64_t max, uint16_t *out, struct complaint *why)
{
	uint64_t number;

	if (number_parse(value, min, max, &number, why) != 0)
		return -EINVAL;
	*out = (uint16_t)number;
	return 0;
}

static int
u32_parse(const char *value, uint64_t min, uint64_t max, uint32_t *out, struct complaint *why)
{
	uint64_t number;

	if (number_parse(value, min, max, &number, why) != 0)
		return -EINVAL;
	*out = (uint32_t)number;
	return 0;
}

static int
addr_row(struct options *options, char *value, struct complaint *why)
{
	struct addr_spec *addrs = array_room(options->addrs, options->n_addrs, sizeof(*addrs));
	struct addr_spec addr = {.from = why->from};
	char *part[2];

	if (addrs == NULL)
		return -ENOMEM;
	options->addrs = addrs;
	if (parts_split(value, part, 2, "PORT,ADDR/LEN such as 0,10.0.0.1/24", why) != 0 ||
		interface_parse(part[1], &addr.addr, &addr.len, why) != 0)
		return -EINVAL;

	const int ret = port_name_add(options, part[0], &addr.port, why);

	if (ret == 0)
		addrs[options->n_addrs++] = addr;
	return ret;
}

static int
neigh_row(struct options *options, char *value, struct complaint *why)
{
	struct neigh_spec *neighs = array_room(options->neighs, options->n_neighs, sizeof(*neighs));
	struct neigh_spec neigh = {.from = why->from};
	char *part[3];

	if (neighs == NULL)
		return -ENOMEM;
	options->neighs = neighs;
	if (parts_split(value, part, 3, "PORT,ADDR,MAC such as 0,10.0.0.2,02:00:00:00:00:01", why) != 0 ||
		host_parse(part[1], &neigh.addr, why) != 0 || mac_parse(part[2], &neigh.mac, why) != 0)
		return -EINVAL;

	const int ret = port_name_add(options, part[0], &neigh.port, why);

	if (ret == 0)
		neighs[options->n_neighs++] = neigh;
	return ret;
}

static int
route_row(struct options *options, char *value, struct complaint *why)
{
	return route_spec_parse(options, value, why);
}

static int
route_line(void *options, char *text, struct complaint *why)
{
	return route_spec_parse(options, text, why);
}

static int
routes_file_row(struct options *options, char *value, struct complaint *why)
{
	const char *path = option_text_keep(options, value, why);

	return path == NULL ? -EINVAL : lines_read(path, route_line, options, why);
}

static int
neigh_reachable_row(struct options *options, char *value, struct complaint *why)
{
	return u32_parse(value, 1, NEIGH_REACHABLE_S_MAX, &options->neigh_reachable_s, why);
}

static int
ecmp_seed_row(struct options *options, char *value, struct complaint *why)
{
	uint64_t seed;

	if (hex_or_number_parse(value, UINT32_MAX, &seed, why) != 0)
		return -EINVAL;
	options->ecmp_seed = (uint32_t)seed;
	options->ecmp_seed_given = true;
	return 0;
}

static int
icmp_rate_row(struct options *options, char *value, struct complaint *why)
{
	struct complaint number = {0};

	options->icmp_rate = UINT32_MAX;
	if (strcmp(value, "unlimited") == 0)
		return 0;
	if (u32_parse(value, 0, ICMP_RATE_MAX, &options->icmp_rate, &number) != 0)
		return refuse(why, value, "unlimited or a number from 0 to %u", ICMP_RATE_MAX);
	return 0;
}

/* One "port,queue,lcore" without its parentheses. */
static int
rxq_add(struct options *options, char *text, struct complaint *why)
{
	struct rxq_spec *rxqs = array_room(options->rxqs, options->n_rxqs, sizeof(*rxqs));
	struct rxq_spec rxq = {.from = why->from};
	char *part[3];

	if (rxqs == NULL)
		return -ENOMEM;
	options->rxqs = rxqs;
	if (parts_split(text, part, 3, "port,queue,lcore between '(' and ')'", why) != 0 ||
		u16_parse(part[1], 0, PORT_QUEUES_MAX - 1, &rxq.queue, why) != 0 ||
		u16_parse(part[2], 0, RTE_MAX_LCORE - 1, &rxq.lcore, why) != 0)
		return -EINVAL;

	const int ret = port_name_add(options, part[0], &rxq.port, why);

	if (ret == 0)
		rxqs[options->n_rxqs++] = rxq;
	return ret;
}

static int
config_row(struct options *options, char *value, struct complaint *why)
{
	static const char *const expected = "(port,queue,lcore)[,(port,queue,lcore)]...";
	int ret = 0;

	while (ret == 0) {
		char *end = strchr(value, ')');

		if (value[0] != '(' || end == NULL)
			return refuse(why, value, "%s", expected);
		*end = '\0';
		ret = rxq_add(options, value + 1, why);
		if (end[1] == '\0')
			return ret;
		if (end[1] != ',')
			return refuse(why, end + 1, "%s", expected);
		value = end + 2;
	}
	return ret;
}

static int
mtu_row(struct options *options, char *value, struct complaint *why)
{
	struct mtu_spec *mtus = array_room(options->mtus, options->n_mtus, sizeof(*mtus));
	struct mtu_spec mtu = {.from = why->from};
	char *part[2];

	if (mtus == NULL)
		return -ENOMEM;
	options->mtus = mtus;
	if (parts_split(value, part, 2, "PORT,BYTES such as 0,1500", why) != 0)
		return -EINVAL;
	if (u16_parse(part[1], MTU_MIN, MTU_MAX, &mtu.mtu, why) != 0)
		return -EINVAL;

	const int ret = port_name_add(options, part[0], &mtu.port, why);

	if (ret == 0)
		mtus[options->n_mtus++] = mtu;
	return ret;
}

static int
rxd_row(struct options *options, char *value, struct complaint *why)
{
	return u16_parse(value, 1, RING_MAX, &options->rxd, why);
}

static int
txd_row(struct options *options, char *value, struct complaint *why)
{
	return u16_parse(value, 1, RING_MAX, &options->txd, why);
}

static int
burst_row(struct options *options, char *value, struct complaint *why)
{
	return u16_parse(value, 1, BURST_MAX, &options->burst, why);
}

static int
promisc_row(struct options *options, char *value, struct complaint *why)
{
	options->promisc = true;
	return 0;
}

static int
data_room_row(struct options *options, char *value, struct complaint *why)
{
	options->data_room_given = true;
	return u32_parse(value, DATA_ROOM_MIN, DATA_ROOM_MAX, &options->data_room, why);
}

static int
pool_size_row(struct options *options, char *value, struct complaint *why)
{
	return u32_parse(value, 1, POOL_SIZE_MAX, &options->pool_size, why);
}

/* Which names there are is known when the EAL has loaded its plugins: plan.c looks. */
static int
pool_ops_row(struct options *options, char *value, struct complaint *why)
{
	if (*value == '\0' || strlen(value) >= sizeof(options->pool_ops))
		return refuse(
			why, value, "the name of mempool ops: magazine, ring_mp_mc, stack, lf_stack, ...");
	snprintf(options->pool_ops, sizeof(options->pool_ops), "%s", value);
	return 0;
}

static int
pool_cache_row(struct options *options, char *value, struct complaint *why)
{
	return u32_parse(value, 0, RTE_MEMPOOL_CACHE_MAX_SIZE, &options->pool_cache, why);
}

static int
magazine_row(struct options *options, char *value, struct complaint *why)
{
	struct complaint number = {0};

	options->magazine = 0;
	if (strcmp(value, "auto") == 0)
		return 0;
	if (u32_parse(value, MAGAZINE_ROUNDS_MIN, MAGAZINE_ROUNDS_MAX, &options->magazine, &number) != 0 ||
		(options->magazine & (options->magazine - 1)) != 0)
		return refuse(why, value, "auto or a power of two from %u to %u", MAGAZINE_ROUNDS_MIN,
			MAGAZINE_ROUNDS_MAX);
	return 0;
}

/* The place of value in words[n], which is n when it is not there. */
static unsigned int
word_find(const char *value, const char *const *words, unsigned int n)
{
	unsigned int i = 0;

	while (i < n && strcmp(value, words[i]) != 0)
		i++;
	return i;
}

static int
build_row(struct options *options, char *value, struct complaint *why)
{
	const unsigned int mode = word_find(value, build_words, RTE_DIM(build_words));

	if (mode == RTE_DIM(build_words))
		return refuse(why, value, "late, early or lazy");
	options->build = (enum build_mode)mode;
	return 0;
}

static int
complete_row(struct options *options, char *value, struct complaint *why)
{
	const unsigned int mode = word_find(value, complete_words, RTE_DIM(complete_words));

	if (mode == RTE_DIM(complete_words))
		return refuse(why, value, "orphan, orphan-packet, completion or none");
	options->complete = (enum complete_mode)mode;
	options->complete_given = true;
	return 0;
}

static int
owner_limit_row(struct options *options, char *value, struct complaint *why)
{
	struct limit_spec *limits = array_room(options->limits, options->n_limits, sizeof(*limits));
	struct limit_spec limit = {.from = why->from};
	char *part[2];

	if (limits == NULL)
		return -ENOMEM;
	options->limits = limits;
	if (parts_split(value, part, 2, "PORT,BYTES such as 0,1000000", why) != 0 ||
		number_parse(part[1], 0, OWNER_LIMIT_MAX, &limit.bytes, why) != 0)
		return -EINVAL;

	const int ret = port_name_add(options, part[0], &limit.port, why);

	if (ret == 0)
		limits[options->n_limits++] = limit;
	return ret;
}

static int
mirror_row(struct options *options, char *value, struct complaint *why)
{
	return mirror_spec_parse(options, value, why);
}

static int
stats_row(struct options *options, char *value, struct complaint *why)
{
	return u32_parse(value, 0, STATS_S_MAX, &options->stats_s, why);
}

static int
file_line(void *options, char *text, struct complaint *why)
{
	return option_line_parse(options, text, why);
}

static int
file_row(struct options *options, char *value, struct complaint *why)
{
	const char *path = option_text_keep(options, value, why);

	return path == NULL ? -EINVAL : lines_read(path, file_line, options, why);
}

static int
check_row(struct options *options, char *value, struct complaint *why)
{
	options->check = true;
	return 0;
}

/* --help and --version are looked for before anything is parsed; in a file they mean nothing. */
static int
help_row(struct options *options, char *value, struct complaint *why)
{
	return refuse(why, "", "--help and --version on the command line, not in a file");
}

/* clang-format off */
const struct option_row option_rows[N_OPTIONS] = {
	[OPTION_ADDR] = {"addr", "PORT,ADDR/LEN", "own address; makes the connected route", addr_row},
	[OPTION_ROUTE] = {"route", "PREFIX,HOW", "HOW: via=ADDR[,weight=N][,via=ADDR[,weight=N]]..., port=PORT,\n"
		"blackhole, unreachable or prohibit", route_row},
	[OPTION_ROUTES_FILE] = {"routes-file", "FILE", "a route per line, in the form of --route's value", routes_file_row},
	[OPTION_NEIGH] = {"neigh", "PORT,ADDR,MAC", "static neighbour", neigh_row},
	[OPTION_NEIGH_REACHABLE] = {"neigh-reachable", "SECONDS", "how long a neighbour counts as reachable without being asked\n"
		"[30]", neigh_reachable_row},
	[OPTION_ECMP_SEED] = {"ecmp-seed", "N", "of the hash that picks one of several gateways, 32 bits [random]", ecmp_seed_row},
	[OPTION_ICMP_RATE] = {"icmp-rate", "N|unlimited", "ICMP errors a second from each worker, 0 = none [1000]", icmp_rate_row},
	[OPTION_CONFIG] = {"config", "(PORT,QUEUE,LCORE),...", "which lcore polls which RX queue [spread by NUMA node]",
		config_row},
	[OPTION_MTU] = {"mtu", "PORT,BYTES", "largest IP packet on a port, up to 16106 [1500]", mtu_row},
	[OPTION_RXD] = {"rxd", "N", "descriptors per RX queue [1024]", rxd_row},
	[OPTION_TXD] = {"txd", "N", "descriptors per TX queue [1024]", txd_row},
	[OPTION_BURST] = {"burst", "N", "packets taken from a queue at once, up to 64 [32]", burst_row},
	[OPTION_PROMISC] = {"promisc", NULL, "let ports take frames for other MAC addresses (they are dropped, counted)",
		promisc_row},
	[OPTION_DATA_ROOM] = {"data-room", "BYTES", "of a data buffer for a frame, 128 to 16384; larger frames take\n"
		"several [2048]", data_room_row},
	[OPTION_POOL_SIZE] = {"pool-size", "N", "data buffers per NUMA node [what rings and lcores need, rounded up]",
		pool_size_row},
	[OPTION_POOL_OPS] = {"pool-ops", "NAME", "mempool ops: magazine, ring_mp_mc, stack, lf_stack, ... [magazine]",
		pool_ops_row},
	[OPTION_POOL_CACHE] = {"pool-cache", "N", "mempool cache in front of the ops, per lcore [128;\nearly, completion: 0]", pool_cache_row},
	[OPTION_MAGAZINE] = {"magazine", "N|auto", "rounds in a magazine, 32 to 512; auto: by load, as the pool allows [auto]",
		magazine_row},
	[OPTION_BUILD] = {"build", "late|early|lazy", "when a packet gets its head: received, posted, or only if punted\n"
		"[late]", build_row},
	[OPTION_COMPLETE] = {"complete", "orphan|orphan-packet|completion|none", "when a port is no longer charged for a packet:\n"
		"before transmit, by burst or by packet; when its buffer\n"
		"is back; it never was [orphan; lazy: none]", complete_row},
	[OPTION_OWNER_LIMIT] = {"owner-limit", "PORT,BYTES", "memory that packets from a port may take, 0 = any [0]", owner_limit_row},
	[OPTION_MIRROR] = {"mirror", "PORT=PORT[,rx|tx|both]", "copies of what the first port receives, sends or both\n"
		"leave by the second [both]", mirror_row},
	[OPTION_STATS] = {"stats", "SECONDS", "statistics on the terminal, 0 = none [0]", stats_row},
	[OPTION_FILE] = {"file", "FILE", "more options, one a line without dashes, '#' comments", file_row},
	[OPTION_CHECK] = {"check", NULL, "check everything, print the plan, start nothing", check_row},
	[OPTION_HELP] = {"help", NULL, "print this", help_row},
	[OPTION_VERSION] = {"version", NULL, "print the versions of Magpie and DPDK", help_row},
};
/* clang-format on */
