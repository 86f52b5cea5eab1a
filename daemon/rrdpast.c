/* SPDX-License-Identifier: MIT */
#include "daemon/rrdpast.h"

#include <malloc.h>
#include <math.h>
#include <string.h>

#include "daemon/util.h"

/* Of the past that is wanted: a week. */
#define PAST_SECONDS (7 * 24 * 3600)

/* The finest that covers it all. To librrd an archive of single steps is one of maxima as well. */
static bool fetch(const struct rrdpast_source *source, const struct store_open *spec, int64_t last,
	struct rrdpast_range *out)
{
	static const char *const functions[] = {"MAX", "AVERAGE"};

	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		*out = (struct rrdpast_range){.function = functions[i],
			.start = last - PAST_SECONDS,
			.end = last,
			.step = (unsigned long)spec->step};
		rrd_clear_error();
		if (source->fetch(source->arg, out) == 0)
			return true;
	}
	return false;
}

static void fetched_free(struct rrdpast_range *fetched)
{
	for (unsigned long i = 0; i < fetched->n_columns; i++)
		rrd_freemem(fetched->names[i]);
	rrd_freemem(fetched->names);
	rrd_freemem(fetched->values);
}

static void hand_out(const struct rrdpast_range *fetched, uint32_t column, unsigned long at,
	const struct rrdpast_sink *sink)
{
	size_t rows = (size_t)(fetched->end - fetched->start) / fetched->step, row = 0;
	struct store_past past = {.column = column, .step = (int64_t)fetched->step};

	while (row < rows && isnan(fetched->values[row * fetched->n_columns + at]))
		row++; /* before it began */
	while (row < rows) {
		past.time = fetched->start + (time_t)(row + 1) * past.step;
		for (past.n = 0; past.n < STORE_PAST_ROWS && row < rows; row++)
			past.values[past.n++] = fetched->values[row * fetched->n_columns + at];
		sink->call(sink->arg, &past);
	}
}

void rrdpast_read(const struct store_open *spec, int64_t last, const struct rrdpast_source *source,
	const struct rrdpast_sink *sink)
{
	struct rrdpast_range fetched;

	if (!fetch(source, spec, last, &fetched))
		return;
	for (uint32_t column = 0; column < 32 && column < spec->n_columns; column++)
		for (unsigned long at = 0; at < fetched.n_columns; at++)
			if ((spec->past >> column & 1) &&
				!strcmp(fetched.names[at], spec->columns[column].name))
				hand_out(&fetched, column, at, sink);
	fetched_free(&fetched);
	malloc_trim(0); /* a megabyte that is not needed again */
}
