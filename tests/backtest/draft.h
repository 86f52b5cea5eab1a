/* SPDX-License-Identifier: MIT */
/* What generated traces are made with: random numbers that are the same everywhere, noise, whole
 * entries. */
#ifndef CONNWATCH_TESTS_DRAFT_H
#define CONNWATCH_TESTS_DRAFT_H

#include <stdint.h>

#include "tests/backtest/trace.h"

#define MINUTE 60L
#define HOUR 3600L
#define DAY 86400L
#define MIDNIGHT 1796342400.0 /* of some day, UTC */

/* A trace being made. */
struct draft {
	struct trace *t;
	uint64_t random;
	double size;           /* nominal maximum, entries */
	double white;          /* noise of each look, points */
	double slow, slow_tau; /* correlated noise: points, seconds */
};

enum shape { STRAIGHT, CONCAVE, CONVEX, STAIRS };

/* Evenly between lo and hi; evenly over the orders of magnitude between them; normal with
 * deviation 1. */
double draft_uniform(struct draft *d, double lo, double hi);
double draft_spread(struct draft *d, double lo, double hi);
double draft_normal(struct draft *d);

/* Allocate a trace of so many looks, all at level (percent), maximum d->size. */
void draft_begin(struct draft *d, long seconds, double level);
/* Add the noise, round to entries, refuse those above the maximum; used[] becomes percent of the
 * maximum of its time. An entries[] that is NAN stays so. */
void draft_finish(struct draft *d);

/* Note an incident from onset to end, which may lie behind the end of the trace. */
void draft_mark(struct draft *d, enum incident_kind kind, long onset, long end);
/* Make n gaps of 2 to `longest` seconds that begin between from and to. */
void draft_gaps(struct draft *d, long from, long to, double longest, int n);
/* From second `at` on the table empties from top to level: at once, or as its entries expire.
 * Returns a quarter of an hour after it is below 60 %. */
long draft_resolve(struct draft *d, long at, double top, double level);
/* An incident: a rise from used[at] to full within `length` seconds, full for a while, and over. */
void draft_fill_up(
	struct draft *d, enum incident_kind kind, enum shape shape, long at, long length);

#endif
