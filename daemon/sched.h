/* SPDX-License-Identifier: MIT */
/*
 * When to look and when to make a row: multiples of the two intervals on the wall clock, one
 * wake-up for all that is due, right across steps of the clock and suspend.
 */
#ifndef CONNWATCH_SCHED_H
#define CONNWATCH_SCHED_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>
#include <time.h>

/* Nanoseconds from now (wall clock, ns) to the next multiple of interval or watch seconds; watch 0:
 * of interval only. */
int64_t sched_wait(int64_t now, long interval, long watch);

/*
 * Is a row due at now (wall clock, ns)? *stamp is the last multiple of interval, last that of the
 * newest row. Never twice for one stamp; a clock that went back by less than an interval costs no
 * row, one that went back further gives earlier stamps (which the store refuses, and says so).
 */
bool sched_row_due(int64_t now, long interval, time_t last, time_t *stamp);

struct sched;

/* Called at each wake-up; row: a row stamped `stamp` is due too. */
typedef void sched_fn(void *arg, bool row, time_t stamp);

/* Attach to event (borrowed). The first wake-up is at the next multiple. Returns 0 or -errno. */
int sched_new(sd_event *event, sched_fn *call, void *arg, struct sched **out);
/* Set the intervals in seconds (also at a reload) and arm the timer. Returns 0 or -errno. */
int sched_set(struct sched *sched, long interval, long watch);
void sched_free(struct sched *sched);

#endif
