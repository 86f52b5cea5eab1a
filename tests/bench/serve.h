/* SPDX-License-Identifier: MIT */
/* What sockets.sh measures of programs that go on between its turns. */
#ifndef CONNWATCH_SERVE_H
#define CONNWATCH_SERVE_H

#include <stdio.h>
#include <time.h>

#include "daemon/util.h"

/*
 * A run for each line of standard input, until that ends; it is answered by a line: milliseconds of
 * CPU time, milliseconds, and what the run returned.
 */
static inline void serve_runs(const char *(*run)(void *arg), void *arg)
{
	char line[16];

	while (fgets(line, sizeof(line), stdin)) {
		double cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
		double wall = clock_seconds(CLOCK_MONOTONIC);
		const char *result = run(arg);

		cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		wall = clock_seconds(CLOCK_MONOTONIC) - wall;
		printf("%.4f %.4f %s\n", cpu * 1e3, wall * 1e3, result);
		fflush(stdout);
	}
}

#endif
