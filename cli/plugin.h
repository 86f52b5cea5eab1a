/* SPDX-License-Identifier: MIT */
/* The output of a monitoring plugin: a line of text, and performance data by the guidelines'
 * grammar. */
#ifndef CONNWATCH_PLUGIN_H
#define CONNWATCH_PLUGIN_H

#include <stddef.h>
#include <stdio.h>

/* Exit codes. */
enum plugin_state { PLUGIN_OK, PLUGIN_WARNING, PLUGIN_CRITICAL, PLUGIN_UNKNOWN };

/* One limit that was checked; all text is borrowed. */
struct plugin_item {
	const char *label;        /* [a-z0-9_-]+ */
	const char *unit;         /* "entries" */
	const char *object;       /* "192.0.2.1:443", what the value is of; "" */
	const char *error;        /* why the value is unknown; NULL: no reason is known */
	double value, limit;      /* UNKNOWN if not read; limit 0: there is none */
	double warning, critical; /* percent of limit; 0: off */
};

/* The percent in text ("80", "80.5%", at most 1000; 0: off) into out. 0 or -EINVAL. */
int plugin_parse_percent(const char *text, double *out);

enum plugin_state plugin_judge(const struct plugin_item *item);

/* "CONNTRACK WARNING - 82% full (...) | 'conntrack'=...": the worst of n (at least 1) first.
 * Returns the exit code. */
int plugin_print(const struct plugin_item *items, size_t n, FILE *out);
/* "CONNWATCH UNKNOWN - text". Returns PLUGIN_UNKNOWN. */
int plugin_print_unknown(const char *text, FILE *out);

#endif
