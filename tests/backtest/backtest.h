/* SPDX-License-Identifier: MIT */
/* The traces (a) to (k) that the daemon's warnings are shown on, one look per second. */
#ifndef CONNWATCH_TESTS_BACKTEST_H
#define CONNWATCH_TESTS_BACKTEST_H

#include <stdint.h>

#include "tests/backtest/trace.h"

/* Make trace 'a' to 'k'. Different seeds have different noise, starting levels and shapes of the
 * same story. Free with trace_free(). Returns the second that the story turns on: full (a, b), the
 * change of the maximum (f), the flush (h), the begin of the first gap (i), the step (j), else 0.
 */
long backtest_make(char letter, uint64_t seed, struct trace *out);

#endif
