/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packet capture for dpdk-dumpcap and dpdk-pdump. librte_pdump does it: asked by another process, it hangs a callback on
 * a queue, which copies packets into a pool and a ring of that process. It costs nothing while nobody asks.
 *
 * Whoever captures takes the callback away again, and when the answer is there frees the pool and the ring. But in DPDK
 * 22.11 the answer says only that no burst will begin the callback. A worker may still be inside, and then it
 * writes to memory that is gone: a dumpcap beside a busy port killed every second Magpie. rte_ethdev.h leaves
 * it to the application to know when the last one is out, and librte_pdump is not the application.
 *
 * So the two functions that take callbacks away are defined here as well. The dynamic linker prefers a program's own
 * functions, librte_pdump calls these, and they return when every worker has passed a quiescent state.
 * (A program that is linked with DPDK's static libraries would have them twice; Magpie is not.)
 *
 * The thread is the EAL's, which answers other processes; workers_lock keeps the workers' variable until it is done.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include <rte_ethdev.h>
#include <rte_pdump.h>
#include <rte_rcu_qsbr.h>

#include "capture.h"
#include "memory.h"

typedef int (*remove_callback)(uint16_t port, uint16_t queue, const struct rte_eth_rxtx_callback *callback);

static pthread_mutex_t workers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rte_rcu_qsbr *workers;

static int
remove_and_wait(const char *name, uint16_t port, uint16_t queue, const struct rte_eth_rxtx_callback *callback)
{
	const remove_callback ethdev = (remove_callback)dlsym(RTLD_NEXT, name);
	const int ret = ethdev == NULL ? -ENOTSUP : ethdev(port, queue, callback);

	if (ret != 0)
		return ret;
	pthread_mutex_lock(&workers_lock);
	if (workers != NULL)
		rte_rcu_qsbr_synchronize(workers, RTE_QSBR_THRID_INVALID);
	pthread_mutex_unlock(&workers_lock);
	return 0;
}

int
rte_eth_remove_rx_callback(uint16_t port_id, uint16_t queue_id, const struct rte_eth_rxtx_callback *user_cb)
{
	return remove_and_wait(__func__, port_id, queue_id, user_cb);
}

int
rte_eth_remove_tx_callback(uint16_t port_id, uint16_t queue_id, const struct rte_eth_rxtx_callback *user_cb)
{
	return remove_and_wait(__func__, port_id, queue_id, user_cb);
}

enum outcome
capture_start(void)
{
	return rte_pdump_init() == 0 ? GO_ON : memory_fault("packet capture");
}

void
capture_end(void)
{
	rte_pdump_uninit();
}

void
capture_workers(struct rte_rcu_qsbr *qsbr)
{
	pthread_mutex_lock(&workers_lock);
	workers = qsbr;
	pthread_mutex_unlock(&workers_lock);
}
