/* SPDX-License-Identifier: MIT */
/*
 * What the loop asks connwatch-ct, and when: who fills the table, when an alert about it is raised, at
 * most once a minute; and the per-CPU counters before each row, where the kernel has no file of them.
 */
#ifndef CONNWATCH_CT_ASKER_H
#define CONNWATCH_CT_ASKER_H

#include <systemd/sd-event.h>

#include "daemon/judge.h"
#include "daemon/readings.h"

struct ct_asker;

/* event is borrowed. Returns 0 or -ENOMEM. */
int ct_asker_new(sd_event *event, struct ct_asker **out);
void ct_asker_free(struct ct_asker *asker);

/* Called after each look was judged; never waits. now: CLOCK_MONOTONIC seconds, wall: CLOCK_REALTIME. */
void ct_asker_look(struct ct_asker *asker, struct readings *readings, const struct judge *judge,
	double now, double wall);

/* The readings are about to be freed: nothing under way may reach them. */
void ct_asker_forget(struct ct_asker *asker);

#endif
