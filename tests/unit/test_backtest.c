/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/backtest/backtest.h"
#include "tests/backtest/run.h"

enum { SEEDS = 12 };

/* One backtest as our rule judges it. */
struct told {
	struct trace trace;
	struct messages m;
	long turn;
	int reminders, recoveries, forecasts;
	long warning, critical; /* second of the first message of that level or above; -1 */
};

static struct told told;

static struct told *tell(char letter, uint64_t seed)
{
	told = (struct told){.warning = -1, .critical = -1};
	told.turn = backtest_make(letter, seed, &told.trace);
	run_ours(&told.trace, true, 1, &told.m);
	for (size_t i = 0; i < told.m.n; i++) {
		const struct message *m = &told.m.of[i];

		told.reminders += m->reminder;
		told.recoveries += m->to == LEVEL_OK;
		told.forecasts += m->forecast && m->from == LEVEL_OK;
		if (told.warning < 0 && m->to >= LEVEL_WARNING)
			told.warning = m->at;
		if (told.critical < 0 && m->to == LEVEL_CRITICAL)
			told.critical = m->at;
	}
	return &told;
}

static long first_used(const struct trace *t, double percent)
{
	for (long i = 0; i < t->n; i++)
		if (t->used[i] >= percent)
			return i;
	return -1;
}

static void a_leak_is_warned_of_20_minutes_before_full(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct told *t = tell('a', seed);

		assert_true(t->warning >= 0 && t->warning <= t->turn - 1200);
		assert_true(t->critical >= 0 && t->critical < t->turn);
		assert_int_equal(t->recoveries, 0);
		trace_free(&t->trace);
	}
}

static void b_flood_is_critical_3_seconds_after_90_percent(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct told *t = tell('b', seed);

		assert_true(t->critical >= 0 && t->critical <= first_used(&t->trace, 90) + 3);
		assert_true(t->warning <= first_used(&t->trace, 60));
		trace_free(&t->trace);
	}
}

static void c_breath_of_a_day_is_not_news(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct told *t = tell('c', seed);

		assert_int_equal(t->m.n, 0);
		trace_free(&t->trace);
	}
}

static void d_noise_around_80_percent_is_2_messages_at_most(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct told *t = tell('d', seed);

		assert_true(t->m.n >= 1 && t->m.n - (size_t)t->reminders <= 1 && t->m.n <= 2);
		trace_free(&t->trace);
	}
}

static void e_plateau_is_one_warning_and_reminders(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct told *t = tell('e', seed);

		assert_true(t->warning >= 0);
		assert_int_equal(t->critical, -1);
		assert_int_equal(t->m.n - (size_t)t->reminders, 1);
		assert_true(t->reminders >= 4);
		assert_int_equal(t->forecasts, 0);
		for (size_t i = 0; i < t->m.n; i++)
			assert_true(isnan(t->m.of[i].to_full));
		trace_free(&t->trace);
	}
}

static void f_lowered_maximum_is_critical_at_the_second_look(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct told *t = tell('f', seed);

		assert_int_equal(t->m.of[0].at, t->turn + 1);
		assert_int_equal(t->m.of[0].to, LEVEL_CRITICAL);
		assert_true(t->m.of[0].percent > 105);
		assert_int_equal(t->m.n, 1);
		trace_free(&t->trace);
	}
}

static void g_maximum_of_0_is_nothing(void **state)
{
	struct told *t = tell('g', 1);

	(void)state;
	assert_int_equal(t->m.n, 0);
	trace_free(&t->trace);
}

static void h_flush_while_critical_is_one_recovery(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct told *t = tell('h', seed);

		assert_int_equal(t->m.n, 2);
		assert_int_equal(t->m.of[0].to, LEVEL_CRITICAL);
		assert_int_equal(t->m.of[1].to, LEVEL_OK);
		assert_int_equal(t->m.of[1].at, t->turn + 2);
		trace_free(&t->trace);
	}
}

static void i_gaps_are_neither_recovery_nor_second_warning(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct told *t = tell('i', seed);

		assert_int_equal(t->recoveries, 0);
		assert_int_equal(t->m.n - (size_t)t->reminders, 1);
		trace_free(&t->trace);
	}
}

static void j_step_is_one_forecast_at_most_and_withdrawn(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct told *t = tell('j', seed);

		assert_true(t->forecasts <= 1);
		assert_int_equal(t->recoveries, t->forecasts);
		assert_int_equal(t->critical, -1);
		trace_free(&t->trace);
	}
}

static void k_flood_that_comes_to_rest_is_not_critical(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct told *t = tell('k', seed);

		assert_int_equal(t->critical, -1);
		assert_int_equal(t->recoveries, t->forecasts);
		trace_free(&t->trace);
	}
}

/* Messages, and seconds from the first to full where it fills. */
static void print_cell(const struct messages *m, long full)
{
	long first = -1;

	for (size_t i = 0; i < m->n && first < 0; i++)
		if (m->of[i].to > LEVEL_OK)
			first = m->of[i].at;
	if (full > 0 && first >= 0)
		printf(" %4zu, %5ld s |", m->n, full - first);
	else
		printf(" %4zu%s |", m->n, full > 0 ? ",  never " : "         ");
}

static void the_rules_of_others_are_run_over_the_same_traces(void **state)
{
	static struct messages m;
	struct messages empty = {0};

	(void)state;
	printf("| trace | connwatchd |");
	for (size_t r = 0; r < n_rivals; r++)
		printf(" %s |", rivals[r].name);
	puts("");
	for (int letter = 'a'; letter <= 'k'; letter++) {
		struct told *t = tell((char)letter, 1);
		long full = letter <= 'b' ? t->turn : 0;

		printf("| %-21s |", t->trace.name);
		print_cell(&t->m, full);
		for (size_t r = 0; r < n_rivals; r++) {
			m = empty;
			run_rival(&t->trace, &rivals[r], &m);
			print_cell(&m, full);
		}
		puts("");
		assert_true(t->m.n < MAX_MESSAGES);
		trace_free(&t->trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_leak_is_warned_of_20_minutes_before_full),
		cmocka_unit_test(b_flood_is_critical_3_seconds_after_90_percent),
		cmocka_unit_test(c_breath_of_a_day_is_not_news),
		cmocka_unit_test(d_noise_around_80_percent_is_2_messages_at_most),
		cmocka_unit_test(e_plateau_is_one_warning_and_reminders),
		cmocka_unit_test(f_lowered_maximum_is_critical_at_the_second_look),
		cmocka_unit_test(g_maximum_of_0_is_nothing),
		cmocka_unit_test(h_flush_while_critical_is_one_recovery),
		cmocka_unit_test(i_gaps_are_neither_recovery_nor_second_warning),
		cmocka_unit_test(j_step_is_one_forecast_at_most_and_withdrawn),
		cmocka_unit_test(k_flood_that_comes_to_rest_is_not_critical),
		cmocka_unit_test(the_rules_of_others_are_run_over_the_same_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
