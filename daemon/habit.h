/* SPDX-License-Identifier: MIT */
/*
 * What a machine is used to: the highest value and the fastest rise by time of day over the last
 * seven days, and of the rises that were forecast to fill the table and did not. Values in their
 * own unit, times in wall-clock seconds.
 */
#ifndef CONNWATCH_HABIT_H
#define CONNWATCH_HABIT_H

#include <stdbool.h>
#include <stdint.h>

#define HABIT_SLOTS 672 /* of a quarter of an hour: seven days */

/* Zeroed to begin with. */
struct habit {
	struct habit_slot {
		float value, slope; /* highest value; fastest rise per second */
	} slots[HABIT_SLOTS];
	int64_t now;              /* number of the slot being learned, since the epoch */
	struct habit_slot lesson; /* the most of what was forecast in vain */
	double lesson_time;
	double filled, filled_value; /* last row of habit_fill(): its time, its value */
};

/* Learn from the past, oldest first and before the first look: rows of an archive of maxima,
 * UNKNOWN allowed, the finer the better. warning is the value at which the rule warns: the way into
 * such an incident is no habit. */
void habit_fill(struct habit *habit, double wall, double value, double warning);
/* Learn one look: a value and how fast it rises (0: not known to). */
void habit_learn(struct habit *habit, double wall, double value, double slope);
/* What was just learned was the way into an incident: forget the last half hour. */
void habit_forget(struct habit *habit, double wall);
/* Learn from a forecast that was withdrawn; counts at any time of day, for seven days. */
void habit_lesson(struct habit *habit, double wall, double value, double slope);
/* True if the machine has been at `value` and rising by `slope` at this time of day, or in vain. */
bool habit_explains(const struct habit *habit, double wall, double value, double slope);

#endif
