/* SPDX-License-Identifier: MIT */
#include "cli/status_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"

#define GOOD                                                                                       \
	"{\"version\":\"1\",\"time\":1796068800,\"interval\":10,\"pid\":1,"                        \
	"\"readings\":{\"conntrack\":{\"entries\":214958,\"max\":null,\"drop\":\"7\",\"huge\":"    \
	"1e300,\"low\":-1}},"                                                                      \
	"\"errors\":{\"tcp\":\"gone\"},"                                                           \
	"\"alerts\":[{\"name\":\"a\",\"level\":\"warning\"},{\"name\":\"b\",\"level\":"            \
	"\"critical\"}]}"

static int parse(const char *text, struct status_file *file, char error[static STATUS_ERROR_SIZE])
{
	char *copy = strdup(text);
	int r = status_file_parse(copy, strlen(text), file, error);

	if (r < 0)
		free(copy);
	return r;
}

static void expect_refusal(const char *text, const char *reason)
{
	char error[STATUS_ERROR_SIZE];
	struct status_file file;

	assert_int_equal(parse(text, &file, error), -EBADMSG);
	assert_string_equal(error, reason);
}

static void is_read_as_the_contract_has_it(void **state)
{
	char error[STATUS_ERROR_SIZE];
	struct status_file file;
	double value;

	(void)state;
	assert_int_equal(parse(GOOD, &file, error), 0);
	assert_number(file.time, 1796068800);
	assert_number(file.interval, 10);
	assert_string_equal(file.text, GOOD);
	assert_true(status_reading(&file, "conntrack", "entries", &value));
	assert_number(value, 214958);
	assert_int_equal(status_alert_level(json_array_get(file.alerts, 0)), LEVEL_WARNING);
	assert_int_equal(status_alert_level(json_array_get(file.alerts, 1)), LEVEL_CRITICAL);
	status_file_free(&file);
}

static void odd_readings_are_unknown(void **state)
{
	static const char *const odd[] = {"max", "drop", "huge", "low"};
	char error[STATUS_ERROR_SIZE];
	struct status_file file;
	double value;

	(void)state;
	assert_int_equal(parse(GOOD, &file, error), 0);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		assert_true(status_reading(&file, "conntrack", odd[i], &value));
		assert_number(value, (double)NAN);
	}
	assert_false(status_reading(&file, "conntrack", "missing", &value));
	assert_false(status_reading(&file, "missing", "entries", &value));
	status_file_free(&file);
}

static void damage_is_refused_with_a_reason(void **state)
{
	(void)state;
	expect_refusal("[]", "is damaged: it is not an object");
	expect_refusal("{}", "is damaged: \"time\" is not a time");
	expect_refusal("{\"time\":\"now\"}", "is damaged: \"time\" is not a time");
	expect_refusal("{\"time\":1e18}", "is damaged: \"time\" is not a time");
	expect_refusal("{\"time\":1}", "is damaged: \"interval\" is not in 1..3600");
	expect_refusal("{\"time\":1,\"interval\":0}", "is damaged: \"interval\" is not in 1..3600");
	expect_refusal(
		"{\"time\":1,\"interval\":3601}", "is damaged: \"interval\" is not in 1..3600");
	expect_refusal("{\"time\":1,\"interval\":1,\"readings\":[],\"errors\":{},\"alerts\":[]}",
		"is damaged: \"readings\", \"errors\" or \"alerts\" is missing");
	expect_refusal(
		"{\"time\":1,\"interval\":1,\"readings\":{},\"errors\":{\"a\":1},\"alerts\":[]}",
		"is damaged: an error that is no text");
	expect_refusal("{\"time\":1,\"interval\":1,\"readings\":{},\"errors\":{},\"alerts\":[7]}",
		"is damaged: an alert without a name or a level");
	expect_refusal("{\"time\":1,\"interval\":1,\"readings\":{},\"errors\":{},"
		       "\"alerts\":[{\"name\":\"a\",\"level\":\"loud\"}]}",
		"is damaged: an alert without a name or a level");
}

/* All beginnings of it, as after a crash. */
static void a_cut_file_is_refused(void **state)
{
	char error[STATUS_ERROR_SIZE], text[] = GOOD;
	struct status_file file;

	(void)state;
	for (size_t len = 0; len < sizeof(text) - 1; len++) {
		assert_int_equal(status_file_parse(text, len, &file, error), -EBADMSG);
		assert_memory_equal(error, "is damaged: line ", 17);
	}
}

static void is_stale_after_three_intervals_either_way(void **state)
{
	char error[STATUS_ERROR_SIZE];
	struct status_file file = {.time = 1000, .interval = 10};

	(void)state;
	assert_false(status_file_is_stale(&file, 1030, error));
	assert_true(status_file_is_stale(&file, 1031, error));
	assert_string_equal(error, "is 31 s old, though it is written every 10 s: connwatchd is "
				   "not running, or hangs");
	assert_false(status_file_is_stale(&file, 970, error));
	assert_true(status_file_is_stale(&file, 880, error));
	assert_string_equal(error, "is stamped 2 min ahead of this machine's clock");
}

static void the_path_given_comes_first(void **state)
{
	const struct conf conf = {.state_directory = "/nonexistent"};
	char *path =
		status_file_path(&(struct cli_context){.config = "x", .status = "/given"}, &conf);

	(void)state;
	assert_string_equal(path, "/given");
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_read_as_the_contract_has_it),
		cmocka_unit_test(odd_readings_are_unknown),
		cmocka_unit_test(damage_is_refused_with_a_reason),
		cmocka_unit_test(a_cut_file_is_refused),
		cmocka_unit_test(is_stale_after_three_intervals_either_way),
		cmocka_unit_test(the_path_given_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
