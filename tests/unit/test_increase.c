/* SPDX-License-Identifier: MIT */
#include "daemon/increase.h"

#include <string.h>

#include "tests/unit/test.h"

static void amount_and_time_are_told(void **state)
{
	struct increase in = {0};

	(void)state;
	increase_add(&in, 100, 5000, 0);
	increase_add(&in, 110, 6520, 0);
	assert_number(in.amount, 1520);
	assert_number(in.seconds, 10);
	memset(&in, 0, sizeof in);
	increase_add(&in, 100, 5000, 60);
	increase_add(&in, 101, 5003, 60);
	assert_number(in.amount, 3);
	assert_number(in.seconds, 60);
}

static void first_sample_has_no_increase(void **state)
{
	struct increase in = {0};

	(void)state;
	assert_number(increase_add(&in, 100, 5000, 60), (double)NAN);
}

static void without_a_window_it_is_since_the_look_before(void **state)
{
	struct increase in = {0};

	(void)state;
	increase_add(&in, 100, 10, 0);
	assert_number(increase_add(&in, 101, 15, 0), 5);
	assert_number(increase_add(&in, 111, 35, 0), 2);
	assert_number(increase_add(&in, 112, 35, 0), 0);
}

static void steady_rate_is_found_in_every_window(void **state)
{
	static const double over[] = {10, 60, 600};

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct increase in = {0};
		double rate = 0;

		for (int t = 0; t <= 1200; t++)
			rate = increase_add(&in, t, 3.0 * t, over[k]);
		assert_number(rate, 3);
	}
}

static void burst_after_the_start_is_spread_over_the_window(void **state)
{
	struct increase in = {0};

	(void)state;
	increase_add(&in, 0, 0, 60);
	assert_number(increase_add(&in, 1, 60, 60), 1);
}

static void burst_leaves_the_window_again(void **state)
{
	struct increase in = {0};
	double rate = -1;

	(void)state;
	for (int t = 0; t <= 200; t++)
		rate = increase_add(&in, t, t < 50 ? 0 : 600, 60);
	assert_number(rate, 0);
}

static void window_shorter_than_the_looks_uses_the_look_before(void **state)
{
	struct increase in = {0};

	(void)state;
	increase_add(&in, 0, 0, 60);
	increase_add(&in, 300, 300, 60);
	assert_number(increase_add(&in, 600, 1200, 60), 3);
}

static void reset_is_unknown_once(void **state)
{
	struct increase in = {0};

	(void)state;
	increase_add(&in, 0, 1000, 0);
	assert_number(increase_add(&in, 1, 3, 0), (double)NAN);
	assert_number(increase_add(&in, 2, 4, 0), 1);
}

static void unknown_is_passed_over(void **state)
{
	struct increase in = {0};

	(void)state;
	increase_add(&in, 0, 10, 0);
	assert_number(increase_add(&in, 1, (double)NAN, 0), (double)NAN);
	assert_number(increase_add(&in, 2, 14, 0), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amount_and_time_are_told),
		cmocka_unit_test(first_sample_has_no_increase),
		cmocka_unit_test(without_a_window_it_is_since_the_look_before),
		cmocka_unit_test(steady_rate_is_found_in_every_window),
		cmocka_unit_test(burst_after_the_start_is_spread_over_the_window),
		cmocka_unit_test(burst_leaves_the_window_again),
		cmocka_unit_test(window_shorter_than_the_looks_uses_the_look_before),
		cmocka_unit_test(reset_is_unknown_once),
		cmocka_unit_test(unknown_is_passed_over),
	};

	return cmocka_run_group_tests_name("increase", tests, NULL, NULL);
}
