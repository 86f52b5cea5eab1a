/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/habit.h"

#define DAY 86400.0
#define NOON (20000 * DAY + DAY / 2)

static struct habit habit;

static int fresh(void **state)
{
	(void)state;
	habit = (struct habit){.now = 0};
	return 0;
}

static void what_is_known_from_yesterday_is_explained(void **state)
{
	(void)state;
	habit_learn(&habit, NOON, 700, 10);
	assert_true(habit_explains(&habit, NOON + DAY, 700, 10));
	assert_true(habit_explains(&habit, NOON + DAY + 1500, 700, 10));
	assert_true(habit_explains(&habit, NOON + DAY - 1500, 700, 10));
}

static void another_time_of_day_explains_nothing(void **state)
{
	(void)state;
	habit_learn(&habit, NOON, 700, 10);
	assert_false(habit_explains(&habit, NOON + DAY + 3 * 3600, 600, 5));
}

static void today_explains_nothing(void **state)
{
	(void)state;
	habit_learn(&habit, NOON, 700, 10);
	assert_false(habit_explains(&habit, NOON, 600, 5));
	assert_false(habit_explains(&habit, NOON + 900, 600, 5));
}

static void higher_or_faster_than_ever_is_news(void **state)
{
	(void)state;
	habit_learn(&habit, NOON, 700, 10);
	assert_false(habit_explains(&habit, NOON + DAY, 760, 10));
	assert_false(habit_explains(&habit, NOON + DAY, 500, 16));
}

static void habits_last_six_days_and_are_gone_after_eight(void **state)
{
	(void)state;
	habit_learn(&habit, NOON, 700, 10);
	assert_true(habit_explains(&habit, NOON + 6 * DAY, 700, 10));
	for (int i = 12; i < 8 * 288; i++)
		habit_learn(&habit, NOON + i * 300, 100, 0);
	assert_false(habit_explains(&habit, NOON + 8 * DAY, 700, 10));
}

static void a_lesson_counts_at_any_time_for_a_week(void **state)
{
	(void)state;
	habit_lesson(&habit, NOON, 700, 10);
	assert_true(habit_explains(&habit, NOON + 5 * 3600, 700, 10));
	assert_false(habit_explains(&habit, NOON + 5 * 3600, 700, 20));
	assert_true(habit_explains(&habit, NOON + 6.9 * DAY, 700, 10));
	assert_false(habit_explains(&habit, NOON + 7.1 * DAY, 700, 10));
	habit_lesson(&habit, NOON + 8 * DAY, 500, 5); /* the old one is not revived */
	assert_false(habit_explains(&habit, NOON + 8 * DAY, 700, 10));
}

static void the_way_into_an_incident_is_no_habit(void **state)
{
	(void)state;
	for (int i = 0; i < 30; i++)
		habit_fill(&habit, NOON + i * 60, 500 + 15 * i, 1000);
	assert_true(habit_explains(&habit, NOON + DAY + 1000, 700, 0.25));
	habit_fill(&habit, NOON + 1800, 1050, 1000);
	assert_false(habit_explains(&habit, NOON + DAY + 1000, 700, 0.25));
}

static void rows_of_an_archive_teach_value_and_slope(void **state)
{
	(void)state;
	habit_fill(&habit, NOON, 300, 1000);
	habit_fill(&habit, NOON + 60, 600, 1000); /* five per second */
	habit_fill(&habit, NOON + 120, (double)NAN, 1000);
	habit_fill(&habit, NOON + 180, 650, 1000);
	assert_true(habit_explains(&habit, NOON + DAY, 680, 7));
	assert_false(habit_explains(&habit, NOON + DAY, 680, 8));
	assert_false(habit_explains(&habit, NOON + DAY, 700, 5));
}

static void any_clock_will_do(void **state)
{
	(void)state;
	habit_learn(&habit, -1e9, 1, 1);
	habit_learn(&habit, 4e9, 1, 1);
	habit_forget(&habit, 0);
	assert_false(habit_explains(&habit, -5, 10, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_is_known_from_yesterday_is_explained, fresh),
		cmocka_unit_test_setup(another_time_of_day_explains_nothing, fresh),
		cmocka_unit_test_setup(today_explains_nothing, fresh),
		cmocka_unit_test_setup(higher_or_faster_than_ever_is_news, fresh),
		cmocka_unit_test_setup(habits_last_six_days_and_are_gone_after_eight, fresh),
		cmocka_unit_test_setup(a_lesson_counts_at_any_time_for_a_week, fresh),
		cmocka_unit_test_setup(the_way_into_an_incident_is_no_habit, fresh),
		cmocka_unit_test_setup(rows_of_an_archive_teach_value_and_slope, fresh),
		cmocka_unit_test_setup(any_clock_will_do, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
