/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/rise.h"

/* Limit 1000 and bins of 10 s: a window of three minutes, 10 entries are a point. */
static struct rise judge(const float *means)
{
	struct rise_window window = {
		.means = means, .n = RISE_BINS, .bin_seconds = 10, .limit = 1000};
	struct rise_noise noise = {0, 0};
	struct rise rise;

	rise_judge(&window, &noise, &rise);
	return rise;
}

static void a_straight_rise_is_full_when_the_line_says(void **state)
{
	float means[RISE_BINS];
	struct rise r;

	(void)state;
	for (int i = 0; i < RISE_BINS; i++)
		means[i] = (float)(500 + 10 * (i + 0.5)); /* one entry per second, 680 at the end */
	r = judge(means);
	assert_true(r.valid && r.real && r.even && r.full);
	assert_false(r.rest);
	assert_true(fabs(r.slope - 1) < 0.01);
	assert_true(fabs(r.seconds - 320) < 2);
}

static void a_step_is_no_rise_wherever_it_lies(void **state)
{
	float means[RISE_BINS];

	(void)state;
	for (int at = 1; at < RISE_BINS; at++) {
		for (int i = 0; i < RISE_BINS; i++)
			means[i] = i < at ? 300 : 700;
		assert_false(judge(means).full);
	}
}

static void a_flat_table_is_no_rise(void **state)
{
	float means[RISE_BINS];
	struct rise r;

	(void)state;
	for (int i = 0; i < RISE_BINS; i++)
		means[i] = 850;
	r = judge(means);
	assert_true(r.valid);
	assert_false(r.real || r.full || r.rest);
	assert_true(isnan(r.soonest));
}

static void a_rise_that_began_amid_the_window_is_left_to_shorter_ones(void **state)
{
	float means[RISE_BINS];

	(void)state;
	for (int at = 4; at < RISE_BINS; at++) {
		for (int i = 0; i < RISE_BINS; i++)
			means[i] = i < at ? 300 : (float)(300 + 20 * (i - at));
		assert_false(judge(means).full);
	}
}

static void expiring_entries_come_to_rest_below_the_limit(void **state)
{
	float means[RISE_BINS];
	struct rise r;

	(void)state;
	for (int i = 0; i < RISE_BINS; i++)
		means[i] = (float)(780 - 580 * exp(-(i + 0.5) / 9));
	r = judge(means);
	assert_true(r.real && r.rest);
	assert_false(r.full);
	assert_true(isnan(r.seconds));
}

static void expiring_entries_may_rest_above_the_limit(void **state)
{
	float means[RISE_BINS];
	struct rise r;

	(void)state;
	for (int i = 0; i < RISE_BINS;
		i++) /* 1300 is reached never, 1000 after 203 s: 23 s from the end */
		means[i] = (float)(1300 - 1100 * exp(-(i + 0.5) / 15.6));
	r = judge(means);
	assert_true(r.full);
	assert_true(fabs(r.seconds - 23) < 4);
}

static void noise_alone_is_no_rise(void **state)
{
	struct rise_noise noise = {0, 0};
	struct rise r;
	float means[RISE_BINS];
	struct rise_window window = {
		.means = means, .n = RISE_BINS, .bin_seconds = 10, .limit = 1000};
	uint32_t random = 7;
	int full = 0;

	(void)state;
	for (int n = 0; n < 2000; n++) {
		for (int i = 0; i < RISE_BINS; i++) {
			random = random * 1664525U + 1013904223U;
			means[i] = (float)(600 + 40 * ((double)(random >> 8) / (1 << 24) - 0.5));
		}
		rise_judge(&window, &noise, &r);
		full += r.full;
	}
	assert_true(full <= 2);
}

static void a_third_without_looks_makes_the_window_invalid(void **state)
{
	float means[RISE_BINS];

	(void)state;
	for (int i = 0; i < RISE_BINS; i++)
		means[i] = i < 3 ? NAN : (float)(500 + 10 * i);
	assert_false(judge(means).valid);
	means[2] = 520; /* four of six will do */
	assert_true(judge(means).valid);
}

static void what_is_over_the_limit_is_full_now(void **state)
{
	float means[RISE_BINS];

	(void)state;
	for (int i = 0; i < RISE_BINS; i++)
		means[i] = (float)(1000 + 10 * i);
	assert_true(judge(means).seconds <= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_straight_rise_is_full_when_the_line_says),
		cmocka_unit_test(a_step_is_no_rise_wherever_it_lies),
		cmocka_unit_test(a_flat_table_is_no_rise),
		cmocka_unit_test(a_rise_that_began_amid_the_window_is_left_to_shorter_ones),
		cmocka_unit_test(expiring_entries_come_to_rest_below_the_limit),
		cmocka_unit_test(expiring_entries_may_rest_above_the_limit),
		cmocka_unit_test(noise_alone_is_no_rise),
		cmocka_unit_test(a_third_without_looks_makes_the_window_invalid),
		cmocka_unit_test(what_is_over_the_limit_is_full_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
