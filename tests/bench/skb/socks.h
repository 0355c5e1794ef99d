/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accounting as the kernel did it when Dumazet measured it (netdev, May 2009): three cache lines per owner, an atomic operation
 * on each of the first two for every packet when it is charged and again when it is released, and a call.
 * sock_orphan() is sock_wfree() as it is since: the charge holds the owner alive, so one atomic operation is enough.
 */
#ifndef SKBBENCH_SOCKS_H
#define SKBBENCH_SOCKS_H

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_mbuf.h>

struct sock {
	alignas(RTE_CACHE_LINE_SIZE) uint32_t wmem; /* bytes, and 1 for the owner's own life; atomic */
	alignas(RTE_CACHE_LINE_SIZE) uint32_t refs; /* atomic */
	alignas(RTE_CACHE_LINE_SIZE) void (*write_space)(struct sock *sock);
	uint32_t limit;
	uint64_t n_wakes; /* atomic */
};

static_assert(sizeof(struct sock) == 3 * RTE_CACHE_LINE_SIZE, "three lines");

/* Registers the mbuf field that a sock is kept in on its way to completion. Returns 0 or -errno. */
int socks_init(void);
void sock_init(struct sock *sock);
/* Whether nothing is charged. */
bool sock_is_idle(const struct sock *sock);

static inline void
sock_charge(struct sock *sock, uint32_t bytes)
{
	__atomic_fetch_add(&sock->wmem, bytes, __ATOMIC_RELAXED);
}

static inline void
sock_orphan(struct sock *sock, uint32_t bytes)
{
	__atomic_fetch_sub(&sock->wmem, bytes, __ATOMIC_RELEASE);
}

/* sock_hold(), and the sock goes along with the buffer until sock_put_hook(). */
void sock_defer(struct sock *sock, struct rte_mbuf *mbuf);
/* For the mempool's ops. */
void sock_put_hook(void *arg, void *const *mbufs, unsigned int n);

#endif
