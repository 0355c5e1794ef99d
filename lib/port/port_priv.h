/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this directory share: what single drivers need, and what we ask every device for.
 */
#ifndef PORT_PRIV_H
#define PORT_PRIV_H

#include <stdbool.h>

#include <rte_ethdev.h>

#include "port.h"

/* RSS over what the walk forwards. */
#define PORT_RSS_WANTED (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP)

/* How many RX queues a port gets in the default map. */
enum port_rxq_rule {
	PORT_RXQ_RSS, /* one per worker if the device spreads packets over queues, else one */
	PORT_RXQ_ALL, /* the number was given with the device, and packets come in by each */
	PORT_RXQ_ONE, /* how many are used is agreed with a peer or a program that we do not know */
};

struct port_quirk {
	const char *driver;
	enum port_rxq_rule rxq;
	bool tx_as_rx; /* as many TX queues as RX queues, neither more nor fewer */
	bool drain;    /* its close forgets the packets that nobody has received: take them before */
	bool forgets;  /* its close forgets every buffer in its rings */
	bool packed;   /* it registers memory as if buffers lay side by side */
	uint16_t rxd;  /* it fills that many RX descriptors at least, whatever it is told */
	bool chains; /* it receives chains without being asked, and has no other way to take a frame that is longer than a buffer */
	bool gathers;   /* it sends chains, though it does not offer to */
	bool any_mtu;   /* frames may be longer than its dev_info says */
	bool any_frame; /* frames may be longer than its MTU, see struct port */
	bool roams; /* its kernel interface may be moved to another network namespace: it goes on working, and calls the link down */
	bool exclusive;       /* it sends no buffer that is shared or indirect, see struct port */
	bool prompt;          /* it keeps nothing that was sent */
	bool whole;           /* its TX descriptors hold packets, see struct port */
	const char *slot_arg; /* the device argument that must be as large as a frame */
	uint16_t slot;        /* its default */
	const char *
		room_arg; /* the device argument that says what it receives into one data buffer, and not less */
	uint16_t room;    /* its default */
	uint16_t room_less; /* of that, what is no frame's */
};

/* What driver needs; never NULL: a driver that is not in the table needs nothing. */
const struct port_quirk *port_quirk_find(const char *driver);

/* Where port_plan() says why not. */
struct port_why {
	char *text;
	unsigned int len;
};

/* Fills *why. Returns -EINVAL, for the caller to return. */
int port_refuse(const struct port_why *why, const char *format, ...) __rte_format_printf(2, 3);

/* frames.c: the MTU, and what it takes to receive and send frames that are longer than a data buffer. 0 or -EINVAL. */
int port_plan_frames(struct port *port, const struct rte_eth_dev_info *info, const struct port_conf *conf,
	const struct port_why *why);

#endif
