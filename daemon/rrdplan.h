/* SPDX-License-Identifier: MIT */
/*
 * What a file is to hold, from what the configuration asks for and what the file already has.
 * Nothing that a file has is given up: columns and archives that nobody asks for stay, an archive
 * keeps the longer of its two lengths, and one that does not fit the step is rounded up to it, as
 * in the configuration.
 */
#ifndef CONNWATCH_RRDPLAN_H
#define CONNWATCH_RRDPLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/rrdmap.h"
#include "daemon/store_proto.h"

#define RRDPLAN_COLUMNS (2 * STORE_MAX_COLUMNS)
/* Each resolution has two, and as many may have been there before. */
#define RRDPLAN_ARCHIVES (4 * STORE_MAX_ARCHIVES)

struct rrdplan {
	int64_t step, last; /* last: time of the newest row */
	size_t n_columns, n_archives;
	ds_def_t columns[RRDPLAN_COLUMNS]; /* the old file's first, in its order */
	rra_def_t archives[RRDPLAN_ARCHIVES];
	size_t added, lengthened; /* archives */
	bool heartbeat;           /* more rows may be missing than before */
};

/* A new file's, whose next row is the first. */
void rrdplan_new(struct rrdplan *plan, const struct store_open *spec, int64_t last);

/*
 * Returns 1 if the old file has to be made anew as *plan; 0 if it has all that is asked for; -EXDEV
 * if it has archives of predictions, -E2BIG if it has too many of anything.
 */
int rrdplan_change(struct rrdplan *plan, const struct store_open *spec, const struct rrdmap *old);

/* "columns peak, tw; 2 archives added", at most size - 1 characters. */
void rrdplan_describe(
	const struct rrdplan *plan, const struct rrdmap *old, char *text, size_t size);

#endif
