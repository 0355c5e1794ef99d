/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this directory share. */
#ifndef MEMPOOL_MAGAZINE_PRIV_H
#define MEMPOOL_MAGAZINE_PRIV_H

#define MEMPOOL_MAGAZINE_OPS "magazine"

/* Adds /magazine/list and /magazine/pool. Returns 0 or the negative errno of rte_telemetry_register_cmd(). */
int mempool_magazine_telemetry(void);

#endif
