/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The EAL goes on without a device that it cannot probe. Someone who named a device wants it, so to us
 * that is a fault; the driver's own words tell why, the table below what to do.
 */
#include "device.h"

#include <stdio.h>
#include <string.h>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_ethdev.h>

#include "chatter.h"

/* argument: the key in the device's arguments whose value the command needs, cut back to its directory if
 * directory is set. */
static const struct {
	const char *driver; /* how the device's name begins */
	const char *argument;
	bool directory;
	const char *help; /* with a %s for the value */
} helps[] = {
	{"net_memif", "socket=", true, "mkdir -p %s"},
	{"net_pcap", "rx_pcap=", false, "ls -l %s"},
	{"net_pcap", "tx_pcap=", true, "mkdir -p %s"},
	{"net_pcap", "iface=", false, "ip link show %s"},
	{"net_pcap", "rx_iface=", false, "ip link show %s"},
	{"net_af_packet", "iface=", false, "ip link show %s (and run as root)"},
	{"net_af_xdp", "iface=", false, "ip link show %s (and run as root)"},
	{"net_tap", "", false, "modprobe tun (and run as root)"},
	{"net_virtio_user", "path=", false, "ls -l %s"},
	{"net_vhost", "iface=", true, "mkdir -p %s"},
	{"net_", "", false,
		"apt install dpdk librte-net* (the driver), magpie --log-level=pmd:debug ... to see more"},
};

/* The command that helps with a device of these arguments. */
static const char *
device_help(const struct rte_devargs *args, char *room, size_t len)
{
	const char *data = args->data == NULL ? "" : args->data;
	char value[256];

	for (size_t i = 0; i < RTE_DIM(helps); i++) {
		const char *argument = strstr(data, helps[i].argument);

		if (strncmp(args->name, helps[i].driver, strlen(helps[i].driver)) != 0 || argument == NULL)
			continue;
		argument += strlen(helps[i].argument);
		snprintf(value, sizeof(value), "%.*s", (int)strcspn(argument, ","), argument);
		if (helps[i].directory && strrchr(value, '/') != NULL)
			*strrchr(value, '/') = '\0';
		snprintf(room, len, helps[i].help, value);
		return room;
	}
	snprintf(room, len, "modprobe vfio-pci && dpdk-devbind.py -b vfio-pci %s", args->name);
	return room;
}

/* Whether a port was made from args. */
static bool
device_is_port(const struct rte_devargs *args)
{
	uint16_t id;

	RTE_ETH_FOREACH_DEV (id) {
		struct rte_eth_dev_info info;

		if (rte_eth_dev_info_get(id, &info) != 0)
			continue;

		const struct rte_devargs *its = rte_dev_devargs(info.device);

		if (its == args || (its != NULL && strcmp(its->name, args->name) == 0))
			return true;
	}
	return false;
}

static enum outcome
device_absent(const struct rte_devargs *args)
{
	char mark[128], reason[256], help[512];

	snprintf(mark, sizeof(mark), "failed to initialize %s device", args->name);
	chatter_reason(mark, reason, sizeof(reason));
	return fault("device %s: %s. Run: %s", args->name, reason[0] == '\0' ? "it is not there" : reason,
		device_help(args, help, sizeof(help)));
}

enum outcome
devices_check(void)
{
	struct rte_devargs *args;

	RTE_EAL_DEVARGS_FOREACH(NULL, args)
	{
		if (args->policy == RTE_DEV_ALLOWED && !device_is_port(args))
			return device_absent(args);
	}
	if (rte_eth_dev_count_avail() == 0)
		return fault("no Ethernet port. Run: modprobe vfio-pci && dpdk-devbind.py -b vfio-pci "
			     "DEVICE, or give "
			     "the EAL --vdev=net_tap0");
	return GO_ON;
}
