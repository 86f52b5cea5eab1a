/* SPDX-License-Identifier: MIT */
#include "daemon/text.h"

#include "tests/unit/test.h"

static void duration_has_its_two_largest_units(void **state)
{
	char t[TEXT_SIZE];

	(void)state;
	assert_string_equal(text_duration(t, 0), "0 s");
	assert_string_equal(text_duration(t, 45), "45 s");
	assert_string_equal(text_duration(t, 152), "2 min 32 s");
	assert_string_equal(text_duration(t, 360), "6 min");
	assert_string_equal(text_duration(t, 3900), "1 h 5 min");
	assert_string_equal(text_duration(t, 3630), "1 h");
	assert_string_equal(text_duration(t, 2 * 86400 + 3 * 3600 + 59), "2 d 3 h");
	assert_string_equal(text_duration(t, 59.6), "1 min");
	assert_string_equal(text_duration(t, -5), "0 s");
	assert_string_equal(text_duration(t, (double)NAN), "0 s");
	assert_string_equal(text_duration(t, 1e300), "11574074074 d 1 h");
}

static void number_has_no_needless_decimals(void **state)
{
	char t[TEXT_SIZE];

	(void)state;
	assert_string_equal(text_number(t, 214958), "214958");
	assert_string_equal(text_number(t, 0), "0");
	assert_string_equal(text_number(t, -0.0), "0");
	assert_string_equal(text_number(t, 2.34), "2.3");
	assert_string_equal(text_number(t, 0.034), "0.03");
	assert_string_equal(text_number(t, 12.9), "13");
	assert_string_equal(text_number(t, 1e15), "1000000000000000");
	assert_string_equal(text_number(t, (double)NAN), "unknown");
}

static void time_names_its_zone(void **state)
{
	char t[TEXT_SIZE];

	(void)state;
	assert_string_equal(text_time(t, 1796068800), "2026-11-30 20:00:00 UTC");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(duration_has_its_two_largest_units),
		cmocka_unit_test(number_has_no_needless_decimals),
		cmocka_unit_test(time_names_its_zone),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
