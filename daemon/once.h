/* SPDX-License-Identifier: MIT */
/* connwatchd --once: every reading, once, for a person or a script. */
#ifndef CONNWATCH_ONCE_H
#define CONNWATCH_ONCE_H

#include <stdbool.h>

#include "daemon/conf.h"

/* Read all instances of conf (borrowed) and print them to stdout, as a table or as JSON. Returns
 * the exit code: 1 if one failed; one that is absent or not permitted is no failure. */
int once_run(const struct conf *conf, bool json);

#endif
