/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The options: one table of them (option_rows), from which the command line's parser, the file parser and --help
 * are made, and against which a test holds the manual page.
 *
 * Parsing knows nothing of ports, lcores or the EAL: PORT stays a name until plan.c finds it.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mempool.h>

#include "complaint.h"
#include "port.h"
#include "route.h"
#include "worker.h"

#define PORT_NAMES_MAX   256u /* different spellings of PORT */
#define OPTION_PORT_NONE UINT16_MAX

#define MTU_MIN 68u /* RFC 791 3.1 */
#define MTU_MAX (RTE_ETHER_MAX_JUMBO_FRAME_LEN - PORT_FRAME_EXTRA)

/* The places of option_rows. */
enum option_id {
	OPTION_ADDR,
	OPTION_ROUTE,
	OPTION_ROUTES_FILE,
	OPTION_NEIGH,
	OPTION_NEIGH_REACHABLE,
	OPTION_ECMP_SEED,
	OPTION_ICMP_RATE,
	OPTION_CONFIG,
	OPTION_MTU,
	OPTION_RXD,
	OPTION_TXD,
	OPTION_BURST,
	OPTION_PROMISC,
	OPTION_DATA_ROOM,
	OPTION_POOL_SIZE,
	OPTION_POOL_OPS,
	OPTION_POOL_CACHE,
	OPTION_MAGAZINE,
	OPTION_BUILD,
	OPTION_COMPLETE,
	OPTION_OWNER_LIMIT,
	OPTION_MIRROR,
	OPTION_STATS,
	OPTION_FILE,
	OPTION_CHECK,
	OPTION_HELP,
	OPTION_VERSION,
	N_OPTIONS
};

/* In each of these, port indexes options.port_names. */
struct addr_spec {
	struct origin from;
	struct ip_addr addr;
	uint8_t len;
	uint16_t port;
};

struct neigh_spec {
	struct origin from;
	struct ip_addr addr;
	struct rte_ether_addr mac;
	uint16_t port;
};

enum route_form { ROUTE_VIA, ROUTE_ONLINK, ROUTE_BLACKHOLE, ROUTE_UNREACHABLE, ROUTE_PROHIBIT };

struct route_spec {
	struct origin from;
	struct ip_prefix prefix;
	uint8_t form;    /* enum route_form */
	uint8_t n_paths; /* ROUTE_VIA: from options.paths[first_path] on */
	uint16_t port;   /* ROUTE_ONLINK */
	uint32_t first_path;
};

struct rxq_spec {
	struct origin from;
	uint16_t port, queue, lcore;
};

struct mtu_spec {
	struct origin from;
	uint16_t port, mtu;
};

struct limit_spec {
	struct origin from;
	uint16_t port;
	uint64_t bytes;
};

/* Copies of what port receives (rx), of what it sends (tx), leave by to. */
struct mirror_spec {
	struct origin from;
	uint16_t port, to;
	bool rx, tx;
};

/* Everything that was asked for. */
struct options {
	int n_eal; /* eal_argv[n_eal]: the command line before "--", with the program's name */
	char **eal_argv;
	struct addr_spec *addrs;
	struct neigh_spec *neighs;
	struct route_spec *routes;
	struct route_path *paths;
	struct rxq_spec *rxqs;
	struct mtu_spec *mtus;
	struct limit_spec *limits;
	struct mirror_spec *mirrors;
	uint32_t n_addrs, n_neighs, n_routes, n_paths, n_rxqs, n_mtus, n_limits, n_mirrors;
	char *port_names[PORT_NAMES_MAX];
	struct origin port_from[PORT_NAMES_MAX]; /* where each stood first */
	uint16_t n_port_names;
	char *files[64]; /* names that origins point to */
	unsigned int n_files;
	struct origin from[N_OPTIONS]; /* where each option stood last */
	uint16_t rxd, txd, burst;
	bool promisc, check;
	uint32_t neigh_reachable_s;
	uint32_t icmp_rate; /* ICMP errors a second and worker, UINT32_MAX = any */
	uint32_t ecmp_seed;
	bool ecmp_seed_given;
	uint32_t
		data_room; /* bytes that a data buffer has for a frame; larger ones take several: port_frame_buffers() */
	bool data_room_given;
	uint32_t pool_size; /* 0 = as the equation wants */
	char pool_ops[RTE_MEMPOOL_OPS_NAMESIZE];
	uint32_t pool_cache;
	uint32_t magazine; /* M, 0 = auto */
	enum build_mode build;
	enum complete_mode complete;
	bool complete_given;
	uint32_t stats_s; /* 0 = off */
};

/* One row of the table. parse gets the value, which it may write to, NULL for an option without one; why->from says
 * where it stands. It returns 0, -EINVAL (*why filled) or -ENOMEM. */
struct option_row {
	const char *name;  /* without dashes */
	const char *value; /* what --help shows for it; NULL = takes none */
	const char *help;
	int (*parse)(struct options *options, char *value, struct complaint *why);
};

extern const struct option_row option_rows[N_OPTIONS];

/* The words for enum build_mode and enum complete_mode. */
extern const char *const build_words[3];
extern const char *const complete_words[4];

/*
 * Reads the command line and the files it names, prints what is wrong with them. GO_ON, DONE (--help,
 * --version) or BAD_INPUT, MACHINE_FAULT (no memory). argv must stay. In every case options_fini() must follow.
 */
enum outcome options_init(struct options *options, int argc, char **argv);

void options_fini(struct options *options);

#endif
