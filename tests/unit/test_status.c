/* SPDX-License-Identifier: MIT */
#include "daemon/status.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"
#include "tests/unit/world.h"

static struct world w;

static int setup(void **state)
{
	(void)state;
	world_open(&w);
	world_configure(&w,
		"tcp { enabled = false }\nlimits { enabled = false }\nsockets { enabled = false }\n"
		"interval = 10\nalert \"conntrack-full\" { forecast_warning = \"0\" "
		"forecast_critical = \"0\" }\n");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_close(&w);
	return 0;
}

static char *render(void)
{
	struct status_source source = {w.readings, w.judge, 1796068800, w.now, WORLD_EPOCH + w.now};
	char *text = status_render(&source);

	assert_non_null(text);
	return text;
}

static json_t *parse(char *text)
{
	json_t *status = json_loads(text, 0, NULL);

	assert_non_null(status);
	free(text);
	return status;
}

static void has_the_fields_of_the_contract(void **state)
{
	json_t *status, *alert;

	(void)state;
	world_conntrack(&w, "214958\n", "262144\n");
	world_row(&w);
	world_row(&w);
	status = parse(render());
	assert_int_equal(json_integer_value(json_object_get(status, "time")), 1796068800);
	assert_int_equal(json_integer_value(json_object_get(status, "interval")), 10);
	assert_int_equal(json_integer_value(json_object_get(status, "pid")), getpid());
	assert_true(json_is_string(json_object_get(status, "version")));
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(json_object_get(status, "readings"), "conntrack"),
				 "entries")),
		214958);
	alert = json_array_get(json_object_get(status, "alerts"), 0);
	assert_string_equal(json_string_value(json_object_get(alert, "name")), "conntrack-full");
	assert_string_equal(json_string_value(json_object_get(alert, "level")), "warning");
	assert_int_equal(json_integer_value(json_object_get(alert, "value")), 214958);
	assert_int_equal(json_integer_value(json_object_get(alert, "limit")), 262144);
	assert_number(json_real_value(json_object_get(alert, "percent")), 82.0);
	assert_true(json_is_null(json_object_get(alert, "seconds_to_full")));
	assert_true(json_is_integer(json_object_get(alert, "since")));
	json_decref(status);
}

static void tells_what_is_judged_and_what_each_row_took(void **state)
{
	json_t *status, *rules, *durations;

	(void)state;
	status = parse(render());
	durations = json_object_get(status, "durations");
	assert_true(json_is_null(json_object_get(durations, "conntrack")));
	json_decref(status);
	world_conntrack(&w, "1\n", "262144\n");
	world_row(&w);
	status = parse(render());
	durations = json_object_get(status, "durations");
	assert_true(json_number_value(json_object_get(durations, "conntrack")) > 0);
	rules = json_object_get(status, "rules");
	assert_string_equal(
		json_string_value(json_object_get(rules, "conntrack-full")), "conntrack.entries");
	assert_null(json_object_get(rules, "orphans")); /* limits are switched off */
	json_decref(status);
}

static void percent_is_written_with_one_decimal(void **state)
{
	char *text;

	(void)state;
	world_conntrack(&w, "214958\n", "262144\n");
	world_row(&w);
	world_row(&w);
	text = render();
	assert_non_null(strstr(text, "\"percent\": 82.0"));
	free(text);
}

static void unknown_is_null_and_failures_are_named(void **state)
{
	json_t *status, *errors;

	(void)state;
	world_row(&w);
	status = parse(render());
	assert_true(json_is_null(json_object_get(
		json_object_get(json_object_get(status, "readings"), "conntrack"), "entries")));
	errors = json_object_get(status, "errors");
	assert_non_null(strstr(json_string_value(json_object_get(errors, "tcpext")),
		"cannot open net/netstat: No such"));
	json_decref(status);
}

static void file_is_replaced_and_readable_by_all(void **state)
{
	char path[128];
	struct stat st;
	mode_t mask = umask(077);

	(void)state;
	assert_int_equal(status_write(w.directory, STATUS_FILE, "{}\n"), 0);
	assert_int_equal(status_write(w.directory, STATUS_FILE, "{ }\n"), 0);
	umask(mask);
	snprintf(path, sizeof path, "%s/status.json", w.directory);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(st.st_size, 4);
	snprintf(path, sizeof path, "%s/.status.json.new", w.directory);
	assert_int_equal(access(path, F_OK), -1);
}

static void failed_write_leaves_the_old_file(void **state)
{
	(void)state;
	assert_int_equal(status_write("/nonexistent", STATUS_FILE, "{}\n"), -2);
}

static void open_episode_is_restored(void **state)
{
	struct open_alert alert;
	char *text;

	(void)state;
	world_conntrack(&w, "214958\n", "262144\n");
	world_row(&w);
	world_row(&w);
	text = render();
	assert_int_equal(status_write(w.directory, STATUS_FILE, text), 0);
	free(text);
	world_configure(&w, "alert \"conntrack-full\" { forecast_warning = \"0\" forecast_critical "
			    "= \"0\" }\n");
	assert_false(judge_open_alert(w.judge, 0, &alert));
	status_restore(w.directory, w.judge, w.now, WORLD_EPOCH + w.now);
	assert_true(judge_open_alert(w.judge, 0, &alert));
	assert_string_equal(alert.name, "conntrack-full");
}

#define LISTENER(port, queue)                                                                      \
	" 0: 00000000:" port " 00000000:0000 0A 00000000:" queue " 00:00000000 0 0 0 1\n"

static void episode_of_one_listener_is_restored_to_it(void **state)
{
	static const char conf[] =
		"listener \"a\" { port = 80 }\nlistener \"b\" { port = 443 }\n"
		"alert \"long\" { value = \"listener-*.accept_queue\" warning = 5 hold = 1 }\n";
	struct open_alert alert;
	char *text;

	(void)state;
	world_configure(&w, conf);
	world_put(&w, "net/tcp", LISTENER("0050", "00000001") LISTENER("01BB", "00000009"));
	world_row(&w);
	text = render();
	assert_non_null(strstr(text, "\"instance\": \"listener-b\""));
	assert_int_equal(status_write(w.directory, STATUS_FILE, text), 0);
	free(text);
	world_configure(&w, conf);
	status_restore(w.directory, w.judge, w.now, WORLD_EPOCH + w.now);
	assert_true(judge_open_alert(w.judge, 0, &alert));
	assert_string_equal(alert.instance, "listener-b");
	assert_false(judge_open_alert(w.judge, 1, &alert));
}

static void damaged_file_restores_nothing(void **state)
{
	static const char *const damaged[] = {"", "{", "[]", "{\"alerts\": 3}",
		"{\"alerts\": [3, {}, null]}",
		"{\"alerts\": [{\"name\": \"conntrack-full\", \"level\": \"purple\", \"since\": "
		"1}]}",
		"{\"alerts\": [{\"name\": 7, \"level\": \"warning\"}]}"};
	struct open_alert alert;

	(void)state;
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
		assert_int_equal(status_write(w.directory, STATUS_FILE, damaged[i]), 0);
		status_restore(w.directory, w.judge, w.now, WORLD_EPOCH + w.now);
		assert_false(judge_open_alert(w.judge, 0, &alert));
	}
	status_restore("/nonexistent", w.judge, w.now, WORLD_EPOCH + w.now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(has_the_fields_of_the_contract, setup, teardown),
		cmocka_unit_test_setup_teardown(
			tells_what_is_judged_and_what_each_row_took, setup, teardown),
		cmocka_unit_test_setup_teardown(
			percent_is_written_with_one_decimal, setup, teardown),
		cmocka_unit_test_setup_teardown(
			unknown_is_null_and_failures_are_named, setup, teardown),
		cmocka_unit_test_setup_teardown(
			file_is_replaced_and_readable_by_all, setup, teardown),
		cmocka_unit_test_setup_teardown(failed_write_leaves_the_old_file, setup, teardown),
		cmocka_unit_test_setup_teardown(open_episode_is_restored, setup, teardown),
		cmocka_unit_test_setup_teardown(
			episode_of_one_listener_is_restored_to_it, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_file_restores_nothing, setup, teardown),
	};

	return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
