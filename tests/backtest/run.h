/* SPDX-License-Identifier: MIT */
/* Runs traces through our rule for a full table and through the rules of others. */
#ifndef CONNWATCH_TESTS_RUN_H
#define CONNWATCH_TESTS_RUN_H

#include <stdbool.h>

#include "daemon/rule.h"
#include "tests/backtest/rival.h"
#include "tests/backtest/trace.h"

#define MAX_MESSAGES 4096

struct message {
	long at; /* second of the trace */
	enum level from, to;
	bool reminder, forecast;
	double percent, to_full;
};

struct messages {
	size_t n;
	struct message of[MAX_MESSAGES];
};

/* Append what is said about a trace looked at every `look` seconds, with or without the forecast.
 */
void run_ours(const struct trace *t, bool forecast, long look, struct messages *out);
void run_rival(const struct trace *t, const struct rival *rival, struct messages *out);

#endif
