/* SPDX-License-Identifier: MIT */
/* What is wrong with a configuration: collected while it is read, reported in order of file and
 * line. */
#ifndef CONNWATCH_CONF_PROBLEM_H
#define CONNWATCH_CONF_PROBLEM_H

#include <stddef.h>

#include "daemon/conf.h"

/* A line of a file; file_no counts files in the order they are first read. line 0: the file as a
 * whole. */
struct conf_place {
	const char *file;
	unsigned file_no, line;
};

struct conf_problem {
	struct conf_place place;
	size_t sequence;
	char *message;
};

struct conf_problems {
	size_t n, allocated;
	struct conf_problem *problem;
	int error; /* of the first file that could not be read at all, or -ENOMEM; else 0 */
};

/* Note one problem; control characters in it become "?". Beyond 100 problems only their number is
 * kept. */
void conf_problem_add(struct conf_problems *problems, const struct conf_place *place,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Hand each to report, sorted. Returns 0 without problems, problems->error if set, else -EINVAL. */
int conf_problems_report(struct conf_problems *problems, conf_problem_fn *report, void *arg);
void conf_problems_free(struct conf_problems *problems);

#endif
