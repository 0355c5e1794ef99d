/* SPDX-License-Identifier: BSD-3-Clause */
/* What most files include, precompiled in builds that need not show that each includes what it uses. See precompile. */
#ifndef TEST_COMMON_H
#define TEST_COMMON_H

/* Meson tries options on files that know nothing of DPDK. */
#if __has_include(<rte_mbuf.h>)

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#endif
#endif
