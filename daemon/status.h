/* SPDX-License-Identifier: MIT */
/* status.json: the latest readings, what cannot be read, and the open alerts, for every other
 * program. */
#ifndef CONNWATCH_STATUS_H
#define CONNWATCH_STATUS_H

#include <stddef.h>
#include <time.h>

#include "daemon/judge.h"
#include "daemon/readings.h"

/* What a status is made from. */
struct status_source {
	const struct readings *readings;
	const struct judge *judge; /* NULL: no alerts (--once) */
	time_t time;               /* of the readings, UNIX seconds */
	double now, wall;          /* CLOCK_MONOTONIC and CLOCK_REALTIME seconds */
};

/* Returns the JSON text for free(), with a newline at its end, or NULL without memory. */
char *status_render(const struct status_source *source);

#define STATUS_FILE "status.json"

/* Replace DIRECTORY/NAME (STATUS_FILE, or what is kept beside it) atomically by text, mode 0644.
 * Returns 0 or -errno; the old file stays on error. */
int status_write(const char *directory, const char *name, const char *text);

/* Restore the open episodes that DIRECTORY/status.json tells of into judge. A missing or damaged
 * file is none. */
void status_restore(const char *directory, struct judge *judge, double now, double wall);

#endif
