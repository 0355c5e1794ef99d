/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starting the EAL. What it says when it fails is for those who know it; here that becomes one line
 * with the command that helps. Two kinds of failure: its options are wrong (BAD_INPUT, the EAL says EINVAL), or the
 * machine cannot (MACHINE_FAULT). A device that cannot be probed is no failure to the EAL, but it is to us.
 *
 * With it comes what other processes ask of a primary one: our mempool ops, behind all others, so that those have the
 * same numbers in each process; and packet capture.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "capture.h"
#include "chatter.h"
#include "device.h"
#include "interrupts.h"
#include "mempool_magazine.h"
#include "router.h"

#define HUGEPAGES_HELP                                                                                  \
	"echo 512 > /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages (as root), or give the EAL " \
	"--no-huge -m 512"

/* What the EAL says, and what to do. The first that matches. */
static const struct {
	const char *said;
	const char *help;
} helps[] = {
	{"rtemap", "magpie --no-huge -m 512 ... (hugepages are root's), or chown $USER /dev/hugepages"},
	{"ugepage", HUGEPAGES_HELP},
	{"Is another primary", "magpie --file-prefix=NAME ... with a NAME that no other DPDK program has"},
	{"runtime director", "export XDG_RUNTIME_DIR=$(mktemp -d)"},
	{"Error creating", "export XDG_RUNTIME_DIR=$(mktemp -d)"},
	{"shared object", "ls -l on the file that -d names"},
	{"VFIO", "modprobe vfio-pci"},
	{"parse device",
		"dpdk-devbind.py --status, or apt install librte-net* for the driver that --vdev names"},
	{"memseg list", "magpie -m N ... with fewer megabytes N than the machine has (free -m)"},
	{"memory", "magpie -m N ... with fewer megabytes N than the machine has (free -m)"},
};

static const char *
help_for(const char *reason)
{
	for (size_t i = 0; i < RTE_DIM(helps); i++)
		if (strstr(reason, helps[i].said) != NULL)
			return helps[i].help;
	return "magpie --log-level=lib.eal:debug ... to see all that the EAL says";
}

static enum outcome
eal_failed(int error)
{
	char reason[256];

	chatter_reason(NULL, reason, sizeof(reason));
	/* A directory that cannot be made also counts as a wrong option to the EAL. */
	if (error == EINVAL && strstr(reason, "Error creating") == NULL &&
		strstr(reason, "runtime dir") == NULL) {
		fprintf(stderr,
			"magpie: EAL options: %s; expected options as dpdk-testpmd --help lists them\n",
			reason[0] == '\0' ? "refused" : reason);
		return BAD_INPUT;
	}
	return fault("EAL: %s. Run: %s", reason[0] == '\0' ? rte_strerror(error) : reason, help_for(reason));
}

/* Whether there is an EAL option that begins like this. */
static const char *
eal_option(const struct options *options, const char *begin)
{
	for (int i = 1; i < options->n_eal; i++)
		if (strncmp(options->eal_argv[i], begin, strlen(begin)) == 0)
			return options->eal_argv[i];
	return NULL;
}

/* rte_eal_init() with a copy of the arguments, which it reorders. Returns what it returns, and the first argument left over. */
static int
eal_init(const struct options *options, const char **rest)
{
	char **argv = calloc((size_t)options->n_eal + 1, sizeof(*argv));

	if (argv == NULL)
		return -1;
	memcpy(argv, options->eal_argv, (size_t)options->n_eal * sizeof(*argv));
	argv[0] = (char *)(uintptr_t) "magpie";

	const int ret = rte_eal_init(options->n_eal, argv);

	*rest = ret >= 0 && ret + 1 < options->n_eal ? argv[ret + 1] : NULL;
	free(argv);
	return ret;
}

enum outcome
eal_start(struct router *router)
{
	const char *type = eal_option(&router->options, "--proc-type"), *rest = NULL;
	const struct origin eal = {0};

	/* A secondary would wait for its primary inside rte_eal_init(), for ever and deaf to signals. */
	if (type != NULL && strcmp(type, "--proc-type=primary") != 0)
		return complain_about(
			&eal, type, "--proc-type=primary, or no --proc-type: Magpie is a primary process");
	if (eal_option(&router->options, "--log-l") == NULL)
		chatter_hush();
	rte_errno = 0;

	const int ret = eal_init(&router->options, &rest);

	chatter_console_back();
	if (ret < 0)
		return eal_failed(rte_errno);
	router->eal = true;
	if (rest != NULL)
		return complain_about(&eal, rest, "an EAL option; Magpie's own stand behind '--'");
	if (mempool_magazine_register() != 0)
		return fault("mempool ops: no slot is left for 'magazine'. Run: magpie without -d plugins of "
			     "mempool ops");
	if (capture_start() != GO_ON)
		return MACHINE_FAULT;
	return devices_check();
}

void
eal_end(struct router *router)
{
	uint16_t id;

	if (!router->eal)
		return;
	RTE_ETH_FOREACH_DEV (id) {
		rte_eth_dev_close(id);
	}
	capture_end();
	interrupts_park();
	rte_eal_cleanup();
}
