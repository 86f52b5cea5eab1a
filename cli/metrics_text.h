/* SPDX-License-Identifier: MIT */
/* status.json as metrics. Names, types and help are those of the collectors' tables. */
#ifndef CONNWATCH_METRICS_TEXT_H
#define CONNWATCH_METRICS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/expo.h"
#include "cli/status_file.h"

struct metrics_text {
	char *text; /* for free() */
	size_t len;
	char error
		[STATUS_ERROR_SIZE]; /* why the file tells nothing about now, to be said after its path; "" if it does */
};

/* Write what file tells at now (UNIX seconds); NULL: there is none that can be read. Readings of a stale file are left out. */
void metrics_write(const struct expo *e, const struct status_file *file, double now);

/* The same of the file at path, as it is now. Returns 0, also where it is missing, or -ENOMEM. */
int metrics_text_make(const char *path, enum expo_format format, struct metrics_text *out);

/* The family of one of a collector's metrics (of all of them, if it has a label). */
void metrics_family(const struct collector *collector, size_t metric, struct expo_family *out);

#endif
