/* SPDX-License-Identifier: MIT */
#include "daemon/rrdanswer.h"

#include <errno.h>
#include <string.h>
#include <syslog.h>

#include "daemon/rrdconvert.h"
#include "daemon/util.h"
#include "tests/unit/test.h"

static void the_first_note_stays(void **state)
{
	struct store_answer a;

	(void)state;
	answer_begin(&a);
	assert_int_equal(a.code, STORE_DONE);
	answer_note(&a, LOG_WARNING, "one of %d", 2);
	answer_note(&a, LOG_NOTICE, "two");
	assert_string_equal(a.note, "one of 2");
	assert_int_equal(a.priority, LOG_WARNING);
}

static void a_cause_that_is_too_long_is_cut(void **state)
{
	char text[2 * STORE_TEXT_SIZE];
	struct store_answer a;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	answer_begin(&a);
	assert_false(answer_fail(&a, "%s", text));
	assert_int_equal(a.code, STORE_FAILED);
	assert_int_equal(strlen(a.cause), STORE_TEXT_SIZE - 1);
}

static void missing_columns_are_listed(void **state)
{
	const struct store_open spec = {.name = "tcp",
		.n_columns = 3,
		.columns = {{"a", METRIC_GAUGE}, {"b", METRIC_GAUGE}, {"c", METRIC_GAUGE}}};
	struct store_answer a;

	(void)state;
	answer_begin(&a);
	answer_missing(&a, &spec, (const bool[]){true, true, true}, "; more");
	assert_string_equal(a.note, "");
	answer_missing(&a, &spec, (const bool[]){false, true, false}, "; more");
	assert_string_equal(
		a.note, "tcp.rrd has no such columns, their values are not stored: a, c; more");
}

static void a_file_system_that_is_read_only_has_its_own_remedy(void **state)
{
	(void)state;
	assert_non_null(strstr(answer_remedy(EROFS), "ReadWritePaths="));
	assert_string_equal(answer_remedy(EACCES), "give it to the daemon's user");
}

static void times_are_in_utc_and_a_year_that_no_calendar_has_is_a_number(void **state)
{
	char text[32];

	(void)state;
	answer_utc(text, true, 1800000000);
	assert_string_equal(text, "20270115T080000Z");
	answer_utc(text, false, 1800000000);
	assert_string_equal(text, "2027-01-15 08:00:00 UTC");
	answer_utc(text, false, INT64_MAX);
	assert_string_equal(text, "9223372036854775807");
}

static void reasons_are_without_the_path(void **state)
{
	static const char *const reasons[][2] = {{"/a/b.rrd: illegal attempt", "illegal attempt"},
		{"/a/b.rrd is odd", "/a/b.rrd is odd"},
		{"opening '/a/b.rrd': No such file or directory", "No such file or directory"},
		{"opening '/a/b.rrd", "opening '/a/b.rrd"},
		{"closing '/a': no", "closing '/a': no"}};
	char format[] = "%s";

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
		rrd_set_error(format, reasons[i][0]);
		assert_string_equal(rrdconvert_reason("/a/b.rrd"), reasons[i][1]);
	}
	rrd_clear_error();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_note_stays),
		cmocka_unit_test(a_cause_that_is_too_long_is_cut),
		cmocka_unit_test(missing_columns_are_listed),
		cmocka_unit_test(a_file_system_that_is_read_only_has_its_own_remedy),
		cmocka_unit_test(times_are_in_utc_and_a_year_that_no_calendar_has_is_a_number),
		cmocka_unit_test(reasons_are_without_the_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
