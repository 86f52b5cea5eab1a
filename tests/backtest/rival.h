/* SPDX-License-Identifier: MIT */
/* The alert rules that other tools publish, in their own pace, for comparison. */
#ifndef CONNWATCH_TESTS_RIVAL_H
#define CONNWATCH_TESTS_RIVAL_H

#include <stddef.h>

#include "daemon/rule.h"

#define RIVAL_POINTS 120

struct rival_state {
	enum level level;
	double at[RIVAL_POINTS], value[RIVAL_POINTS]; /* the last 30 min, every 15 s */
	size_t n;
};

struct rival {
	const char *name;
	int every; /* seconds between its looks */
	/* The level after one look at value (never unknown) of limit (> 0). */
	enum level (*step)(struct rival_state *state, double now, double value, double limit);
	int has_critical;
};

extern const struct rival rivals[];
extern const size_t n_rivals;

#endif
