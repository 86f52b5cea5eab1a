/* SPDX-License-Identifier: MIT */
/*
 * Counters of net/snmp and net/netstat: a line of names, then a line of values, both with the same
 * prefix.
 */
#ifndef CONNWATCH_MIB_H
#define CONNWATCH_MIB_H

#include "collectors/procfile.h"
#include "collectors/span.h"

/* Where a collector's first n columns come from; names[i] is the kernel's name of column i. */
struct mib {
	struct proc *proc; /* borrowed */
	struct procfile file;
	const char *prefix; /* "Tcp:" */
	const char *const *names;
	size_t n;
};

/*
 * The named values of the lines that begin with prefix, in whatever order and among whatever
 * others; lines of other prefixes are not looked at. UNKNOWN for a name that is not there, a
 * negative value and one beyond 64 bits. Returns 0; -EBADMSG (all UNKNOWN) if the counts of names
 * and values differ, the prefix is missing or the text is torn.
 */
int mib_parse(
	struct span text, const char *prefix, const char *const names[], size_t n, double values[]);

/*
 * Read the file and parse it into values[n]; errors go into r->error. Returns as a collector's
 * look().
 */
int mib_read(struct mib *mib, double values[], struct reading *r);

/* look() and close() of a collector whose state is a struct mib and whose columns are all its. */
int mib_look(void *state, struct reading *r);
void mib_close(void *state);

#endif
