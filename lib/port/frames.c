/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MTU, and frames that are longer than a data buffer. Those arrive as chains of buffers and leave as such,
 * if the device can do that: many offer it (SCATTER, MULTI_SEGS), some do it and do not say so, and some would cut
 * the frame. Where one device may receive chains, every device may have to send them.
 */
#include <errno.h>
#include <stdlib.h>

#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_kvargs.h>

#include "port.h"
#include "port_priv.h"

static bool
fits(uint32_t mtu, const struct port_conf *conf)
{
	return port_frame_buffers(mtu, conf->data_room) == 1;
}

bool
port_chains(uint16_t id, const struct port_conf *conf)
{
	struct rte_eth_dev_info info;

	if (!fits(conf->mtu == 0 ? RTE_ETHER_MTU : conf->mtu, conf))
		return true;
	return rte_eth_dev_info_get(id, &info) == 0 && port_quirk_find(info.driver_name)->chains;
}

/* Bytes of a frame that the device does not count as MTU; as ethdev works it out. */
static uint32_t
frame_overhead(const struct rte_eth_dev_info *info)
{
	if (info->max_mtu != UINT16_MAX && info->max_rx_pktlen > info->max_mtu)
		return info->max_rx_pktlen - info->max_mtu;
	return RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;
}

/* The largest MTU that the device may be told. */
static uint32_t
dev_mtu_max(const struct rte_eth_dev_info *info)
{
	return RTE_MIN((uint32_t)info->max_mtu, info->max_rx_pktlen - frame_overhead(info));
}

static uint16_t
mtu_find(const struct rte_eth_dev_info *info, uint16_t wanted)
{
	return wanted != 0 ? wanted : (uint16_t)RTE_MIN(dev_mtu_max(info), (uint32_t)RTE_ETHER_MTU);
}

int
port_mtu(uint16_t id, const struct port_conf *conf, uint16_t *mtu)
{
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(id, &info) != 0)
		return -ENODEV;
	*mtu = mtu_find(&info, conf->mtu);
	return 0;
}

static int
plan_mtu(struct port *port, const struct rte_eth_dev_info *info, uint16_t wanted, const struct port_why *why)
{
	const uint32_t dev_max = dev_mtu_max(info);
	const uint32_t max = port_quirk_find(port->driver)->any_mtu ? UINT16_MAX : dev_max;

	port->set_mtu = wanted != 0;
	port->mtu = mtu_find(info, wanted);
	port->dev_mtu = RTE_MIN(port->mtu, dev_max);
	if (port->mtu < info->min_mtu || port->mtu > max)
		return port_refuse(why, "MTU %u is outside of what %s takes, %u to %u", port->mtu,
			port->driver, info->min_mtu, max);
	return 0;
}

/* The number that the device was given as argument name, or otherwise. */
static unsigned long
device_argument(const struct rte_eth_dev_info *info, const char *name, unsigned long otherwise)
{
	const struct rte_devargs *devargs = rte_dev_devargs(info->device);
	struct rte_kvargs *kvargs = devargs == NULL ? NULL : rte_kvargs_parse(devargs->args, NULL);
	const char *value = kvargs == NULL ? NULL : rte_kvargs_get(kvargs, name);

	if (value != NULL)
		otherwise = strtoul(value, NULL, 10);
	rte_kvargs_free(kvargs);
	return otherwise;
}

static int
check_slots(const struct port *port, const struct rte_eth_dev_info *info, const struct port_why *why)
{
	const struct port_quirk *quirk = port_quirk_find(port->driver);
	const unsigned long frame = port->mtu + PORT_FRAME_EXTRA;

	if (quirk->slot_arg == NULL || device_argument(info, quirk->slot_arg, quirk->slot) >= frame)
		return 0;
	return port_refuse(why,
		"%s mixes up frames that are larger than its slots: MTU %u takes %s=%lu among "
		"its device arguments, at both ends",
		port->driver, port->mtu, quirk->slot_arg, frame);
}

/* What the device wants of a data buffer, whatever the frames are. */
static int
check_room(const struct port *port, const struct rte_eth_dev_info *info, const struct port_conf *conf,
	const struct port_why *why)
{
	const struct port_quirk *quirk = port_quirk_find(port->driver);
	unsigned long room = info->min_rx_bufsize;

	if (quirk->room_arg != NULL)
		room = device_argument(info, quirk->room_arg, quirk->room) - quirk->room_less;
	if (conf->data_room == 0 || conf->data_room >= room)
		return 0;
	return port_refuse(why, "%s needs %lu bytes in a data buffer, there are %u", port->driver, room,
		conf->data_room);
}

/* How it receives what does not fit one buffer. */
static int
plan_scatter(struct port *port, const struct rte_eth_dev_info *info, const struct port_conf *conf,
	const struct port_why *why)
{
	if (fits(port->mtu, conf))
		return 0;
	port->rx_offloads |= RTE_ETH_RX_OFFLOAD_SCATTER & info->rx_offload_capa;
	if (port->rx_offloads & RTE_ETH_RX_OFFLOAD_SCATTER || port_quirk_find(port->driver)->chains)
		return 0;
	return port_refuse(why,
		"%s receives into one data buffer of %u bytes, MTU %u does not fit: at most %lu",
		port->driver, conf->data_room, port->mtu, conf->data_room - (unsigned long)PORT_FRAME_EXTRA);
}

/* How it sends what was received in more than one. */
static int
plan_gather(struct port *port, const struct rte_eth_dev_info *info, const struct port_conf *conf,
	const struct port_why *why)
{
	const bool offered = (info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0;

	port->linear = !offered && !port_quirk_find(port->driver)->gathers;
	port->fragments = conf->larger && !port->linear && !port->exclusive;
	if (offered && (conf->chains || conf->clones || port->fragments))
		port->tx_offloads |= RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	if (!conf->chains || !port->linear || fits(port->mtu, conf))
		return 0;
	return port_refuse(why, "%s sends from one data buffer of %u bytes, MTU %u does not fit: at most %lu",
		port->driver, conf->data_room, port->mtu, conf->data_room - (unsigned long)PORT_FRAME_EXTRA);
}

int
port_plan_frames(struct port *port, const struct rte_eth_dev_info *info, const struct port_conf *conf,
	const struct port_why *why)
{
	const struct port_quirk *quirk = port_quirk_find(port->driver);

	port->exclusive = quirk->exclusive;
	port->keeps = !quirk->prompt;
	port->whole = quirk->whole;
	port->any_frame = quirk->any_frame;
	if (plan_mtu(port, info, conf->mtu, why) != 0 || check_slots(port, info, why) != 0 ||
		check_room(port, info, conf, why) != 0 || plan_scatter(port, info, conf, why) != 0)
		return -EINVAL;
	port->chains = quirk->chains || !fits(port->mtu, conf);
	return plan_gather(port, info, conf, why);
}
