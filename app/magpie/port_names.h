/* SPDX-License-Identifier: BSD-3-Clause */
/* PORT as it was written: kept by number until the EAL can say which port it is. */
#ifndef PORT_NAMES_H
#define PORT_NAMES_H

#include "options.h"

/* Finds or adds name among options->port_names, why->from being where it stands. Returns 0 and *index, -EINVAL or -ENOMEM. */
int port_name_add(struct options *options, const char *name, uint16_t *index, struct complaint *why);

#endif
