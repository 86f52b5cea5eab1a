/* SPDX-License-Identifier: MIT */
/* What others need to know of the conntrack collector: its settings, and a file. */
#ifndef CONNWATCH_CONNTRACK_H
#define CONNWATCH_CONNTRACK_H

#include <stdbool.h>

/* The per-CPU counters below /proc; some kernels are built without (Ubuntu's), then connwatch-ct knows them. */
#define CONNTRACK_STAT "net/stat/nf_conntrack"

/* Section "conntrack". */
struct conntrack_config {
	bool who; /* client addresses may stand in the log */
};

#endif
