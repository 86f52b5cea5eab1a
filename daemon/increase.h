/* SPDX-License-Identifier: MIT */
/* The increase of a counter per second over a time, from samples, in constant memory. */
#ifndef CONNWATCH_INCREASE_H
#define CONNWATCH_INCREASE_H

#include <stddef.h>

#define INCREASE_POINTS 32

/* Zeroed to begin with. Points are a ring, oldest first from `first`. */
struct increase {
	struct {
		double time, value;
	} point[INCREASE_POINTS];
	size_t first, n;
	double last;            /* value of the newest sample, in the ring or not */
	double amount, seconds; /* of the newest result: the increase itself, and the time it was
				   taken over */
};

/*
 * Take a sample (now: CLOCK_MONOTONIC seconds; value: the counter, UNKNOWN is passed over) and
 * return the increase per second over the last `over` seconds (0: since the sample before). What
 * lies before the first sample counts as no increase, so that a start is no burst. UNKNOWN for a
 * first sample, an unknown one, and after a reset of the counter.
 */
double increase_add(struct increase *increase, double now, double value, double over);

#endif
