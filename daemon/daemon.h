/* SPDX-License-Identifier: MIT */
/* The loop: wakes, reads, judges, speaks, and hands rows to the store. */
#ifndef CONNWATCH_DAEMON_H
#define CONNWATCH_DAEMON_H

#include <stdbool.h>

#include "daemon/conf.h"

/*
 * Run until SIGTERM or SIGINT. Takes conf over. path: the file read again at SIGHUP, NULL for the default; verbose: log
 * level debug, whatever the configuration says. Returns the exit code of the program.
 */
int daemon_run(struct conf *conf, const char *path, bool verbose);

/* Hand each problem of a configuration to the log, at err; a conf_problem_fn. */
void daemon_log_problem(void *arg, const char *problem);

#endif
