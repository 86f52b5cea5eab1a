/* SPDX-License-Identifier: MIT */
/* What an RRD holds of the last days. */
#ifndef CONNWATCH_RRDPAST_H
#define CONNWATCH_RRDPAST_H

#include <rrd.h>
#include <stdint.h>

#include "daemon/rrdfile.h"

/* What librrd's fetch calls take and give: rows of columns, oldest first. */
struct rrdpast_range {
	const char *function;
	time_t start, end; /* start is a step before the first row */
	unsigned long step, n_columns;
	char **names;
	rrd_value_t *values;
};

/* One of librrd's fetch calls, for a file; returns 0 or not. */
struct rrdpast_source {
	int (*fetch)(void *arg, struct rrdpast_range *range);
	void *arg;
};

struct rrdpast_sink {
	rrdfile_past_fn *call;
	void *arg;
};

/* rrdfile_past() of a file whose newest row is of time last. */
void rrdpast_read(const struct store_open *spec, int64_t last, const struct rrdpast_source *source,
	const struct rrdpast_sink *sink);

#endif
