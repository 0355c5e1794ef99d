/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices that the user named to the EAL (--vdev, -a), and what helps when one is not there. */
#ifndef DEVICE_H
#define DEVICE_H

#include "complaint.h"

/* Whether each became an Ethernet port, and there is any. GO_ON or MACHINE_FAULT (said). After rte_eal_init(). */
enum outcome devices_check(void);

#endif
