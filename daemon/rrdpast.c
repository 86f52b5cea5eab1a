/* SPDX-License-Identifier: MIT */
#include "daemon/rrdpast.h"

#include <malloc.h>
#include <math.h>
#include <rrd.h>
#include <string.h>

#include "daemon/util.h"

/* Of the past that is wanted: a week. */
#define PAST_SECONDS (7 * 24 * 3600)

/* What librrd read of a file: rows of columns, oldest first. */
struct fetched {
	time_t start, end; /* start is a step before the first row */
	unsigned long step, n_columns;
	char **names;
	rrd_value_t *values;
};

/* The finest that covers it all. To librrd an archive of single steps is one of maxima as well. */
static bool fetch(
	const char *path, const struct store_open *spec, int64_t last, struct fetched *out)
{
	static const char *const functions[] = {"MAX", "AVERAGE"};

	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		*out = (struct fetched){.start = last - PAST_SECONDS,
			.end = last,
			.step = (unsigned long)spec->step};
		rrd_clear_error();
		if (rrd_fetch_r(path, functions[i], &out->start, &out->end, &out->step,
			    &out->n_columns, &out->names, &out->values) == 0)
			return true;
	}
	return false;
}

static void fetched_free(struct fetched *fetched)
{
	for (unsigned long i = 0; i < fetched->n_columns; i++)
		rrd_freemem(fetched->names[i]);
	rrd_freemem(fetched->names);
	rrd_freemem(fetched->values);
}

static void hand_out(const struct fetched *fetched, uint32_t column, unsigned long at,
	rrdfile_past_fn *call, void *arg)
{
	size_t rows = (size_t)(fetched->end - fetched->start) / fetched->step, row = 0;
	struct store_past past = {.column = column, .step = (int64_t)fetched->step};

	while (row < rows && isnan(fetched->values[row * fetched->n_columns + at]))
		row++; /* before it began */
	while (row < rows) {
		past.time = fetched->start + (time_t)(row + 1) * past.step;
		for (past.n = 0; past.n < STORE_PAST_ROWS && row < rows; row++)
			past.values[past.n++] = fetched->values[row * fetched->n_columns + at];
		call(arg, &past);
	}
}

void rrdpast_read(const char *path, const struct store_open *spec, int64_t last,
	rrdfile_past_fn *call, void *arg)
{
	struct fetched fetched;

	if (!fetch(path, spec, last, &fetched))
		return;
	for (uint32_t column = 0; column < 32 && column < spec->n_columns; column++)
		for (unsigned long at = 0; at < fetched.n_columns; at++)
			if ((spec->past >> column & 1) &&
				!strcmp(fetched.names[at], spec->columns[column].name))
				hand_out(&fetched, column, at, call, arg);
	fetched_free(&fetched);
	malloc_trim(0); /* a megabyte that is not needed again */
}
