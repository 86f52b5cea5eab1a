/* SPDX-License-Identifier: MIT */
/*
 * When will it be full? From the looks at one value and its limit, in constant memory (under 8 KiB)
 * and without allocation. Time is that of a forward-only clock; the wall clock only names the time
 * of day.
 */
#ifndef CONNWATCH_FORECAST_H
#define CONNWATCH_FORECAST_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/alert.h"
#include "daemon/habit.h"
#include "daemon/rise.h"

#define FORECAST_WINDOWS 8

/* One window: the means of the last RISE_BINS stretches of bin_seconds. */
struct forecast_window {
	double bin_seconds;
	int64_t bin; /* number of the bin being filled */
	double sum;
	unsigned count, head; /* looks in sum; index of the oldest mean */
	unsigned agree;       /* evaluations in a row that see a rise to full */
	float means[RISE_BINS];
	struct rise_noise noise;
	struct rise rise;
	double judged; /* now of the end of the window */
};

/* What a look says. */
struct forecast_view {
	enum level level;       /* asked for by the forecast */
	double growth;          /* of the value per second; with seconds_to_full or UNKNOWN */
	double seconds_to_full; /* UNKNOWN: below half full, or no end in sight */
};

struct forecast {
	double start;   /* now of the first look */
	double limit;   /* of the look before */
	double seen;    /* now of the look before that was known */
	float last[4];  /* the last looks, oldest first */
	unsigned known; /* looks in a row that were known */
	/* The first window is the later half of the second. */
	struct forecast_window windows[1 + FORECAST_WINDOWS];
	unsigned n_windows;
	enum level level;         /* asked for now */
	unsigned raised_by;       /* index of the window that asked for it */
	double supported;         /* now of the last look that supported it */
	double patience;          /* seconds it may go without */
	struct habit_slot rising; /* the most of this forecast so far */
	bool confirmed;           /* it came to the threshold */
	struct habit habit;
};

/* Begin afresh for looks every look_seconds (> 0). Then habit_fill(&forecast->habit, ...) with the
 * past, if there is one. */
void forecast_init(struct forecast *forecast, double look_seconds);
/* One look. A limit that is unknown or 0, or an unknown value, says nothing and changes nothing. */
void forecast_step(struct forecast *forecast, const struct rule *rule,
	const struct alert_sample *sample, struct forecast_view *view);
/* Go on after a restart with an open episode of this level that a forecast, not a threshold, had
 * raised. */
void forecast_restore(struct forecast *forecast, enum level level, double now);

#endif
