/* SPDX-License-Identifier: MIT */
/*
 * Does ahead of a row what of it takes long, in slices while the loop has nothing else to do: so
 * that the row and the looks are made in time.
 */
#ifndef CONNWATCH_AHEAD_H
#define CONNWATCH_AHEAD_H

#include <systemd/sd-event.h>

#include "daemon/readings.h"

struct ahead;

/* Attach to event; *readings are those in force whenever it is called. Both are borrowed. Returns 0
 * or -errno. */
int ahead_new(sd_event *event, struct readings *const *readings, struct ahead **out);
void ahead_free(struct ahead *ahead);

/*
 * After a look at wall (seconds): begin, if at the next look there might be too little time left.
 * Nothing is done ahead without looks between rows.
 */
void ahead_look(struct ahead *ahead, double wall);

#endif
