/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/forecast.h"
#include "tests/backtest/trace.h"

#define U ((double)NAN)

static const struct rule full_rule = {.name = "conntrack-full",
	.value = "conntrack.entries",
	.limit = "conntrack.max",
	RULE_DEFAULTS,
	RULE_PERCENT,
	.forecast_warning = 1800,
	.forecast_critical = 300};

/* A forecast under test, its clocks and what it last said. */
struct bench {
	struct rule rule;
	struct forecast f;
	struct alert alert;
	double look, now, wall, limit;
	struct alert_event event;
	int raised, recoveries;
	double said_percent, said_seconds, said_growth; /* with the last raise */
};

static struct bench *fresh(double look)
{
	static struct bench b;

	b = (struct bench){
		.rule = full_rule, .look = look, .now = 100, .wall = 1796342400, .limit = 100000};
	forecast_init(&b.f, look);
	b.alert.forecast = &b.f;
	return &b;
}

static void look(struct bench *b, double percent)
{
	struct alert_sample s = {.now = b->now,
		.wall = b->wall,
		.value = round(percent * b->limit / 100),
		.limit = b->limit};

	alert_step(&b->rule, &b->alert, &s, &b->event);
	b->now += b->look;
	b->wall += b->look;
	if (b->event.to > b->event.from) {
		b->raised++;
		b->said_percent = b->event.percent;
		b->said_seconds = b->event.seconds_to_full;
		b->said_growth = b->event.growth;
	}
	b->recoveries += b->event.kind == ALERT_RECOVERY;
}

static void stay(struct bench *b, double percent, double seconds)
{
	for (long i = 0; (double)i * b->look < seconds; i++)
		look(b, percent);
}

/* A straight rise, stopped short at `to`. */
static void rise(struct bench *b, double from, double to, double points_per_second)
{
	double step = points_per_second * b->look;

	for (long i = 0; from + (double)i * step < to; i++)
		look(b, from + (double)i * step);
}

static void it_fits_in_8_kib(void **state)
{
	(void)state;
	assert_true(sizeof(struct forecast) <= 8192);
}

static void a_leak_is_told_at_half_full_with_its_time_and_growth(void **state)
{
	static const double looks[] = {1, 10, 60};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct bench *b = fresh(looks[i]);

		stay(b, 10, 1200);
		rise(b, 10, 75, 1.0 / 36); /* full after an hour */
		assert_int_equal(b->raised, 1);
		assert_true(b->event.forecast);
		assert_true(b->said_percent >= 50 && b->said_percent < 54);
		assert_true(fabs(b->said_seconds / ((100 - b->said_percent) * 36) - 1) < 0.1);
		assert_true(fabs(b->said_growth / (100000.0 / 3600) - 1) < 0.1);
		assert_true(b->event.seconds_to_full < b->said_seconds);
	}
}

static void below_half_full_nothing_is_told(void **state)
{
	struct bench *b = fresh(1);

	(void)state;
	rise(b, 5, 49, 0.2);
	assert_int_equal(b->raised, 0);
	assert_true(isnan(b->event.seconds_to_full) && isnan(b->event.growth));
}

static void both_zero_switches_it_off(void **state)
{
	struct bench *b = fresh(1);

	(void)state;
	b->rule.forecast_warning = 0;
	b->rule.forecast_critical = 0;
	rise(b, 10, 79, 0.05);
	assert_int_equal(b->raised, 0);
	assert_true(isnan(b->event.seconds_to_full));
}

static void a_forecast_of_critical_alone_skips_the_warning(void **state)
{
	struct bench *b = fresh(1);

	(void)state;
	b->rule.forecast_warning = 0;
	b->rule.warning = 0;
	b->rule.critical = 0;
	b->rule.forecast_critical = 300;
	stay(b, 10, 60);
	rise(b, 10, 99, 0.05);
	assert_int_equal(b->raised, 1);
	assert_int_equal(b->event.to, LEVEL_CRITICAL);
	assert_true(b->said_seconds <= 300);
}

static void a_table_that_is_flushed_withdraws_it(void **state)
{
	struct bench *b = fresh(1);

	(void)state;
	rise(b, 10, 60, 0.05);
	assert_int_equal(b->raised, 1);
	stay(b, 10, 5);
	assert_int_equal(b->recoveries, 1);
}

static void what_was_withdrawn_is_learned_at_once(void **state)
{
	struct bench *b = fresh(1);

	(void)state;
	for (int i = 0; i < 5; i++) {
		stay(b, 20, 3000);
		rise(b, 20, 70, 0.2);
		stay(b, 70, 900);
	}
	assert_int_equal(b->raised, 1);
	assert_int_equal(b->recoveries, 1);
	stay(b, 20, 3000);
	rise(b, 20, 70, 0.8); /* faster is news */
	assert_int_equal(b->raised, 2);
}

static void a_step_of_the_wall_clock_is_nothing(void **state)
{
	struct bench *b = fresh(1);

	(void)state;
	b->wall = 0; /* no battery: 1970 until the time is fetched */
	stay(b, 10, 600);
	for (int i = 0; i < 3600 && b->raised == 0; i++) {
		if (i == 300)
			b->wall = 1796342400;
		if (i == 900)
			b->wall -= 7200;
		look(b, 10 + i / 30.0);
	}
	assert_int_equal(b->raised, 1);
	assert_true(b->said_percent < 52);
}

static void gaps_neither_raise_nor_withdraw(void **state)
{
	struct bench *b = fresh(1);

	(void)state;
	stay(b, 10, 600);
	rise(b, 10, 55, 1.0 / 36);
	assert_int_equal(b->raised, 1);
	for (int i = 0; i < 720; i++)
		look(b, i % 180 < 100 ? 55 + i / 36.0 : U);
	assert_int_equal(b->raised, 1);
	assert_int_equal(b->recoveries, 0);
}

static void a_source_that_fails_again_and_again_does_not_keep_it_for_ever(void **state)
{
	struct bench *b = fresh(1);

	(void)state;
	rise(b, 10, 60, 0.05);
	for (int i = 0; i < 7200; i++)
		look(b, i % 10 ? 60 : U);
	assert_int_equal(b->recoveries, 1);
}

static void a_raised_limit_withdraws_it(void **state)
{
	struct bench *b = fresh(1);

	(void)state;
	rise(b, 10, 60, 0.05);
	assert_int_equal(b->raised, 1);
	b->limit *= 2;
	stay(b, 30, 10);
	assert_int_equal(b->recoveries, 1);
}

static void a_restored_forecast_waits_for_its_windows_and_then_recovers(void **state)
{
	struct alert_episode kept = {.level = LEVEL_WARNING, .since = 1796342000, .forecast = true};
	struct bench *b = fresh(1);

	(void)state;
	b->now = 1e6;
	alert_restore(&b->alert, &kept, b->now, b->wall);
	stay(b, 60, 590);
	assert_int_equal(b->recoveries, 0);
	stay(b, 60, 30);
	assert_int_equal(b->recoveries, 1);
	assert_int_equal(b->raised, 0);
}

static void a_restored_threshold_recovers_as_without_forecast(void **state)
{
	struct alert_episode kept = {.level = LEVEL_WARNING, .since = 1796342000};
	struct bench *b = fresh(1);

	(void)state;
	alert_restore(&b->alert, &kept, b->now, b->wall);
	stay(b, 60, 3);
	assert_int_equal(b->recoveries, 1);
}

static size_t kind_of(const char *name)
{
	size_t kind = 0;

	while (strcmp(trace_kind_name(kind), name) != 0)
		kind++;
	return kind;
}

static void a_habit_filled_from_the_archive_spares_the_first_day(void **state)
{
	static const char *const names[] = {"job-days", "shift-week", "nightly-job"};

	(void)state;
	for (size_t n = 0; n < 12; n++) {
		struct bench *b = fresh(1);
		struct trace t;
		long today;

		trace_make(kind_of(names[n % 3]), 11 + n, &t);
		today = t.n - 86400;
		for (long minute = 0; minute + 60 <= today; minute += 60) {
			double most = U;

			for (long i = minute; i < minute + 60; i++)
				most = fmax(most, t.entries[i]);
			habit_fill(&b->f.habit, t.start + (double)minute, most, t.max[0] * 0.8);
		}
		b->limit = t.max[0];
		b->wall = t.start + (double)today;
		for (long i = today; i < t.n; i++)
			look(b, t.entries[i] * 100 / t.max[i]);
		assert_int_equal(b->raised, 0);
		trace_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_fits_in_8_kib),
		cmocka_unit_test(a_leak_is_told_at_half_full_with_its_time_and_growth),
		cmocka_unit_test(below_half_full_nothing_is_told),
		cmocka_unit_test(both_zero_switches_it_off),
		cmocka_unit_test(a_forecast_of_critical_alone_skips_the_warning),
		cmocka_unit_test(a_table_that_is_flushed_withdraws_it),
		cmocka_unit_test(what_was_withdrawn_is_learned_at_once),
		cmocka_unit_test(a_step_of_the_wall_clock_is_nothing),
		cmocka_unit_test(gaps_neither_raise_nor_withdraw),
		cmocka_unit_test(a_source_that_fails_again_and_again_does_not_keep_it_for_ever),
		cmocka_unit_test(a_raised_limit_withdraws_it),
		cmocka_unit_test(a_restored_forecast_waits_for_its_windows_and_then_recovers),
		cmocka_unit_test(a_restored_threshold_recovers_as_without_forecast),
		cmocka_unit_test(a_habit_filled_from_the_archive_spares_the_first_day),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
