/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a port's link is up. Drivers say so, but not all that sit on a kernel interface look at it: net_af_packet's link is always up. So
 * the interface is asked too: is it still there, does its other end listen (IFF_RUNNING)?
 */
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port.h"
#include "port_priv.h"

/* The name of the kernel interface behind the device. false: it has none, or not here: deleted, or in another network namespace. */
static bool
interface_name(uint32_t index, char name[IF_NAMESIZE])
{
	return index > 0 && if_indextoname(index, name) != NULL;
}

/* Its flags; if it cannot be asked, as if all were well. */
static unsigned int
interface_flags(const char *name)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {0};
	unsigned int flags = IFF_RUNNING;

	if (fd < 0)
		return flags;
	memcpy(request.ifr_name, name, IF_NAMESIZE);
	if (ioctl(fd, SIOCGIFFLAGS, &request) == 0)
		flags = (unsigned int)request.ifr_flags;
	close(fd);
	return flags;
}

bool
port_link_up(const struct port *port)
{
	const bool roams = port_quirk_find(port->driver)->roams;
	struct rte_eth_dev_info info;
	struct rte_eth_link link;
	char name[IF_NAMESIZE];

	if (rte_eth_link_get_nowait(port->id, &link) != 0 || rte_eth_dev_info_get(port->id, &info) != 0)
		return false;
	if (info.if_index > 0 && !interface_name(info.if_index, name))
		return roams;
	if (link.link_status != RTE_ETH_LINK_UP)
		return false;
	return info.if_index == 0 || (interface_flags(name) & IFF_RUNNING) != 0;
}
