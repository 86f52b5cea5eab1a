/* SPDX-License-Identifier: MIT */
/* Numbers as words of a sentence. */
#ifndef CONNWATCH_TEXT_H
#define CONNWATCH_TEXT_H

#include <stddef.h>
#include <time.h>

#define TEXT_SIZE 32

/* "45 s", "2 min 32 s", "6 min", "1 h 5 min", "2 d 3 h" for a duration in seconds (the two largest
 * units); returns out. */
const char *text_duration(char out[static TEXT_SIZE], double seconds);

/* A number without needless decimals: "214958", "2.3"; "unknown" for NaN; returns out. */
const char *text_number(char out[static TEXT_SIZE], double value);

/* "2026-11-30 12:00:00 UTC"; returns out. */
const char *text_time(char out[static TEXT_SIZE], time_t time);

#endif
