/* SPDX-License-Identifier: BSD-3-Clause */
/* See socks.h: sock_wfree(), sock_def_write_space() and sock_put() of 2009. */
#include <rte_errno.h>
#include <rte_mbuf_dyn.h>

#include "skb_priv.h"
#include "socks.h"

#define LIMIT (1u << 30)

static int offset = -1;

static struct sock **
slot(struct rte_mbuf *mbuf)
{
	return RTE_MBUF_DYNFIELD(mbuf, offset, struct sock **);
}

int
socks_init(void)
{
	const struct rte_mbuf_dynfield field = {
		.name = "skbbench_sock", .size = sizeof(struct sock *), .align = alignof(struct sock *)};

	offset = rte_mbuf_dynfield_register(&field);
	return offset < 0 ? -rte_errno : 0;
}

/* Nobody sleeps on it, as on a forwarder's: it looks whether there is room, and whether there is somebody. */
static void
write_space(struct sock *sock)
{
	if (2 * (uint64_t)__atomic_load_n(&sock->wmem, __ATOMIC_RELAXED) > sock->limit)
		__atomic_fetch_add(&sock->n_wakes, 1, __ATOMIC_RELAXED);
}

void
sock_init(struct sock *sock)
{
	*sock = (struct sock){.wmem = 1, .refs = 1, .write_space = write_space, .limit = LIMIT};
}

bool
sock_is_idle(const struct sock *sock)
{
	return sock->wmem == 1 && sock->refs == 1;
}

void
sock_defer(struct sock *sock, struct rte_mbuf *mbuf)
{
	__atomic_fetch_add(&sock->refs, 1, __ATOMIC_RELAXED);
	*slot(mbuf) = sock;
}

static void
sock_wfree(struct sock *sock, const struct rte_mbuf *mbuf)
{
	__atomic_fetch_sub(&sock->wmem, skb_mbuf_truesize(mbuf), __ATOMIC_RELEASE);
	sock->write_space(sock);
	__atomic_fetch_sub(&sock->refs, 1, __ATOMIC_RELEASE);
}

void
sock_put_hook(void *arg, void *const *mbufs, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct sock *const sock = *slot(mbufs[i]);

		if (!sock)
			continue;
		*slot(mbufs[i]) = NULL;
		sock_wfree(sock, mbufs[i]);
	}
}
