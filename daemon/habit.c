/* SPDX-License-Identifier: MIT */
#include "daemon/habit.h"

#include <math.h>
#include <stddef.h>

enum {
	SLOT_SECONDS = 900,
	DAY_SLOTS = 96,
	HOUR_SECONDS = 3600,
	NEAR_SLOTS = 2, /* habits are half an hour early or late */
};

static const double faster = 1.5;  /* a rise this much faster than ever is news */
static const double higher = 1.06; /* as is a value this much higher than ever */

static int64_t slot_number(double wall)
{
	return (int64_t)floor(wall / SLOT_SECONDS);
}

static size_t slot_index(int64_t number)
{
	return (size_t)((number % HABIT_SLOTS + HABIT_SLOTS) % HABIT_SLOTS);
}

static void raise_to(float *most, double value)
{
	if (value > (double)*most)
		*most = (float)value;
}

void habit_learn(struct habit *habit, double wall, double value, double slope)
{
	int64_t number = slot_number(wall);
	struct habit_slot *slot = &habit->slots[slot_index(number)];

	if (number != habit->now) /* what is in there is a week old */
		*slot = (struct habit_slot){0, 0};
	habit->now = number;
	raise_to(&slot->value, value);
	raise_to(&slot->slope, slope);
}

void habit_fill(struct habit *habit, double wall, double value, double warning)
{
	double slope = (value - habit->filled_value) / (wall - habit->filled);

	if (value >= warning)
		habit_forget(habit, wall);
	else if (!isnan(value))
		habit_learn(habit, wall, value,
			slope > 0 && wall - habit->filled <= HOUR_SECONDS ? slope : 0);
	habit->filled = wall;
	habit->filled_value = value;
}

void habit_forget(struct habit *habit, double wall)
{
	int64_t number = slot_number(wall);

	for (int64_t i = number - 2; i <= number; i++)
		habit->slots[slot_index(i)] = (struct habit_slot){0, 0};
	habit->now = number;
}

static bool lesson_counts(const struct habit *habit, double wall)
{
	return fabs(wall - habit->lesson_time) < (double)HABIT_SLOTS * SLOT_SECONDS;
}

void habit_lesson(struct habit *habit, double wall, double value, double slope)
{
	if (!lesson_counts(habit, wall))
		habit->lesson = (struct habit_slot){0, 0};
	raise_to(&habit->lesson.value, value);
	raise_to(&habit->lesson.slope, slope);
	habit->lesson_time = wall;
}

static bool covers(const struct habit_slot *most, double value, double slope)
{
	return value <= higher * (double)most->value && slope <= faster * (double)most->slope;
}

bool habit_explains(const struct habit *habit, double wall, double value, double slope)
{
	int64_t number = slot_number(wall);
	struct habit_slot most = {0, 0};

	if (lesson_counts(habit, wall) && covers(&habit->lesson, value, slope))
		return true;
	/* The slot a week ago is the one being learned: six days, and what comes after it of the
	 * seventh. */
	for (int64_t day = 1; day <= 7; day++)
		for (int64_t i = day == 7 ? 1 : -NEAR_SLOTS; i <= NEAR_SLOTS; i++) {
			const struct habit_slot *slot =
				&habit->slots[slot_index(number - day * DAY_SLOTS + i)];

			raise_to(&most.value, (double)slot->value);
			raise_to(&most.slope, (double)slot->slope);
		}
	return covers(&most, value, slope);
}
