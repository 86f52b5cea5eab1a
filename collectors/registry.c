/* SPDX-License-Identifier: MIT */
#include "collectors/registry.h"

#include "daemon/util.h"

const struct collector *const registry[] = {
	&collector_conntrack,
	&collector_kernlog,
	&collector_limits,
	&collector_listener,
	&collector_sockets,
	&collector_tcp,
	&collector_tcpext,
};

const size_t registry_len = ARRAY_LEN(registry);
