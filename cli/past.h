/* SPDX-License-Identifier: MIT */
/* A past of the conntrack table, from a CSV or from an RRD that the daemon recorded. */
#ifndef CONNWATCH_PAST_H
#define CONNWATCH_PAST_H

#include <stddef.h>

#define PAST_COLUMNS 32
#define PAST_ERROR_SIZE 512

/* One time; names and values are borrowed for the call. */
struct past_row {
	double time; /* UNIX seconds */
	size_t n;
	const char *names[PAST_COLUMNS]; /* columns of conntrack */
	double values[PAST_COLUMNS];     /* UNKNOWN where the past has none; a counter as its sum */
};

typedef void past_row_fn(void *arg, const struct past_row *row);

/*
 * Hand each row of path to row, oldest first: of a CSV with the header time,entries,max, or, if the file begins
 * as an RRD does, of its finest archive of averages (by rrdtool(1)). Returns 0, or -errno with a sentence for people in
 * error; rows before the fault have been handed out then.
 */
int past_read(const char *path, past_row_fn *row, void *arg, char error[static PAST_ERROR_SIZE]);

/*
 * Parse one line of a CSV, without its newline: TIME,ENTRIES,MAX. Pure; returns 0 or -EBADMSG.
 */
int past_parse_csv(const char *line, struct past_row *out);

#endif
