/* SPDX-License-Identifier: MIT */
/*
 * Why the rows of a file are not stored, said once per cause and in one sentence for all files of a
 * round that share it, and once more, with the count, when they are stored again.
 */
#ifndef CONNWATCH_STORE_REPORT_H
#define CONNWATCH_STORE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/store_proto.h"

enum trouble_kind { TROUBLE_NONE, TROUBLE_CLOCK, TROUBLE_CAUSE };

/* One file's; all zero when there is none. */
struct trouble {
	enum trouble_kind kind;
	bool said, over;    /* over: a row was written since */
	int64_t time, last; /* TROUBLE_CLOCK: of the row that was refused, of the file's newest */
	uint64_t rows;      /* dropped since it began */
	char cause[STORE_TEXT_SIZE];
};

void trouble_clock(struct trouble *t, int64_t time, int64_t last);
void trouble_cause(struct trouble *t, const char *cause);

/* Say what is new about n files; names[i] is NULL for none. Call at the end of a round. */
void trouble_report(struct trouble troubles[], const char *const names[], size_t n);

#endif
