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
};

/* What driver needs; never NULL: a driver that is not in the table needs nothing. */
const struct port_quirk *port_quirk_find(const char *driver);

#endif
