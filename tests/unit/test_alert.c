/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/alert_bench.h"

static void nothing_is_said_below_the_threshold(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 79.9, 1000);
	assert_int_equal(b.messages, 0);
	assert_int_equal(b.event.to, LEVEL_OK);
	assert_true(b.event.duration == 0);
}

static void a_level_is_raised_at_the_look_that_completes_hold(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	b.rule.hold = 3;
	assert_int_equal(look(&b, 80), ALERT_NONE);
	assert_int_equal(look(&b, 80), ALERT_NONE);
	assert_int_equal(look(&b, 80), ALERT_CHANGE);
	assert_int_equal(b.event.from, LEVEL_OK);
	assert_int_equal(b.event.to, LEVEL_WARNING);
	assert_true(b.event.percent == 80);
	assert_true(b.event.value == 80 && b.event.limit == 100);
	assert_true(isnan(b.event.growth) && isnan(b.event.seconds_to_full));
	assert_false(b.event.forecast);
	looks(&b, 80, 100);
	assert_int_equal(b.messages, 1);
}

static void exactly_the_threshold_counts(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	b.limit = 10000;
	looks(&b, 7999, 10);
	assert_int_equal(b.messages, 0);
	looks(&b, 8000, 2);
	assert_int_equal(b.last.to, LEVEL_WARNING);
}

static void looks_to_hold_must_be_in_a_row(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	for (int i = 0; i < 100; i++) {
		look(&b, 85);
		look(&b, 79);
	}
	assert_int_equal(b.messages, 0);
}

static void a_leap_past_both_thresholds_is_one_critical(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 95, 2);
	assert_int_equal(b.messages, 1);
	assert_int_equal(b.last.from, LEVEL_OK);
	assert_int_equal(b.last.to, LEVEL_CRITICAL);
}

static void each_level_counts_its_own_looks(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	assert_int_equal(look(&b, 85), ALERT_NONE);
	assert_int_equal(look(&b, 95), ALERT_CHANGE);
	assert_int_equal(b.event.to, LEVEL_WARNING);
	assert_int_equal(look(&b, 95), ALERT_CHANGE);
	assert_int_equal(b.event.to, LEVEL_CRITICAL);
	assert_int_equal(b.event.from, LEVEL_WARNING);
}

static void recovery_needs_release_looks_below_threshold_less_clear(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 82, 2);
	looks(&b, 75, 100); /* 80 - 5: not yet passed */
	assert_int_equal(b.messages, 1);
	looks(&b, 74.9, 2);
	look(&b, 75);
	looks(&b, 74.9, 2);
	assert_int_equal(b.messages, 1);
	assert_int_equal(look(&b, 74.9), ALERT_RECOVERY);
	assert_int_equal(b.event.from, LEVEL_WARNING);
	assert_int_equal(b.event.to, LEVEL_OK);
	assert_int_equal(look(&b, 74.9), ALERT_NONE);
	assert_int_equal(b.event.worst, LEVEL_OK);
}

static void recovery_tells_how_long_and_the_worst(void **state)
{
	struct bench b = bench_of(&percent_rule);
	double left;

	(void)state;
	look(&b, 82);
	left = b.wall;
	look(&b, 82);
	looks(&b, 95, 60);
	looks(&b, 80, 297);
	look(&b, 10);
	look(&b, 10);
	b.wall -= 86400; /* a step of the clock does not make the episode shorter */
	assert_int_equal(look(&b, 10), ALERT_RECOVERY);
	assert_int_equal(b.event.worst, LEVEL_CRITICAL);
	assert_true(b.event.since == left);
	assert_true(b.event.duration == 360);
}

static void critical_falls_back_to_warning_then_to_ok(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 92, 2);
	looks(&b, 85, 100); /* 90 - 5: still critical */
	assert_int_equal(b.messages, 1);
	looks(&b, 84, 3);
	assert_int_equal(b.messages, 2);
	assert_int_equal(b.last.kind, ALERT_CHANGE);
	assert_int_equal(b.last.from, LEVEL_CRITICAL);
	assert_int_equal(b.last.to, LEVEL_WARNING);
	assert_int_equal(b.last.worst, LEVEL_CRITICAL);
	looks(&b, 74, 3);
	assert_int_equal(b.messages, 3);
	assert_int_equal(b.last.kind, ALERT_RECOVERY);
	assert_int_equal(b.last.worst, LEVEL_CRITICAL);
}

static void a_flushed_table_is_one_recovery(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 97, 60);
	looks(&b, 3, 600);
	assert_int_equal(b.messages, 2);
	assert_int_equal(b.last.kind, ALERT_RECOVERY);
	assert_int_equal(b.last.from, LEVEL_CRITICAL);
}

static void a_second_episode_begins_afresh(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 97, 60);
	looks(&b, 3, 600);
	looks(&b, 81, 2);
	assert_int_equal(b.last.worst, LEVEL_WARNING);
	looks(&b, 3, 3);
	assert_int_equal(b.last.worst, LEVEL_WARNING);
	assert_int_equal(b.messages, 4);
}

static void reminders_come_every_remind_seconds(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 82, 2);
	looks(&b, 82, 1799);
	assert_int_equal(b.messages, 1);
	assert_int_equal(look(&b, 82), ALERT_REMINDER);
	assert_int_equal(b.event.from, LEVEL_WARNING);
	assert_int_equal(b.event.to, LEVEL_WARNING);
	assert_true(b.event.duration == 1800);
	looks(&b, 82, 3600);
	assert_int_equal(b.reminders, 3);
}

static void a_change_of_level_puts_the_reminder_off(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 82, 1700);
	looks(&b, 92, 1700);
	assert_int_equal(b.changes, 2);
	assert_int_equal(b.reminders, 0);
}

static void remind_of_zero_never_reminds(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	b.rule.remind = 0;
	looks(&b, 82, 10000);
	assert_int_equal(b.messages, 1);
}

static void noise_around_a_threshold_is_one_message(void **state)
{
	struct bench b = bench_of(&percent_rule);
	uint32_t random = 1;

	(void)state;
	for (int i = 0; i < 3600; i++) {
		random = random * 1664525U + 1013904223U;
		look(&b, 80 + 3 * ((double)(random >> 8) / (1 << 24) - 0.5));
	}
	assert_int_equal(b.changes, 1);
	assert_int_equal(b.recoveries, 0);
}

/* Recorded case 45: twenty rounds of ten looks, one at 79.9 % and one at 80.1 % in turn, then 60 %.
 */
static void flapping_by_rounds_is_one_warning_and_one_recovery(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	b.limit = 10000;
	looks(&b, 7990, 10);
	assert_int_equal(look(&b, 8010), ALERT_NONE);
	assert_int_equal(look(&b, 8010), ALERT_CHANGE);
	looks(&b, 8010, 8);
	for (int round = 2; round < 20; round++)
		looks(&b, round % 2 ? 8010 : 7990, 10);
	assert_int_equal(b.messages, 1);
	looks(&b, 6000, 2);
	assert_int_equal(look(&b, 6000), ALERT_RECOVERY);
	looks(&b, 6000, 7);
	assert_int_equal(b.messages, 2);
}

static void a_swing_wider_than_clear_falls_silent(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	b.rule.remind = 0;
	for (int i = 0; i < 180; i++) {
		looks(&b, 82, 10);
		looks(&b, 70, 10);
	}
	assert_int_equal(b.messages, 5); /* raised three times, recovered twice */
	looks(&b, 70, 589);
	assert_int_equal(b.messages, 5);
	look(&b, 70); /* ten quiet minutes */
	looks(&b, 70, 10);
	assert_int_equal(b.messages, 6);
	assert_int_equal(b.last.kind, ALERT_RECOVERY);
}

static void after_a_swing_a_lower_value_is_a_recovery(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	for (int i = 0; i < 10; i++) {
		looks(&b, 82, 10);
		looks(&b, 70, 10);
	}
	assert_int_equal(b.messages, 5);
	looks(&b, 69, 3);
	assert_int_equal(b.last.kind, ALERT_RECOVERY);
}

static void one_threshold_for_both_levels_escalates_with_time(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	b.rule.critical = b.rule.warning;
	b.rule.hold = 1;
	b.rule.escalate = 2;
	assert_int_equal(look(&b, 85), ALERT_CHANGE);
	assert_int_equal(b.event.to, LEVEL_WARNING);
	assert_int_equal(look(&b, 0), ALERT_NONE); /* not in a row */
	assert_int_equal(look(&b, 85), ALERT_NONE);
	assert_int_equal(look(&b, 85), ALERT_NONE);
	assert_int_equal(look(&b, 85), ALERT_CHANGE);
	assert_int_equal(b.event.to, LEVEL_CRITICAL);
	looks(&b, 0, 10);
	assert_int_equal(b.messages, 3);
	assert_int_equal(b.last.kind, ALERT_RECOVERY);
	assert_int_equal(b.last.worst, LEVEL_CRITICAL);
}

static void threshold_below_clear_still_has_a_way_back(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	b.rule.warning = 3;
	b.rule.critical = 0;
	b.rule.clear = 5;
	looks(&b, 4, 5);
	assert_int_equal(b.messages, 1);
	looks(&b, 2, 10);
	assert_int_equal(b.messages, 1); /* not well below it */
	looks(&b, 1, 3);
	assert_int_equal(b.last.kind, ALERT_RECOVERY);
}

static void nothing_is_reminded_of_on_the_way_to_another_level(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	b.rule.remind = 10;
	b.rule.release = 30;
	looks(&b, 85, 9);
	assert_int_equal(b.reminders, 0);
	looks(&b, 10, 20); /* on its way back to ok */
	assert_int_equal(b.reminders, 0);
	looks(&b, 85, 1);
	assert_int_equal(b.reminders, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threshold_below_clear_still_has_a_way_back),
		cmocka_unit_test(nothing_is_reminded_of_on_the_way_to_another_level),
		cmocka_unit_test(one_threshold_for_both_levels_escalates_with_time),
		cmocka_unit_test(nothing_is_said_below_the_threshold),
		cmocka_unit_test(a_level_is_raised_at_the_look_that_completes_hold),
		cmocka_unit_test(exactly_the_threshold_counts),
		cmocka_unit_test(looks_to_hold_must_be_in_a_row),
		cmocka_unit_test(a_leap_past_both_thresholds_is_one_critical),
		cmocka_unit_test(each_level_counts_its_own_looks),
		cmocka_unit_test(recovery_needs_release_looks_below_threshold_less_clear),
		cmocka_unit_test(recovery_tells_how_long_and_the_worst),
		cmocka_unit_test(critical_falls_back_to_warning_then_to_ok),
		cmocka_unit_test(a_flushed_table_is_one_recovery),
		cmocka_unit_test(a_second_episode_begins_afresh),
		cmocka_unit_test(reminders_come_every_remind_seconds),
		cmocka_unit_test(a_change_of_level_puts_the_reminder_off),
		cmocka_unit_test(remind_of_zero_never_reminds),
		cmocka_unit_test(noise_around_a_threshold_is_one_message),
		cmocka_unit_test(flapping_by_rounds_is_one_warning_and_one_recovery),
		cmocka_unit_test(a_swing_wider_than_clear_falls_silent),
		cmocka_unit_test(after_a_swing_a_lower_value_is_a_recovery),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
