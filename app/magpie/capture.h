/* SPDX-License-Identifier: BSD-3-Clause */
/* Packet capture by other processes (dpdk-dumpcap, dpdk-pdump). */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "complaint.h"

struct rte_rcu_qsbr;

/* Lets other processes ask for packets. After rte_eal_init(), main thread. GO_ON, or MACHINE_FAULT (no memory). */
enum outcome capture_start(void);

/* No longer. Once no port sends or receives any more; also without capture_start(). */
void capture_end(void);

/*
 * The workers, whose packets are captured: they pass quiescent states of qsbr between bursts. NULL = there are none any
 * more; afterwards qsbr may be freed. Main thread.
 */
void capture_workers(struct rte_rcu_qsbr *qsbr);

#endif
