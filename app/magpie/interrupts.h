/* SPDX-License-Identifier: BSD-3-Clause */
/* The EAL's interrupt thread, at the end. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

/* Stops the EAL's interrupt thread for good, where it can do no harm. Ports must be closed; rte_eal_cleanup() follows. Main thread. */
void interrupts_park(void);

#endif
