/* SPDX-License-Identifier: MIT */
/* Generated traces of a connection table with the truth about their incidents, one look per second.
 */
#ifndef CONNWATCH_TESTS_TRACE_H
#define CONNWATCH_TESTS_TRACE_H

#include <stddef.h>
#include <stdint.h>

enum incident_kind { INCIDENT_LEAK, INCIDENT_FLOOD, INCIDENT_PLATEAU };

/* A stretch in which messages are due: from the onset of the rise to its end (full capacity is
 * back). */
struct incident {
	enum incident_kind kind;
	long onset, end; /* seconds since the start of the trace */
};

struct trace {
	const char *name;
	double start;          /* wall-clock seconds of the first look */
	long n;                /* looks */
	double *used;          /* percent of the maximum, without noise and gaps */
	double *entries, *max; /* what a daemon would read; NAN: unknown */
	struct incident incidents[8];
	size_t n_incidents;
};

size_t trace_kinds(void);
const char *trace_kind_name(size_t kind);
/* Make one trace; the same kind and seed give the same trace on every machine with the same libm.
 * Ends the program where memory is short. Free with trace_free(). */
void trace_make(size_t kind, uint64_t seed, struct trace *out);
void trace_free(struct trace *trace);

#endif
