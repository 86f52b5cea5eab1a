/* SPDX-License-Identifier: MIT */
/* Filling in what the store process answers. */
#ifndef CONNWATCH_RRDANSWER_H
#define CONNWATCH_RRDANSWER_H

#include <stdbool.h>

#include "daemon/store_proto.h"

/* Done, and nothing to be said. */
void answer_begin(struct store_answer *answer);
/* Failed for this cause. Always false, for the caller to return. */
bool answer_fail(struct store_answer *answer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * The first note of an answer stands: a file that is made anew need not be told after the reason
 * why.
 */
void answer_note(struct store_answer *answer, int priority, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Note which of spec's columns a file does not have. more: the rest of the sentence, or "". */
void answer_missing(struct store_answer *answer, const struct store_open *spec, const bool has[],
	const char *more);
/* What to do where something cannot be written: it depends on why. */
const char *answer_remedy(int error);
/* "20261130T120000Z" for a file's name, "2026-11-30 12:00:00 UTC" for a sentence. */
void answer_utc(char out[static 32], bool compact, int64_t time);

#endif
