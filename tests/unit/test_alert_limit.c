/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/alert_bench.h"

static const struct rule rate_rule = {.name = "listen-drops",
	.value = "tcpext.listen_drops",
	RULE_DEFAULTS,
	.over = 60,
	.warning = 1,
	.critical = 5};

static void a_limit_of_zero_is_no_limit(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	b.limit = 0;
	looks(&b, 1e9, 100);
	assert_int_equal(b.messages, 0);
	assert_true(isnan(b.event.percent));
}

static void a_limit_that_becomes_zero_ends_the_episode(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 95, 10);
	b.limit = 0;
	assert_int_equal(look(&b, 95), ALERT_RECOVERY);
	assert_int_equal(b.event.worst, LEVEL_CRITICAL);
	assert_true(isnan(b.event.percent));
	looks(&b, 95, 100);
	assert_int_equal(b.messages, 2);
	b.limit = 100; /* and begins one again, after hold looks */
	assert_int_equal(look(&b, 95), ALERT_NONE);
	assert_int_equal(look(&b, 95), ALERT_CHANGE);
}

static void more_than_full_is_told_as_it_is(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 250, 2);
	assert_int_equal(b.last.to, LEVEL_CRITICAL);
	assert_true(b.last.percent == 250);
}

static void a_limit_lowered_below_the_count_is_critical_at_the_second_look(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 50, 100);
	b.limit = 40;
	assert_int_equal(look(&b, 50), ALERT_NONE);
	assert_int_equal(look(&b, 50), ALERT_CHANGE);
	assert_int_equal(b.event.to, LEVEL_CRITICAL);
	assert_true(b.event.percent == 125);
}

static void a_raised_limit_is_a_recovery(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 95, 10);
	b.limit = 200;
	looks(&b, 95, 3);
	assert_int_equal(b.messages, 2);
	assert_int_equal(b.last.kind, ALERT_RECOVERY);
}

static void unknown_values_neither_recover_nor_warn_again(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 85, 60);
	looks(&b, U, 600);
	assert_int_equal(b.event.to, LEVEL_WARNING);
	assert_true(isnan(b.event.percent));
	looks(&b, 85, 60);
	b.limit = U;
	looks(&b, 85, 600);
	b.limit = 100;
	looks(&b, 85, 60);
	assert_int_equal(b.messages, 1);
}

static void unknown_is_not_in_a_row(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	look(&b, 85);
	looks(&b, U, 100); /* no progress to hold */
	assert_int_equal(b.messages, 0);
	assert_int_equal(look(&b, 85), ALERT_CHANGE);
	for (int i = 0; i < 100; i++) { /* nor to release */
		looks(&b, 50, 2);
		look(&b, U);
	}
	assert_int_equal(b.messages, 1);
	looks(&b, 50, 3);
	assert_int_equal(b.last.kind, ALERT_RECOVERY);
}

static void a_reminder_waits_for_a_value(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 85, 2);
	looks(&b, U, 4000);
	assert_int_equal(b.messages, 1);
	assert_int_equal(look(&b, 85), ALERT_REMINDER);
}

static void without_limit_thresholds_are_in_the_unit_of_the_value(void **state)
{
	struct bench b = bench_of(&rate_rule);

	(void)state;
	b.limit = 0; /* not looked at */
	looks(&b, 0, 10);
	assert_int_equal(b.messages, 0);
	looks(&b, 1, 2);
	assert_int_equal(b.last.to, LEVEL_WARNING);
	assert_true(isnan(b.last.percent));
	looks(&b, 7.5, 2);
	assert_int_equal(b.last.to, LEVEL_CRITICAL);
	looks(&b, 1, 3); /* clear 0: below 5 has passed 5 */
	assert_int_equal(b.last.to, LEVEL_WARNING);
	looks(&b, 0.5, 3);
	assert_int_equal(b.last.kind, ALERT_RECOVERY);
	assert_int_equal(b.messages, 4);
}

static void a_level_that_is_off_is_passed_over(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	b.rule.warning = 0;
	looks(&b, 85, 10);
	assert_int_equal(b.messages, 0);
	looks(&b, 90, 2);
	assert_int_equal(b.last.to, LEVEL_CRITICAL);
	looks(&b, 84, 3);
	assert_int_equal(b.last.kind, ALERT_RECOVERY);
	b.rule.warning = 80;
	b.rule.critical = 0;
	looks(&b, 99, 100);
	assert_int_equal(b.last.to, LEVEL_WARNING);
	assert_int_equal(b.messages, 3);
}

static void a_reload_with_other_thresholds_goes_on_with_the_episode(void **state)
{
	struct bench b = bench_of(&percent_rule);

	(void)state;
	looks(&b, 82, 10);
	b.rule.warning = 88;
	looks(&b, 82, 3);
	assert_int_equal(b.last.kind, ALERT_RECOVERY);
	assert_int_equal(b.messages, 2);
}

static void an_episode_survives_a_restart(void **state)
{
	struct bench b = bench_of(&percent_rule), after = bench_of(&percent_rule);
	struct alert_episode kept;

	(void)state;
	assert_false(alert_save(&b.alert, &kept));
	looks(&b, 95, 2);
	looks(&b, 83, 100);
	assert_true(alert_save(&b.alert, &kept));
	assert_int_equal(kept.level, LEVEL_WARNING);
	assert_int_equal(kept.worst, LEVEL_CRITICAL);

	after.now = 5; /* a reboot sets the monotonic clock back */
	after.wall = b.wall + 60;
	alert_restore(&after.alert, &kept, after.now, after.wall);
	looks(&after, 83, 100);
	assert_int_equal(after.messages, 0);
	looks(&after, 10, 3);
	assert_int_equal(after.messages, 1);
	assert_int_equal(after.last.kind, ALERT_RECOVERY);
	assert_int_equal(after.last.worst, LEVEL_CRITICAL);
	assert_true(after.last.since == kept.since);
	assert_true(after.last.duration == after.wall - 1 - kept.since);
}

static void a_restored_episode_may_lack_its_worst_and_lie_in_the_future(void **state)
{
	struct bench b = bench_of(&percent_rule);
	struct alert_episode kept = {
		.level = LEVEL_WARNING, .worst = LEVEL_OK, .since = b.wall + 1e6};

	(void)state;
	alert_restore(&b.alert, &kept, b.now, b.wall);
	looks(&b, 10, 3);
	assert_int_equal(b.last.kind, ALERT_RECOVERY);
	assert_int_equal(b.last.worst, LEVEL_WARNING);
	assert_true(b.last.duration == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limit_of_zero_is_no_limit),
		cmocka_unit_test(a_limit_that_becomes_zero_ends_the_episode),
		cmocka_unit_test(more_than_full_is_told_as_it_is),
		cmocka_unit_test(a_limit_lowered_below_the_count_is_critical_at_the_second_look),
		cmocka_unit_test(a_raised_limit_is_a_recovery),
		cmocka_unit_test(unknown_values_neither_recover_nor_warn_again),
		cmocka_unit_test(unknown_is_not_in_a_row),
		cmocka_unit_test(a_reminder_waits_for_a_value),
		cmocka_unit_test(without_limit_thresholds_are_in_the_unit_of_the_value),
		cmocka_unit_test(a_level_that_is_off_is_passed_over),
		cmocka_unit_test(a_reload_with_other_thresholds_goes_on_with_the_episode),
		cmocka_unit_test(an_episode_survives_a_restart),
		cmocka_unit_test(a_restored_episode_may_lack_its_worst_and_lie_in_the_future),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
