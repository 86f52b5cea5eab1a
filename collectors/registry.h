/* SPDX-License-Identifier: MIT */
/* All collectors there are. A new one is its file, a declaration here and a line in registry.c. */
#ifndef CONNWATCH_REGISTRY_H
#define CONNWATCH_REGISTRY_H

#include <stddef.h>

#include "daemon/collector.h"

extern const struct collector collector_conntrack;
extern const struct collector collector_kernlog;
extern const struct collector collector_limits;
extern const struct collector collector_listener;
extern const struct collector collector_sockets;
extern const struct collector collector_tcp;
extern const struct collector collector_tcpext;

/* Alphabetical by name. */
extern const struct collector *const registry[];
extern const size_t registry_len;

#endif
