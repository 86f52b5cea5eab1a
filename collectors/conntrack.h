/* SPDX-License-Identifier: MIT */
/* What others need to know of the conntrack collector: its settings. */
#ifndef CONNWATCH_CONNTRACK_H
#define CONNWATCH_CONNTRACK_H

#include <stdbool.h>

/* Section "conntrack". */
struct conntrack_config {
	bool who; /* client addresses may stand in the log */
};

#endif
