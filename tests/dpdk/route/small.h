/* SPDX-License-Identifier: BSD-3-Clause */
/* What a test says to a small table, in text, and what it sees there. */
#ifndef SMALL_H
#define SMALL_H

#include <stdint.h>

#include "world.h"

/* Two ports, 10.0.0.1/24 and fd00::1/64 on the first, 10.0.1.1/24 and fd00:0:0:1::1/64 on the second. Not
 * published. */
struct route_table *small_create(void);

/* The interface in text; they return what it returns. */
int connect_text(struct route_table *table, uint16_t port, const char *addr, uint8_t len);
int neigh(struct route_table *table, uint16_t port, const char *addr, uint8_t last);
int neigh_del(struct route_table *table, uint16_t port, const char *addr);
int del(struct route_table *table, const char *prefix);
int special(struct route_table *table, const char *prefix, enum nexthop_kind kind);
int onlink(struct route_table *table, const char *prefix, uint16_t port);
void publish(struct route_table *table);

/* What the published table yields for addr. */
const struct adjacency *adjacency_to(const struct route_table *table, const char *addr);
enum nexthop_kind kind_to(const struct route_table *table, const char *addr);

struct route_counts counts_of(const struct route_table *table);

/* It leads over port to mac_of(last). */
void assert_resolved(const struct adjacency *adjacency, uint16_t port, uint8_t last);

#endif
