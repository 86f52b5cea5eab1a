/* SPDX-License-Identifier: MIT */
/*
 * Writes metrics as text: OpenMetrics 1.0, or Prometheus' own format 0.0.4, which differ in names of counters and in
 * what comes before and after.
 * https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
#ifndef CONNWATCH_EXPO_H
#define CONNWATCH_EXPO_H

#include <stddef.h>
#include <stdio.h>

enum expo_format { EXPO_TEXT, EXPO_OPENMETRICS };

/* The media type of each format, for HTTP. */
extern const char *const expo_media_types[];

enum expo_type { EXPO_GAUGE, EXPO_COUNTER, EXPO_INFO };

#define EXPO_NAME_SIZE 64

/* What is known about all samples of a name. */
struct expo_family {
	char name[EXPO_NAME_SIZE]; /* without _total and _info */
	const char *help,
		*unit; /* help: nothing to be escaped; unit: a name that does not end with it has none */
	enum expo_type type;
};

/* A label without a name or value is left out. */
struct expo_label {
	const char *name, *value;
};

/* What is being written. */
struct expo {
	FILE *out;
	enum expo_format format;
};

/* Begin a family; its samples follow before another one begins. */
void expo_family(const struct expo *e, const struct expo_family *family);
/* One sample of it; nothing for a value that is NaN. */
void expo_sample(const struct expo *e, const struct expo_family *family,
	const struct expo_label *labels, size_t n, double value);
/* Nothing follows. */
void expo_end(const struct expo *e);

#endif
