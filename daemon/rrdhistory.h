/* SPDX-License-Identifier: MIT */
/*
 * What an RRD knows of a span of time: the archive that knows it best, and its rows consolidated.
 */
#ifndef CONNWATCH_RRDHISTORY_H
#define CONNWATCH_RRDHISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/rrdmap.h"

/* The archive for which values are looked for. */
struct history_target {
	enum cf_en function;
	int64_t seconds; /* of a row */
	bool finest;     /* of several archives the finest, not the most alike */
};

struct history_span {
	int64_t from, to; /* after from, up to and including to */
};

/* Rows, or parts of them, put together. */
struct history_sum {
	size_t rows;     /* with a value */
	double seconds;  /* that are known */
	double integral; /* value times seconds */
	double min, max, last;
};

/*
 * The archive that knows most of what happened from `from` on: one of the same resolution, else the
 * next finer one that fits into its rows, else the next coarser one that reaches back so far;
 * maxima from maxima where there are any. What it does not know is not known: a gap is not filled
 * from coarser rows. -1 if none is suited.
 */
int history_choose(const struct rrdmap *map, const struct history_target *target, int64_t from);

/* Put together what an archive, with its unfinished row, knows of a column during a span. */
struct history_sum history_read(
	const struct rrdmap *map, size_t archive, size_t column, struct history_span span);

/* The value of what was put together; UNKNOWN where nothing is known. */
double history_value(const struct history_sum *sum, enum cf_en function);

#endif
